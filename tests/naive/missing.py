"""Means of groups of which some cells are missing, by their definition."""

from __future__ import annotations

from fractions import Fraction


def means_of_present(cells, labels, k, units=None):
    """Return what records release: the exact mean of their group, None where fewer than k have one.

    `units` says whose record each is: then k of these must have a cell.
    """
    released = []
    for label in labels:
        members = [i for i, own in enumerate(labels) if own == label and cells[i] is not None]
        whose = {i if units is None else units[i] for i in members}
        if len(whose) < k:
            released.append(None)
        else:
            released.append(sum(Fraction(cells[i]) for i in members) / len(members))
    return released
