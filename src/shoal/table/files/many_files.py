"""Many Parquet files as one table: found by a pattern, read chunk by chunk, here or elsewhere."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import InputError, shown
from shoal.storage.names import folder_of, is_url, name_of
from shoal.storage.places import Remote, open_at, plain, stamp_of, storage
from shoal.table.dataframes.frames import BATCH, RECORDS, check_names, from_arrow
from shoal.table.files.formats import is_parquet
from shoal.table.files.opening import (
    check_file_name,
    check_ordinary,
    digest_of,
    in_words,
    is_database,
)
from shoal.table.files.unpacking import check_unpacks
from shoal.table.memory import bytes_a_record
from shoal.table.source import Source
from shoal.table.table import Table

CHUNK = 1_000_000  # records that one task reads, about: whole row groups
READERS = 16  # files that are looked into at once
BYTES = 2**24


@dataclass(frozen=True)
class Part:
    """A file: where it is, what tells it from a changed one, and the records of its row groups."""

    location: str
    stamp: str
    groups: tuple[int, ...]

    @property
    def name(self) -> str:
        """Its name without the folder."""
        return name_of(self.location)


@dataclass(frozen=True)
class Chunk:
    """Some row groups of a file, and how many records of the table stand before them."""

    part: int
    groups: tuple[int, ...]
    start: int


@dataclass(frozen=True)
class Parts:
    """Parquet files of one schema; `source` says what they are together."""

    source: Source
    schema: Any
    parts: tuple[Part, ...]
    chunks: tuple[Chunk, ...]

    is_shared = True

    @property
    def rows(self) -> int:
        """How many records there are."""
        return sum(sum(part.groups) for part in self.parts)

    @property
    def shape(self) -> tuple[int, float]:
        """How many columns there are, and about how many bytes a record has."""
        some = next((part for part in self.parts if any(part.groups)), self.parts[0])
        with self._opened(some) as file:
            return file.metadata.num_columns, bytes_a_record(file)

    @property
    def stamps(self) -> list[list[str]]:
        """What tells these files from others."""
        return [[part.location, part.stamp] for part in self.parts]

    def empty(self) -> Table:
        """Return the table without its records."""
        return from_arrow(self.schema.empty_table(), self.source)

    @property
    def tasks(self) -> int:
        """How many chunks there are."""
        return len(self.chunks)

    def start(self, number: int) -> int:
        """Return how many records stand before a chunk."""
        return self.chunks[number].start

    def first(self, number: int) -> Iterator[Table]:
        """Yield the pieces of a chunk, the first without records."""
        yield self.empty()
        yield from self.again(number)

    def again(self, number: int) -> Iterator[Table]:
        """Yield the pieces of a chunk."""
        chunk = self.chunks[number]
        part = self.parts[chunk.part]
        source = replace(self.source, name=part.name)
        with self._opened(part) as file:
            start = chunk.start
            for batch in batches(file, RECORDS, chunk.groups):
                table = pa.Table.from_batches([batch])
                table = table if table.schema.equals(self.schema) else table.cast(self.schema)
                yield from_arrow(table, replace(source, start=start))
                start += batch.num_rows

    def digest(self, number: int) -> str:
        """Return the sha256 of a file."""
        part = self.parts[number]
        digest = hashlib.sha256()
        with in_words(part.location), open_at(part.location) as file:
            while content := file.read(BYTES):
                digest.update(content)
        return digest.hexdigest()

    def together(self, digests: Sequence[str]) -> Parts:
        """Return the same with a sha256 of all files: that of the list of theirs."""
        lines = [f"{sha}  {part.name}\n" for sha, part in zip(digests, self.parts, strict=True)]
        every = hashlib.sha256("".join(lines).encode()).hexdigest()
        return replace(self, source=replace(self.source, sha256=every))

    @contextlib.contextmanager
    def _opened(self, part: Part) -> Iterator[Any]:
        if _stamp(part.location) != part.stamp:
            raise InputError(f"{shown(part.name)}: the file changed while it was read")
        with _parquet(part.location) as file:
            yield file


def is_many(location: str) -> bool:
    """Tell whether a text names several files: a pattern, a folder, or anything at a URL."""
    location = plain(location)
    if is_url(location):
        return True
    path = Path(location)
    is_pattern = has_magic(location) and not path.exists() and not is_database(location)
    return path.is_dir() or is_pattern


def find_parts(location: str, chunk: int = CHUNK, is_folder: bool = False) -> Parts:
    """Return the Parquet files of a pattern, a folder or a URL, in the order of their names.

    What is known to be a folder is no pattern, whatever its name.
    """
    location = plain(location)
    paths = _find_paths(location, is_folder)
    if not paths:
        raise InputError(f"{shown(location)}: there is no Parquet file here")
    with ThreadPoolExecutor(READERS) as pool:
        seen = list(pool.map(_look, paths))
    name = name_of(location)
    check_names(list(seen[0][1].names), name)
    schema = _joined(seen)
    parts = tuple(part for part, _ in seen)
    source = Source(name, "parquet", "0", path=location, columns=tuple(schema.names))
    return Parts(source, schema, parts, tuple(_chunks(parts, chunk)) or (Chunk(0, (), 0),))


def _joined(seen: Sequence[tuple[Part, Any]]) -> Any:
    """Return the schema of all files; in some, a column may have no value and thus no type."""
    schema = seen[0][1]
    for part, own in seen:
        try:
            if own.names != schema.names:
                raise pa.ArrowInvalid
            schema = pa.unify_schemas([schema, own])
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            raise InputError(
                f"{shown(part.name)}: its columns are not those of {shown(seen[0][0].name)}; all "
                "files must have the same names and types, in one order"
            ) from None
    return schema


def _plain(schema: Any) -> Any:
    """Return a schema whose texts are texts, also where a file has them in a dictionary."""
    for place, one in enumerate(schema):
        if pa.types.is_dictionary(one.type):
            schema = schema.set(place, one.with_type(one.type.value_type))
    return schema.remove_metadata()


def digest_parts(location: str) -> str:
    """Return the sha256 of all files of a pattern, a folder or a URL."""
    parts = find_parts(location)
    return parts.together(
        [parts.digest(number) for number in range(len(parts.parts))]
    ).source.sha256


def _find_paths(location: str, is_folder: bool = False) -> list[str]:
    if is_url(location):
        return _remote(location, is_folder)
    path = Path(location)
    if path.is_file():
        return [str(path.absolute())]
    if path.is_dir():
        paths = [str(one) for one in path.absolute().rglob("*.parquet")]
        _check_flat([one for one in paths if _counts(one)], str(path.absolute()))
    else:
        paths = glob(location, recursive=True)  # noqa: PTH207 - any pattern
    return sorted(str(Path(one).absolute()) for one in paths if _counts(one))


def _check_flat(paths: Sequence[str], folder: str) -> None:
    """Refuse a folder with files deeper down: they might be meant, or not."""
    if deeper := [one for one in paths if folder_of(one) != folder]:
        raise InputError(
            f"{shown(folder)}: {len(deeper)} Parquet files lie in folders of it; say "
            "'FOLDER/**/*.parquet' for all, or 'FOLDER/*.parquet' for those in it"
        )


def _remote(url: str, is_folder: bool) -> list[str]:
    folder = storage(url)
    assert isinstance(folder, Remote)
    with in_words(url):
        paths = [folder.full(name) for name in folder.names()] if is_folder else folder.glob()
        return [one for one in paths if _counts(one)]


def _counts(location: str) -> bool:
    """Tell whether a name is that of a part; others keep notes of theirs beside them."""
    name = name_of(location)
    return is_parquet(name) and not name.startswith((".", "_"))


def _chunks(parts: Sequence[Part], size: int) -> Iterator[Chunk]:
    start = 0
    for number, part in enumerate(parts):
        held: list[int] = []
        rows = 0
        for group, many in enumerate(part.groups):
            if not many:
                continue
            if held and rows + many > size:
                yield Chunk(number, tuple(held), start)
                start, held, rows = start + rows, [], 0
            held.append(group)
            rows += many
        if held:
            yield Chunk(number, tuple(held), start)
            start += rows


def _look(location: str) -> tuple[Part, Any]:
    check_file_name(name_of(location))
    stamp = _stamp(location)
    with _parquet(location) as file:
        metadata = file.metadata
        groups = tuple(metadata.row_group(n).num_rows for n in range(metadata.num_row_groups))
        return Part(location, stamp, groups), _plain(file.schema_arrow)


def _stamp(location: str) -> str:
    with in_words(location):
        return stamp_of(location)


@contextlib.contextmanager
def _parquet(location: str) -> Iterator[Any]:
    import pyarrow.parquet as pq

    name = name_of(location)
    with in_words(location):
        raw = open_at(location)
    with raw:
        try:
            with pq.ParquetFile(raw, pre_buffer=False) as file:
                yield file
        except (pa.ArrowException, OSError, NotImplementedError):
            raise InputError(
                f"{name}: not a whole, unencrypted Parquet file, or of a type unknown here"
            ) from None


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
