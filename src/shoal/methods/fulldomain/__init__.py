"""Full-domain recoding: one level of every column's hierarchy for all records.

The combinations of levels are a lattice: above a combination are those that raise levels of it.
Going up, classes only merge, so that a combination that is not k-anonymous has none below it that
is (Samarati 2001), with a limit of suppressed records too; and what cells lose only grows. Search
(`recode.py`) looks at chains from below by bisection, as Flash does (Kohlmayer, Prasser and others
2012), and leaves out what either rule decides, as Incognito does (LeFevre, DeWitt and Ramakrishnan
2005). What it returns is the least loss of the lattice, not of one of its minimal combinations
alone: suppression trades levels for records.

`columns.py` has the codes and losses of every level, `recode.py` counts the records of classes by
hashing, says what a combination loses and puts them together.
"""
