"""Writing of the release: rows shuffled into buckets, written and read back."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.errors import OutputError
from shoal.executor import ahead
from shoal.judge.engine import Engine
from shoal.judge.reading import files_of, opened
from shoal.judge.written import Written
from shoal.kernels.arrays import Integers
from shoal.pipeline.regions.arrow import ROW, Form
from shoal.pipeline.regions.run_folder import Files
from shoal.pipeline.regions.tasks import freed
from shoal.progress import Reporter
from shoal.release.intervals import TYPED
from shoal.release.prepare import as_missing, guarded_table
from shoal.release.readback import ReadBack, same_array
from shoal.release.write import (
    RECORDS,
    csv_bytes,
    format_of,
    ipc_options,
    json_lines_bytes,
    parquet_options,
    parquet_table,
    plain_table,
    written_as,
)
from shoal.storage.places import Remote, Storage
from shoal.table.table import Table

READERS = 16  # files of a remote storage that are read at once
PACKED = pa.ipc.IpcWriteOptions(compression="lz4")
Made = TypeVar("Made")
ROWS = 2**20  # of a row group, at most
JSON_LINES = "jsonl"
PIECEMEAL = "csv", "csv.gz", JSON_LINES, *TYPED  # kinds of files that are written bucket by bucket


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

    `ends` are the types of columns whose intervals Parquet files get as structs. With several
    `threads`, the next bucket is made while one is written or compared.
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
    threads: int = 1

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
        if kind in TYPED:
            self._typed(sink, kind, report)
        elif kind == "csv.gz":
            with gzip.GzipFile("", "wb", fileobj=cast(Any, sink), mtime=0) as packed:
                self._lines(packed, kind, report)
        else:
            self._lines(sink, kind, report)
        report("writing", self.count, self.count)
        return sink.digest.hexdigest()

    def _typed(self, sink: Any, kind: str, report: Reporter) -> None:
        """Write a row group of Parquet, or some batches of Arrow, for every bucket."""
        with pa.PythonFile(sink, "w") as file:
            writer = None
            for meant in self._each("writing", self._meant, report):
                writer = writer or _typed_writer(file, kind, meant.schema)
                if meant.num_rows:  # or there would be a row group without rows
                    writer.write_table(meant, meant.num_rows if kind == "parquet" else RECORDS)
            assert writer is not None
            writer.close()

    def _each(self, what: str, make: Callable[[int], Made], report: Reporter) -> Iterator[Made]:
        """Yield what is made of each bucket; with several threads one is made ahead."""
        with closing(ahead(map(make, range(self.count)), self.threads)) as made:
            for bucket in freed(range(self.count)):
                report(what, bucket, self.count)
                yield next(made)

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

    def _lines(self, sink: Any, kind: str, report: Reporter) -> None:
        """Write the lines of csv, or of JSON, of every bucket."""
        make, is_first = partial(self._line_table, kind), True
        for table, order in self._each("writing", make, report):
            if kind == JSON_LINES:
                sink.write(json_lines_bytes(table, order))
            else:
                sink.write(csv_bytes(table, order, header=is_first, threads=self.threads))
            is_first = False

    def _line_table(self, kind: str, bucket: int) -> tuple[Table, Integers]:
        table, order = self.table(bucket)
        if kind == JSON_LINES:
            return table.mapped(partial(as_missing, format_of(kind))), order
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
        same = partial(self._same_typed, kind) if kind in TYPED else partial(self._same_lines, kind)
        if not same(path, report):
            raise OutputError("what was read back is not what was to be written; nothing was kept")

    def _same_lines(self, kind: str, path: Path, report: Reporter) -> bool:
        bare = self._bare
        with Engine(files_of(path, kind)) as engine:
            source = opened(engine, path, kind, Written(**written_as(bare)))
            file = ReadBack(engine, source, self.quasi, dict(bare.source.notations))
            make = partial(self._line_table, kind)
            for table, order in self._each("reading back", make, report):
                if not file.holds(table, order):
                    return False
            return file.is_read()

    def _same_typed(self, kind: str, path: Path, report: Reporter) -> bool:
        with _typed_parts(path, kind) as parts:
            for meant in self._each("reading back", self._meant, report):
                each = meant.num_rows if kind == "parquet" else RECORDS
                some = [next(parts, None) for _ in range(0, meant.num_rows, max(each, 1))]
                if None in some:
                    return False
                if some and not _same_table(pa.concat_tables(some).cast(meant.schema), meant):
                    return False
            return next(parts, None) is None


def _typed_writer(file: Any, kind: str, schema: Any) -> Any:
    """Return what writes tables to a Parquet or an Arrow file."""
    if kind != "parquet":
        return pa.ipc.new_file(file, schema, options=ipc_options())
    import pyarrow.parquet as pq

    return pq.ParquetWriter(file, schema, **parquet_options(schema))


@contextmanager
def _typed_parts(path: Path, kind: str) -> Iterator[Iterator[Any]]:
    """Yield the row groups of a Parquet file, or the batches of an Arrow file, one by one."""
    if kind != "parquet":
        with pa.OSFile(str(path)) as raw, pa.ipc.open_file(raw) as file:
            each = map(file.get_batch, range(file.num_record_batches))
            yield (pa.Table.from_batches([batch]) for batch in each)
        return
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as parquet:
        groups = range(parquet.num_row_groups)
        yield (parquet.read_row_group(group, use_threads=False) for group in groups)


def _same_table(written: Any, meant: Any) -> bool:
    return all(map(same_array, written.columns, meant.columns))


# Shuffle: files of a run whose records are partitioned by destination.
#
# A file has as many Arrow batches as there are places to go, in their order; whoever gathers a
# place reads one batch of every file. So each file is written once, by one step, and no step needs
# more than one open file, however many places there are.


def part(work: Files, name: str, table: Any, places: Integers, count: int) -> list[int]:
    """Write a table's rows by the places they go to, in their order; return how many go to each."""
    order = np.argsort(places, kind="stable")
    counts = np.bincount(places, minlength=count)
    ends = np.cumsum(counts).tolist()
    with work.writing(name) as file, pa.ipc.new_file(file, table.schema, options=PACKED) as writer:
        start = 0
        for end in ends:
            some = table.take(pa.array(order[start:end])).combine_chunks()
            batches = some.to_batches()
            writer.write_batch(batches[0] if batches else _none(table.schema))
            start = end
    return [int(many) for many in counts]


def _none(schema: Any) -> Any:
    return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)


def gather(work: Files, names: Iterable[str], place: int) -> Any:
    """Return the rows of all files that go to one place, those of the first file first."""

    def batch(name: str) -> Any:
        with work.open(name) as file:
            return pa.ipc.open_file(file).get_batch(place)

    if isinstance(work.storage, Remote):  # which answers late, but many at once
        with ThreadPoolExecutor(READERS) as pool:
            batches = list(pool.map(batch, names))
    else:
        batches = [batch(name) for name in names]
    return pa.Table.from_batches(batches).combine_chunks()


def keep(work: Files, name: str, table: Any) -> None:
    """Keep a table under a name."""
    with work.writing(name) as file, pa.ipc.new_file(file, table.schema, options=PACKED) as writer:
        writer.write_table(table)


def kept(work: Files, name: str) -> Any:
    """Return the table that was kept under a name."""
    with work.open(name) as file:
        return pa.ipc.open_file(file).read_all()


def save(work: Files, name: str, numbers: npt.NDArray[Any]) -> None:
    """Keep an array under a name."""
    with work.writing(name) as file:
        np.save(file, numbers, allow_pickle=False)


def load(work: Files, name: str) -> npt.NDArray[Any]:
    """Return the array that was kept under a name."""
    with work.open(name) as file:
        return np.asarray(np.load(io.BytesIO(file.read()), allow_pickle=False))
