"""Hierarchies: for every value of a column the path from itself up to the root, written `*`.

A `Rule` gives the paths of the values of a column: read from a file (`listed.py`), computed from
numbers (`tree.py`), from texts and dates (`specify.py`). `tree.py` joins paths to a tree and
refuses those that are none; `specify.py` reads what a person says of a rule. Codes and trees are
what the methods see (`shoal.table.encode_nodes`); a method never sees a label.
"""
