"""Grouping of people who were in earlier releases, so that l survives with little loss.

Whoever has all releases and knows in which class of each a person is, can rule out a value only if
no other assignment of values to people makes the same releases. Two things keep such assignments:

- *Company.* People who were in the same class whenever one of them was in any can swap their values
  and nothing changes. Where they have l different values, each of them could have any.
- *A signature*, a set of l values. Where the people who have it show each of its values equally
  often in every class of every release, all of them can permute their values at once (m-invariance:
  Xiao and Tao, m-Invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD
  2007; their classes are one such bucket).

So people stay in company, in parts of l values or more. Where those who are gone had fewer values
between them, some of their company get a signature with them, and new people, or others of the
signature, must take the places of those who are gone; else these are withheld too.

`bonds.py` says who is bound by what; `start.py` begins with the classes of the last release and
fills the places; `group.py` completes the groups and searches from there by moves that break
nothing; `bonds.py` says who has which signature then.
"""
