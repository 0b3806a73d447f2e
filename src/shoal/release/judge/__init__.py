"""The judge: everything that `verify` needs, and nothing that made the release.

`reading.py` reads csv, `arrow.py` Parquet and dataframes, with parsers of their own, as a `Source`
(`source.py`). `counting.py` counts the classes: few are plain rows in memory (`classes.py`); many
are words of 64 bits (`words.py`, `entries.py`, batch by batch in `batches.py`) in temporary files
(`disk.py`, `spill.py`). `sensitive.py` and `trees.py` say what sensitive values are and how far
apart; `ruling.py` judges class by class; `against.py` meets another release; `verification.py` is
what is found. Nothing here reaches a reader, writer, method or kernel: a mistake there cannot
approve itself here.
"""
