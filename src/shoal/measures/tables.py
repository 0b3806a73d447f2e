"""An original and a released Table -> both side by side -> Measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from shoal.errors import InputError, shown
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.compared import Compared, Strata, classes_of, secret_codes
from shoal.measures.compute import measure_all
from shoal.measures.pairing import Pairing
from shoal.measures.reading import both_sides
from shoal.measures.result import Measures
from shoal.measures.risk.kept_columns import released_codes
from shoal.measures.sides import Pairs, Side
from shoal.measures.task import BRIEF, FEW, side_by_side
from shoal.table.encode_nodes import Coded, CodedColumn
from shoal.table.roles import Column, Kind, Role
from shoal.table.survey import named_strata, strata_of, weights_of
from shoal.table.table import Table

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


def classes_by(table: Table, names: Iterable[str]) -> Integers:
    """Return of every record the number of its combination of cells in some columns."""
    return classes_of((table[name] for name in names), table.rows)


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
