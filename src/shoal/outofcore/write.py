"""Writing of the release: rows shuffled into buckets, written and read back."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.backends.storage import Storage
from shoal.errors import OutputError
from shoal.judge.readers.reading import opened
from shoal.judge.readers.written import Written
from shoal.kernels.arrays import Integers
from shoal.outofcore.arrow import ROW, Form
from shoal.outofcore.memory import freed
from shoal.outofcore.run_folder import Files
from shoal.outofcore.shuffle import gather
from shoal.progress import Reporter
from shoal.release.dialects import plain_table, written_as
from shoal.release.write import csv_bytes, parquet_options, parquet_table
from shoal.save.readback import ReadBack, same_array
from shoal.save.spreadsheet import guarded_table
from shoal.table.table import Table

ROWS = 2**20  # of a row group, at most


def chance(secret: str, what: str, count: int) -> npt.NDArray[np.uint64]:
    """Return pseudo-random numbers keyed by a secret, the same each time.

    So a step that is done twice strews its rows to the same places.
    """
    content = hashlib.shake_256(f"{secret} {what}".encode()).digest(8 * count)
    return np.frombuffer(content, dtype="<u8").astype(np.uint64)


def random_buckets(secret: str, region: int, rows: int, buckets: int) -> Integers:
    """Return a random bucket for each row of a region."""
    numbers = chance(secret, f"region {region}", rows)
    return (numbers % np.uint64(buckets)).astype(np.int64)


class Hashed:
    """A file that computes the sha256 of its content."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.digest = file, hashlib.sha256()

    def write(self, content: Any) -> int:
        """Write bytes."""
        self.digest.update(content)
        self.file.write(content)
        return len(content)

    def flush(self) -> None:
        """Pass on what waits."""
        self.file.flush()

    def close(self) -> None:
        """Do nothing: the caller closes the file."""

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self.file.tell()


@dataclass(frozen=True)
class Buckets:
    """The released rows of all regions, by bucket; `exact` decimals are written as decimals.

    `ends` are the types of columns whose intervals Parquet files get as structs.
    """

    work: Files
    form: Form
    files: Sequence[str]
    count: int
    quasi: Sequence[str]
    exact: Container[str]
    keep_order: bool
    secret: str
    spreadsheet_safe: bool = False
    is_plain: bool = False
    ends: Mapping[str, Any] = field(default_factory=dict)

    def table(self, bucket: int) -> tuple[Table, Integers]:
        """Return the rows of a bucket, and their order in the file."""
        packed = gather(self.work, self.files, bucket)
        table = self.form.unpack(packed)
        if self.keep_order:
            return table, np.argsort(np.asarray(packed.column(ROW)), kind="stable")
        numbers = chance(self.secret, f"bucket {bucket}", table.rows)
        return table, np.argsort(numbers, kind="stable")

    def write(self, file: BinaryIO, kind: str, report: Reporter) -> str:
        """Write all buckets and return the file's sha256."""
        sink = Hashed(file)
        if kind == "parquet":
            self._parquet(sink, report)
        elif kind == "csv.gz":
            with gzip.GzipFile("", "wb", fileobj=cast(Any, sink), mtime=0) as packed:
                self._csv(packed, report)
        else:
            self._csv(sink, report)
        report("writing", self.count, self.count)
        return sink.digest.hexdigest()

    def _parquet(self, sink: Any, report: Reporter) -> None:
        import pyarrow.parquet as pq

        with pa.PythonFile(sink, "w") as file:
            writer = None
            for bucket in freed(range(self.count)):
                report("writing", bucket, self.count)
                meant = self._meant(bucket)
                options = parquet_options(meant.schema)
                writer = writer or pq.ParquetWriter(file, meant.schema, **options)
                if meant.num_rows:  # or there would be a row group without rows
                    writer.write_table(meant, row_group_size=meant.num_rows)
            assert writer is not None
            writer.close()

    def part(self, staged: Storage, more: str, bucket: int) -> dict[str, Any] | None:
        """Write a bucket as a file, read it back, and return its entry in the manifest.

        A bucket without rows is no file; `more` is part of the file's name.
        """
        make = partial(self._part, staged, f"part-{bucket:05d}{more}.parquet", bucket)
        return cast(dict[str, Any] | None, self.work.once(f"part-{bucket}", make)["part"])

    def _part(self, staged: Storage, name: str, bucket: int) -> dict[str, Any]:
        import pyarrow.parquet as pq

        meant = self._meant(bucket)
        if not meant.num_rows:
            return {"part": None}
        with staged.writing(name) as raw:
            sink = Hashed(raw)
            with (
                pa.PythonFile(sink, "w") as file,
                pq.ParquetWriter(file, meant.schema, **parquet_options(meant.schema)) as writer,
            ):
                writer.write_table(meant, row_group_size=ROWS)
            size = raw.tell()
        with staged.open(name) as raw:
            content = hashlib.file_digest(cast(Any, raw), "sha256").hexdigest()
        with staged.open(name) as raw, pq.ParquetFile(raw, pre_buffer=False) as parquet:
            same = _same_table(parquet.read(use_threads=False).cast(meant.schema), meant)
        if not same or content != sink.digest.hexdigest():
            raise OutputError("what was read back is not what was to be written; nothing was kept")
        entry = {"file": name, "records": meant.num_rows, "bytes": size, "sha256": content}
        return {"part": entry}

    def _meant(self, bucket: int) -> Any:
        table, order = self.table(bucket)
        table = table.mapped(lambda column: column.replace(ends=self.ends.get(column.name)))
        return parquet_table(table, order, self.exact)

    def _csv(self, sink: Any, report: Reporter) -> None:
        for bucket in freed(range(self.count)):
            report("writing", bucket, self.count)
            table, order = self._csv_table(bucket)
            sink.write(csv_bytes(table, order, header=bucket == 0))

    def _csv_table(self, bucket: int) -> tuple[Table, Integers]:
        table, order = self.table(bucket)
        table = self.written(table)
        return (guarded_table(table) if self.spreadsheet_safe else table), order

    def written(self, table: Table) -> Table:
        """Return a table in the dialect of the file."""
        return plain_table(table) if self.is_plain else table

    @property
    def _bare(self) -> Table:
        """The columns as they are written, without records."""
        return self.written(self.form.unpack(gather(self.work, self.files[:1], 0).slice(0, 0)))

    def check(self, path: Path, kind: str, report: Reporter) -> None:
        """Read the file back and compare it with what was meant, bucket by bucket."""
        same = self._same_parquet if kind == "parquet" else partial(self._same_csv, kind)
        if not same(path, report):
            raise OutputError("what was read back is not what was to be written; nothing was kept")

    def _same_csv(self, kind: str, path: Path, report: Reporter) -> bool:
        bare = self._bare
        with opened(path, kind, Written(**written_as(bare))) as source:
            file = ReadBack(source, self.quasi, dict(bare.source.notations))
            for bucket in freed(range(self.count)):
                report("reading back", bucket, self.count)
                table, order = self._csv_table(bucket)
                if not file.holds(table, order):
                    return False
            return file.is_read()

    def _same_parquet(self, path: Path, report: Reporter) -> bool:
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            group = 0
            for bucket in freed(range(self.count)):
                report("reading back", bucket, self.count)
                meant = self._meant(bucket)
                if not meant.num_rows:
                    continue
                written = file.read_row_group(group, use_threads=False)
                group += 1
                if not _same_table(written.cast(meant.schema), meant):
                    return False
            return bool(group == file.num_row_groups)


def _same_table(written: Any, meant: Any) -> bool:
    return all(map(same_array, written.columns, meant.columns))
