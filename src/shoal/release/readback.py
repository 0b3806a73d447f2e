"""Reading back of a written file: its quasi-identifiers have the released values, row by row.

A writer that cuts digits keeps classes together and would pass any check of their sizes. The
judge's reader reads the file; columns are compared in Arrow, and where that shows a difference
exact numbers decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.judge.csv_text import Written
from shoal.judge.engine import Engine, quoted
from shoal.judge.reading import files_of, opened
from shoal.judge.source import Source
from shoal.kernels.arrays import Integers
from shoal.release.intervals import structs
from shoal.release.write import written_as
from shoal.table.dialects.notation import STRICT, Notation
from shoal.table.intervals import struct_texts
from shoal.table.roles import STAR, Column, Kind
from shoal.table.table import Table

PLAIN: Mapping[str, Notation] = {}
ROWS = 65_536  # that are compared at once
FLAGS = {0: "false", 1: "true"}  # in files that have no truth values
PARSED = {Kind.FLOAT: pa.float64(), Kind.DATE: pa.date32()}  # of what csv cells are compared as


def holds_table(
    table: Table, order: Integers, wanted: Sequence[str], path: Path, kind: str
) -> bool:
    """Tell whether a file holds the very values of a released table's columns, in this order."""
    with Engine(files_of(path, kind)) as engine:
        source = opened(engine, path, kind, Written(**written_as(table)))
        file = ReadBack(engine, source, wanted, dict(table.source.notations))
        return file.holds(table, order) and file.is_read()


class ReadBack:
    """A file that is compared with what was to be written, from its first row on."""

    def __init__(
        self, engine: Engine, source: Source, wanted: Sequence[str],
        notations: Mapping[str, Notation] = PLAIN,
    ) -> None:  # fmt: skip
        self.wanted, self.as_text = wanted, source.as_text
        own = notations if source.as_text else PLAIN  # only csv has them
        self.notations = [own.get(name, STRICT) for name in wanted]
        cells = [quoted(name) for name in wanted]
        if source.as_text:  # an empty cell is not a *
            cells = [f"coalesce({cell}, '')" for cell in cells]
        self.batches = engine.arrow(f"SELECT {', '.join(cells)} FROM {source.table}")
        self.read = self.batches.schema.empty_table()  # and not compared yet

    def _take(self, rows: int) -> pa.Table:
        """Return so many of the next rows, or what is left of them."""
        while self.read.num_rows < rows:
            batch = next(self.batches, None)
            if batch is None:
                break
            self.read = pa.concat_tables([self.read, pa.Table.from_batches([batch])])
        some, self.read = self.read.slice(0, rows), self.read.slice(rows)
        return some

    def holds(self, table: Table, order: Integers) -> bool:
        """Tell whether the next rows are those of a table in this order."""
        columns = [table[name] for name in self.wanted]
        meant = [_meant(column, self.as_text) for column in columns]
        for begin in range(0, len(order), ROWS):
            rows = pa.array(order[begin : begin + ROWS])
            some = self._take(len(rows))
            if some.num_rows < len(rows):
                return False
            every = zip(some.columns, columns, meant, self.notations, strict=True)
            for cells, column, values, notation in every:
                if not self._is_same(cells.combine_chunks(), column, values.take(rows), notation):
                    return False
        return True

    def _is_same(self, cells: Any, column: Column, meant: Any, notation: Notation) -> bool:
        """Tell whether cells have the meant values; those of a notation are read by it."""
        kind = Kind.FLOAT if column.kind is Kind.DECIMAL and not self.as_text else column.kind
        if notation.is_plain:
            cells = struct_texts(cells) if pa.types.is_struct(cells.type) else cells
            written = _parsed(cells, meant.type, kind) if self.as_text else cells
            if written is not None and _equal(written, meant):
                return True
            found = cells.to_pylist()
        elif kind is Kind.DATETIME:  # as elsewhere, times are compared by class only
            return True
        else:
            plain = (notation.plain((text or "").strip(" ")) for text in cells.to_pylist())
            found = [text or None for text in plain]
        pairs = set(zip(found, meant.to_pylist(), strict=True))
        return all(_value(one, kind) == _value(other, kind) for one, other in pairs)

    def is_read(self) -> bool:
        """Tell whether there are no more rows."""
        return not self._take(1).num_rows


def _meant(column: Column, as_text: bool) -> Any:
    """Return the values that a column is to have; Parquet holds short decimals as floats."""
    if column.ends is not None and not as_text:
        return struct_texts(structs(column))
    if column.kind is Kind.DECIMAL and not as_text:
        distinct = column.values.dictionary_encode()
        floats = [None if v is None else float(v) for v in distinct.dictionary.to_pylist()]
        return pa.array(floats, pa.float64()).take(distinct.indices)
    return column.values


def _parsed(cells: Any, of: Any, kind: Kind) -> Any:
    """Return csv cells as values, missing where they are `*`; None where Arrow cannot read one."""
    if kind not in (Kind.TEXT, Kind.INTEGER, Kind.DECIMAL, *PARSED):
        return None
    try:
        texts = pc.if_else(pc.equal(cells, STAR), None, cells)
        return texts.cast(PARSED.get(kind, of))
    except pa.ArrowException:
        return None


def _equal(written: Any, meant: Any) -> bool:
    """Tell whether two arrays hold the same; `*` is missing."""
    if pa.types.is_string(meant.type) or pa.types.is_large_string(meant.type):
        meant = pc.if_else(pc.equal(meant, STAR), None, meant).cast(written.type)
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
