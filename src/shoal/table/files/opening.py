"""Files are opened here: ordinary ones alone, and what goes wrong is said in words."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.errors import InputError, ShoalError, shown
from shoal.system.names import name_of
from shoal.table.csv_text.line_length import PART, Lines
from shoal.table.files.database_names import file_of
from shoal.table.files.packed import Unpacked, packing


def check_file_name(name: str) -> None:
    """Refuse a name that a message could not show."""
    if not name.isprintable():
        raise InputError(f"{shown(name)}: the file's name is not plain UTF-8; rename it")


def read_bytes(path: Path, lines: Lines | None = None) -> bytes:
    """Return the bytes of an ordinary file; anything else is an error in words.

    A file with a line that is too long is refused before all of it is read.
    """
    with opened(path) as file, in_words(path):
        if lines is None or os.fstat(file.fileno()).st_size <= lines.most:
            return file.read()
        content = io.BytesIO()  # what it holds is returned without a copy
        while part := file.read(PART):
            lines.see(part)
            content.write(part)
        return content.getvalue()


def first_bytes(path: Path, most: int) -> bytes:
    """Return the first bytes of the text of a file, unpacked."""
    with opened(path) as file, in_words(path):
        return Unpacked(file, path.name).read(most) if packing(path.name) else file.read(most)


def digest_of(path: Path) -> str:
    """Return the sha256 of an ordinary file, read piece by piece."""
    digest = hashlib.sha256()
    with opened(path) as file, in_words(path):
        while part := file.read(2**20):
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


def opened(path: Path) -> BinaryIO:
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
