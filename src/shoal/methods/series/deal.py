"""Signatures of new people: what is missing in buckets first, then buckets of their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.enforce.kinds import NEW, Kinds
from shoal.partition import rows_of_groups

Signature = tuple[int, ...]


def deal(kinds: Kinds, labels: Integers) -> list[Signature]:
    """Return the signature of every record of groups that keep the rule of the series."""
    dealt: list[Signature] = [()] * labels.size
    for row in np.flatnonzero(kinds.signature != NEW):
        dealt[row] = tuple(kinds.signatures[kinds.signature[row]])
    for rows in rows_of_groups(labels):
        new = defaultdict(list)
        for row in rows[kinds.signature[rows] == NEW].tolist():
            new[int(kinds.own[row])].append(row)
        for signature, value in holes(kinds, rows):
            dealt[new[value].pop()] = signature
        left = [row for value in sorted(new) for row in new[value]]
        for bucket in buckets(left, kinds):
            signature = tuple(sorted(int(kinds.own[row]) for row in bucket))
            for row in bucket:
                dealt[row] = signature
    return dealt


def holes(kinds: Kinds, rows: Integers) -> Iterator[tuple[Signature, int]]:
    """Yield the signature and the value of each person that some records lack to be balanced."""
    counts: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows.tolist():
        if kinds.signature[row] != NEW:
            counts[int(kinds.signature[row])][int(kinds.own[row])] += 1
    for number in sorted(counts):
        signature = tuple(kinds.signatures[number])
        most = max(counts[number].values())
        for value in signature:
            for _ in range(most - counts[number][value]):
                yield signature, value


def buckets(rows: list[int], kinds: Kinds) -> list[list[int]]:
    """Return buckets of l records or more, in each of which no value occurs twice.

    Requires records sorted by value, of which no value is more than 1 / l. They are dealt in turn,
    to as many buckets as there can be (the assignment of Xiao and Tao's bucketization, section 5).
    """
    count = len(rows) // kinds.l
    return [rows[i::count] for i in range(count)]
