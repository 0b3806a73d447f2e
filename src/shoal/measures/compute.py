"""Compared -> Measures: every figure of `definitions.py` that applies, in its order."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from shoal.errors import InputError, listed, shown
from shoal.executor import Threads
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.compared import Compared, Strata, classes_of, secret_codes
from shoal.measures.pairing import Pairing
from shoal.measures.reading import both_sides
from shoal.measures.result import (
    BRIEF,
    FEW,
    ColumnMeasures,
    Effort,
    Measure,
    Measures,
    Task,
    side_by_side,
)
from shoal.measures.risk import figures as risk
from shoal.measures.risk import model_figures as models
from shoal.measures.risk.definitions import RISK
from shoal.measures.risk.kept_columns import released_codes
from shoal.measures.sides import Pairs, Side
from shoal.measures.utility import distributions
from shoal.measures.utility import figures as utility
from shoal.measures.utility.definitions import UTILITY
from shoal.table.encode_nodes import Coded, CodedColumn
from shoal.table.roles import Column, Kind, Role
from shoal.table.survey import named_strata, strata_of, weights_of
from shoal.table.table import Table

AT_ONCE = 3  # families: with eight, 300,000 records took 110 MB more, and hardly less time
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

    both, pairs = (
        utility.both_moments(task(), numbers),
        distributions.correlations(numbers, task().each),
    )
    measures = {one.key: one for one in utility.of_distributions(task(), numbers, both, pairs)}
    few = replace(task(), threads=min(AT_ONCE, Threads(threads).workers))
    for every in few.each(lambda family: family(task()), FAMILIES):
        measures |= {one.key: one for one in every}
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


OTHERS = 20  # columns that are kept as they are and that models may be made of


def measure_release(
    table: Table,
    released: Table,
    coded: Coded | None,
    deleted: int,
    seed: int,
    weight: str | None = None,
    by: Sequence[str] = (),
    threads: int | None = None,
    classes: Integers | None = None,
) -> Measures:
    """Measure a release that was just made: row i of both is the same record. For reports.

    `classes` are the numbers of the released equivalence classes, where they are known.
    """
    quasi = table.schema.with_role(Role.QUASI_IDENTIFIER)
    hidden = table.schema.with_role(Role.SENSITIVE)
    trees = {} if coded is None else {c.name: c for c in coded.columns if c.rule.given}
    every = np.arange(table.rows)
    pairing = Pairing(every, every, "rows in the same order")
    others = [c.name for c in table.with_role(Role.OTHER) if c.name in released.names]
    others = [name for name in others if name != weight]
    compared = compare_tables(
        table, released, quasi, hidden, trees, pairing, weight, others, threads, classes
    )
    compared = replace(compared, deleted=deleted, strata=strata_by(released, by))
    return measure_all(compared, seed=seed, effort=BRIEF, public=True, threads=threads)


def compare_tables(
    before: Table,
    after: Table,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    trees: Mapping[str, CodedColumn],
    pairing: Pairing | None,
    weight: str | None,
    others: Sequence[str],
    threads: int | None = None,
    classes: Integers | None = None,
) -> Compared:
    """Return both tables side by side."""
    pairs = None if pairing is None else (pairing.first, pairing.second)
    weights = None if weight is None else _weights(before, after, weight, pairing)
    threads = 1 if max(before.rows, after.rows) < FEW else threads
    sides = [before, *([after] if classes is None else [])]
    numbers = side_by_side(lambda table: classes_by(table, quasi), sides, threads)
    return Compared(
        quasi=tuple(
            side_by_side(lambda name: side_of(before, after, name, trees, pairs), quasi, threads)
        ),
        sensitive=tuple(side_of(before, after, name, {}, None) for name in sensitive),
        kept=tuple(
            side_of(before, after, name, {}, None)
            for name in [name for name in others if _is_model_input(before[name])][:OTHERS]
        ),
        secrets=tuple(secret_codes(after[name], after.source.missing) for name in sensitive),
        classes=numbers[1] if classes is None else classes,
        origins=numbers[0],
        first=None if pairing is None else pairing.first,
        second=None if pairing is None else pairing.second,
        weights=None if weights is None else weights[1],
        own_weights=None if weights is None else weights[0],
        deleted=max(before.rows - after.rows, 0),
        others={c.name: released_codes(c) for c in kept_columns(after, [*quasi, *sensitive])},
        hidden={name: released_codes(after[name]) for name in sensitive},
    )


def classes_by(table: Table, names: Iterable[str], threads: int | None = 1) -> Integers:
    """Return of every record the number of its combination of cells in some columns."""
    return classes_of((table[name] for name in names), table.rows, threads)


def kept_columns(released: Table, apart: Sequence[str]) -> list[Column]:
    """Return the released columns that have none of some names, weights included."""
    return [column for column in released.columns if column.name not in apart]


def strata_by(table: Table, by: Sequence[str]) -> Strata | None:
    """Return the strata that the values of some columns make; None where there is no column."""
    if not by:
        return None
    numbers = strata_of(table, by)
    return Strata(numbers, named_strata(table, by, numbers))


def side_of(
    before: Table, after: Table, name: str, trees: Mapping[str, CodedColumn], pairs: Pairs | None
) -> Side:
    """Return a column of both tables, side by side."""
    return both_sides(before[name], after[name], trees.get(name), pairs)


def _is_model_input(column: Column) -> bool:
    """Tell whether models can be made of a column: neither infinite nor of a type of its own."""
    if not column.kind.is_grouped:
        return False
    if column.kind is not Kind.FLOAT:
        return True
    return not bool(np.isinf(np.asarray(column.values.cast("double"))).any())


def _weights(
    before: Table, after: Table, name: str, pairing: Pairing | None
) -> tuple[Floats | None, Floats]:
    """Return the survey weights of originals, where known, and of released records."""
    own = weights_of(before[name], before) if name in before.names else None
    if name in after.names:
        return own, weights_of(after[name], after)
    if own is None or pairing is None or pairing.second.size < after.rows:
        raise InputError(
            f"the release has no column {shown(name)}, and not every released record is known to "
            "be somebody's: its survey weights are unknown"
        )
    weights = np.empty(after.rows)
    weights[pairing.second] = own[pairing.first]
    return own, weights
