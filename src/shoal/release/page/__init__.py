"""The parts of the pages, one file a part of the reader's way; `release/html.py` joins them."""
