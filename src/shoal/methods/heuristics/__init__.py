"""Grouping of numeric records: choose a first record, grow it to k, take both out, repeat.

Every fixed-size method of the literature is one such loop. What differs is the rule that picks
the first record (`fixed_size.py`), the rule that grows it (`pool.py`), and the end game, when too
few records are left for the loop (`fixed_size.py`). All of them look at the same thing, the records
that are still without a group: the `Pool`, whose sweeps are kernels.
"""
