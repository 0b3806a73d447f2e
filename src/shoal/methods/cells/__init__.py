"""Local suppression: the fewest cells to suppress so that every class has k records.

A suppressed cell is a value of its own, as the judge counts it by default: the reading `own`, the
strictest of `judge/models/matching.py`. Each record is released under a
mask (the columns that are suppressed of it); the records that are equal under one mask are a
pattern, and whoever is released by a pattern is so with at least k - 1 others. (Optimal k-anonymity
by suppression is NP-hard: Meyerson and Williams 2004.)

`masks.py` lists the patterns that k records match, makes a first solution and improves it, and has
what no solution costs less than. The method `local-suppression` is in
`families/local_suppression.py`.
"""
