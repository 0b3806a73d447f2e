"""Regions: cuts from a sample, and the assignment of all records to them.

A cut is a point of the sample; what lies before it, column by column in the order of their spread,
goes to the one side. Records that equal it in all columns are dealt out to both, as the sample was,
so that no region is too large however many records are equal.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.methods import cutting
from shoal.table.sampling import Hashes, mixed


@dataclass(frozen=True)
class Cut:
    """A point, its columns in the order in which they count, and the share of equals before it.

    `below` and `above` are numbers of cuts, or places: -1 - place.
    """

    __repr__ = in_shape

    point: list[float]
    columns: list[int]
    share: float
    below: int
    above: int

    def before(self, points: Floats, draws: Hashes) -> Flags:
        """Return which points lie before the cut; `draws` deal out those that equal it."""
        before = np.zeros(points.shape[0], dtype=bool)
        tied = np.arange(points.shape[0])
        for column in self.columns:
            values = points[tied, column]
            before[tied[values < self.point[column]]] = True
            tied = tied[values == self.point[column]]
            if not tied.size:
                return before
        before[tied[draws[tied] / 2.0**64 < self.share]] = True
        return before


@dataclass(frozen=True)
class Cuts:
    """The cuts of a table into so many places."""

    cuts: list[Cut]
    places: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Any) -> Cuts:
        """Return what plain values say."""
        return cls([Cut(**one) for one in values["cuts"]], values["places"])

    def send(self, points: Floats, draws: Hashes) -> Integers:
        """Return the place of every point."""
        places = np.zeros(points.shape[0], dtype=np.int64)
        open_ = [(0, np.arange(points.shape[0]))] if self.cuts else []
        while open_:
            number, rows = open_.pop()
            cut = self.cuts[number]
            before = cut.before(points[rows], dealt(draws[rows], number))
            for to, some in ((cut.below, rows[before]), (cut.above, rows[~before])):
                if to < 0:
                    places[some] = -1 - to
                elif some.size:
                    open_.append((to, some))
        return places


def dealt(draws: Hashes, number: int) -> Hashes:
    """Return the draws of a cut: those of another are no help in guessing them."""
    return mixed(draws ^ np.uint64(number))


def cut_sample(points: Floats, places: int) -> Cuts:
    """Cut a sample into places of about as many points each."""
    cuts: list[Cut] = []

    def cut(rows: Integers, first: int, count: int) -> int:
        if count == 1 or not rows.size:
            return -1 - first
        some = points[rows]
        columns = np.argsort(-some.var(axis=0), kind="stable")
        left = count // 2
        middle = min(rows.size * left // count, rows.size - 1)
        order = np.lexsort([some[:, j] for j in columns[::-1]])
        point = some[order[middle]]
        equal = np.flatnonzero((some[order] == point).all(axis=1))
        share = float(np.count_nonzero(equal < middle)) / equal.size
        number = len(cuts)
        cuts.append(Cut(point.tolist(), columns.tolist(), share, 0, 0))
        below = cut(rows[order[:middle]], first, left)
        above = cut(rows[order[middle:]], first + left, count - left)
        cuts[number] = Cut(point.tolist(), columns.tolist(), share, below, above)
        return number

    cut(np.arange(points.shape[0]), 0, places)
    return Cuts(cuts, places)


def joined(counts: Integers, least: int) -> list[list[int]]:
    """Return regions of at least so many records: a place each, neighbors where one has fewer."""
    regions: list[list[int]] = []
    have = least
    for place, count in enumerate(counts.tolist()):
        if have >= least:
            regions.append([])
            have = 0
        regions[-1].append(place)
        have += count
    if have < least and len(regions) > 1:
        rest = regions.pop()
        regions[-1] += rest
    return regions


def turned(points: Floats, seed: int) -> Floats:
    """Return points along random directions, drawn by a seed."""
    return cutting.turned(points, np.random.default_rng(seed))
