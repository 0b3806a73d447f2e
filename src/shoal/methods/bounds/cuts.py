"""Cuts of rank one: whole groups take less of some records than halves and thirds of groups do.

Records count with shares (a half, a third, ...), and what a group has of them is rounded down: all
groups together have at most the shares' sum, rounded down. With three records that count half, of
all groups with two of them one can be chosen. Where the programme halves three groups that share
their records pair by pair (outliers, mostly) it costs less than any grouping; such a triple of
records is found and the halves are forbidden.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.kernels.arrays import Floats, Integers

NOBODY = -1  # beyond the records of a group or a cut
VIOLATED = 1.02  # by less it is not worth a row
A_RECORD = 3  # cuts a round


@dataclass(frozen=True, repr=False)
class Cuts:
    """Cuts of records that count with shares: the sum of rounded-down groups is limited.

    With s the shares by the parts, a group S has floor(sum of s over S), and all groups of a
    grouping together have at most floor(sum of s), because every record is in one of them.
    """

    rows: Integers  # (cuts, width) records, then NOBODY
    shares: Integers  # (cuts, width) in parts; 0 where nobody is
    parts: Integers  # (cuts) into how many parts a record is divided

    def __len__(self) -> int:
        return int(self.parts.size)

    @property
    def limits(self) -> Integers:
        """(cuts) what the groups of a grouping have together, at most."""
        limits: Integers = self.shares.sum(axis=1) // self.parts
        return limits

    def coefficients(self, number: int, members: Integers, rows: int) -> Integers:
        """Return the coefficients of groups in a cut: what each has of it, rounded down.

        members (groups, width) of `rows` records, then NOBODY.
        """
        shares = np.zeros(rows + 1, dtype=np.int64)  # NOBODY is the last one, with no share
        shares[self.rows[number]] = self.shares[number]
        shares[NOBODY] = 0
        sums: Integers = shares[members].sum(axis=1) // self.parts[number]
        return sums

    def take(self, which: Integers) -> Cuts:
        """Return some of the cuts, by their numbers."""
        return Cuts(self.rows[which], self.shares[which], self.parts[which])

    def extended(self, more: Cuts) -> Cuts:
        """Return these cuts, then others."""
        width = max(self.rows.shape[1], more.rows.shape[1])
        mine, others = self._as_wide(width), more._as_wide(width)
        return Cuts(
            np.concatenate([mine.rows, others.rows]),
            np.concatenate([mine.shares, others.shares]),
            np.concatenate([self.parts, more.parts]),
        )

    def _as_wide(self, width: int) -> Cuts:
        beyond = (0, 0), (0, width - self.rows.shape[1])
        rows = np.pad(self.rows, beyond, constant_values=NOBODY)
        return Cuts(rows, np.pad(self.shares, beyond), self.parts)

    def inside(self, number: Integers) -> tuple[Cuts, Integers]:
        """Return the cuts all of whose records have a number, by it, and which those are.

        number (n + 1): of a record among some, or NOBODY; the last is NOBODY, too.
        """
        numbered = number[self.rows]
        whole = ((numbered != NOBODY) | (self.rows == NOBODY)).all(axis=1)
        which = np.flatnonzero(whole)
        return Cuts(numbered[which], self.shares[which], self.parts[which]), which


def of_triples(triples: Integers) -> Cuts:
    """Return the cuts of triples of records, (cuts, 3), each of which counts half."""
    return Cuts(triples, np.ones_like(triples), np.full(triples.shape[0], 2))


NO_CUTS = of_triples(np.zeros((0, 3), dtype=np.int64))


def violated_triples(members: Integers, values: Floats, most: int) -> Cuts:
    """Return cuts by triples of records that a fractional solution violates, the worst first.

    members (columns, width) and values of the columns. Ties go to the lowest rows.
    """
    together: dict[tuple[int, ...], float] = defaultdict(float)
    near: dict[int, set[int]] = defaultdict(set)
    for group, value in _fractional(members, values):
        for one, other in combinations(group, 2):
            together[one, other] += value
            near[one].add(other)
            near[other].add(one)
        for triple in combinations(group, 3):
            together[triple] += value
    excess: dict[tuple[int, int, int], float] = {}
    for one, others in near.items():
        for two, three in combinations(sorted(others), 2):
            a, b, c = sorted((one, two, three))
            pairs = together.get((a, b), 0.0) + together.get((b, c), 0.0)
            pairs += together.get((a, c), 0.0)
            if pairs > VIOLATED:
                twice = pairs - 2.0 * together.get((a, b, c), 0.0)
                if twice > VIOLATED:
                    excess[a, b, c] = twice
    used: Counter[int] = Counter()
    chosen: list[tuple[int, int, int]] = []
    for triple, _ in sorted(excess.items(), key=lambda one: (-round(one[1], 9), one[0])):
        if len(chosen) < most and max(used[row] for row in triple) < A_RECORD:
            used.update(triple)
            chosen.append(triple)
    return of_triples(np.array(chosen, dtype=np.int64).reshape(-1, 3))


def _fractional(members: Integers, values: Floats) -> list[tuple[list[int], float]]:
    which = np.flatnonzero((values > 1e-6) & (values < 1.0 - 1e-6))
    return [
        (members[column][members[column] != NOBODY].tolist(), float(values[column]))
        for column in which
    ]
