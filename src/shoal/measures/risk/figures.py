"""The figures of risk, family by family, of both tables side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.errors import shown
from shoal.kernels.arrays import Flags, Integers
from shoal.measures.compared import Compared, renumbered
from shoal.measures.result import Measure, figure_text
from shoal.measures.risk import classes, inference, intervals, kept_columns, linkage, recovery
from shoal.measures.sides import Numbers, Side
from shoal.measures.task import Pooled, Task, interval, worst


def of_classes(task: Task) -> list[Measure]:
    """Prosecutor, marketer, journalist and uniques."""
    compared = task.compared
    matching = compared.matching
    risks = 1.0 / matching
    if compared.weights is not None:
        risks = classes.population_risks(compared.classes, compared.weights)
    average = float((risks * compared.sizes).sum()) / compared.records
    measures = [
        Measure("prosecutor", 100.0 / int(matching.min())),
        Measure("above_0.2", classes.share_below(compared.classes, 5, matching)),
        Measure("above_0.09", classes.share_below(compared.classes, 11, matching)),
        Measure("marketer", 100.0 * average),
        Measure("sample_uniques", classes.share_below(compared.classes, 2, matching)),
        Measure("original_uniques", classes.share_below(compared.origins, 2)),
    ]
    if compared.weights is not None:
        uniques = classes.population_uniques(compared.classes, compared.weights)
        measures += [
            Measure("journalist", 100.0 * float(risks.max())),
            Measure("population_uniques", uniques),
        ]
    if compared.strata is not None:
        numbers, names = compared.strata
        shares = np.bincount(numbers, risks[compared.classes]) / np.bincount(numbers)
        by = {name: 100.0 * float(share) for name, share in zip(names, shares, strict=True)}
        highest = max(by, key=lambda name: by[name])
        measures.append(Measure("stratum_marketer", by[highest], by, rest=shown(highest)))
    return measures


def of_attacks(task: Task) -> list[Measure]:
    """The three linkages."""
    compared = task.compared
    if compared.first is None:
        return []
    each = max(1, compared.sizes.size * len(compared.quasi))
    most = max(task.effort.attackers, int(task.effort.distances // each))
    rows = task.some(compared.first.size, most)
    attack = linkage.Attack.on(compared, rows)
    near, pointed = linkage.by_distance_and_blocks(attack, task.each)
    measures = []
    for key, chance in (
        ("distance_linkage", near),
        ("rank_linkage", linkage.by_ranks(attack, task.each)),
        ("block_linkage", pointed),
    ):
        chances = 100.0 * chance
        sampled = rows.size < compared.first.size
        measures.append(
            Measure(
                key,
                float(chances.mean()),
                interval=interval(chances, 100.0) if sampled else None,
                sampled=rows.size if sampled else None,
            )
        )
    return measures


def of_kept(task: Task) -> list[Measure]:
    """Measures of uniqueness by kept columns: other columns and weights, and sensitive ones."""
    compared = task.compared
    measures = []
    if compared.others:
        every = kept_columns.together(compared.others.values(), compared.records)
        own = {name: kept_columns.alone(codes) for name, codes in compared.others.items()}
        measures.append(Measure("kept_uniques", kept_columns.alone(every), own))
    for key, columns in (("kept_linkage", compared.others), ("sensitive_uniques", compared.hidden)):
        if columns:
            every = kept_columns.together(columns.values(), compared.records)
            own = {
                name: kept_columns.alone_in_class(compared.classes, codes)
                for name, codes in columns.items()
            }
            measures.append(Measure(key, kept_columns.alone_in_class(compared.classes, every), own))
    return measures


def of_values(task: Task) -> list[Measure]:
    """Interval disclosure, recovery, exact values, digits, dominance."""
    if not task.compared.paired:
        return []
    compared, whole = task.compared.aligned, task.compared.whole
    near, ranks, known, digits, same = (Pooled() for _ in range(5))
    large: dict[str, float] = {}
    numbers, every = compared.numbers, compared.quasi
    for side, found in zip(
        numbers, task.each(lambda side: _of_numbers(side, compared, whole), numbers), strict=True
    ):
        if found.near is not None:
            near.add(side.name, found.near, found.cells)
            ranks.add(side.name, found.ranks, found.cells)
        known.add(side.name, float(found.known), int(side.has_before.sum()))
        if found.digits is not None:
            digits.add(side.name, *found.digits)
        if found.dominated is not None:
            large[side.name] = found.dominated
    exact = task.each(lambda side: _exact(side, compared.classes), every)
    for column, (flagged, was) in zip(every, exact, strict=True):
        same.add(column.name, float(flagged), was)
    return [
        *near.measure("interval_disclosure"),
        *ranks.measure("rank_interval_disclosure"),
        *known.measure("known_members"),
        *same.measure("exact_values"),
        *digits.measure("extra_digits"),
        *worst("dominance", large, max),
    ]


class _Disclosure(NamedTuple):
    """What the values of a column give away; None where it does not apply."""

    cells: int
    near: float | None
    ranks: float
    known: int
    digits: tuple[int, int] | None
    dominated: float | None


def _of_numbers(side: Numbers, compared: Compared, whole: Flags) -> _Disclosure:
    """Return what the values of a column of numbers give away."""
    cells = int((side.has_before & side.has_after).sum())
    near, ranks, digits, large = None, 0.0, None, None
    if cells and side.deviation:
        near = intervals.by_deviation(side.before, side.after, side.deviation)
        released, spread = side.after[compared.seen], compared.spreads[side.name]
        ranks = intervals.by_ranks(side.before, compared.classes, released, spread)
    flags = recovery.known_members(side, compared.classes) & whole
    if side.is_single:
        own = [(side.base + part) * side.unit for part in (side.before, side.after)]
        digits = recovery.extra_digits(own[0], own[1])
        if side.magnitudes and whole.any():
            sizes = side.before[whole] + side.base
            large = recovery.dominated(sizes, renumbered(compared.classes[whole]))
    return _Disclosure(cells, near, ranks, int(flags.sum()), digits, large)


def _exact(side: Side, classes: Integers) -> tuple[int, int]:
    """Return how many cells are released as they were, and how many were there."""
    flags, there = recovery.exact_values(side, classes)
    return int(flags.sum()), int(there.sum())


def of_secrets(task: Task) -> list[Measure]:
    """What the release tells about the sensitive columns."""
    compared = task.compared
    figures: dict[str, dict[str, tuple[float, str]]] = {
        "certain_inference": {}, "class_inference": {}, "model_inference": {}
    }  # fmt: skip
    small = None
    for side, codes in zip(compared.sensitive, compared.secrets, strict=True):
        sure = inference.certain(compared.classes, codes)
        figures["certain_inference"][side.name] = (sure, f"column {shown(side.name)}")
        right, base = inference.by_class(compared.classes, codes)
        figures["class_inference"][side.name] = (right - base, _rates(side.name, right, base))
        source = compared.known
        own = next(one for one in source.sensitive if one.name == side.name)
        most = task.sample or task.effort.guesses
        guess = inference.by_model(source.quasi, own, compared.paired, task.rng, most, task.each)
        if guess is not None:
            rest = f"{_rates(side.name, guess.accuracy, guess.base)}, ± {1.96 * guess.error:.2f} %"
            figures["model_inference"][side.name] = (guess.gain, rest)
            if source.originals > most * inference.FOLDS:
                small = most * inference.FOLDS
    measures = []
    for key, by in figures.items():
        if not by:
            continue
        column = max(by, key=lambda name: by[name][0])
        sampled = small if key == "model_inference" else None
        measures.append(
            Measure(
                key,
                by[column][0],
                {name: value for name, (value, _) in by.items()},
                rest=by[column][1],
                sampled=sampled,
            )
        )
    return measures


def _rates(name: str, right: float, base: float) -> str:
    return f"{shown(name)}: {figure_text(right, 'percent')} and {figure_text(base, 'percent')}"
