"""Files are opened here: ordinary ones alone, and what goes wrong is said in words."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import mmap
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, cast

from shoal.errors import InputError, RequestError, ShoalError, listed, nearest_names, shown
from shoal.storage.names import name_of
from shoal.table.csv_text.scan import Buffer, Lines

DATABASES = (".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db", ".db3")
SQLITE, DUCKDB = b"SQLite format 3\0", b"DUCK"  # how files begin
DUCKDB_AT = 8  # where a DuckDB file has its mark
OWN = "main"  # the schema of tables that are named without one
NAMED = re.compile(rf"(.*?(?:{'|'.join(map(re.escape, DATABASES))}))(?:#(.*))?", re.I | re.S)
TEXTS = (".csv", ".tsv", ".txt")
PACKINGS = {".gz": "gzip", ".bz2": "bzip2", ".zst": "Zstandard", ".zip": "zip"}
DAMAGED = (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile, NotImplementedError,
           RuntimeError)  # fmt: skip
PART = 2**20  # bytes that are read together


def check_file_name(name: str) -> None:
    """Refuse a name that a message could not show."""
    if not name.isprintable():
        raise InputError(f"{shown(name)}: the file's name is not plain UTF-8; rename it")


def read_bytes(path: Path) -> bytes:
    """Return the bytes of an ordinary file; anything else is an error in words."""
    with opened(path) as file, in_words(path):
        return file.read()


def read_text(path: Path) -> Buffer:
    """Return the bytes of a text file.

    One with a line that is too long is refused before all of it is read.
    """
    lines, at = Lines(path.name), 0
    with opened(path) as file, in_words(path):
        size = os.fstat(file.fileno()).st_size
        if size <= lines.most:
            return file.read()
        text = _memory_of(size)
        while read := file.readinto(text[at : at + PART]):
            lines.see(text[at : at + read])
            at += read
        more = file.read(1)
    if more or at < size:
        raise InputError(f"{path.name}: the file changed while it was read")
    return text


def _memory_of(size: int) -> memoryview:
    """Return memory of a size; the system gives it as it is filled, in large pages if it can."""
    private = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)
    try:
        memory = mmap.mmap(-1, size, **({"flags": private} if private else {}))
    except OSError:
        raise MemoryError from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # the system has none
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(memory)


def first_bytes(path: Path, most: int) -> bytes:
    """Return the first bytes of the text of a file, unpacked."""
    with opened(path) as file, in_words(path):
        return Unpacked(file, path.name).read(most) if packing(path.name) else file.read(most)


def digest_of(path: Path) -> str:
    """Return the sha256 of an ordinary file, read piece by piece."""
    digest = hashlib.sha256()
    with opened(path) as file, in_words(path):
        while part := file.read(PART):
            digest.update(part)
    return digest.hexdigest()


def check_ordinary(path: Path) -> os.stat_result:
    """Return what is known of an ordinary file that can be read; anything else is an error."""
    with opened(path) as file:
        return os.fstat(file.fileno())


@contextmanager
def in_words(path: Path | str) -> Iterator[None]:
    """Turn what the system says of a file, at a path or URL, into an InputError."""
    name = name_of(str(path))
    try:
        yield
    except ShoalError:
        raise
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file ({path})") from None
    except PermissionError:
        raise InputError(f"{name}: no permission to read this file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the name is not a valid path"
        raise InputError(f"{shown(name)}: cannot be read: {reason}") from None


def opened(path: Path) -> BufferedReader:
    """Return an ordinary file, open; a pipe or a device is not even opened.

    Of a table of a database it is the file of the database.
    """
    path = file_of(path)
    name = path.name or str(path)
    with in_words(path):
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            return path.open("rb")
    if stat.S_ISDIR(mode):
        raise InputError(f"{name}: this is a folder, not a file")
    raise InputError(f"{name}: not an ordinary file")


def packing(name: str) -> str:
    """Return the ending of a packed text file's name, "" where it has none."""
    lower = name.lower()
    return next((end for end in PACKINGS if lower.endswith(end)), "")


def is_text_name(name: str) -> bool:
    """Tell whether a name is one of a text file, packed or not.

    Of a zip file, whose packer often leaves out the ending of what is in it, that one tells.
    """
    ending = packing(name)
    return ending == ".zip" or name.lower().removesuffix(ending).endswith(TEXTS)


class Unpacked:
    """The text of a packed file, some bytes at a time; a damaged one is an InputError."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._name, self._ending = name, packing(name)
        try:
            self._file = _opened(file, self._ending, name)
        except InputError:
            raise
        except DAMAGED:
            raise self._damaged() from None

    def read(self, size: int) -> bytes:
        """Return the next bytes, none at the end."""
        try:
            return bytes(self._file.read(size))
        except InputError:  # of the file that is packed
            raise
        except DAMAGED:
            raise self._damaged() from None

    def _damaged(self) -> InputError:
        return InputError(f"{self._name}: not a whole {PACKINGS[self._ending]} file")


def _opened(file: BinaryIO, ending: str, name: str) -> Any:
    if ending == ".gz":
        return gzip.GzipFile(fileobj=file, mode="rb")
    if ending == ".bz2":
        return bz2.BZ2File(file, "rb")
    if ending == ".zst":
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(cast(Any, file), mode="r"), "zstd")
    archive = zipfile.ZipFile(file)
    inside = [one for one in archive.infolist() if not one.is_dir()]
    if len(inside) != 1:
        raise InputError(f"{name}: a zip file of {len(inside)} files; pack one table alone")
    if not is_text_name(inside[0].filename) or packing(inside[0].filename):
        raise InputError(f"{name}: what is packed in it is no .csv, .tsv or .txt file")
    return archive.open(inside[0])


@dataclass(frozen=True)
class TableName:
    """A table or view of a database, by its schema and its name."""

    schema: str
    name: str

    @property
    def full(self) -> str:
        """The name with its schema."""
        return f"{self.schema}.{self.name}"

    def __str__(self) -> str:
        return self.name if self.schema == OWN else self.full

    @property
    def quoted(self) -> str:
        """The name as SQL has it, whatever signs are in it."""
        return ".".join(quoted(one) for one in (self.schema, self.name))


def quoted(name: str) -> str:
    """Return a name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def parted(path: str | os.PathLike[str]) -> tuple[Path, str] | None:
    """Return the database file that a path names, and the table in it; None: it names none.

    The table is "" where none is named. A folder may be called like a file and its table: what lies
    in it is no table.
    """
    text = os.fspath(path)
    match = NAMED.fullmatch(text)
    if match is None:
        return None
    file, table = match[1], match[2] or ""
    if {"/", os.sep} & set(table) and os.path.exists(text):  # noqa: PTH110 - never raises
        return None
    return Path(file), table


def is_database(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path names a database file, or a table in one."""
    return parted(path) is not None


def file_of(path: Path) -> Path:
    """Return the file that a path names: that of a database without the table."""
    both = parted(path)
    return path if both is None else both[0]


def table_of(path: Path) -> str:
    """Return the table of a database that a path names, "" where it names none."""
    both = parted(path)
    return "" if both is None else both[1]


def choose(wanted: str, known: Sequence[TableName], file: str) -> TableName:
    """Return the table that is meant; without a name there must be one alone."""
    if not known:
        raise InputError(f"{file}: there is no table in this database")
    if not wanted and len(known) > 1:
        raise RequestError(
            f"{file}: {len(known)} tables and views; say which with {file}#NAME: {listed(known)}"
        )
    meant = [one for one in known if wanted in ("", str(one), one.full)]
    if len(meant) > 1:
        full = listed([one.full for one in meant])
        raise RequestError(f"{file}: {shown(wanted)} may be one of {full}; rename one of them")
    if meant and not meant[0].full.isprintable():
        raise InputError(
            f"{file}: the name of table {shown(meant[0])} cannot be shown; make a view of it with "
            "a plain name"
        )
    if meant:
        return meant[0]
    nearest = nearest_names(wanted, map(str, known))
    raise RequestError(f"{file}: there is no table {shown(wanted)}{nearest}")
