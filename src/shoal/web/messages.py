"""Messages between server and worker, as files in the folder of a job."""

from __future__ import annotations

import json
import secrets
import time
from pathlib import Path
from typing import Any

from shoal.progress import Reporter, StopToken
from shoal.system.current import current

ASKED, ANSWER, PROGRESS, KEEP = "asked.json", "answer.json", "progress.jsonl", "keep"
MADE, CHARTS, PACKED = "made", "charts", "everything.zip"  # results to view and download
PRIVATE = "private.zip"  # the private folder of a release, to download
OFTEN = 0.2  # seconds between two progress entries


def write_json(path: Path, content: Any) -> None:
    """Write a file whole, or not at all."""
    made = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    made.write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    current().replace(made, path)


class ProgressWriter:
    """Writes the progress of a run for the server, and reads whether to finish."""

    def __init__(self, place: Path) -> None:
        self.stop = StopToken()
        self._keep = place / KEEP
        self._file = (place / PROGRESS).open("a", encoding="utf-8")
        self._start = time.perf_counter()
        self._last, self._stage = 0.0, ""

    def reporter(self) -> Reporter:
        """Return the reporter of the run."""
        return Reporter(self, self.stop)

    def expected(self, likely: Any) -> None:
        """Write the estimate of the run."""
        estimate = {
            "seconds": likely.seconds,
            "megabytes": likely.megabytes,
            "told": likely.describe(),
        }
        self._write({"expected": estimate})

    def __call__(self, look: Any) -> None:
        """Write the progress of a run; finish the search on request."""
        now = time.perf_counter() - self._start
        if look.stage != self._stage or now - self._last >= OFTEN or look.done >= look.total:
            self._last, self._stage = now, look.stage
            self._write(
                {
                    "stage": look.stage, "done": look.done, "total": look.total,
                    "seconds": round(now, 3), "best_loss": look.best_loss,
                    "anytime": self.stop.anytime and not self.stop.finish,
                }
            )  # fmt: skip
            if self._keep.exists():
                self.stop.finish = True

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()
