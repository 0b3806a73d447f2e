"""The judge: everything that `verify` needs, and nothing that made the release.

`reading.py` reads files with parsers of its own; `counting.py` counts the classes (`classes.py` in
memory, `disk.py` those of large files, through `spill.py`); `sensitive.py` and `trees.py` say what
sensitive values are and how far apart; `ruling.py` judges class by class; `against.py` meets
another release; `verification.py` is what is found. Nothing here reaches a reader, writer, method
or kernel: a mistake there cannot approve itself here.
"""
