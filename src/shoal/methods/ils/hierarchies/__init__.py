"""The search on generalization loss (kaim+): from any grouping of coded records to a better one.

A column of a group is described by three numbers: the least and the greatest of what is released
(in a tree both are the common ancestor), and how many members have exactly that, and so lose
nothing. From them alone follows what the column costs, and what it would cost with one record more
(`state.py`). Every record carries the same three numbers of its group without it, so that a shift
or a swap is priced by looking a few nodes up, whatever the size of the groups.

Moves are shifts and swaps (`moves.py`); a bound says which pairs can gain, so that a record and the
groups near it are all looked at and few are priced. Perturbations dissolve a group into
those its records cost least (`advance.py`), let the groups around a record grow anew
(`advance.py`), or split them anew from the top down (`resplit.py`). They are accepted by simulated
annealing (`regions.py`). Large tables are searched in regions side by side (`regions.py`).
"""
