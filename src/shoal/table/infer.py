"""Reading of csv columns: facts are gathered, the kind decided, cells converted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from shoal.errors import InputError, shown
from shoal.table.decide import MAX_DIGITS, Verdict, decide
from shoal.table.distinct import Distinct
from shoal.table.facts import look
from shoal.table.roles import Column, Kind

Where = Callable[[list[int]], str]


def infer(
    name: str, cells: Any, missing: tuple[str, ...], declared: str | None, where: Where
) -> Column:
    """Return the column with its kind and values.

    `where` turns row numbers into words such as "line 7" for a message.
    """
    distinct = Distinct(cells, missing, declared)
    verdict = decide(name, look(distinct), declared)
    doubt = doubt_of(distinct, verdict, where)
    if doubt is not None and declared is not None:
        raise misfit(name, doubt)
    return column_of(name, distinct, verdict, doubt)


def misfit(name: str, doubt: str) -> InputError:
    """Return the error of a column that is not what it was declared to be."""
    return InputError(f"column {shown(name)}: {doubt}")


def doubt_of(cells: Distinct, verdict: Verdict, where: Where) -> str | None:
    """Return the fault of a column in words, None where it has none."""
    if verdict.fault is None:
        return None
    rows = [] if verdict.fault.flags is None else cells.rows_where(verdict.fault.flags(cells))
    return verdict.fault.message(len(rows), len(cells.cells), where(rows))


def column_of(name: str, cells: Distinct, verdict: Verdict, doubt: str | None) -> Column:
    """Return the column with its values; each cell must be what the verdict says."""
    is_text = verdict.kind is Kind.TEXT
    values = cells.texts() if is_text else cells.spread(_values(cells, verdict))
    return Column(
        name, verdict.kind, values, written=verdict.written, cells=cells.cells, doubt=doubt
    )


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
            return pa.array(cells.calendar(times=True)[0], type=pa.timestamp("us"))
