"""Compared -> Measures: every figure of `words.py` that applies, in its order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal.errors import listed, shown
from shoal.measures.compared import Compared, renumbered
from shoal.measures.result import ColumnMeasures, Measure, Measures, told
from shoal.measures.risk import classes, inference, intervals, linkage, recovery
from shoal.measures.sides import Numbers, Side, Words
from shoal.measures.utility import distributions, errors, fits, generalized
from shoal.measures.words import RISK, UTILITY

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

Both = list[tuple[Numbers, distributions.Moments, distributions.Moments]]

PAIRS = 1000  # of columns that are told, at most
ENDS = 3  # times as many values a quantile where ranges tell two of every class already
TABLES = 20  # columns of categories of which tables of two are made


@dataclass(frozen=True)
class Effort:
    """How much the costly measures may look at.

    `distances` between attackers and classes, column by column; `attackers` at least; `records` a
    side that models are trained on, `guesses` a fold of the model that guesses.
    """

    distances: float = 8e8
    attackers: int = 500
    records: int = 20_000
    guesses: int = 20_000


BRIEF = Effort(distances=4e7, attackers=200, records=4_000, guesses=2_000)
EXPLAINED = 0.05  # R² from which on a relation is worth keeping
MODELED = 6  # columns that models are made of, at most


def measure_all(
    compared: Compared,
    *,
    seed: int = 0,
    sample: int | None = None,
    effort: Effort | None = None,
    notes: Sequence[str] = (),
    public: bool = False,
) -> Measures:
    """Return every measure that applies; `sample` says how many records costly ones look at.

    What is `public` tells no figures of so few numbers that one of them could be told from it.
    """
    start = time.perf_counter()
    effort = effort or Effort()
    said = list(notes)
    numbers = compared.numbers
    if compared.paired:
        numbers = [side.shown for side in compared.aligned.numbers]
    if public:
        numbers = [side for side in numbers if _may_be_told(side, compared.k)]
    both, pairs = _both_moments(compared, numbers), distributions.correlations(numbers)
    found = {one.key: one for one in _distributions(compared, numbers, both, pairs)}
    for part in (_cells, _models, _generalized, _classes, _attacks, _values,
                 _secrets):  # fmt: skip
        rng = np.random.default_rng(seed)
        for one in part(Task(compared, effort, sample, rng, public)):
            found[one.key] = one
    found = {key: _bounded(one) for key, one in found.items() if not np.isnan(one.value)}
    if not compared.paired:
        said.append(
            "nobody said which released record is whose: what compares records with their own is "
            "left out"
        )
    elif compared.first is not None and compared.first.size < compared.originals:
        said.append(
            f"{compared.first.size:,} of {compared.originals:,} originals have a released record "
            "of their own; what compares the two is of these"
        )
    unread = [side.name for side in compared.words if not side.read]
    if unread:
        said.append(
            f"nobody knows what some released words of {listed(unread)} cover; they count as "
            "anything (a hierarchy would tell)"
        )
    return Measures(
        utility={d.key: found[d.key] for d in UTILITY if d.key in found},
        risk={d.key: found[d.key] for d in RISK if d.key in found},
        columns=tuple(_columns(both)),
        pairs=tuple(
            {"columns": list(pair.columns), "before": pair.before, "after": pair.after}
            for pair in pairs[:PAIRS]
        ),
        originals=compared.originals,
        records=compared.records,
        paired=0 if compared.first is None else compared.first.size,
        k=compared.k,
        quasi_identifiers=tuple(side.name for side in compared.quasi),
        sensitive=tuple(side.name for side in compared.sensitive),
        notes=tuple(said),
        seconds=time.perf_counter() - start,
    )


@dataclass(frozen=True)
class Task:
    """What a family of measures gets."""

    compared: Compared
    effort: Effort
    sample: int | None
    rng: np.random.Generator
    public: bool

    def some(self, size: int, most: int) -> Integers:
        """Return all of so many rows, or a sample, in order."""
        most = self.sample or most
        if size <= most:
            return np.arange(size)
        return np.sort(self.rng.choice(size, most, replace=False))


def _worst(key: str, by: dict[str, float], worst: Callable[[list[float]], float],
           rest: str = "") -> list[Measure]:  # fmt: skip
    """Return the worst of the columns, and all of them."""
    return [Measure(key, worst(list(by.values())), by, rest=rest)] if by else []


def _cells(task: Task) -> list[Measure]:
    """SSE/SST and IL1s."""
    if not task.compared.paired:
        return []
    sides = task.compared.aligned.numbers
    if task.public:
        sides = [side for side in sides if _may_be_told(side.shown, task.compared.k)]
    lost = {side.name: errors.variation_lost(side) for side in sides}
    by = {name: value for name, value in lost.items() if value is not None}
    if not by:
        return []
    found = [Measure("sse_sst", sum(by.values()) / len(by), by)]
    sums = {side.name: errors.il1s(side) for side in sides if by.get(side.name) is not None}
    cells = sum(count for _, count in sums.values())
    if cells:
        each = {name: total / count for name, (total, count) in sums.items() if count}
        mean = sum(total for total, _ in sums.values()) / cells
        found.append(Measure("il1s", mean, each, rest=f"{mean * np.sqrt(2.0):.3g}"))
    return found


def _fewest(side: Numbers, k: int) -> int:
    """Return of how many originals a mean may be told; of ranges two of every class are known."""
    return k if side.said or k == 1 else ENDS * k


def _may_be_told(side: Numbers, k: int) -> bool:
    """Tell whether a figure of all originals is one of so many that none can be told from it."""
    there = int((~np.isnan(side.before)).sum())
    return side.said or not there or there >= _fewest(side, k)


def _both_moments(compared: Compared, numbers: Sequence[Numbers]) -> Both:
    found = []
    source = compared.aligned if compared.paired else compared
    for side in numbers:
        around = _fewest(side, compared.k)
        before = distributions.moments(side.before, source.own_weights, around)
        after = distributions.moments(side.after, source.weights, around)
        if before is not None and after is not None:
            found.append((side, before, after))
    return found


def _distributions(
    compared: Compared, numbers: Sequence[Numbers], both: Both, pairs: Sequence[distributions.Pair]
) -> list[Measure]:
    """Means, variances, correlations, quantiles, distributions, tables of two columns."""
    both = [one for one in both if one[1].variance > 0]
    by: dict[str, dict[str, float]] = {"means": {}, "variances": {}, "quantiles": {}}
    for side, before, after in both:
        scale = float(np.sqrt(before.variance))
        by["means"][side.name] = abs(after.mean - before.mean) / scale
        by["variances"][side.name] = 100.0 * after.variance / before.variance
        by["quantiles"][side.name] = max(
            abs(a - b) / scale for a, b in zip(after.quantiles, before.quantiles, strict=True)
        )
    gaps = {side.name: distributions.largest_gap(side.before, side.after) for side in numbers}
    found = [
        *_worst("means", by["means"], max),
        *_worst("variances", by["variances"], min),
        *_worst("quantiles", by["quantiles"], max),
        *_worst("distributions", gaps, max),
    ]
    changes = _by_pair((pair.columns, abs(pair.after - pair.before)) for pair in pairs)
    found += _worst("correlations", changes, max)
    sides: list[Side] = [*compared.words, *compared.sensitive]
    named = [side for side in sides if isinstance(side, Words)][:TABLES]
    tables = _by_pair(distributions.table_gaps(named).items())
    if not tables:
        tables = {side.name: distributions.marginal_gap(side) for side in compared.words}
    return found + _worst("contingency", tables, max)


def _by_pair(figures: Iterable[tuple[tuple[str, str], float]]) -> dict[str, float]:
    """Return figures of pairs of columns by their names; of pairs that read alike the worst."""
    found: dict[str, float] = {}
    for (a, b), value in figures:
        name = f"{a} × {b}"
        found[name] = max(value, found.get(name, value))
    return found


def _models(task: Task) -> list[Measure]:
    """Propensity scores, regressions and classifiers."""
    compared, most = task.compared, task.effort.records
    rows = task.some(compared.originals, most)
    released = task.some(compared.records, most)
    apart, chance = fits.propensity(compared.quasi, rows, released)
    sampled = rows.size < compared.originals or released.size < compared.records
    found = [
        Measure(
            "propensity",
            float(apart.mean()),
            interval=_interval(apart, 0.25, chance) if sampled else None,
            sampled=apart.size if sampled else None,
        )
    ]
    halves = _halves(task, task.sample or most)
    whole = [*compared.sensitive, *compared.kept]
    goals = [side for side in whole if isinstance(side, Numbers)]
    numbers: Sequence[Numbers] = (goals or compared.numbers)[:MODELED]
    named = [side for side in whole if isinstance(side, Words)]
    words: Sequence[Words] = (named or compared.words)[:MODELED]
    squares = [_model(compared, side, halves, fits.regression) for side in numbers]
    rates = [_model(compared, side, halves, fits.classification) for side in words]
    kept = {"regression": squares, "classification": rates}
    for key, every in kept.items():
        least = EXPLAINED if key == "regression" else 0.0
        there = [one for one in every if one is not None and one.original > least]
        if not there:
            continue
        by = {one.column: 100.0 * max(one.release, 0.0) / one.original for one in there}
        release = sum(max(one.release, 0.0) for one in there)
        original = sum(one.original for one in there)
        word = "R²" if key == "regression" else "accuracy"
        values = [total / len(there) for total in (release, original)]
        texts = [
            f"{value:.3f}" if key == "regression" else told(value, "percent") for value in values
        ]
        rest = f"{word} {texts[0]} and {texts[1]}"
        size = halves.train.size
        small = size if 2 * size < compared.originals - 1 else None
        found.append(Measure(key, 100.0 * release / original, by, rest=rest, sampled=small))
    return found


def _model(
    compared: Compared,
    side: Side,
    halves: fits.Halves,
    fit: Callable[..., fits.Kept | None],
) -> fits.Kept | None:
    others = [other for other in compared.quasi if other.name != side.name]
    source = compared.aligned if compared.paired else compared
    if compared.paired:
        others = [other for other in source.quasi if other.name != side.name]
        side = next(
            one for one in (*source.quasi, *source.sensitive, *source.kept) if one.name == side.name
        )
    if not others or halves.train.size < 2 or halves.test.size < 2:
        return None
    return fit(others, side, halves)


def _halves(task: Task, most: int) -> fits.Halves:
    """Return one half of the originals to train on and the other to test on."""
    compared = task.compared.aligned if task.compared.paired else task.compared
    rows = task.rng.permutation(compared.originals)[: 2 * most]
    train, test = np.sort(rows[: rows.size // 2]), np.sort(rows[rows.size // 2 :])
    if task.compared.paired:
        return fits.Halves(train, test, train)
    size = min(train.size, compared.records)
    released = np.sort(task.rng.choice(compared.records, size, replace=False))
    return fits.Halves(train, test, released)


def _generalized(task: Task) -> list[Measure]:
    """ILoss, NCP and discernibility."""
    whole = task.compared
    compared = whole.aligned if whole.paired else whole
    deleted = whole.deleted
    sides = [side for side in compared.quasi if generalized.is_generalized(side, whole.paired)]
    found = []
    if any(generalized.has_forms(side) for side in sides):
        costs = {side.name: generalized.cell_costs(side, whole.paired) for side in sides}
        rows = compared.records
        iloss = {
            name: 100.0 * (cost[0] + deleted) / (rows + deleted) for name, cost in costs.items()
        }
        ncp = {name: 100.0 * cost[1] / rows for name, cost in costs.items()}
        found += [
            Measure("iloss", sum(iloss.values()) / len(iloss), iloss),
            Measure("ncp", sum(ncp.values()) / len(ncp), ncp),
        ]
    squares = sum(int(size) ** 2 for size in whole.sizes)
    total = float(squares + deleted * (whole.records + deleted))
    others = total / (whole.records + deleted) - 1.0
    return [*found, Measure("discernibility", total, rest=f"{others:,.1f}")]


def _classes(task: Task) -> list[Measure]:
    """Prosecutor, marketer, journalist and uniques."""
    compared = task.compared
    risks = classes.population_risks(compared.classes, compared.weights)
    average = float((risks * compared.sizes).sum()) / compared.records
    alone = classes.share_below(compared.origins, 2)
    found = [
        Measure("prosecutor", 100.0 / compared.k),
        Measure("above_0.2", classes.share_below(compared.classes, 5)),
        Measure("above_0.09", classes.share_below(compared.classes, 11)),
        Measure("marketer", 100.0 * average),
        Measure(
            "sample_uniques", classes.share_below(compared.classes, 2), rest=told(alone, "percent")
        ),
    ]
    if compared.weights is not None:
        uniques = classes.population_uniques(compared.classes, compared.weights)
        found += [
            Measure("journalist", 100.0 * float(risks.max())),
            Measure("population_uniques", uniques),
        ]
    return found


def _attacks(task: Task) -> list[Measure]:
    """The three linkages."""
    compared = task.compared
    if compared.first is None:
        return []
    each = max(1, compared.sizes.size * len(compared.quasi))
    most = max(task.effort.attackers, int(task.effort.distances // each))
    rows = task.some(compared.first.size, most)
    attack = linkage.Attack.on(compared, rows)
    near, pointed = linkage.by_distance_and_blocks(attack)
    found = []
    for key, chance in (
        ("distance_linkage", near),
        ("rank_linkage", linkage.by_ranks(attack)),
        ("block_linkage", pointed),
    ):
        chances = 100.0 * chance
        sampled = rows.size < compared.first.size
        found.append(
            Measure(
                key,
                float(chances.mean()),
                interval=_interval(chances, 100.0) if sampled else None,
                sampled=rows.size if sampled else None,
            )
        )
    return found


def _interval(values: Floats, most: float, chance: float = 0.0) -> tuple[float, float]:
    """Return a 95 % interval of the mean of all, from a sample; values lie between 0 and `most`.

    Where the sample says the same throughout, the rule of three says what else there may be.
    `chance` is what a sample shows where there is nothing to see.
    """
    center, size = float(values.mean()), values.size
    half = 1.96 * float(values.std(ddof=1)) / np.sqrt(size) if size > 1 else most
    half = half or 3.0 * most / size
    return max(0.0, center - chance - float(half)), min(most, center + float(half))


def _values(task: Task) -> list[Measure]:
    """Interval disclosure, recovery, exact values, digits, dominance."""
    if not task.compared.paired:
        return []
    compared, whole = task.compared.aligned, task.compared.whole
    near, ranks, known, digits, same = (Pooled() for _ in range(5))
    large: dict[str, float] = {}
    for side in compared.numbers:
        was, said = ~np.isnan(side.before), ~np.isnan(side.low)
        cells = int((was & said).sum())
        if cells and side.deviation:
            b, a = side.before[said], side.after[said]
            near.add(side.name, intervals.by_deviation(b, a, side.deviation), cells)
            ranks.add(side.name, intervals.by_ranks(b, a), cells)
        flags = recovery.known_members(side, compared.classes) & whole
        known.add(side.name, float(flags.sum()), int(was.sum()))
        if side.said:
            own = [(side.base + part) * side.unit for part in (side.before, side.after)]
            more = recovery.extra_digits(own[0], own[1])
            if more is not None:
                digits.add(side.name, *more)
            if side.magnitudes and whole.any():
                sizes = side.before[whole] + side.base
                large[side.name] = recovery.dominated(sizes, renumbered(compared.classes[whole]))
    for column in compared.quasi:
        flags, was = recovery.exact_values(column, compared.classes)
        same.add(column.name, float(flags.sum()), int(was.sum()))
    return [
        *near.measure("interval_disclosure"),
        *ranks.measure("rank_interval_disclosure"),
        *known.measure("known_members"),
        *same.measure("exact_values"),
        *digits.measure("extra_digits"),
        *_worst("dominance", large, max),
    ]


class Pooled:
    """A share of cells, by column and of all."""

    def __init__(self) -> None:
        self.by: dict[str, float] = {}
        self.found = 0.0
        self.cells = 0

    def add(self, name: str, found: float, cells: int) -> None:
        """Count a column's cells."""
        if cells:
            self.by[name] = 100.0 * found / cells
            self.found, self.cells = self.found + found, self.cells + cells

    def measure(self, key: str) -> list[Measure]:
        """Return the share of all cells, in percent; nothing where there were none."""
        return [Measure(key, 100.0 * self.found / self.cells, self.by)] if self.cells else []


def _secrets(task: Task) -> list[Measure]:
    """What the release tells about the sensitive columns."""
    compared = task.compared
    found: dict[str, dict[str, tuple[float, str]]] = {
        "certain_inference": {}, "class_inference": {}, "model_inference": {}
    }  # fmt: skip
    small = None
    for side, codes in zip(compared.sensitive, compared.secrets, strict=True):
        sure = inference.certain(compared.classes, codes)
        found["certain_inference"][side.name] = (sure, f"column {shown(side.name)}")
        right, base = inference.by_class(compared.classes, codes)
        found["class_inference"][side.name] = (right - base, _rates(side.name, right, base))
        source = compared.aligned if compared.paired else compared
        own = next(one for one in source.sensitive if one.name == side.name)
        most = task.sample or task.effort.guesses
        guess = inference.by_model(source.quasi, own, compared.paired, task.rng, most)
        if guess is not None:
            rest = f"{_rates(side.name, guess.accuracy, guess.base)}, ± {1.96 * guess.error:.2f} %"
            found["model_inference"][side.name] = (guess.gain, rest)
            if source.originals > most * inference.FOLDS:
                small = most * inference.FOLDS
    measures = []
    for key, by in found.items():
        if not by:
            continue
        worst = max(by, key=lambda name: by[name][0])
        sampled = small if key == "model_inference" else None
        measures.append(
            Measure(
                key,
                by[worst][0],
                {name: value for name, (value, _) in by.items()},
                rest=by[worst][1],
                sampled=sampled,
            )
        )
    return measures


def _rates(name: str, right: float, base: float) -> str:
    return f"{shown(name)}: {told(right, 'percent')} and {told(base, 'percent')}"


def _columns(both: Both) -> list[ColumnMeasures]:
    """Return the moments of the columns of numbers in their own unit."""
    return [
        ColumnMeasures(
            side.name,
            side.kind,
            _finite(side.own(before.mean)),
            _finite(side.own(after.mean)),
            _finite(before.variance * side.unit * side.unit),
            _finite(after.variance * side.unit * side.unit),
            tuple(_finite(side.own(q)) for q in before.quantiles),
            tuple(_finite(side.own(q)) for q in after.quantiles),
        )
        for side, before, after in both
    ]


def _bounded(one: Measure) -> Measure:
    """Return a measure whose figures a file can hold: what no float holds is the largest."""
    by = {name: float(np.nan_to_num(value)) for name, value in one.by.items()}
    return replace(one, value=float(np.nan_to_num(one.value)), by=by)


def _finite(value: float) -> float | None:
    """Return a figure, None where no float can hold it."""
    return value if np.isfinite(value) else None
