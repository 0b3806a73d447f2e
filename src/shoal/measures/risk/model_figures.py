"""The figures of further attacks, and of models of sensitive values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np

from shoal.errors import listed, shown
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.compared import renumbered
from shoal.measures.result import Each, Measure, Task, figure_text, interval
from shoal.measures.risk import assignment, likeness
from shoal.measures.risk.figures import counts_in_classes
from shoal.measures.risk.linkage import Attack, nearest_classes
from shoal.measures.sides import Numbers

KNOWN = 3  # quasi-identifiers that someone knows, at most
FEWEST = 50  # attackers who know some of the columns, set by set
PART = 4  # of the distances that linkage takes, the guesses take one in so many
MOST = 20_000  # attackers who guess by the nearest classes


def of_assignment(task: Task) -> list[Measure]:
    """The linkage that gives every record to one person."""
    compared = task.compared
    if compared.first is None or compared.second is None or not task.effort.assignments:
        return []
    pairs, drawn = _drawn(task)
    if not pairs.size:
        return []
    attack = Attack.on(compared, pairs)
    places = np.full(compared.sizes.size, -1, dtype=np.int64)
    places[drawn] = np.arange(drawn.size)
    some = Attack(
        attack.quasi, attack.seen[drawn], attack.counts[drawn], attack.rows, places[attack.own]
    )
    right = assignment.chances(renumbered(compared.origins[some.rows]), some.own, some.counts)
    made = assignment.assign(assignment.in_favor(assignment.distances(some), right), some.counts)
    chances = 100.0 * right[np.arange(pairs.size), made.classes]
    way = f"assigned {made.way}"
    if made.slack:
        way += f", to within {100.0 * made.slack / (made.total or 1.0):.2g} % of the least sum"
    sampled = drawn.size < compared.sizes.size
    return [
        Measure(
            "assignment_linkage",
            float(chances.mean()),
            interval=interval(chances, 100.0) if sampled else None,
            sampled=pairs.size if sampled else None,
            rest=way,
        )
    ]


def _drawn(task: Task) -> tuple[Integers, Integers]:
    """Return the pairs and the classes that take part: all, or those of as many as can be."""
    compared = task.compared
    assert compared.second is not None
    order = task.rng.permutation(compared.sizes.size)
    records = np.cumsum(compared.sizes[order])
    fits = records * np.arange(1, order.size + 1) <= task.effort.assignments
    if task.sample:
        fits &= records <= max(task.sample, int(records[0]))
    drawn = np.sort(order[: max(1, int(fits.sum()))])
    chosen = np.zeros(compared.sizes.size, dtype=bool)
    chosen[drawn] = True
    return np.flatnonzero(chosen[compared.classes[compared.second]]), drawn


def of_partial(task: Task) -> list[Measure]:
    """The linkage by some of the quasi-identifiers: the worst set, and all on average."""
    compared = task.compared
    sets = column_sets(len(compared.quasi), task.effort.sets, task.rng)
    if compared.first is None or not sets or not task.effort.sets:
        return []
    each = compared.sizes.size * sum(map(len, sets))
    most = max(FEWEST, int(task.effort.distances // max(each, 1)))
    rows = task.some(compared.first.size, most)
    chances = 100.0 * by_some_columns(Attack.on(compared, rows), sets, task.each)
    shares = chances.mean(axis=1)
    names = [listed([compared.quasi[j].name for j in some]) for some in sets]
    worst = int(shares.argmax())
    sampled = rows.size < compared.first.size
    average = figure_text(float(shares.mean()), "percent")
    return [
        Measure(
            "partial_linkage",
            float(shares[worst]),
            {name: float(share) for name, share in zip(names, shares, strict=True)},
            interval=interval(chances[worst], 100.0) if sampled else None,
            sampled=rows.size if sampled else None,
            rest=f"{names[worst]}; {average} on average over {len(sets):,} sets",
        )
    ]


def of_nearest(task: Task) -> list[Measure]:
    """The guess of sensitive values by the nearest classes."""
    compared = task.compared
    if compared.first is None or compared.second is None or not task.effort.sets:
        return []
    each = max(1, PART * compared.sizes.size * len(compared.quasi))
    most = min(MOST, max(task.effort.attackers, int(task.effort.distances // each)))
    rows = task.some(compared.first.size, most)
    attack = Attack.on(compared, rows)
    columns = []
    for side, secret in zip(compared.sensitive, compared.secrets, strict=True):
        codes = np.where(secret < 0, -1, renumbered(secret + 1) - int(secret.min() < 0))
        truth = codes[compared.second[rows]]
        if (truth >= 0).any():
            columns.append(Secret(side.name, codes, truth))
    figures: dict[str, tuple[float, str]] = {}
    rights = by_nearest_value(attack, compared.classes, columns, task.each)
    for one, right in zip(columns, rights, strict=True):
        share = 100.0 * float(np.nanmean(right))
        rates = f"{figure_text(share, 'percent')} and {figure_text(one.base, 'percent')}"
        figures[one.name] = share - one.base, f"{shown(one.name)}: {rates}"
    sampled = rows.size if rows.size < compared.first.size else None
    return _extreme("nearest_inference", figures, max, sampled)


def of_models(task: Task) -> list[Measure]:
    """The figures that models of sensitive values are about."""
    compared = task.compared
    gains: dict[str, tuple[float, str]] = {}
    changes: dict[str, tuple[float, str]] = {}
    widths: dict[str, tuple[float, str]] = {}
    for side, codes in zip(compared.sensitive, compared.secrets, strict=True):
        name = shown(side.name)
        shares = likeness.shares(compared.classes, codes)
        if shares is not None:
            lacking = figure_text(shares.lacking, "percent")
            gains[side.name] = shares.gain, f"column {name}"
            changes[side.name] = shares.change, f"{name}; {lacking} of the classes lack a value"
        found = likeness.ranges(compared.classes, side.after) if isinstance(side, Numbers) else None
        if found is not None:
            least = f"{name}; at least {found.different:,} different numbers in a class"
            widths[side.name] = found.percent, least
    measures = [
        *_extreme("likeness", gains, max),
        *_extreme("disclosure", changes, max),
        *_extreme("class_range", widths, min),
    ]
    if len(compared.secrets) > 1:
        fewest = likeness.combinations(compared.classes, compared.secrets)
        measures.append(Measure("combined_diversity", float(fewest)))
    return measures


def _extreme(
    key: str,
    figures: dict[str, tuple[float, str]],
    of: Callable[..., Any],
    sampled: int | None = None,
) -> list[Measure]:
    """Return the worst of the columns with its words, and all of them."""
    if not figures:
        return []
    column = of(figures, key=lambda name: figures[name][0])
    by = {name: value for name, (value, _) in figures.items()}
    return [Measure(key, by[column], by, rest=figures[column][1], sampled=sampled)]


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


@dataclass(frozen=True, eq=False, repr=False)
class Secret:
    """A sensitive column: the codes of all released records, and what the attackers look for."""

    name: str
    codes: Integers
    truth: Integers

    @property
    def base(self) -> float:
        """How often the most frequent value of all is right, in percent."""
        there = self.codes[self.codes >= 0]
        return 100.0 * float(np.bincount(there).max()) / there.size


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """The values of every class: value and count, class by class, from `starts` on."""

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
