"""The text of a csv file, packed or not, some bytes at a time, hashed as it is read."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from shoal.table.csv_text.line_length import Lines
from shoal.table.files.opening import PART, in_words, opened
from shoal.table.files.packed import Unpacked, packing
from shoal.table.files.unpacking import check_unpacked


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
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        with in_words(self._path):
            part = self._file.read(size)
        self.hash.update(part)
        return part

    def seekable(self) -> bool:
        return False


class Stream:
    """A file, open for one pass from its start to its end."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._file = opened(path)
        status = os.fstat(self._file.fileno())
        self.mark = Mark(status.st_size, status.st_mtime_ns)
        self._stored = _Hashed(self._file, path)
        self._packed: Unpacked | None = None
        self._unpacked = 0
        self._lines = Lines(path.name)
        try:
            self._unpack()
        except BaseException:
            self._file.close()
            raise

    def _unpack(self) -> None:
        ending = packing(self._name)
        if ending == ".zip":  # it is read from its end, so its hash is taken first
            while self._stored.read(PART):
                pass
            self._packed = Unpacked(self._file, self._name)
        elif ending:
            self._packed = Unpacked(cast(BinaryIO, self._stored), self._name)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """Return the next bytes of the text, none at its end."""
        if self._packed is None:
            part = self._stored.read(size)
        else:
            part = self._packed.read(size)
            self._unpacked += len(part)
            check_unpacked(self._unpacked, self.mark.size, self._name)
        self._lines.see(part)
        return part

    def end(self) -> Mark:
        """Return the mark with the hash of all that is stored."""
        while packing(self._name) != ".zip" and self._stored.read(PART):
            pass
        return Mark(self.mark.size, self.mark.time, self._stored.hash.hexdigest())
