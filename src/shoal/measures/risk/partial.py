"""Linkage by someone who knows only some of the quasi-identifiers, and guesses by the nearest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice
from math import comb

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
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


def by_nearest_value(
    attack: Attack, classes: Integers, codes: Integers, truth: Integers, each: Each
) -> Floats:
    """Return of every attacker the chance to guess a sensitive value right by the nearest classes.

    The most frequent value of the nearest classes is guessed, any of those that tie; -1 is missing:
    such values are no guess, and whoever has none is not a number. `classes` and `codes` are of
    all released records, `truth` is what the attackers look for.
    """
    columns = [attack.met(side) for side in attack.quasi]
    counts = np.zeros((attack.counts.size, int(codes.max(initial=0)) + 1))
    there = codes >= 0
    np.add.at(counts, (classes[there], codes[there]), 1.0)

    def guessed(part: slice) -> Floats:
        near: Flags = nearest_classes(np.sum([one.squares(part) for one in columns], axis=0))
        found = near.astype(np.float64) @ counts
        best = (found == found.max(axis=1, keepdims=True)) & (found > 0.0)
        own = truth[part]
        hit = best[np.arange(own.size), np.maximum(own, 0)]
        chance = np.where(hit, 1.0 / np.maximum(best.sum(axis=1), 1), 0.0)
        return np.where(own < 0, np.nan, chance)

    return np.concatenate([*each(guessed, attack.parts()), np.zeros(0)])
