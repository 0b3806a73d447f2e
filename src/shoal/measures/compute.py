"""Compared -> Measures: every figure of `definitions.py` that applies, in its order."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.errors import listed
from shoal.measures.compared import Compared
from shoal.measures.result import ColumnMeasures, Measure, Measures
from shoal.measures.risk import figures as risk
from shoal.measures.risk import model_figures as models
from shoal.measures.risk.definitions import RISK
from shoal.measures.task import Effort, Task
from shoal.measures.utility import distributions
from shoal.measures.utility import figures as utility
from shoal.measures.utility.definitions import UTILITY

PAIRS = 1000  # of columns that are reported, at most
FAMILIES = (
    utility.of_cells, utility.of_models, utility.of_generalization, risk.of_classes,
    risk.of_attacks, risk.of_kept, risk.of_values, risk.of_secrets, models.of_assignment,
    models.of_partial, models.of_nearest, models.of_models,
)  # fmt: skip


def measure_all(
    compared: Compared,
    *,
    seed: int = 0,
    sample: int | None = None,
    effort: Effort | None = None,
    notes: Sequence[str] = (),
    public: bool = False,
    threads: int | None = None,
) -> Measures:
    """Return every measure that applies; `sample` says how many records costly ones look at.

    What is `public` tells no figures of so few numbers that one of them could be told from it. The
    figures are the same for any number of `threads`; None are all cores.
    """
    start = time.perf_counter()
    effort = effort or Effort()
    texts = list(notes)
    numbers = compared.known.numbers
    if compared.paired:
        numbers = [side.shown for side in numbers]
    if public:
        numbers = [side for side in numbers if utility.may_be_published(side, compared.k)]

    def task() -> Task:
        return Task(compared, effort, sample, np.random.default_rng(seed), public, threads)

    both, pairs = utility.both_moments(task(), numbers), distributions.correlations(numbers)
    measures = {one.key: one for one in utility.of_distributions(task(), numbers, both, pairs)}
    for family in FAMILIES:
        for one in family(task()):
            measures[one.key] = one
    measures = {key: _bounded(one) for key, one in measures.items() if not np.isnan(one.value)}
    if not compared.paired:
        texts.append(
            "nobody said which released record is whose: what compares records with their own is "
            "left out"
        )
    elif compared.first is not None and compared.first.size < compared.originals:
        texts.append(
            f"{compared.first.size:,} of {compared.originals:,} originals have a released record "
            "of their own; what compares the two is of these"
        )
    unread = [side.name for side in compared.words if not side.read]
    if unread:
        texts.append(
            f"nobody knows what some released words of {listed(unread)} cover; they count as "
            "anything (a hierarchy would tell)"
        )
    return Measures(
        utility={d.key: measures[d.key] for d in UTILITY if d.key in measures},
        risk={d.key: measures[d.key] for d in RISK if d.key in measures},
        columns=tuple(_columns(both)),
        pairs=tuple(
            {"columns": list(pair.columns), "before": pair.before, "after": pair.after}
            for pair in pairs[:PAIRS]
        ),
        originals=compared.originals,
        records=compared.records,
        paired=0 if compared.first is None else compared.first.size,
        k=compared.k,
        candidates=None if compared.candidates is None else int(compared.candidates.min()),
        quasi_identifiers=tuple(side.name for side in compared.quasi),
        sensitive=tuple(side.name for side in compared.sensitive),
        notes=tuple(texts),
        seconds=time.perf_counter() - start,
    )


def _columns(both: utility.Both) -> list[ColumnMeasures]:
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
    by = {name: _held(value) for name, value in one.by.items()}
    return replace(one, value=_held(one.value), by=by)


def _held(value: float) -> float:
    """Return a figure, 0 for what is none, the largest float for what is larger."""
    return float(value) if np.isfinite(value) else float(np.nan_to_num(value))


def _finite(value: float) -> float | None:
    """Return a figure, None where no float can hold it."""
    return value if np.isfinite(value) else None
