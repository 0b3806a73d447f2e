"""Jobs: each a process of its own, in a queue; short questions run beside it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.progress import Reporter, StopToken
from shoal.storage import processes, system
from shoal.web.bodies import Refused
from shoal.web.equivalent import command_line, python_snippet, summary_of
from shoal.web.line_reader import LineReader
from shoal.web.processes import Process, Processes
from shoal.web.uploads import last_part

ASKED, ANSWER, PROGRESS, KEEP = "asked.json", "answer.json", "progress.jsonl", "keep"
MADE, CHARTS, PACKED = "made", "charts", "everything.zip"  # results to view and download
PRIVATE = "private.zip"  # the private folder of a release, to download
OFTEN = 0.2  # seconds between two progress entries
WAITING = 100  # jobs in the queue at most
GRACE = 2.0  # seconds that a worker has to clean up
QUEUED, RUNNING, DONE, FAILED, CANCELED = "queued", "running", "done", "failed", "canceled"


class Worker:
    """A process that reads a request in a folder and writes its answer there."""

    def __init__(self, place: Path, request: Mapping[str, Any], processes: Processes) -> None:
        self.place, self.request, self.processes = place, request, processes
        self.process: Process | None = None
        self._is_ending = False

    async def run(self) -> dict[str, Any]:
        """Return the answer; a Refused tells what went wrong."""
        self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.place / ASKED).write_text(json.dumps(self.request), encoding="utf-8")
        starting = asyncio.ensure_future(self.processes.start(self.place))
        try:
            self.process = await asyncio.shield(starting)
            if self._is_ending:
                await self.end()
            code = await self.process.wait()
        except asyncio.CancelledError:
            self.process = await starting
            await self.end()
            raise
        return self._answer(code)

    def _answer(self, code: int) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads((self.place / ANSWER).read_bytes())
        except (OSError, ValueError, RecursionError):
            message = "the worker ended without an answer"
            if processes.was_killed(code):
                message = "the worker was killed: there may be too little memory for this table"
            raise Refused(500, message) from None
        if "error" in answer:
            raise Refused(int(answer["error"].get("status", 400)), answer["error"]["said"])
        return answer

    async def end(self) -> None:
        """Stop the process and all it started."""
        self._is_ending = True
        process = self.process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            processes.end(process.pid, politely=True)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE)
        with contextlib.suppress(ProcessLookupError):  # and what it may have left behind
            processes.end(process.pid, politely=False)
        await process.wait()


async def answer_of(worker: Worker, patience: float, door: asyncio.Semaphore) -> dict[str, Any]:
    """Let a worker answer within so many seconds, and within a semaphore."""

    async def wait() -> dict[str, Any]:
        async with door:
            return await worker.run()

    try:
        return await asyncio.wait_for(wait(), patience)
    except TimeoutError:
        raise Refused(504, f"this took more than {patience:.0f} seconds") from None


@dataclass
class Job:
    """One requested run, from the queue to its result."""

    id: str
    kind: str
    file: str
    name: str
    path: str
    table: str | None  # of a database
    place: Path
    recipe: dict[str, Any]
    settings: dict[str, Any]
    more: dict[str, Any]
    trees: dict[str, str]  # download names of the hierarchies that are files
    reading: dict[str, Any]  # how the file was read when the job was asked for
    created: float = field(default_factory=time.time)
    state: str = QUEUED
    expected: dict[str, Any] | None = None
    stage: dict[str, Any] | None = None
    curve: list[list[float]] = field(default_factory=list)
    error: dict[str, Any] | None = None
    ended: float = 0.0
    result: dict[str, Any] | None = None
    worker: Worker | None = None

    def __post_init__(self) -> None:
        self._progress = LineReader(self.place / PROGRESS)

    @property
    def says(self) -> str:
        """One line about what was asked."""
        return summary_of(self.kind, self.settings, self.more)

    @property
    def anytime(self) -> bool:
        """Whether it can be stopped with what it has: the best of a search, runs to compare."""
        if self.stage is None or self.state != RUNNING:
            return False
        return self.stage["done"] > 0 if self.kind == "compare" else bool(self.stage["anytime"])

    @property
    def called(self) -> str:
        """The file as a command names it, without folders: of a database with its table."""
        file = last_part(self.name)
        return file if self.table is None else f"{file}#{self.table}"

    def card(self) -> dict[str, Any]:
        """Return what a list says of it."""
        keys = "id", "kind", "file", "name", "state", "created", "says"
        return {key: getattr(self, key) for key in keys}

    def to_json(self, ahead: int, after: int) -> dict[str, Any]:
        """Return the job as JSON; the curve from point `after` on."""
        self.read()
        same = self.kind, self.called, self.settings, self.more, self.trees
        return {
            **self.card(),
            "ahead": ahead,
            "expected": self.expected,
            "stage": self.stage,
            "curve": self.curve[after:],
            "points": len(self.curve),
            "anytime": self.anytime,
            "error": self.error,
            "recipe": self.recipe,
            "reading": self.reading,
            "table": self.table,
            "compare": self.more.get("compare"),
            "command": command_line(*same),
            "python": python_snippet(*same),
            "result": self.result,
        }

    def read(self) -> None:
        """Read the worker's new progress entries."""
        if self.state != RUNNING:
            return
        for line_json in self._progress.new():
            if "expected" in line_json:
                self.expected = line_json["expected"]
                continue
            self.stage = line_json
            if self.kind == "anonymize" and line_json["best_loss"] is not None:
                self._add_to_curve(line_json)

    def _add_to_curve(self, entry: dict[str, Any]) -> None:
        """Add the best loss so far to the curve, where it is another.

        The second of several searches begins above the best of the first; strata, and records that
        are left out, are other tables, whose losses are their own.
        """
        last = [point[1] for point in self.curve[-1:]]
        is_one = not (
            self.settings.get("roles", {}).get("by")
            or self.settings.get("protect", {}).get("suppress")
        )
        best = min([entry["best_loss"], *last]) if is_one else entry["best_loss"]
        if best not in last:
            self.curve.append([entry["seconds"], best])

    def fail(self, kind: str, message: str) -> None:
        """End it with an error, unless it was canceled."""
        if self.state == RUNNING:
            self.error = {"kind": kind, "said": message}
            self.state = FAILED

    def request(self) -> dict[str, Any]:
        """Return the request to the worker."""
        request = {"kind": self.kind, "path": self.path, "settings": self.settings}
        return {**request, **self.more, "trees": self.trees}


class Queue:
    """Runs jobs one at a time, in the order in which they came; so many may wait at most."""

    def __init__(self, processes: Processes, most: int = WAITING) -> None:
        self.processes, self._most = processes, most
        self.jobs: dict[str, Job] = {}
        self._running: asyncio.Task[None] | None = None

    def add(self, job: Job) -> None:
        """Put a job at the end."""
        if sum(one.state == QUEUED for one in self.jobs.values()) >= self._most:
            raise Refused(429, f"{self._most} jobs are waiting; try again later")
        self.jobs[job.id] = job
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())

    def ahead(self, job: Job) -> int:
        """Return how many jobs come before one that waits."""
        if job.state != QUEUED:
            return 0
        before = list(self.jobs.values())[: list(self.jobs).index(job.id)]
        return sum(one.state in (QUEUED, RUNNING) for one in before)

    async def _run(self) -> None:
        while (job := self._next()) is not None:
            job.state, job.worker = RUNNING, Worker(job.place, job.request(), self.processes)
            try:
                answer = await job.worker.run()
                job.read()
                if job.state == RUNNING:  # and not discarded in the last moment
                    job.result, job.state = answer, DONE
            except Refused as refused:
                job.fail(str(refused.status), refused.message)
            except Exception as error:  # whatever it is, the queue goes on
                job.fail(type(error).__name__, f"no answer came ({type(error).__name__})")
            finally:
                job.ended = time.time()
                await asyncio.to_thread(_tidy, job)

    def _next(self) -> Job | None:
        return next((job for job in self.jobs.values() if job.state == QUEUED), None)

    async def stop(self, job: Job, keep: bool) -> None:
        """Stop a job: with the best so far, or with nothing."""
        job.read()
        if job.state == QUEUED:
            job.state = CANCELED
        elif job.state == RUNNING and keep:
            if not job.anytime:
                raise Refused(409, "there is no best so far to keep; wait, or discard")
            (job.place / KEEP).touch()
        elif job.state == RUNNING:
            job.state = CANCELED
            assert job.worker is not None
            await job.worker.end()
            await asyncio.to_thread(_tidy, job)

    async def remove(self, *jobs: Job) -> None:
        """Stop jobs and forget them, with all they made."""
        for job in jobs:  # those that wait first, or one would be started when another ends
            if job.state == QUEUED:
                job.state = CANCELED
        for job in jobs:
            await self.stop(job, keep=False)
            self.jobs.pop(job.id, None)
            await asyncio.to_thread(shutil.rmtree, job.place, True)

    async def close(self) -> None:
        """Stop everything."""
        await self.remove(*self.jobs.values())
        if self._running is not None:
            await asyncio.gather(self._running, return_exceptions=True)


def _tidy(job: Job) -> None:
    """Remove what a job no longer needs: of one that made nothing, all."""
    if job.state == DONE:
        for name in (ASKED, PROGRESS, KEEP):
            (job.place / name).unlink(missing_ok=True)
    else:
        shutil.rmtree(job.place, ignore_errors=True)


def write_json(path: Path, content: Any) -> None:
    """Write a file whole, or not at all."""
    made = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    made.write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    system.replace(made, path)


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
