"""Proposals: what each column seems to be, the role and hierarchy that fit, and why.

`content.py` reads a column's name in six languages (its words stand in `words.py`), `content.py`
looks at cells, `codes.py` and `proposal.py` know codes of one length and ordinal words. `roles.py`
proposes a role, `content.py` a hierarchy, each with a reason; `proposal.py` joins them, and
`proposal.py` says them as options of a run. `shoal inspect`, the desk and the
hierarchies that a plan takes by itself all come from here. No reason holds a value of a record.
"""
