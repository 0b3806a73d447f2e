"""Grouping records of categories and missing cells: k-member and KAIM.

Both grow a group from a first record by adding the record that costs least. What a record costs is
a sum over columns, and in a column it depends on the record's node alone: so for every step the
cost of each node is written down once (`forest.price`), and a record costs as many look-ups as it
has columns (`cluster.py`). Equal records are one, with a count.
"""
