"""A fuzzer: random tables and options through every door, judged by oracles of its own.

A case is plain data (`cases.py`): columns of texts with the kind each is of, options, a source and
a door. `tables.py` and `options.py` draw one from a seed, `sources.py` makes a file or dataframe of
it, `doors.py` sends it through Python, the command line, a recipe or the desk, and `checks.py`
looks at what comes back by the oracles (`counting.py`, `covering.py`, `values.py`), which import
nothing of Shoal. `spoiling.py` breaks releases that the verifier must then refuse, `shrinking.py`
makes a finding small, `campaign.py` runs many cases in several processes, and `__main__.py` is
`make fuzz`.
"""
