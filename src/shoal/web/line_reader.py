"""What a worker writes line by line, read as it comes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class LineReader:
    """A file of JSON lines that grows; each line is read once, and only when it is whole."""

    path: Path
    _read: int = 0

    def new(self) -> list[Any]:
        """Return what was written since; nothing where there is no file."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._read)
                text = file.read()
        except OSError:
            return []
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        return [json.loads(line) for line in whole.splitlines()]
