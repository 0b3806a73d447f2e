"""Lower bounds on ILoss, for records that are nodes of hierarchies.

A cell never loses less in a larger group, so that groups of k to 2k - 1 records are all that need
be looked at, and a record loses at least what the cheapest *form* costs it (a node or a range a
column) that covers it and k - 1 others: `neighbors.py`, for tables of any size. On small tables the
linear programme over all groups gives more: `pricing.py` finds the groups of least reduced cost,
branching on the records that widen the form, and `forms.py` hands them to `Generation`.
"""
