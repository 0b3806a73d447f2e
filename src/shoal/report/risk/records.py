"""The risks of the records: a table of their own, in the caller's type, or as a private file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.measures.disclosure.assess import Assessment
from shoal.table.roles import Column, Kind, Role
from shoal.table.source import Source
from shoal.table.table import Table

if TYPE_CHECKING:
    import numpy.typing as npt

NUMBER = "record"  # the first column of a file: 1, 2, … in the order of the table


def table_of(one: Assessment) -> Table:
    """Return the risks of the records as a table, a column a measure."""
    parts: dict[str, tuple[Kind, npt.NDArray[Any]] | None] = {
        "class_size": (Kind.INTEGER, one.members.astype(np.int64)),
        "population": None if one.people is None else (Kind.FLOAT, one.people),
        "risk": (Kind.FLOAT, one.risks),
        "household_risk": None if one.households is None else (Kind.FLOAT, one.households),
        "model_risk": None if one.model is None else (Kind.FLOAT, one.model.risks),
    }
    if one.suda is not None:
        parts |= {
            "suda": (Kind.FLOAT, one.suda.scores),
            "dis_suda": (Kind.FLOAT, one.suda.dis),
            "special_unique": (Kind.BOOLEAN, one.suda.special),
            "smallest_set": (Kind.INTEGER, one.suda.smallest),
        }
    columns = [_column(name, *part) for name, part in parts.items() if part is not None]
    return Table(tuple(columns), Source("the risks of the records", "array"))


def _column(name: str, kind: Kind, values: npt.NDArray[Any]) -> Column:
    """Return numbers as a column; not-a-number is missing."""
    import pyarrow as pa

    return Column(name, kind, pa.array(values, from_pandas=True), Role.OTHER)


def native(table: Table, source: Source) -> Any:
    """Return the risks in the type that the caller's table has; a Table where it was a file."""
    if source.native is None:
        return table
    import narwhals as nw
    import pyarrow as pa

    own: Any = nw.from_native(source.native, eager_only=True)
    arrow = pa.table({column.name: column.values for column in table.columns})
    frame = nw.from_arrow(arrow, backend=own.implementation).to_native()
    if not source.layout:
        return frame
    from shoal.table.dataframes.layout import as_laid_out

    return as_laid_out(frame, source.layout)


def record_bytes(table: Table, kind: str) -> bytes:
    """Return the risks as a file, in the order of the table, with the number of every record."""
    from shoal.release.write import release_bytes, row_order

    numbers = _column(NUMBER, Kind.INTEGER, np.arange(1, table.rows + 1))
    numbered = replace(table, columns=(numbers, *table.columns))
    return release_bytes(numbered, row_order(table.rows, keep=True), kind)
