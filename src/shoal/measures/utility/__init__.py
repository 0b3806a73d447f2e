"""Utility of a release: pure functions of both sides of its columns.

`errors`: cell by cell. `distributions`: column by column and pair by pair. `generalized`: what
words and intervals leave open. `fits`: models trained on the release beside those of the original.
"""
