"""Table: frozen columns with roles; converts from and to dataframes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError, RequestError, nearest_names, shown
from shoal.hints import marked
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.table.roles import TICKS, Column, Kind, Role, Schema
from shoal.table.source import Source


@dataclass(frozen=True)
class Table:
    """Columns of one length, each with a name, a role and a kind.

    `roles_given` tells whether the user gave roles; a fresh table has quasi-identifiers only.
    """

    columns: tuple[Column, ...]
    source: Source
    roles_given: bool = False

    @property
    def rows(self) -> int:
        """The number of records."""
        return len(self.columns[0].values) if self.columns else 0

    def __len__(self) -> int:
        return self.rows

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.columns]

    @property
    def schema(self) -> Schema:
        """Names, kinds and roles."""
        return Schema(
            tuple(self.names),
            tuple(column.kind for column in self.columns),
            tuple(column.role for column in self.columns),
        )

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        if not isinstance(name, str):
            raise RequestError(
                "a table gives its columns by their names, table['age']; numpy.asarray(table) and "
                "pyarrow.table(table) have its records"
            )
        raise RequestError(
            f"{self.source.name} has no column {shown(name)}{nearest_names(name, self.names)}"
        )

    def with_role(self, role: Role) -> list[Column]:
        """Return the columns with a role."""
        return [column for column in self.columns if column.role is role]

    def only(self, keep: Callable[[Column], bool]) -> Table:
        """Return the table with the columns that a rule keeps."""
        return replace(self, columns=tuple(c for c in self.columns if keep(c)))

    def mapped(self, change: Callable[[Column], Column]) -> Table:
        """Return the table with every column changed."""
        return replace(self, columns=tuple(change(c) for c in self.columns))

    def without_rows(self) -> Table:
        """Return the columns without their cells: a schema that also knows orders and formats."""
        return self.mapped(
            lambda c: c.replace(values=c.values.slice(0, 0), cells=None, quoted=None)
        )

    def take(self, rows: Integers) -> Table:
        """Return the table with some of its rows."""
        import pyarrow as pa

        index = pa.array(rows)

        def some(column: Column) -> Column:
            cells = None if column.cells is None else column.cells.take(index)
            quoted = None if column.quoted is None else column.quoted[rows]
            return column.replace(values=column.values.take(index), cells=cells, quoted=quoted)

        lines = self.source.lines
        if self.source.kind == "csv":
            after = np.arange(2, self.rows + 2) if lines is None else lines[1:]
            lines = np.concatenate(([1], after[rows]))
        source = replace(self.source, lines=lines)
        if source.native is not None:
            from shoal.table.dataframes.native import take_native

            source = replace(source, native=take_native(source.native, rows))
        return replace(self.mapped(some), source=source)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[np.generic]:
        """Return an n×d matrix; only a complete Table of numbers is one."""
        if copy is False:
            raise ValueError("a Table turns into a matrix by copying")
        for column in self.columns:
            if not (column.kind.is_number or column.kind is Kind.BOOLEAN) or column.missing:
                what = f"{column.missing} missing cells" if column.missing else column.kind
                raise InputError(f"{self.source.name}: {column} has {what}; not a matrix")
        matrix = np.stack([as_floats(column) for column in self.columns], axis=1)
        return matrix if dtype is None else matrix.astype(dtype)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Let any library that speaks Arrow read the table."""
        import pyarrow as pa

        arrays = {column.name: column.values for column in self.columns}
        stream: object = pa.table(arrays).__arrow_c_stream__(requested_schema)
        return stream

    def __repr__(self) -> str:
        return f"<Table {self.source.name}: {self.rows} records × {len(self.columns)} columns>"

    def __str__(self) -> str:
        lines = [repr(self)[1:-1]]
        width = max((len(name) for name in self.names), default=0)
        for column in self.columns:
            missing = f", {column.missing} missing" if column.missing else ""
            lines.append(f"  {column.name:<{width}}  {column.kind_name}, {column.role}{missing}")
        return "\n".join(lines)

    def shuffled(self, order: Integers) -> object:
        """Return the rows in an order, as `to_native` does, without a trace of the one they had."""
        some = self.take(order)
        source = replace(some.source, sha256="", path=None, lines=None)
        frame = replace(some, source=source).to_native()
        if self.source.native is None or self.source.layout:
            return frame
        from shoal.table.dataframes.categories import without_order

        return without_order(frame)

    def to_native(self) -> object:
        """Return the caller's type of table, or the Table itself where it came from a file."""
        if self.source.native is None:
            return self
        from shoal.table.dataframes.native import to_native

        frame = to_native(self.source, self.columns)
        if not self.source.layout:
            return frame
        from shoal.table.dataframes.layout import as_laid_out

        return as_laid_out(frame, self.source.layout)


def check_readable(column: Column, table: Table) -> None:
    """Raise InputError for cells of a quasi-identifier that cannot be interpreted."""
    where = f"{table.source.name}, quasi-identifier {shown(column.name)}"
    if column.doubt:
        raise InputError(f"{where}: {marked(column.doubt)}")
    if column.kind is Kind.UNKNOWN:
        raise InputError(f"{where}: cells of a type that is not supported; leave the column out")
    if column.kind is Kind.FLOAT:
        rows = np.flatnonzero(np.isinf(np.asarray(column.values.cast("double")))).tolist()
        if rows:
            raise InputError(f"{where}: infinite ({table.source.where(rows)})")


def missing_cells(column: Column) -> Flags:
    """Return which cells are missing; not-a-number is missing too."""
    flags: Flags = np.asarray(column.values.is_null(nan_is_null=True))
    return flags


def present(column: Column) -> Flags:
    """Return which cells are there."""
    return ~missing_cells(column)


def some_rows(column: Column, flags: Flags) -> Column:
    """Return some rows of a column; all of them as they are."""
    if flags.all():
        return column
    import pyarrow as pa

    mask = pa.array(flags)
    cells = None if column.cells is None else column.cells.filter(mask)
    quoted = None if column.quoted is None else column.quoted[flags]
    return column.replace(values=column.values.filter(mask), cells=cells, quoted=quoted)


def as_integers(column: Column) -> npt.NDArray[Any] | None:
    """Return the values as whole numbers of the column's smallest unit; None for floats.

    Numbers count in 10^-decimals, dates in days, times in Arrow's own unit, ordinal values are
    their ranks from 0. Python integers (dtype object) stand in where 64 bits are too few. The
    column must be complete.
    """
    import pyarrow as pa

    values = column.values
    if column.order is not None:
        import pyarrow.compute as pc

        ranks = pc.index_in(values, value_set=pa.array(column.order, type=values.type))
        return np.asarray(ranks).astype(np.int64)
    if column.kind is Kind.FLOAT:
        return None
    if column.kind is Kind.BOOLEAN:
        return np.asarray(values.cast(pa.int8())).astype(np.int64)
    if column.kind is Kind.DATE:
        return np.asarray(values.cast(pa.date32()).cast(pa.int32())).astype(np.int64)
    if column.kind is Kind.DATETIME:
        return np.asarray(values.cast(pa.int64())).astype(np.int64)
    if column.kind is Kind.DECIMAL:
        return _scaled(values)
    if pa.types.is_uint64(values.type):
        unsigned = np.asarray(values)
        return unsigned.astype(object if unsigned.max(initial=0) >= 2**63 else np.int64)
    return np.asarray(values.cast(pa.int64())).astype(np.int64)


def _scaled(values: Any) -> npt.NDArray[Any]:
    """Return decimals as whole numbers of their last digit, from Arrow's 128-bit integers."""
    words = np.frombuffer(values.buffers()[1], dtype=np.int64).reshape(-1, 2)
    words = words[values.offset : values.offset + len(values)]
    low, high = words[:, 0], words[:, 1]
    if np.array_equal(high, low >> 63):
        return low.copy()
    return np.array(
        [(int(h) << 64) + (int(w) & (2**64 - 1)) for w, h in words.tolist()], dtype=object
    )


def as_floats(column: Column) -> Floats:
    """Return the values as floats: dates as days, times as their unit, ordinal ones as ranks."""
    whole = as_integers(column)
    if whole is None:
        import pyarrow as pa

        return np.asarray(column.values.cast(pa.float64())).astype(np.float64)
    floats: Floats = whole.astype(np.float64)
    if column.kind is Kind.DECIMAL:
        floats = floats / 10.0**column.values.type.scale
    return floats


def days_or_numbers(column: Column) -> Floats:
    """Return the values as numbers, dates and times as days since 1970."""
    values = as_floats(column)
    if column.kind is Kind.DATETIME:
        values = values / (86_400.0 * TICKS[column.values.type.unit])
    return values


# Profile of a table: what is known of its columns without the records.
#
# A plan is made of a schema and a profile. A table in memory is profiled as it is asked
# (`pipeline/plan/columns.py`); a file larger than memory while it is read for the first time
# (`pipeline/regions/profile.py`).
Change = Callable[[Column], Column]


def same(column: Column) -> Column:
    """Return a column as it is."""
    return column


class Profile(Protocol):
    """What is known of columns, which are asked for by their names."""

    @property
    def rows(self) -> int:
        """The number of records."""
        ...

    def missing(self, column: Column) -> int:
        """Return how many cells are missing."""
        ...

    def different(self, column: Column) -> int:
        """Return how many different values there are."""
        ...

    def reason(self, column: Column) -> str | None:
        """Return why a column looks like an identifier, None where it does not."""
        ...

    def repeats(self, column: Column) -> bool | None:
        """Tell whether two records have one value; None where none has any."""
        ...

    def two_valued(self, column: Column) -> bool:
        """Tell whether a column holds exactly two different numbers."""
        ...

    def code_length(self, column: Column) -> int | None:
        """Return the length of the codes that the cells are, None where they are no codes."""
        ...

    def unique_share(self, column: Column, released: Change = same) -> float:
        """Return the share of records that are unique in a column, as it is `released`."""
        ...

    def complete(self, names: Sequence[str]) -> Profile:
        """Return the profile of the records that miss none of some columns."""
        ...


def complete_rows(columns: Sequence[Column]) -> Any:
    """Return the rows of the records that miss no cell of some columns."""
    gone = np.logical_or.reduce([missing_cells(column) for column in columns])
    return np.flatnonzero(~gone)
