"""Refining a grouping: fewer, larger groups where that loses less.

All refinements send the members of a group to other groups and keep the change if the total SSE
falls (`steps.py`); some move single records out of groups larger than k (`steps.py`); groups
that reach 2k are split (`steps.py`). The state they share is one set of arrays (`groups.py`). Each
step over all groups is a function of `steps.py`; `printed.py` joins them to the refinements of the
2018 paper as they print its figures, `refinements.py` to the others, and has all by name. No
refinement returns more loss than it got.
"""
