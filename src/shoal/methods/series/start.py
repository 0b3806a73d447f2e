"""First groups of a later release: the last one's, with the places of signatures filled again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.enforce.rules import NEW, Kinds

NOWHERE = -1  # the class of who was in none, and the group of who is withheld
NEAREST = 12  # candidates that a bucket looks at in a round
A_BLOCK = 2_000_000  # distances at once


@dataclass(eq=False)
class Bucket:
    """People of one signature and different values who were in one class; it may lack some."""

    bond: int
    home: int
    rows: dict[int, int]  # by value
    missing: set[int]
    gone: bool = False
    center: Floats = field(default_factory=lambda: np.zeros(0))

    def place(self, matrix: Floats) -> None:
        """Note where its people are."""
        self.center = matrix[list(self.rows.values())].mean(axis=0)


@dataclass(frozen=True)
class Offer:
    """What would fill a bucket: a new person, or another bucket of the signature, and how near."""

    distance: float
    bucket: int
    row: int = -1
    other: int = -1


def first_groups(
    kinds: Kinds, homes: Integers, matrix: Floats
) -> tuple[Integers, Integers, list[Bucket]]:
    """Return groups of whole buckets and companies, and the rows of people who are withheld.

    The buckets of the latter, which lack somebody, are returned too.
    `homes` (n) are the classes of the last release, NOWHERE for who was not in it. New people who
    take nobody's place are NOWHERE in the groups, and so are those who are withheld.
    """
    made = _Filling(kinds, homes, matrix)
    while made.round():
        pass
    groups = np.full(homes.size, NOWHERE, dtype=np.int64)
    in_company = (kinds.bond != NEW) & (kinds.signed == 0)
    beyond = int(homes.max(initial=-1)) + 1 + homes.size
    groups[in_company] = np.where(homes >= 0, homes, beyond + kinds.bond)[in_company]
    withheld: list[int] = []
    for bucket in made.buckets:
        rows = list(bucket.rows.values())
        if bucket.gone:
            continue
        if bucket.missing:
            withheld += [row for row in rows if kinds.bond[row] != NEW]
        else:
            groups[rows] = bucket.home
    lacking = [one for one in made.buckets if one.missing and not one.gone]
    return groups, np.array(sorted(withheld), dtype=np.int64), lacking


class _Filling:
    """Buckets that are filled, nearest first."""

    def __init__(self, kinds: Kinds, homes: Integers, matrix: Floats) -> None:
        self.kinds, self.matrix = kinds, matrix
        self.free: set[int] = set(np.flatnonzero(kinds.bond == NEW).tolist())
        self.buckets = _buckets(kinds, homes, matrix)

    def round(self) -> bool:
        """Let every bucket that lacks somebody look around once; tell whether one was filled."""
        taken = False
        for offer in sorted(self._offers(), key=lambda one: one.distance):
            bucket = self.buckets[offer.bucket]
            if bucket.gone or not bucket.missing:
                continue
            if offer.row >= 0:
                value = int(self.kinds.own[offer.row])
                if offer.row not in self.free or value not in bucket.missing:
                    continue
                self.free.remove(offer.row)
                bucket.rows[value] = offer.row
                bucket.missing.remove(value)
            else:
                other = self.buckets[offer.other]
                if other.gone or not set(other.rows) <= bucket.missing:
                    continue
                other.gone = True
                bucket.rows |= other.rows
                bucket.missing -= set(other.rows)
            bucket.place(self.matrix)
            taken = True
        return taken

    def _offers(self) -> list[Offer]:
        open_ones = [i for i, one in enumerate(self.buckets) if one.missing and not one.gone]
        return [*self._of_people(open_ones), *self._of_buckets(open_ones)]

    def _of_people(self, open_ones: list[int]) -> list[Offer]:
        """Return the nearest new people of each value that a bucket lacks."""
        people: dict[int, list[int]] = defaultdict(list)
        for row in sorted(self.free):
            people[int(self.kinds.own[row])].append(row)
        wanting: dict[int, list[int]] = defaultdict(list)
        for i in open_ones:
            for value in self.buckets[i].missing:
                wanting[value].append(i)
        offers = []
        for value, some in wanting.items():
            if not people[value]:
                continue
            rows = np.array(people[value])
            for i, near, apart in self._nearest(some, rows):
                offers += [
                    Offer(float(d), i, row=int(row)) for row, d in zip(near, apart, strict=True)
                ]
        return offers

    def _nearest(self, some: list[int], rows: Integers) -> list[tuple[int, Integers, Floats]]:
        """Return of each bucket the nearest of some rows, and how far they are."""
        nearest = []
        count, step = min(NEAREST, rows.size), max(1, A_BLOCK // rows.size)
        for begin in range(0, len(some), step):
            part = some[begin : begin + step]
            centers = np.array([self.buckets[i].center for i in part])
            apart = _squares(centers, self.matrix[rows])
            near = np.argpartition(apart, count - 1, axis=1)[:, :count]
            for i, places, own in zip(part, near, apart, strict=True):
                nearest.append((i, rows[places], own[places]))
        return nearest

    def _of_buckets(self, open_ones: list[int]) -> list[Offer]:
        """Return the pairs of buckets of one signature that have different values."""
        alike: dict[int, list[int]] = defaultdict(list)
        for i in open_ones:
            alike[self.buckets[i].bond].append(i)
        offers = []
        for some in alike.values():
            centers = np.array([self.buckets[i].center for i in some])
            apart = _squares(centers, centers)
            for a, i in enumerate(some):
                for b in np.argsort(apart[a])[: 4 * NEAREST].tolist():
                    if set(self.buckets[some[b]].rows) <= self.buckets[i].missing:
                        offers.append(Offer(float(apart[a, b]), i, other=some[b]))
        return offers


def _squares(one: Floats, other: Floats) -> Floats:
    """Return the squared distances of rows of two matrices."""
    products = one @ other.T
    squares: Floats = (one**2).sum(axis=1)[:, None] - 2.0 * products + (other**2).sum(axis=1)
    return np.maximum(squares, 0.0)


def _buckets(kinds: Kinds, homes: Integers, matrix: Floats) -> list[Bucket]:
    """Return the people who have a signature, as buckets of those who were together."""
    held: dict[tuple[int, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    alone = int(homes.max(initial=-1)) + 1
    for row in np.flatnonzero(kinds.signed).tolist():
        home = int(homes[row])
        if home == NOWHERE:
            home, alone = alone, alone + 1
        held[home, int(kinds.bond[row])][int(kinds.own[row])].append(row)
    every = []
    for (home, number), by_value in sorted(held.items()):
        for turn in range(max(map(len, by_value.values()))):
            rows = {value: some[turn] for value, some in by_value.items() if turn < len(some)}
            missing = set(kinds.bonds[number]) - set(rows)
            bucket = Bucket(number, home, rows, missing)
            bucket.place(matrix)
            every.append(bucket)
    return every
