"""Files are opened here: ordinary ones alone, and what goes wrong is said in words."""

from __future__ import annotations

import hashlib
import mmap
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from shoal.errors import InputError, ShoalError, shown
from shoal.system.names import name_of
from shoal.table.csv_text.decode import Buffer
from shoal.table.csv_text.line_length import Lines
from shoal.table.files.database_names import file_of
from shoal.table.files.packed import Unpacked, packing

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
