"""Notes of finished runs, to resume a comparison."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal.errors import OutputError, RequestError, shown
from shoal.pipeline.compare.points import AUTO, SCHEMA, Point


class Notes:
    """A file of the runs that came to an end: a line of JSON each, figures alone.

    The first line has the hash of what is compared; a file that has none is not ours.
    """

    def __init__(self, path: str | Path | None, what: str) -> None:
        self.path = None if path is None else Path(path)
        self.points: dict[tuple[int, str], Point] = {}
        head = {"schema": SCHEMA, "of": what}
        if self.path is None:
            return
        lines = self._lines()
        if lines and lines[0].get("schema") != SCHEMA:
            raise RequestError(f"{shown(self.path)}: these are no notes of a comparison")
        for note in lines[1:] if lines and lines[0] == head else ():
            point = Point(**note)
            self.points[point.k, AUTO if point.auto else point.method] = point
        if not self.path.absolute().parent.is_dir():
            raise OutputError(
                f"{shown(self.path)}: there is no folder {shown(self.path.absolute().parent)}; "
                "make it first"
            )
        self.path.unlink(missing_ok=True)  # a line that was cut short goes, too
        self._write(head)
        for point in self.points.values():
            self.add(point)

    def _lines(self) -> list[dict[str, Any]]:
        """Return what was noted, up to a line that was cut short."""
        assert self.path is not None
        if not self.path.exists():
            return []
        notes = []
        for line in self.path.read_bytes().split(b"\n")[:-1]:
            try:
                note = json.loads(line)
            except (ValueError, RecursionError):
                note = None
            if not isinstance(note, dict):
                break
            notes.append(note)
        if not notes and self.path.stat().st_size:
            raise RequestError(f"{shown(self.path)}: these are no notes of a comparison")
        return notes

    def _write(self, note: Mapping[str, Any]) -> None:
        assert self.path is not None
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(note, ensure_ascii=False) + "\n")

    def known(self, k: int, method: str) -> Point | None:
        """Return a run that was noted."""
        return self.points.get((k, method))

    def add(self, point: Point) -> None:
        """Note a run."""
        if self.path is not None:
            self._write(asdict(point))

    def done(self) -> None:
        """Forget everything: the comparison is whole."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
