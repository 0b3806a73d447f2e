"""The judge: everything that `verify` needs, and nothing that made the release.

`reading.py` reads csv, `arrow.py` Parquet and dataframes, with parsers of their own, as a `Source`
(`source.py`). `counting.py` counts the classes: few are plain rows in memory (`classes.py`); many
are words of 64 bits (`cell_words.py`, `count_rows.py`, batch by batch in `batches.py`) in
temporary files (`disk.py`, `spill.py`). `sensitive.py` and `hierarchies.py` say what sensitive
values are and how far apart they are; `models/` states each privacy model; `rulings.py` judges
class by class; `composition.py` compares with another release; `covers.py` decides whether a
released value covers the original; `verification.py` is the result and `verify.py` the entry point.

Nothing here imports anything of ours but `errors` and `backends.storage`: a mistake in a reader,
a method or a writer cannot approve itself here.
"""
