"""What the worker of a stream tells while it goes on: batches, and counts once in a while."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.web.messages import ProgressWriter

EVENTS = "stream.jsonl"
SHOWN = 100  # batches that a page lists
OFTEN = 1.0  # seconds between two looks at the counts


def stream(request: Mapping[str, Any], place: Path, progress: ProgressWriter) -> dict[str, Any]:
    """Release the records of a folder as they come, until it is read out or the worker ends."""
    from shoal.settings import RunOptions, build
    from shoal.streams.stream import stream_with

    settings = build(request["settings"]).replace(stream=request["stream"])
    run = RunOptions(follow=request["follow"])
    folder = Path(request["folder"])
    made = stream_with(request["source"], folder, settings, run, progress.reporter())
    lock, ended = threading.Lock(), threading.Event()
    with (place / EVENTS).open("a", encoding="utf-8") as file:

        def tell(**more: Any) -> None:
            with lock:
                file.write(json.dumps({"counts": made.counts.to_dict(), **more}) + "\n")
                file.flush()

        def look() -> None:
            before = None
            while not ended.wait(OFTEN):
                if made.counts != before:
                    before = made.counts
                    tell()

        watcher = threading.Thread(target=look, daemon=True)
        tell()
        watcher.start()
        try:
            for batch in made:
                tell(batch={**batch.to_dict(), "path": batch.path.name})
        finally:
            ended.set()
            watcher.join()
            tell()
    return {"counts": made.counts.to_dict()}
