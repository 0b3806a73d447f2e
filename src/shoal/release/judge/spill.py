"""Counts on disk, for files with more classes than memory should hold.

Entries are lines, a key as JSON and numbers between tabs, in files that only their owner can read
(0600, in a folder of 0700), which are gone when the judge is done, whatever happened. An entry goes
to the part that a checksum of its key names, so all entries of a key are in one part, and each part
is judged alone: memory holds the distinct keys of one part of 128 at a time.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from shoal.errors import InputError

_written = json.encoder.encode_basestring_ascii
PARTS = 128
PIECE = 50_000  # entries that are sorted into parts at a time


class Spill:
    """A temporary folder of so many parts; use it in a with statement."""

    count = PARTS

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="shoal-verify-"))

    def __enter__(self) -> Spill:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, name: str, entries: Iterable[tuple[str, str]]) -> None:
        """Add entries, the text of a key and what belongs to it, to the parts of a name."""
        every = iter(entries)
        while piece := list(itertools.islice(every, PIECE)):
            parts: dict[int, list[str]] = {}
            for key, more in piece:
                part = zlib.crc32(key.encode("ascii")) % PARTS
                parts.setdefault(part, []).append(f"{key}\t{more}\n")
            for part, lines in parts.items():
                self._append(self._path(name, part), "".join(lines).encode("ascii"))

    def keep(self, part: int, numbers: array[int]) -> None:
        """Keep whole numbers for a part."""
        self._append(self._path("kept", part), numbers.tobytes())

    def kept(self, part: int) -> array[int]:
        """Return the whole numbers that were kept for a part."""
        return array("q", self._path("kept", part).read_bytes())

    def entries(self, name: str, part: int) -> Iterator[list[str]]:
        """Yield the entries of one part, in the order in which they came."""
        path = self._path(name, part)
        if path.exists():
            with path.open(encoding="ascii", newline="\n") as lines:
                for line in lines:
                    yield line[:-1].split("\t")

    def _path(self, name: str, part: int) -> Path:
        return self.folder / f"{name}-{part}"

    def _append(self, path: Path, content: bytes) -> None:
        try:
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(number, "wb") as file:
                file.write(content)
        except OSError as error:
            reason = error.strerror or "the disk is full"
            raise InputError(
                f"the counts of this file do not fit in the temporary folder ({reason}); "
                "name a larger one with TMPDIR"
            ) from None


def text_of(key: Sequence[Any]) -> str:
    """Return a key as JSON, in ASCII: equal for equal keys, and for no others."""
    return f"[{','.join([_written(c) if isinstance(c, str) else _other(c) for c in key])}]"


def _other(cell: Any) -> str:
    if isinstance(cell, float):
        cell += 0.0  # 0.0 and -0.0 are equal
    elif cell is not None and not isinstance(cell, bool | int | list):
        cell = [type(cell).__name__, cell.hex() if isinstance(cell, bytes) else str(cell)]
    return json.dumps(cell)


def key_of(text: str) -> list[Any]:
    """Return the cells of a key that was made a text."""
    found: list[Any] = json.loads(text)
    return found
