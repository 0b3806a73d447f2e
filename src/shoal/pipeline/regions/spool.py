"""Lazy frames and Arrow streams of any size: written once to a private Parquet file, then read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import narwhals as nw
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import InputError, RequestError, listed
from shoal.pipeline.regions.run_folder import RunFolder
from shoal.pipeline.regions.tasks import give_back
from shoal.progress import Reporter
from shoal.storage import system
from shoal.table.dataframes.frames import (
    BATCH,
    RECORDS,
    batches_of,
    check_here,
    check_names,
    computing,
    is_polars,
    own_order,
)
from shoal.table.files.arrow_files import read_parquet
from shoal.table.files.many_files import ParquetPieces
from shoal.table.files.opening import digest_of
from shoal.table.roles import Kind
from shoal.table.source import Source
from shoal.table.table import Table

FILE = "input.parquet"
FRAME = "the dataframe"

Orders = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Spooled:
    """The records of a stream in a file of its run, to be read in pieces of so many `records`.

    `orders` are those of its categories.
    """

    path: Path
    source: Source
    orders: Orders
    records: int = RECORDS

    def table(self) -> Table:
        """Return all records."""
        return self._own(read_parquet(self.path))

    def pieces(self, records: int) -> Spooled:
        """Return the records in pieces, of so many each."""
        return replace(self, records=records)

    def first(self) -> Iterator[Table]:
        """Yield the pieces."""
        file = ParquetPieces(self.path, self.records)
        file.source = self.source
        return map(self._own, file.again())

    again = first  # all is known before the first pass, and nobody else writes to the file

    def _own(self, piece: Table) -> Table:
        """Return records as those of the stream, not of a file."""
        piece = replace(piece, source=replace(self.source, start=piece.source.start))
        return piece.mapped(
            lambda column: (
                column.replace(order=self.orders.get(column.name))
                if column.kind is Kind.TEXT
                else column
            )
        )


def spool(data: Any, work: RunFolder, report: Reporter, size: int = BATCH) -> Spooled:
    """Write the records of a lazy frame or an Arrow stream to a file that its owner alone reads.

    Of a stream, about so many bytes are held at once, and at least one batch.
    """
    report("writing the dataframe", 0, 1)
    frame = _lazy(data)
    path = Path(work.storage.full(FILE))
    if frame is not None and is_polars(frame):
        orders = _by_polars(frame, path)
    else:
        with work.writing(FILE) as file:
            orders = _by_batches(data, file, report, size)
    give_back()
    report("writing the dataframe", 1, 1)
    names = tuple(pq.read_schema(path).names)
    source = Source(FRAME, "dataframe", digest_of(path), columns=names)
    return Spooled(path, source, orders)


def _lazy(data: Any) -> nw.LazyFrame[Any] | None:
    """Return a lazy frame; None for another Arrow stream."""
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        check_here(frame)
        return frame
    if isinstance(frame, nw.DataFrame) or not hasattr(data, "__arrow_c_stream__"):
        raise InputError(
            f"cannot read a table from {type(data).__name__}: give a path, a URL, a lazy frame, an "
            "Arrow stream, or a DataFrame of Dask or Spark; others are for shoal.anonymize"
        )
    return None


def _by_polars(frame: nw.LazyFrame[Any], path: Path) -> Orders:
    """Let polars write its records, in pieces of its own."""
    os.close(system.create(path))
    with computing():
        schema = frame.collect_schema()
        check_names(list(schema.names()), FRAME)
        frame.sink_parquet(path)
    path.chmod(0o600)
    kinds = schema.items()
    return {name: tuple(kind.categories) for name, kind in kinds if isinstance(kind, nw.Enum)}


def _by_batches(data: Any, file: BinaryIO, report: Reporter, size: int) -> Orders:
    """Write batches as they come; return the orders that all of them declare alike."""
    given, batches = batches_of(data)
    check_names(list(given.names), FRAME)
    schema = pa.schema([one.with_type(_plain(one.type)) for one in given]).remove_metadata()
    _check_types(schema)
    orders: dict[str, set[tuple[str, ...] | None]] = {name: set() for name in schema.names}
    rows = 0
    with pq.ParquetWriter(file, schema) as writer:
        for some in _together(_seen(batches, orders), size):
            writer.write_table(some.cast(schema))
            rows += some.num_rows
            report("writing the dataframe", rows, rows + 1)
    alike = {name: found.pop() for name, found in orders.items() if len(found) == 1}
    return {name: order for name, order in alike.items() if order is not None}


def _seen(batches: Iterable[Any], orders: Mapping[str, set[Any]]) -> Iterator[Any]:
    """Yield batches; note the orders of their categories."""
    for batch in batches:
        for name, column in zip(orders, batch.columns, strict=True):
            orders[name].add(own_order(None, column))
        yield batch


def _together(batches: Iterable[Any], size: int) -> Iterator[Any]:
    """Yield small batches as one table each, of about so many bytes, and not too many records."""
    held: list[Any] = []
    rows = held_bytes = 0
    for batch in batches:
        held.append(batch)
        rows, held_bytes = rows + batch.num_rows, held_bytes + batch.nbytes
        if rows >= RECORDS or held_bytes >= size:
            yield pa.Table.from_batches(held)
            held, rows, held_bytes = [], 0, 0
    if held:
        yield pa.Table.from_batches(held)


def _plain(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _check_types(schema: Any) -> None:
    """Refuse columns that no Parquet file holds."""
    unknown = []
    for one in schema:
        try:
            pq.ParquetWriter(pa.BufferOutputStream(), pa.schema([one])).close()
        except pa.ArrowNotImplementedError:
            unknown.append(one.name)
    if unknown:
        raise RequestError(
            f"{FRAME}: {listed(unknown)}: columns of a type that cannot be written to a file; "
            "leave them out of the query, or cast them"
        )
