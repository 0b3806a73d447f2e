"""Steps: what a steward does beside grouping, as a short ordered list.

A step is a frozen value of its options: `Round("income", digits=-3)`. A recipe has them as
`[[steps]]`, the command line as `--step 'round income -3'`, Python as `steps=[…]`; removing one
undoes it. Steps *before grouping* change what is grouped and what is kept (`round.py`,
`extremes.py`, `recode.py`, `dates.py`, `rare.py`); steps *after grouping* change kept columns by
chance (`noise.py`, `swaps.py`, `pram.py`), by numbers that follow from a secret (`draws.py`) which
the private recipe alone holds: repeating a release repeats its noise.

`sequence.py` carries a list out in its order, `cost.py` says what each step changed, `registry.py`
finds a step by its kind and `words.py` reads and writes the compact form. Nothing here verifies
anything: the judge looks at what is released, as ever.
"""
