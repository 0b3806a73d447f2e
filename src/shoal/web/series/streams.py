"""Streams at the desk: folders within the desk's folder that fill, each read by its own worker.

Batches go to a folder beside the one that fills, what is private to NAME.private/ beside that. A
worker can be ended at any moment: the next one goes on where it was.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import shutil
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.storage.private_folder import SUFFIX
from shoal.web.bodies import Refused
from shoal.web.jobs import DONE, FAILED, RUNNING, ProgressWriter, Worker
from shoal.web.line_reader import LineReader
from shoal.web.processes import Processes
from shoal.web.uploads import plain_name
from shoal.web.workspace import Workspace

EVENTS = "stream.jsonl"
SHOWN = 100  # batches that a page lists
OFTEN = 1.0  # seconds between two looks at the counts
BATCHES = "-batches"  # what the name of the folder of batches ends in
MOST = 2  # streams at once
STOPPED = "stopped"


@dataclass
class StreamRun:
    """A stream that was started: its worker, and what it has told."""

    id: str
    source: Path
    place: Path
    worker: Worker
    started: float = field(default_factory=time.time)
    state: str = RUNNING
    error: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    batches: list[dict[str, Any]] = field(default_factory=list)
    task: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self._events = LineReader(self.place / EVENTS)

    def read(self) -> None:
        """Read what the worker has told since; of batches the last ones are kept."""
        for told in self._events.new():
            self.counts = told["counts"]
            if "batch" in told:
                self.batches = [*self.batches, told["batch"]][-SHOWN:]

    def to_json(self) -> dict[str, Any]:
        """Return what a page says of it."""
        self.read()
        return {
            "id": self.id, "name": plain_name(self.source.name), "state": self.state,
            "folder": plain_name(batches_of(self.source).name), "error": self.error,
            "counts": self.counts, "batches": self.batches, "started": self.started,
        }  # fmt: skip


def batches_of(source: Path) -> Path:
    """Return the folder of the batches of a folder that fills."""
    return source.with_name(f"{source.name}{BATCHES}")


class Streams:
    """Streams by generated ids; no path of a client is ever opened."""

    def __init__(self, workspace: Workspace, folder: Path | None, processes: Processes) -> None:
        self.workspace, self.folder, self.processes = workspace, folder, processes
        self.runs: dict[str, StreamRun] = {}

    def sources(self) -> dict[str, Path]:
        """Return the folders that may fill: those within the desk's folder, by id."""
        found = {}
        inside = None if self.folder is None else self.folder.resolve()
        with contextlib.suppress(OSError):
            for path in sorted(self.folder.iterdir()) if self.folder is not None else ():
                plain = not path.name.startswith(".") and not path.name.endswith((SUFFIX, BATCHES))
                if plain and path.is_dir() and path.resolve().parent == inside:
                    found[self.workspace.named(f"{path.name}/")] = path
        return found

    def to_json(self) -> dict[str, Any]:
        """Return what can be chosen, and what was started."""
        sources = [
            {"id": key, "name": plain_name(path.name), "folder": plain_name(batches_of(path).name)}
            for key, path in self.sources().items()
        ]
        runs = [one.to_json() for one in self.runs.values()]
        return {"sources": sources, "streams": runs}

    def start(self, key: Any, settings: dict[str, Any], how: Mapping[str, Any]) -> StreamRun:
        """Start a stream from a folder with the settings of a page."""
        source = self.sources().get(key) if isinstance(key, str) else None
        if source is None:
            raise Refused(404, "there is no such folder on the desk")
        going = [one for one in self.runs.values() if one.state == RUNNING]
        if any(one.source == source for one in going):
            raise Refused(409, "this folder is being read already; stop that first")
        if len(going) >= MOST:
            raise Refused(409, f"{MOST} streams are running; stop one first")
        own = secrets.token_hex(16)
        place = self.workspace.path / "jobs" / own
        request = {
            "kind": "stream", "settings": settings, "source": str(source),
            "folder": str(batches_of(source)), **how,
        }  # fmt: skip
        run = StreamRun(own, source, place, Worker(place, request, self.processes))
        self.runs = {key: one for key, one in self.runs.items() if one.source != source}
        self.runs[own] = run
        run.task = asyncio.create_task(self._run(run))
        return run

    async def _run(self, run: StreamRun) -> None:
        try:
            await run.worker.run()
            state, error = DONE, None
        except Refused as refused:
            state, error = FAILED, refused.message
        run.read()
        if run.state == RUNNING:
            run.state, run.error = state, error
        await asyncio.to_thread(shutil.rmtree, run.place, True)

    async def stop(self, key: str) -> StreamRun:
        """Stop a stream; what waits is kept, and the next start goes on."""
        run = self.runs.get(key)
        if run is None:
            raise Refused(404, "there is no such stream on the desk")
        if run.state == RUNNING:
            run.read()
            run.state = STOPPED
            await run.worker.end()
        if run.task is not None:
            await asyncio.gather(run.task, return_exceptions=True)
        return run

    async def close(self) -> None:
        """Stop all."""
        for key in list(self.runs):
            await self.stop(key)


def stream(request: Mapping[str, Any], place: Path, progress: ProgressWriter) -> dict[str, Any]:
    """Release the records of a folder as they come, until it is read out or the worker ends."""
    from shoal.pipeline.stream import stream_with
    from shoal.settings import RunOptions, build

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
