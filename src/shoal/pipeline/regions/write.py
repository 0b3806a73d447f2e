"""Writing of the release: rows shuffled into buckets, written and read back."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.errors import OutputError
from shoal.executor import ahead
from shoal.judge.csv_text import Written
from shoal.judge.engine import Engine
from shoal.judge.reading import files_of, opened
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
from shoal.table.files.opening import digest_of
from shoal.table.table import Table

READERS = 16  # files of a remote storage that are read at once
PACKED = pa.ipc.IpcWriteOptions(compression="lz4")
Made = TypeVar("Made")
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

    def _typed(self, bucket: int) -> Any:
        """Return the rows of a bucket as a file with types has them."""
        return self._arrow(*self.table(bucket))

    def _arrow(self, table: Table, order: Integers) -> Any:
        table = table.mapped(lambda column: column.replace(ends=self.ends.get(column.name)))
        return parquet_table(table, order, self.exact)

    def _lines(self, kind: str, bucket: int) -> tuple[Table, Integers]:
        """Return the rows of a bucket as they become lines of csv, or of JSON."""
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
        """The columns without records."""
        return self.form.unpack(gather(self.work, self.files[:1], 0).slice(0, 0))

    def _each(self, what: str, make: Callable[[int], Made], report: Reporter) -> Iterator[Made]:
        """Yield what is made of each bucket; with several threads one is made ahead."""
        with closing(ahead(map(make, range(self.count)), self.threads)) as made:
            for bucket in freed(range(self.count)):
                report(what, bucket, self.count)
                yield next(made)
        report(what, self.count, self.count)

    def write(self, file: BinaryIO, kind: str, report: Reporter) -> None:
        """Write all buckets."""
        if kind in TYPED:
            schema = self._arrow(self._bare, np.zeros(0, dtype=np.int64)).schema
            _write_typed(file, kind, schema, self._each("writing", self._typed, report))
            return
        packed = kind == "csv.gz"
        lines: Any = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else nullcontext(file)
        with lines as sink:
            tables = self._each("writing", partial(self._lines, kind), report)
            for number, (table, order) in enumerate(tables):
                if kind == JSON_LINES:
                    sink.write(json_lines_bytes(table, order))
                else:
                    sink.write(csv_bytes(table, order, header=not number, threads=self.threads))

    def check(self, path: Path, kind: str, report: Reporter) -> str:
        """Read the file back, compare it with what was meant, and return its sha256."""
        digest, each = digest_of(path), partial(self._each, "reading back")
        if kind in TYPED:
            with path.open("rb") as file:
                same = _same_typed(file, kind, each(self._typed, report))
        else:
            same = self._same_lines(path, kind, each(partial(self._lines, kind), report))
        if not same:
            raise _differs()
        return digest

    def _same_lines(self, path: Path, kind: str, tables: Iterable[tuple[Table, Integers]]) -> bool:
        bare = self.written(self._bare)
        with Engine(files_of(path, kind)) as engine:
            source = opened(engine, path, kind, Written(**written_as(bare)))
            file = ReadBack(engine, source, self.quasi, dict(bare.source.notations))
            return all(file.holds(*rows) for rows in tables) and file.is_read()

    def part(self, staged: Storage, more: str, bucket: int) -> Any:
        """Write a bucket as a file, read it back, and return its entries in the manifest.

        A bucket without rows is no file and has none; `more` is part of the file's name.
        """
        make = partial(self._part, staged, f"part-{bucket:05d}{more}.parquet", bucket)
        return self.work.once(f"part-{bucket}", make)

    def _part(self, staged: Storage, name: str, bucket: int) -> list[dict[str, Any]]:
        meant = self._typed(bucket)
        if not meant.num_rows:
            return []
        with staged.writing(name) as file:
            _write_typed(file, "parquet", meant.schema, [meant])
        with staged.open(name) as file:
            digest = hashlib.file_digest(cast(Any, file), "sha256").hexdigest()
            size = file.tell()
            if not _same_typed(file, "parquet", [meant]):
                raise _differs()
        return [{"file": name, "records": meant.num_rows, "bytes": size, "sha256": digest}]


def _write_typed(file: BinaryIO, kind: str, schema: Any, tables: Iterable[Any]) -> None:
    """Write a row group of Parquet, or some batches of Arrow, for every table."""
    if kind == "parquet":
        import pyarrow.parquet as pq  # 8 MB, which no other kind has to spare

        writer = pq.ParquetWriter(file, schema, **parquet_options(schema))
    else:
        writer = pa.ipc.new_file(file, schema, options=ipc_options())
    with writer:
        for table in tables:
            if table.num_rows:  # or there would be a row group without rows
                writer.write_table(table, table.num_rows if kind == "parquet" else RECORDS)


def _same_typed(file: BinaryIO, kind: str, tables: Iterable[Any]) -> bool:
    """Tell whether a file holds the very values of tables, and no more."""
    parts = _typed_parts(file, kind)
    for meant in tables:
        if not meant.num_rows:
            continue
        some = list(islice(parts, 1 if kind == "parquet" else -(-meant.num_rows // RECORDS)))
        if not some:
            return False
        written = pa.concat_tables(some).cast(meant.schema)
        if not all(map(same_array, written.columns, meant.columns)):
            return False
    return next(parts, None) is None


def _typed_parts(file: BinaryIO, kind: str) -> Iterator[Any]:
    """Yield the row groups of a Parquet file, or the batches of an Arrow file, one by one."""
    if kind == "parquet":
        import pyarrow.parquet as pq

        parquet = pq.ParquetFile(file, pre_buffer=False)
        for group in range(parquet.num_row_groups):
            yield parquet.read_row_group(group, use_threads=False)
        return
    batches = pa.ipc.open_file(file)
    for number in range(batches.num_record_batches):
        yield pa.Table.from_batches([batches.get_batch(number)])


def _differs() -> OutputError:
    return OutputError("what was read back is not what was to be written; nothing was kept")


# Shuffle: files of a run whose records are partitioned by destination.
#
# A file has as many Arrow batches as there are places to go, in their order; whoever gathers a
# place reads one batch of every file. So each file is written once, by one step, and no step needs
# more than one open file, however many places there are. Libraries write a file for every place and
# every step instead, and hold records of all places: 1,000,000 records of 9 columns (71 MB) to 50
# places take 21 MB and 0.4 CPU seconds here, 42 MB and 0.6 by Arrow's dataset writer, 188 MB and
# 0.8 by DuckDB's COPY … PARTITION_BY under a limit of 300 MB; 300,000 to 1,000 places 5 MB and 0.3,
# 63 MB and 1.7, and 156 MB and 0.8.


def part(work: Files, name: str, table: Any, places: Integers, count: int) -> list[int]:
    """Write a table's rows by the places they go to, in their order; return how many go to each."""
    order = np.argsort(places, kind="stable")
    counts = np.bincount(places, minlength=count)
    ends = np.cumsum(counts).tolist()
    with work.writing(name) as file, pa.ipc.new_file(file, table.schema, options=PACKED) as writer:
        start = 0
        for end in ends:
            some = table.take(pa.array(order[start:end])).combine_chunks()
            batches = some.to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
            writer.write_batch(batches[0])
            start = end
    return [int(many) for many in counts]


def gather(work: Files, names: Iterable[str], place: int) -> Any:
    """Return the rows of all files that go to one place, those of the first file first."""

    def batch(name: str) -> Any:
        with work.storage.open(name) as file:
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
    with work.storage.open(name) as file:
        return pa.ipc.open_file(file).read_all()


def save(work: Files, name: str, numbers: npt.NDArray[Any]) -> None:
    """Keep an array under a name."""
    with work.writing(name) as file:
        np.save(file, numbers, allow_pickle=False)


def load(work: Files, name: str) -> npt.NDArray[Any]:
    """Return the array that was kept under a name."""
    with work.storage.open(name) as file:
        return np.asarray(np.load(io.BytesIO(file.read()), allow_pickle=False))
