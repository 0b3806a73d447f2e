"""Groups as rows of members, and by how much each breaks the rules."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit
from shoal.kernels.pointing import call
from shoal.kernels.rules import (
    CODES,
    COLUMNS,
    DOMINANCE,
    DOMINATED,
    HEAD,
    HEADS,
    Rules,
    pointers,
)
from shoal.partition import rows_of_groups

SIZE, MEMBERS = 0, 1  # columns of a group


def rows_of(labels: Integers, spare: int = 0) -> Integers:
    """Return a row for every group: its size, its members, and room for `spare` more."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    groups = np.full((sizes.size, MEMBERS + int(sizes.max()) + spare), -1, dtype=np.int64)
    slots = np.arange(labels.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    groups[labels[order], MEMBERS + slots] = order
    groups[:, SIZE] = sizes
    return groups


@jit
def _breaches(function: int, rules: int, groups: Integers, excess: Floats) -> None:
    """Write by how much every group breaks the rules. excess OUT (groups)."""
    for group in range(groups.shape[0]):
        size = groups[group, SIZE]
        excess[group] = call(function, rules, groups, group, MEMBERS, size, -1, -1)


def breaches(rules: Rules, groups: Integers) -> Floats:
    """Return by how much every group breaks the rules; 0 where it keeps them."""
    excess = np.zeros(groups.shape[0])
    _breaches(*pointers(rules), groups, excess)
    return excess


def of_labels(rules: Rules, labels: Integers) -> Floats:
    """Return by how much every group of a grouping breaks the rules."""
    if labels.size > MANY * np.bincount(labels).size:  # few large groups: one after the other
        return np.array([of_members(rules, members) for members in rows_of_groups(labels)])
    return breaches(rules, rows_of(labels))


MANY = 100


def of_members(rules: Rules, members: Integers) -> float:
    """Return by how much some records break the rules as one group.

    Many are sorted column by column: `breach` sorts by insertion, and has nothing left to do.
    """
    if members.size <= MANY:
        return _as_one(rules, members)
    columns, dominated = int(rules[COLUMNS]), int(rules[DOMINATED])
    end = HEADS + columns * HEAD
    heads, rest = rules[HEADS:end].reshape(columns, HEAD).copy(), dominated * DOMINANCE
    before = rules[: end + rest].copy()
    broken = 0.0
    try:
        if dominated:
            rules[HEADS : HEADS + rest], rules[COLUMNS] = before[end:], 0
            broken = _as_one(rules, members)
        rules[[COLUMNS, DOMINATED]] = 1, 0
        for head in heads:
            rules[HEADS : HEADS + HEAD] = head
            codes = rules[int(head[CODES]) + members]
            broken += _as_one(rules, members[np.argsort(codes, kind="stable")])
    finally:
        rules[: before.size] = before
    return broken


def _as_one(rules: Rules, members: Integers) -> float:
    row = np.concatenate(([members.size], members)).astype(np.int64)
    return float(breaches(rules, row.reshape(1, -1))[0])
