"""Reading back of a written file: its quasi-identifiers have the released values, row by row.

A writer that cuts digits keeps classes together and would pass any check of their sizes. The
judge's reader reads the file; columns are compared in Arrow, and where that shows a difference
exact numbers decide.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.backends.executor import Threads
from shoal.backends.staging import Staging
from shoal.errors import OutputError, PrivacyError, RequestError, shown
from shoal.judge.limits import limits
from shoal.judge.readers.cells import Cells, struct_texts
from shoal.judge.readers.reading import opened
from shoal.judge.readers.source import Source
from shoal.judge.readers.written import Written
from shoal.judge.verify import verify
from shoal.kernels.arrays import Integers
from shoal.release.dialects import written_as
from shoal.release.intervals import structs
from shoal.release.plain_values import without_nan
from shoal.release.write import release_bytes, row_order
from shoal.table.dialects.notation import STRICT, Notation
from shoal.table.roles import STAR, Column, Kind
from shoal.table.table import Table

PLAIN: Mapping[str, Notation] = {}
FLAGS = {0: "false", 1: "true"}  # in files that have no truth values
PARSED = {Kind.FLOAT: pa.float64(), Kind.DATE: pa.date32()}  # of what csv cells are compared as


def holds_table(
    table: Table, order: Integers, wanted: Sequence[str], path: Path, kind: str
) -> bool:
    """Tell whether a file holds the very values of a released table's columns, in this order."""
    with opened(path, kind, Written(**written_as(table))) as source:
        file = ReadBack(source, wanted, dict(table.source.notations))
        return file.holds(table, order) and file.is_read()


class ReadBack:
    """A file that is compared with what was to be written, from its first row on."""

    def __init__(
        self, source: Source, wanted: Sequence[str], notations: Mapping[str, Notation] = PLAIN
    ) -> None:
        if source.batches is None:
            raise TypeError("files are read in batches")
        self.wanted, self.as_bytes = wanted, source.as_bytes
        own = notations if source.as_bytes else PLAIN  # only csv has them
        self.notations = [own.get(name, STRICT) for name in wanted]
        self.batches = source.batches(source.places(wanted), list)
        self.columns: list[Cells] = []
        self.at = self.rows = 0  # what was read of the columns, and how many rows they have

    def _next(self) -> bool:
        """Read on where everything read was compared; tell whether there is more."""
        while self.at == self.rows:
            columns = next(self.batches, None)
            if columns is None:
                return False
            self.columns, self.at = columns, 0
            self.rows = len(columns[0]) if columns else 0
        return True

    def holds(self, table: Table, order: Integers) -> bool:
        """Tell whether the next rows are those of a table in this order."""
        columns = [table[name] for name in self.wanted]
        meant = [_meant(column, self.as_bytes) for column in columns]
        done, threads = 0, Threads(limits().threads)
        while done < len(order):
            if not self._next():
                return False
            many = min(self.rows - self.at, len(order) - done)
            some = [cells.part(self.at, self.at + many) for cells in self.columns]
            as_meant = partial(_as_meant, pa.array(order[done : done + many]), self.as_bytes)
            every = zip(some, columns, meant, self.notations, strict=True)
            if not all(list(threads.map(as_meant, every))):
                return False
            self.at += many
            done += many
        return True

    def is_read(self) -> bool:
        """Tell whether there are no more rows."""
        return not self._next()


def _as_meant(
    rows: pa.Array, as_bytes: bool, one: tuple[Cells, Column, pa.Array, Notation]
) -> bool:
    """Tell whether cells that were read are those of some rows of a column."""
    cells, column, meant, notation = one
    same = _same if notation.is_plain else partial(_same_noted, notation)
    return same(cells, meant.take(rows), column.kind, as_bytes)


def _meant(column: Column, as_bytes: bool) -> Any:
    """Return the values that a column is to have; Parquet holds short decimals as floats."""
    if column.ends is not None and not as_bytes:
        return struct_texts(structs(column))
    if column.kind is Kind.DECIMAL and not as_bytes:
        distinct = column.values.dictionary_encode()
        floats = [None if v is None else float(v) for v in distinct.dictionary.to_pylist()]
        return pa.array(floats, pa.float64()).take(distinct.indices)
    return column.values


def _same(cells: Cells, meant: Any, kind: Kind, as_bytes: bool) -> bool:
    """Tell whether cells have the meant values."""
    written = _parsed(cells, meant.type, kind) if as_bytes else cells.to_arrow()
    if written is not None and _equal(written, meant):
        return True
    texts = cells.plain()
    if as_bytes:
        texts = [text.encode("latin-1").decode("utf-8", "replace") for text in texts]
    elif kind is Kind.DECIMAL:
        kind = Kind.FLOAT
    pairs = set(zip(texts, meant.to_pylist(), strict=True))
    return all(_value(one, kind) == _value(other, kind) for one, other in pairs)


def _same_noted(notation: Notation, cells: Cells, meant: Any, kind: Kind, as_bytes: bool) -> bool:
    """Tell whether cells of a notation have the meant values."""
    texts = [notation.plain(text.strip(" ")) for text in _decoded(cells, as_bytes)]
    if kind is Kind.DATETIME:  # as elsewhere, times are compared by class only
        return len(texts) == len(meant)
    pairs = set(zip(texts, meant.to_pylist(), strict=True))
    return all(_value(one or None, kind) == _value(other, kind) for one, other in pairs)


def _decoded(cells: Cells, as_bytes: bool) -> list[str]:
    texts = [text or "" for text in cells.plain()]
    return [t.encode("latin-1").decode("utf-8", "replace") for t in texts] if as_bytes else texts


def _parsed(cells: Cells, of: Any, kind: Kind) -> Any:
    """Return csv cells as values, missing where they are `*`; None where Arrow cannot read one."""
    if kind not in (Kind.TEXT, Kind.INTEGER, Kind.DECIMAL, *PARSED):
        return None
    try:
        texts = cells.to_arrow().cast(pa.large_string())
        texts = pc.if_else(pc.equal(texts, STAR), None, texts)
        return texts.cast(PARSED.get(kind, of))
    except pa.ArrowException:
        return None


def _equal(written: Any, meant: Any) -> bool:
    """Tell whether two arrays hold the same; `*` is missing."""
    if pa.types.is_string(meant.type) or pa.types.is_large_string(meant.type):
        meant = pc.if_else(pc.equal(meant, STAR), None, meant)
    return same_array(written, meant)


def same_array(written: Any, meant: Any) -> bool:
    """Tell whether two Arrow arrays hold the same; not-a-number is the same as itself."""
    if pa.types.is_floating(meant.type) and pa.types.is_floating(written.type):
        if not written.is_null().equals(meant.is_null()):
            return False
        one, other = (np.asarray(values.cast(pa.float64())) for values in (written, meant))
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool(written.type == meant.type and written.equals(meant))


def _value(cell: Any, kind: Kind) -> Any:
    """Return a value or a cell's text in one form; times are compared by class only."""
    if cell is None or cell == STAR:
        return None
    if kind is Kind.TEXT:
        return cell
    if kind is Kind.FLOAT:
        number = float(cell)
        return "nan" if number != number else number  # noqa: PLR0124
    if kind.is_number:
        return Fraction(cell)
    if kind is Kind.BOOLEAN:
        return FLAGS.get(cell, str(cell).lower())
    return str(cell) if kind is Kind.DATE else None


KINDS = ("csv", "csv.gz", "parquet")


def save_records(table: Table, k: int, path: str | os.PathLike[str], *, force: bool) -> Path:
    """Write the records of a table, all of whose columns are quasi-identifiers, in random order.

    Ensures that every combination in the file is shared by k records; else nothing is written.
    """
    target = Path(path)
    kind = next((one for one in KINDS if target.name.lower().endswith(f".{one}")), None)
    if kind is None:
        raise RequestError(f"{shown(target)}: write to a name that ends in .{', .'.join(KINDS)}")
    table, order = table.mapped(_released), row_order(table.rows)
    with Staging(force=force) as staging:
        staging.check(target)
        temporary = staging.add(target, release_bytes(table, order, kind))
        found = verify(
            temporary, k, quasi_identifiers=table.names, kind=kind, records=table.rows,
            columns=table.names,
        )  # fmt: skip
        if not found.ok:
            raise PrivacyError(
                f"the written file is not safe, nothing was kept: {'; '.join(found.problems)}"
            )
        if not holds_table(table, order, table.names, temporary, kind):
            raise OutputError(f"{shown(target)}: what was read back is not what was to be written")
        staging.commit()
    return target


def _released(column: Column) -> Column:
    """Return a column whose missing cells are those that a group does not release."""
    values = without_nan(column.values) if column.kind is Kind.FLOAT else column.values
    return column.replace(values=values, protected=True)
