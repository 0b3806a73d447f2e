"""The text of a csv or csv.gz file, some bytes at a time, hashed as it is read."""

from __future__ import annotations

import gzip
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from shoal.table.line_length import PART, Lines
from shoal.table.read import in_words, opened, unpacked
from shoal.table.unpacking import check_unpacked


@dataclass(frozen=True)
class Mark:
    """What tells a file from one that changed: size and time when it was opened, and its hash."""

    size: int
    time: int
    sha256: str = ""


class _Hashed:
    """A file that hashes the bytes that are read from it."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self.hash = hashlib.sha256()

    def read(self, size: int) -> bytes:
        with in_words(self._path):
            part = self._file.read(size)
        self.hash.update(part)
        return part


class Stream:
    """A file, open for one pass from its start to its end."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._file = opened(path)
        status = os.fstat(self._file.fileno())
        self.mark = Mark(status.st_size, status.st_mtime_ns)
        self._stored = _Hashed(self._file, path)
        self._packed: gzip.GzipFile | None = None
        self._unpacked = 0
        self._lines = Lines(path.name)
        if path.name.lower().endswith(".gz"):
            self._packed = gzip.GzipFile(fileobj=self._stored, mode="rb")  # type: ignore[call-overload]

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """Return the next bytes of the text, none at its end."""
        if self._packed is None:
            part = self._stored.read(size)
        else:
            part = unpacked(self._packed, size, self._name)
            self._unpacked += len(part)
            check_unpacked(self._unpacked, self.mark.size, self._name)
        self._lines.see(part)
        return part

    def end(self) -> Mark:
        """Return the mark with the hash of all that is stored."""
        while self._stored.read(PART):
            pass
        return Mark(self.mark.size, self.mark.time, self._stored.hash.hexdigest())
