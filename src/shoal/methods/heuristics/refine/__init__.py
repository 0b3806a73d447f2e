"""Refining a grouping: fewer, larger groups where that loses less.

All refinements send the members of a group to other groups and keep the change if the total SSE
falls (`scatter.py`); some move single records out of groups larger than k (`shrink.py`); groups
that reach 2k are split (`split.py`). The state they share is one set of arrays (`groups.py`), and
`refinements.py` joins the steps to the refinements by name. No refinement returns more loss than
it got.
"""
