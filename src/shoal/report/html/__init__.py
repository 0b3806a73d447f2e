"""The parts of the report's pages, one file each; `document.py` joins them."""
