"""The figures of utility, family by family, of both tables side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.compared import Compared
from shoal.measures.loss import percent
from shoal.measures.result import Measure, Task, figure_text, interval, worst
from shoal.measures.sides import Numbers, Side, Words
from shoal.measures.utility import distributions, fits

Fit = Callable[..., fits.FitScores | None]
Both = list[tuple[Numbers, distributions.Moments, distributions.Moments]]
ENDS = 3  # times as many values a quantile where ranges tell two of every class already
TABLES = 20  # columns of categories of which tables of two are made
EXPLAINED = 0.05  # R² from which on a relation is worth keeping
MODELED = 6  # columns that models are made of, at most


def of_cells(task: Task) -> list[Measure]:
    """SSE/SST and IL1s."""
    if not task.compared.paired:
        return []
    sides = task.compared.aligned.numbers
    if task.public:
        sides = [side for side in sides if may_be_published(side.shown, task.compared.k)]
    sides = [side for side in sides if side.deviation]
    lost = task.each(lambda side: (variation_lost(side), il1s(side)), sides)
    by = {side.name: share for side, (share, _) in zip(sides, lost, strict=True)}
    if not by:
        return []
    measures = [Measure("sse_sst", sum(by.values()) / len(by), by)]
    sums = {side.name: one for side, (_, one) in zip(sides, lost, strict=True)}
    cells = sum(count for _, count in sums.values())
    if cells:
        each = {name: total / count for name, (total, count) in sums.items() if count}
        mean = sum(total for total, _ in sums.values()) / cells
        measures.append(Measure("il1s", mean, each, rest=f"{mean * np.sqrt(2.0):.3g}"))
    return measures


def _fewest(side: Numbers, k: int) -> int:
    """Return the fewest originals of a mean that may be published; ranges disclose two a class."""
    return k if side.is_single or k == 1 else ENDS * k


def may_be_published(side: Numbers, k: int) -> bool:
    """Tell whether a figure is over enough originals to be published."""
    there = int(side.has_before.sum())
    return side.is_single or not there or there >= _fewest(side, k)


def both_moments(task: Task, numbers: Sequence[Numbers]) -> Both:
    """Return the moments of columns before and after, where there are any."""
    source = task.compared.known
    own, weights, spreads = source.own_weights, source.weights, source.spreads

    def moments(side: Numbers) -> tuple[distributions.Moments | None, distributions.Moments | None]:
        around = _fewest(side, task.compared.k)
        return (
            distributions.moments(side.ordered, around)
            if own is None
            else distributions.weighted_moments(side.before, own, around),
            distributions.moments(spreads[side.name].every(), around)
            if weights is None
            else distributions.weighted_moments(side.after, weights, around),
        )

    every = zip(numbers, task.each(moments, numbers), strict=True)
    return [
        (side, before, after)
        for side, (before, after) in every
        if before is not None and after is not None
    ]


def of_distributions(
    task: Task, numbers: Sequence[Numbers], both: Both, pairs: Sequence[distributions.Pair]
) -> list[Measure]:
    """Means, variances, correlations, quantiles, distributions, tables of two columns."""
    compared, spreads = task.compared, task.compared.known.spreads
    both = [one for one in both if one[1].variance > 0]
    by: dict[str, dict[str, float]] = {"means": {}, "variances": {}, "quantiles": {}}
    for side, before, after in both:
        scale = float(np.sqrt(before.variance))
        by["means"][side.name] = abs(after.mean - before.mean) / scale
        by["variances"][side.name] = 100.0 * after.variance / before.variance
        by["quantiles"][side.name] = max(
            abs(a - b) / scale for a, b in zip(after.quantiles, before.quantiles, strict=True)
        )
    every = task.each(
        lambda side: distributions.largest_gap(side.ordered, spreads[side.name]), numbers
    )
    gaps = {side.name: gap for side, gap in zip(numbers, every, strict=True)}
    measures = [
        *worst("means", by["means"], max),
        *worst("variances", by["variances"], min),
        *worst("quantiles", by["quantiles"], max),
        *worst("distributions", gaps, max),
    ]
    changes = _by_pair((pair.columns, abs(pair.after - pair.before)) for pair in pairs)
    measures += worst("correlations", changes, max)
    sides: list[Side] = [*compared.words, *compared.sensitive]
    named = [side for side in sides if isinstance(side, Words)][:TABLES]
    tables = _by_pair(distributions.table_gaps(named).items())
    if not tables:
        tables = {side.name: distributions.marginal_gap(side) for side in compared.words}
    return measures + worst("contingency", tables, max)


def _by_pair(figures: Iterable[tuple[tuple[str, str], float]]) -> dict[str, float]:
    """Return figures of pairs of columns by their names; of pairs that read alike the worst."""
    by_pair: dict[str, float] = {}
    for (a, b), value in figures:
        name = f"{a} × {b}"
        by_pair[name] = max(value, by_pair.get(name, value))
    return by_pair


def of_models(task: Task) -> list[Measure]:
    """Propensity scores, regressions and classifiers."""
    compared, most = task.compared, task.effort.records
    rows = task.some(compared.originals, most)
    released = task.some(compared.records, most)
    apart, chance = fits.propensity(compared.quasi, rows, released)
    sampled = rows.size < compared.originals or released.size < compared.records
    measures = [
        Measure(
            "propensity",
            float(apart.mean()),
            interval=interval(apart, 0.25, chance) if sampled else None,
            sampled=apart.size if sampled else None,
        )
    ]
    halves = _halves(task, task.sample or most)
    whole = [*compared.sensitive, *compared.kept]
    goals = [side for side in whole if isinstance(side, Numbers)]
    numbers: Sequence[Numbers] = (goals or compared.numbers)[:MODELED]
    named = [side for side in whole if isinstance(side, Words)]
    words: Sequence[Words] = (named or compared.words)[:MODELED]
    models: list[tuple[Side, Fit]] = [
        *((side, fits.regression) for side in numbers),
        *((side, fits.classification) for side in words),
    ]
    scores = task.each(lambda one: _model(compared, one[0], halves, one[1]), models)
    kept = {"regression": scores[: len(numbers)], "classification": scores[len(numbers) :]}
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
            f"{value:.3f}" if key == "regression" else figure_text(value, "percent")
            for value in values
        ]
        rest = f"{word} {texts[0]} and {texts[1]}"
        size = halves.train.size
        small = size if 2 * size < compared.originals - 1 else None
        measures.append(Measure(key, 100.0 * release / original, by, rest=rest, sampled=small))
    return measures


def _model(compared: Compared, side: Side, halves: fits.Halves, fit: Fit) -> fits.FitScores | None:
    source = compared.known
    others = [other for other in source.quasi if other.name != side.name]
    every = (*source.quasi, *source.sensitive, *source.kept)
    side = next(one for one in every if one.name == side.name)
    if not others or halves.train.size < 2 or halves.test.size < 2:
        return None
    return fit(others, side, halves)


def _halves(task: Task, most: int) -> fits.Halves:
    """Return one half of the originals to train on and the other to test on."""
    compared = task.compared.known
    rows = task.rng.permutation(compared.originals)[: 2 * most]
    train, test = np.sort(rows[: rows.size // 2]), np.sort(rows[rows.size // 2 :])
    if task.compared.paired:
        return fits.Halves(train, test, train)
    size = min(train.size, compared.records)
    released = np.sort(task.rng.choice(compared.records, size, replace=False))
    return fits.Halves(train, test, released)


def of_generalization(task: Task) -> list[Measure]:
    """ILoss, NCP and discernibility.

    ILoss is of columns that cover their originals; NCP is of all columns, by which methods of any
    kind can be compared.
    """
    whole = task.compared
    compared = whole.known
    deleted = whole.deleted
    sides = [side for side in compared.quasi if is_generalized(side, whole.paired)]
    measures, rows = [], compared.records
    every = task.each(lambda side: cell_costs(side, whole.paired), sides)
    costs = {side.name: cost for side, cost in zip(sides, every, strict=True)}
    if any(has_forms(side) for side in sides):
        iloss = {
            name: 100.0 * (cost[0] + deleted) / (rows + deleted) for name, cost in costs.items()
        }
        measures.append(Measure("iloss", sum(iloss.values()) / len(iloss), iloss))
    if whole.paired or len(sides) == len(compared.quasi):
        others = [side for side in compared.quasi if side.name not in costs]
        wide = task.each(lambda side: class_widths(side, compared.classes), others)
        widths = {side.name: width for side, width in zip(others, wide, strict=True)}
        widths |= {name: cost[1] for name, cost in costs.items()}
        ncp = {side.name: 100.0 / rows * widths[side.name] for side in compared.quasi}
        measures.append(Measure("ncp", sum(ncp.values()) / len(ncp), ncp))
    squares = int((whole.sizes * whole.sizes).sum())
    total = float(squares + deleted * (whole.records + deleted))
    company = total / (whole.records + deleted) - 1.0
    return [*measures, Measure("discernibility", total, rest=f"{company:,.1f}")]


def variation_lost(side: Numbers, weights: Floats | None = None) -> float:
    """Return 100 SSE/SST of the cells that say something; 0 where these do not vary.

    Cells count by the `weights` (n) of their records, where there are some.

    A suppressed cell has lost everything, whatever it was: a figure that depended on it would give
    it away.
    """
    there = side.has_before
    kept = there & side.has_after
    if not kept.any():
        return 100.0
    own = np.ones(there.size) if weights is None else weights
    share = float(own[kept].sum()) / float(own[there].sum())
    b, a, own = side.before[kept], side.after[kept], own[kept]
    centered = b - (b * own).sum() / own.sum()
    lost = percent(float((own * (b - a) ** 2).sum()), float((own * centered * centered).sum()))
    return lost * share + 100.0 * (1.0 - share)


def il1s(side: Numbers) -> tuple[float, int]:
    """Return the sum of |x - x'| / (sqrt(2) s) over the cells that are numbers, and how many."""
    if not side.deviation:
        return 0.0, 0
    apart = np.abs(side.before - side.after)
    apart = apart[~np.isnan(apart)]
    return float(apart.sum()) / (math.sqrt(2.0) * side.deviation), apart.size


def is_generalized(side: Side, paired: bool) -> bool:
    """Tell whether a column is released as words and intervals that cover the originals.

    A column as it was is; means are not, nor are values of other records (mode, medoid). Row i of
    both sides is one person's where `paired`.
    """
    if isinstance(side, Numbers):
        return not side.is_single or _covers(side, paired)
    if paired:
        wide = len(side.values) + 1
        forms, values = side.links
        released = side.after >= 0
        value = np.where(side.before < 0, wide - 1, side.before)
        pairs = np.unique(side.after[released] * wide + value[released])
        return bool(np.isin(pairs, forms * wide + values).all())
    return has_forms(side) or not len(side.forms) or _same(side.before, side.after)


def has_forms(side: Side) -> bool:
    """Tell whether a column releases anything but single values."""
    if isinstance(side, Numbers):
        return not side.is_single or not side.has_after.all()
    return bool((side.own < 0).any() or (side.after < 0).any())


def _covers(side: Numbers, paired: bool) -> bool:
    """Tell whether every number that is released is its original."""
    if not paired:
        return _same(side.known, side.after[~np.isnan(side.after)])
    return not bool(((side.before != side.low) & side.has_after).any())


def _same(before: npt.NDArray[Any], after: npt.NDArray[Any]) -> bool:
    return bool(np.array_equal(np.sort(before), np.sort(after)))


def class_widths(side: Side, classes: Integers) -> float:
    """Return the sum of NCP over the cells of a column that releases means or single values.

    A cell leaves open what the originals of its class span, as if the class released that. One
    that says nothing leaves open everything; missing originals are apart. Row i of both sides is
    one person's.
    """
    number = isinstance(side, Numbers)
    there = side.has_before if isinstance(side, Numbers) else side.before >= 0
    released = side.has_after if isinstance(side, Numbers) else side.after >= 0
    both, silent = there & released, int((there & ~released).sum())
    own, values = classes[both], side.before[both]
    if not own.size or values.min() == values.max():
        return float(silent)
    sizes = np.bincount(own)
    if number:
        low, high = np.full(sizes.size, np.inf), np.full(sizes.size, -np.inf)
        np.minimum.at(low, own, values)
        np.maximum.at(high, own, values)
        wide = np.where(sizes > 0, high - low, 0.0) / (values.max() - values.min())
    else:
        assert isinstance(side, Words)
        pairs = np.unique(own * len(side.values) + values) // len(side.values)
        wide = np.maximum(np.bincount(pairs, minlength=sizes.size) - 1, 0)
        wide = wide / (np.unique(values).size - 1)
    return float((wide * sizes).sum()) + silent


def cell_costs(side: Side, paired: bool) -> tuple[float, float]:
    """Return the sums of ILoss and NCP over the cells of a column, missing originals apart.

    Where the pairing is unknown, the missing originals are among the cells that say nothing.
    """
    absent = ~side.has_before if isinstance(side, Numbers) else side.before < 0
    silent = ~side.has_after if isinstance(side, Numbers) else side.after < 0
    if paired:
        return float(side.losses[~absent].sum()), float(side.widths[~absent].sum())
    without = min(int(absent.sum()), int(silent.sum()))
    return float(side.losses.sum()) - without, float(side.widths.sum()) - without
