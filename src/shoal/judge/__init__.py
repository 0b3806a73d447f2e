"""The judge: everything that `verify` needs, and nothing that made the release.

`reading.py` opens a release as a `Source` (`source.py`); with `arrow.py` it reads its columns batch
by batch, as `cells.py`, with parsers of their own. `composition.py` counts the classes: records
become words of 64 bits (`cell_words.py`, `batches.py`); few classes are kept in memory
(`classes.py`), many in temporary files (`disk.py`), as `limits.py` allows. `sensitive.py` and
`hierarchies.py` say what sensitive values are and how far apart they are; `models/` states each
privacy model; `rulings.py` judges class by class; `composition.py` compares with another release;
`covers.py` decides whether a released value covers the original; `verification.py` is the result
and `verify.py` the entry point.

Nothing here imports anything of ours but `errors` and `backends.storage`: a mistake in a reader,
a method or a writer cannot approve itself here.
"""
