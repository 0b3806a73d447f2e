"""Linkage by someone who knows only some of the quasi-identifiers, and guesses by the nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.risk.inference import counts_in_classes
from shoal.measures.risk.linkage import Attack, nearest_classes
from shoal.measures.task import Each

KNOWN = 3  # quasi-identifiers that someone knows, at most


def column_sets(columns: int, most: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Return all sets of some of the columns, or `most` that are drawn; none of a single one."""
    size = min(KNOWN, columns - 1)
    if size < 1:
        return []
    if comb(columns, size) <= most:
        return list(combinations(range(columns), size))
    if comb(columns, size) <= 100 * most:
        drawn = np.sort(rng.choice(comb(columns, size), most, replace=False)).tolist()
        every = combinations(range(columns), size)
        steps = np.diff([-1, *drawn]).tolist()
        return [next(islice(every, step - 1, None)) for step in steps]
    sets: set[tuple[int, ...]] = set()
    while len(sets) < most:
        sets.add(tuple(sorted(rng.choice(columns, size, replace=False).tolist())))
    return sorted(sets)


def by_some_columns(attack: Attack, sets: Sequence[Sequence[int]], each: Each) -> Floats:
    """Return of every set of columns and attacker the chance to link right by the nearest."""
    columns = [attack.met(side) for side in attack.quasi]

    def linked(part: slice) -> Floats:
        squares = [column.squares(part) for column in columns]
        chances = [
            attack.chance(part, nearest_classes(np.sum([squares[j] for j in some], axis=0)))
            for some in sets
        ]
        return np.stack(chances)

    return np.concatenate([*each(linked, attack.parts()), np.zeros((len(sets), 0))], axis=1)


@dataclass(frozen=True, eq=False)
class Secret:
    """A sensitive column: the codes of all released records, and what the attackers look for."""

    __repr__ = in_shape

    name: str
    codes: Integers
    truth: Integers

    @property
    def base(self) -> float:
        """How often the most frequent value of all is right, in percent."""
        there = self.codes[self.codes >= 0]
        return 100.0 * float(np.bincount(there).max()) / there.size


@dataclass(frozen=True, eq=False)
class Values:
    """The values of every class: value and count, class by class, from `starts` on."""

    __repr__ = in_shape

    starts: Integers
    values: Integers
    counts: Integers

    @classmethod
    def of(cls, classes: Integers, codes: Integers, size: int) -> Values:
        """Return the values of so many classes; -1 is missing."""
        there = codes >= 0
        group, values, counts = counts_in_classes(classes[there], codes[there])
        starts = np.searchsorted(group, np.arange(size + 1))
        return cls(starts.astype(np.int64), values, counts)

    def modes(self, some: Integers) -> Integers:
        """Return the most frequent values of some classes together, all that tie."""
        spans = [slice(self.starts[c], self.starts[c + 1]) for c in some.tolist()]
        values = np.concatenate([self.values[span] for span in spans])
        counts = np.concatenate([self.counts[span] for span in spans])
        if not values.size:
            return values
        every, back = np.unique(values, return_inverse=True)
        often = np.bincount(back.reshape(-1), weights=counts)
        modes: Integers = every[often == often.max()]
        return modes


def by_nearest_value(
    attack: Attack, classes: Integers, columns: Sequence[Secret], each: Each
) -> Floats:
    """Return of every sensitive column and attacker the chance to guess right by the nearest.

    The most frequent value of the nearest classes is guessed, any of those that tie; -1 is missing:
    such values are no guess, and whoever has none is not a number. `classes` are those of all
    released records.
    """
    met = [attack.met(side) for side in attack.quasi]
    every = [Values.of(classes, one.codes, attack.counts.size) for one in columns]

    def guessed(part: slice) -> Floats:
        near: Flags = nearest_classes(np.sum([one.squares(part) for one in met], axis=0))
        chances = np.full((len(columns), near.shape[0]), np.nan)
        modes: dict[tuple[int, bytes], Integers] = {}
        for i in range(near.shape[0]):
            some = np.flatnonzero(near[i])
            for j, (own, values) in enumerate(zip(columns, every, strict=True)):
                value, key = int(own.truth[part][i]), (j, some.tobytes())
                if value >= 0:
                    if key not in modes:
                        modes[key] = values.modes(some)
                    chances[j, i] = (value in modes[key]) / max(1, modes[key].size)
        return chances

    return np.concatenate([*each(guessed, attack.parts()), np.zeros((len(columns), 0))], axis=1)
