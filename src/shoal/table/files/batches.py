"""Parquet files larger than memory, batch by batch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import InputError, shown
from shoal.table.dataframes.frames import check_names, from_arrow
from shoal.table.dataframes.lazy import BATCH, RECORDS
from shoal.table.files.opening import check_file_name, check_ordinary, digest_of
from shoal.table.files.unpacking import check_unpacks
from shoal.table.memory import bytes_a_record
from shoal.table.source import Source
from shoal.table.table import Table


def batches(file: Any, records: int, groups: Sequence[int] | None = None) -> Iterator[Any]:
    """Yield the records of an opened Parquet file, or of some of its row groups."""
    groups = range(file.metadata.num_row_groups) if groups is None else groups
    most = min(records, max(1, int(BATCH / max(bytes_a_record(file), 1.0))))
    yield from file.iter_batches(most, row_groups=list(groups), use_threads=False)


class ParquetPieces:
    """A Parquet file in pieces, each a Table whose columns have the kinds of the file's schema.

    `first` is the pass after which `source` is known; `again` gives the same pieces once more, and
    fails if the file has changed meanwhile.
    """

    source: Source

    def __init__(self, path: Path, records: int = RECORDS) -> None:
        self.path, self.records = path, records
        self._stamp = self._stat()

    def first(self) -> Iterator[Table]:
        """Yield the pieces of the first pass."""
        self.source = Source(self.path.name, "parquet", digest_of(self.path), path=str(self.path))
        yield from self._pieces()

    def again(self) -> Iterator[Table]:
        """Yield the same pieces once more."""
        yield from self._pieces()

    def _pieces(self) -> Iterator[Table]:
        self._check()
        with self._opened() as file:
            names = list(file.schema_arrow.names)
            check_names(names, self.path.name)
            source = Source(
                self.path.name, "parquet", self.source.sha256, str(self.path), columns=tuple(names)
            )
            self.source = source
            yield from_arrow(file.schema_arrow.empty_table(), source)  # a file may have no records
            start = 0
            for batch in batches(file, self.records):
                yield from_arrow(pa.Table.from_batches([batch]), replace(source, start=start))
                start += batch.num_rows
        self._check()

    @contextlib.contextmanager
    def _opened(self) -> Iterator[Any]:
        import pyarrow.parquet as pq

        try:
            check_unpacks(self.path, self._stamp[0], self.path.name, in_pieces=True)
            with pq.ParquetFile(self.path, buffer_size=2**20, pre_buffer=False) as file:
                yield file
        except (pa.ArrowException, OSError, NotImplementedError):
            raise InputError(
                f"{self.path.name}: not a whole, unencrypted Parquet file, or of a type unknown "
                "here"
            ) from None

    def _stat(self) -> tuple[int, int]:
        check_file_name(self.path.name)
        status = check_ordinary(self.path)
        return status.st_size, status.st_mtime_ns

    def _check(self) -> None:
        if self._stat() != self._stamp:
            raise InputError(f"{shown(self.path.name)}: the file changed while it was read")
