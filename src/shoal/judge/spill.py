"""Temporary files for counts that exceed memory.

What belongs to a name and a part is one file that only its owner can read (0600, in a folder of
0700); all are gone when the judge is done, whatever happened.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from shoal.errors import InputError


class Spill:
    """A temporary folder; use it in a with statement."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="shoal-verify-"))

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, name: str, part: int, content: Any) -> None:
        """Add bytes to a part of a name."""
        self._append(self._path(name, part), content)

    def read(self, name: str, part: int) -> bytes:
        """Return the bytes of one part, in the order in which they came."""
        path = self._path(name, part)
        return path.read_bytes() if path.exists() else b""

    def drop(self, name: str, part: int) -> None:
        """Forget one part."""
        self._path(name, part).unlink(missing_ok=True)

    def _path(self, name: str, part: int) -> Path:
        return self.folder / f"{name}-{part}"

    def _append(self, path: Path, content: Any) -> None:
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
