"""Grouping by splitting: all records, then their parts, while that saves loss.

A set of records is split by one column where the loss saved is most for the entropy that the split
takes; records that would make a part too small are left over at a price, and grouped among
themselves in the next round (`grouping.py`). Mondrian (LeFevre, DeWitt and Ramakrishnan 2006)
splits at medians, whatever that saves, and leaves no records over.
"""
