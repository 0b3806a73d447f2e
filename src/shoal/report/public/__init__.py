"""Public figures of the original: stable against any k people.

What is published beside a release must not tell more than the release. A figure of the original is
public only if it is *stable against k people*: with the released classes and their values held
fixed, adding, removing or replacing up to k records, whose values lie within the released range of
their columns, changes the unrounded figure by at most one step of its rounding. So two reports that
differ by k people say the same, up to one step, and no equation can be solved for a person.

All public figures are means, or largest gaps of means, over records of contributions that are
bounded: one record moves them by at most its bound over n. What scales a contribution (the range of
a column, the spread of its classes, ranks) comes from the released classes alone; originals beyond
the released range count as its ends. From this each figure's docstring derives its bound.

`rounding.py` has the steps: the least power of ten that is at least the bound. They depend on n, k
and the release, never on the original. Losses and risks are rounded up, counts and means down, so
that the intervals of roundings at several k nest. A figure whose step is more than a tenth of its
scale says nothing and is left out: of fewer than 10 k records there is none.

`cells.py` says what each cell lost and has the attacks; `shoal.report.figures.ranges`
sums up columns (of all records, or chunk by chunk) and joins them. `keys.py` says of every key of a
report whether it is public, `report.py` makes the public report of the exact one.

This is no differential privacy: a figure that happens to lie at the border of two steps still
changes with one person, and who knows all people but k learns something of these together.
"""
