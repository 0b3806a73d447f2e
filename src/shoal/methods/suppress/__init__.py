"""Suppression with a budget: which records are left out so that all lose least.

A record that is left out has lost everything: of trees all its cells, of points what a record loses
on average where everything is lost, SST / n (both are the number of columns, where these count the
same). So one is left out only if the others lose less by more than that, and never more of them
than the budget allows.

`losses.py` has the exact loss of any groups, `exact.py` tries all sets of up to a dozen records,
`grouping.py` holds the groups while records leave, `removals.py` prices every way to leave some
out, `exchanges.py` takes some back for others, `choose.py` goes on by turns of these and of
regrouping.
"""
