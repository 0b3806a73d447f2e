"""Signatures of new people: those of the places that they take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.enforce.kinds import NEW, Kinds
from shoal.partition import rows_of_groups

Signature = tuple[int, ...]


def deal(kinds: Kinds, labels: Integers) -> list[Signature]:
    """Return the signature of each record of groups that keep the rule; empty where it has none."""
    dealt: list[Signature] = [()] * labels.size
    for row in np.flatnonzero(kinds.bond != NEW):
        dealt[row] = tuple(kinds.bonds[kinds.bond[row]])
    for rows in rows_of_groups(labels):
        new = defaultdict(list)
        for row in rows[kinds.bond[rows] == NEW].tolist():
            new[int(kinds.own[row])].append(row)
        for signature, value in holes(kinds, rows):
            dealt[new[value].pop()] = signature
    return dealt


def holes(kinds: Kinds, rows: Integers) -> Iterator[tuple[Signature, int]]:
    """Yield the signature and the value of each person that some records lack to be balanced."""
    counts: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows[kinds.signed[rows] > 0].tolist():
        counts[int(kinds.bond[row])][int(kinds.own[row])] += 1
    for number in sorted(counts):
        signature = tuple(kinds.bonds[number])
        most = max(counts[number].values())
        for value in signature:
            for _ in range(most - counts[number][value]):
                yield signature, value
