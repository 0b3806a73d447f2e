"""Recombination of groupings by plain search: blocks, and the best choice of groups."""

from __future__ import annotations


def blocks(groupings):
    """Return the sets of rows that are connected by the groups of any grouping."""
    found = []
    for group in (set(group) for groups in groupings for group in groups):
        touched = [block for block in found if block & group]
        found = [block for block in found if not block & group]
        found.append(group.union(*touched))
    return {frozenset(block) for block in found}


def by_blocks(one, other, cost):
    """Return what two groupings lose where every block takes the cheaper side."""
    total = 0.0
    for block in blocks([one, other]):
        sides = [[group for group in groups if set(group) <= block] for groups in (one, other)]
        total += min(sum(cost(group) for group in side) for side in sides)
    return total


def least_choice(groupings, rows, cost):
    """Return the least cost of groups of any groupings that have every row once."""
    pool = {frozenset(group) for groups in groupings for group in groups}

    def least(left):
        if not left:
            return 0.0
        first = min(left)
        return min(
            (cost(sorted(group)) + least(left - group) for group in pool
             if first in group and group <= left), default=float("inf"),
        )  # fmt: skip

    return least(frozenset(range(rows)))
