"""Reading of csv columns: facts are gathered, the kind decided, cells converted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import InputError, shown
from shoal.hints import marked
from shoal.table.csv_text.cells import Cells
from shoal.table.csv_text.decide import MAX_DIGITS, Verdict
from shoal.table.csv_text.distinct import Distinct
from shoal.table.dialects.zones import local_time
from shoal.table.roles import Column, Kind

INTERVAL = r"^\[[0-9+-][^\[\]]*,[0-9+-][^\[\]]*\]$"
VALUE = r"^(\*|[+-]?[0-9.]+([eE][+-]?[0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)$"

Where = Callable[[list[int]], str]


def misfit(name: str, doubt: str) -> InputError:
    """Return the error of a column that is not what it was declared to be."""
    return InputError(f"column {shown(name)}: {marked(doubt)}")


def doubt_of(parts: Sequence[Cells], verdict: Verdict, where: Where) -> str | None:
    """Return the fault of a column in words, None where it has none."""
    if verdict.fault is None:
        return None
    rows: list[int] = []
    start = 0
    for cells in parts:
        if verdict.fault.flags is not None:
            distinct = cells.distinct
            rows += [start + row for row in distinct.rows_where(verdict.fault.flags(distinct))]
        start += len(cells)
    return verdict.fault.message(len(rows), start, where(rows))


def column_of(name: str, cells: Cells, verdict: Verdict, doubt: str | None) -> Column:
    """Return the column with its values; each cell must be what the verdict says."""
    values = values_of(cells, verdict)
    return Column(
        name, verdict.kind, values, written=verdict.written, cells=cells.cells, doubt=doubt
    )


def values_of(cells: Cells, verdict: Verdict) -> Any:
    """Return the values of cells; each must be what the verdict says."""
    if verdict.kind is Kind.TEXT:
        return released_texts(cells)
    plain = cells.plain
    values = None if plain is None else plain.values(verdict.kind, verdict.written.decimals)
    return cells.distinct.spread(_values(cells.distinct, verdict)) if values is None else values


def released_texts(cells: Cells) -> Any:
    """Return texts; where all are intervals, numbers or `*` of a notation, in plain notation."""
    if cells.notation.is_plain or not cells.records:
        return cells.texts()
    distinct = cells.distinct
    intervals = distinct.matches(INTERVAL)
    if not intervals.any() or not np.all(intervals | distinct.matches(VALUE)):
        return cells.texts()
    return distinct.spread(distinct.present)


def _values(cells: Distinct, verdict: Verdict) -> Any:
    written = verdict.written
    match verdict.kind:
        case Kind.INTEGER:
            return cells.integers
        case Kind.DECIMAL:
            return cells.present.cast(pa.decimal128(MAX_DIGITS, written.decimals))
        case Kind.FLOAT:
            return pa.array(cells.floats)
        case Kind.BOOLEAN:
            words = cells.present.to_pylist()
            return pa.array([word == written.words[1] for word in words], type=pa.bool_())
        case Kind.DATE:
            return pa.array(cells.calendar(times=False)[0], type=pa.date32())
        case _:
            moments = cells.calendar(times=True)[0]
            local = [local_time(one, written.zone) for one in moments if isinstance(one, datetime)]
            return pa.array(local, type=pa.timestamp("us"))
