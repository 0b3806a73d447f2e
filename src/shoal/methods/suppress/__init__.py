"""Suppression with a budget: which records are left out so that all lose least.

A budget is what a steward gives up; within it, those records leave without which the others lose
least. The loss that is reported counts each as having lost everything: of trees all its cells, of
points what a record loses on average where everything is lost, SST / n.

`removals.py` has the exact loss of any groups, `choose.py` tries all sets of up to a dozen records,
`removals.py` holds the groups while records leave and prices every way to leave some
out, `choose.py` takes some back for others and goes on by turns of these and of
regrouping.
"""
