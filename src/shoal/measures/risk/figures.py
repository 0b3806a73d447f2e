"""The figures of risk, family by family, of both tables side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.errors import shown
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.kernels.within import count_within
from shoal.measures.compared import Compared, Spread, renumbered
from shoal.measures.result import Each, Measure, Pooled, Task, figure_text, interval, worst
from shoal.measures.risk import classes, kept_columns, linkage, recovery
from shoal.measures.sides import Numbers, Side, Words, binned, edges_of, targets

BINS = 10  # of a column of numbers that a model learns from
FOLDS = 5
WIDTHS = range(1, 11)  # percent


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
        near = by_deviation(side.before, side.after, side.deviation)
        ranks = by_ranks(side.before, compared.classes, compared.spreads[side.name])
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
        sure = certain(compared.classes, codes)
        figures["certain_inference"][side.name] = (sure, f"column {shown(side.name)}")
        right, base = by_class(compared.classes, codes)
        figures["class_inference"][side.name] = (right - base, _rates(side.name, right, base))
        source = compared.known
        own = next(one for one in source.sensitive if one.name == side.name)
        most = task.sample or task.effort.guesses
        guess = by_model(source.quasi, own, compared.paired, task.rng, most, task.each)
        if guess is not None:
            rest = f"{_rates(side.name, guess.accuracy, guess.base)}, ± {1.96 * guess.error:.2f} %"
            figures["model_inference"][side.name] = (guess.gain, rest)
            if source.originals > most * FOLDS:
                small = most * FOLDS
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


def by_deviation(before: Floats, after: Floats, deviation: float) -> float:
    """Return the mean over p of the number of cells with |x - x'| <= p/100 s."""
    apart = np.abs(before - after)
    counts = [int((apart <= p / 100.0 * deviation).sum()) for p in WIDTHS]
    return sum(counts) / len(counts)


def by_ranks(before: Floats, classes: Integers, spread: Spread) -> float:
    """Return the mean over p of the number of cells between released values some ranks away.

    Every number that is released has its rank, also where the original is missing (not-a-number).
    `spread` has the numbers of the classes in order.
    """
    low, high = (np.full((spread.values.size + 1, len(WIDTHS)), np.nan) for _ in range(2))
    for place, p in enumerate(WIDTHS):
        reach = math.ceil(p * spread.size / 200)
        low[:-1, place] = spread.ranked(np.maximum(spread.begins - reach, 0))
        high[:-1, place] = spread.ranked(np.minimum(spread.ends - 1 + reach, spread.size - 1))
    own = spread.places[classes]  # the last one where nothing is said
    return count_within(before, own, low, high) / len(WIDTHS)


def counts_in_classes(classes: Integers, codes: Integers) -> tuple[Integers, Integers, Integers]:
    """Return class, value and count of every value that a class holds."""
    wide = int(codes.max(initial=0)) + 2
    keys, counts = np.unique(classes * wide + (codes + 1), return_counts=True)
    return keys // wide, keys % wide - 1, counts


def certain(classes: Integers, codes: Integers) -> float:
    """Return the share of records with a value whose class holds no other value, in percent.

    -1 is a missing value, which is none: records without a value do not count as certain, though
    theirs is likely that of their class.
    """
    group, value, counts = counts_in_classes(classes, codes)
    known = value >= 0
    kinds = np.bincount(group[known], minlength=int(group.max(initial=0)) + 1)
    alone = (kinds[group] == 1) & known
    return 100.0 * float(counts[alone].sum()) / classes.size


def by_class(classes: Integers, codes: Integers) -> tuple[float, float]:
    """Return how often the most frequent value is right: of the class, of the table; in percent."""
    group, _, counts = counts_in_classes(classes, codes)
    largest = np.zeros(int(group.max()) + 1, dtype=np.int64)
    np.maximum.at(largest, group, counts)
    base = np.unique(codes, return_counts=True)[1].max()
    return 100.0 * float(largest.sum()) / codes.size, 100.0 * float(base) / codes.size


@dataclass(frozen=True)
class Guessed:
    """How often a model and the base rate guess right, in percent, and the error of their gain."""

    accuracy: float
    base: float
    error: float

    @property
    def gain(self) -> float:
        """How much more often the model is right."""
        return self.accuracy - self.base


@dataclass(frozen=True, eq=False, repr=False)
class Feature:
    """A column as a model sees it, in few values: codes of originals, forms of the release.

    `before` are those of the originals that are guessed.
    """

    before: Integers
    after: Integers
    size: int
    words: Words | None = None

    @classmethod
    def of(cls, side: Side, rows: Integers) -> Feature:
        """Return the column in few values; of the originals those of some rows."""
        if isinstance(side, Words):
            return cls(side.before[rows], side.after, len(side.forms), side)
        edges = edges_of(side.after, BINS)
        return cls(binned(side.before[rows], edges), binned(side.after, edges), edges.size + 1)

    def counts(self, folds: Integers, number: int, target: Integers, kinds: int) -> Integers:
        """Return how many released records of every fold have each value and target."""
        known = (self.after >= 0) & (target >= 0)
        keys = (folds * self.size + self.after) * kinds + target
        counts = np.bincount(keys[known], minlength=number * self.size * kinds)
        return counts.reshape(number, self.size, kinds)

    def learned(self, counts: Integers) -> Floats:
        """Return log P(value | target), learned from counts of released records, each + 1.

        The last row is for missing values, which say nothing.
        """
        learned = counts.astype(np.float64)
        if self.words is not None:
            learned = self.words.spread(np.concatenate([learned, np.zeros((1, counts.shape[1]))]))
        learned = learned + 1.0
        table = np.log(learned / learned.sum(axis=0, keepdims=True))
        return np.concatenate([table, np.zeros((1, counts.shape[1]))])


def by_model(
    quasi: Sequence[Side], side: Side, paired: bool, rng: np.random.Generator, most: int, each: Each
) -> Guessed | None:
    """Return how often naive Bayes, trained on the release, guesses originals it has not seen.

    Where the pairing is unknown, it is trained on all of the release. `most` originals are tested
    a fold. None where there is nothing to guess.
    """
    truth, released, kinds = targets(side)
    if kinds < 2 or not (released >= 0).any():
        return None
    fold = rng.permutation(np.arange(truth.size) % FOLDS)
    folds: list[Integers] = []
    for number in range(FOLDS):
        tested = np.flatnonzero((fold == number) & (truth >= 0))
        if tested.size > most:
            tested = np.sort(rng.choice(tested, most, replace=False))
        folds.append(tested)
    rows = np.concatenate(folds)
    if not rows.size:
        return None
    own = fold if paired else np.zeros(released.size, dtype=np.int64)
    keys = (own * kinds + released)[released >= 0]
    targeted = np.bincount(keys, minlength=FOLDS * kinds).reshape(FOLDS, kinds)

    def scores(column: Side) -> list[Floats]:
        feature = Feature.of(column, rows)
        counts = feature.counts(own, FOLDS, released, kinds)
        parts = np.split(feature.before, np.cumsum([tested.size for tested in folds])[:-1])
        return [
            feature.learned(_trained(counts, number, paired))[codes]
            for number, codes in enumerate(parts)
        ]

    every: list[list[Floats]] = each(scores, quasi)
    gains: list[Floats] = []
    rights: list[Floats] = []
    for number, tested in enumerate(folds):
        prior = _trained(targeted, number, paired) + 1.0
        score = np.log(np.tile(prior / prior.sum(), (tested.size, 1)))
        for column in every:
            score += column[number]
        right = (score.argmax(axis=1) == truth[tested]).astype(np.float64)
        rights.append(right)
        gains.append(right - (int(prior.argmax()) == truth[tested]))
    gain, right = np.concatenate(gains), np.concatenate(rights)
    accuracy = 100.0 * float(right.mean())
    error = 100.0 * float(gain.std()) / np.sqrt(gain.size)
    return Guessed(accuracy, accuracy - 100.0 * float(gain.mean()), error)


def _trained(counts: Integers, number: int, paired: bool) -> Integers:
    """Return the counts of the records that a fold is not tested on; of all without a pairing."""
    every: Integers = counts.sum(axis=0)
    return every - counts[number] if paired else every
