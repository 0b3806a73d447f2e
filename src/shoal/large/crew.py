"""Steps of a run, done here one after the other, or by an engine on other machines.

A step is a function of one task: a chunk of the input, a region, a bucket. For an engine it is
pickled into the files of the run, where every worker finds it; what travels is the name and the
hash of that file, the version of Shoal, and the task. A step that is begun twice, because a worker
was lost or thought to be, leaves the same files: it depends on its task alone.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from shoal.engines.executor import Executor, Threads
from shoal.errors import EngineError, ShoalError, shown
from shoal.large.work import Files
from shoal.progress import Reporter
from shoal.table.streams import Reading

QUIET = Reporter(None)
LOG = logging.getLogger("shoal.engine")

Step = Callable[[Any], Any]


@dataclass(frozen=True)
class Done:
    """What came of a task: a result or an error of ours, where, and in how many seconds."""

    result: Any
    error: ShoalError | None
    where: str
    seconds: float


class FailedError(Exception):
    """A mistake of the program on a worker: its kind and place, and not a word of the data."""


@dataclass(frozen=True)
class Errand:
    """A step as it travels: the file it is in, the file's hash, the version that wrote it."""

    files: Files
    name: str
    digest: str
    version: str

    def __call__(self, task: Any) -> Done:
        """Do the step for a task. Errors of ours are results; others are for the engine to redo."""
        begin = time.perf_counter()
        result, error = None, None
        try:
            check_version(self.version)
            result = self._step()(task)
        except ShoalError as found:
            error = found
        except Exception as found:
            raise FailedError(_told(found)) from None
        return Done(result, error, socket.gethostname(), time.perf_counter() - begin)

    def _step(self) -> Step:
        with _LOCK:
            if self.digest not in _KNOWN:
                _KNOWN.clear()  # of earlier steps nothing is needed
                _KNOWN[self.digest] = pickle.loads(self._content())  # noqa: S301 - its hash is known
            return _KNOWN[self.digest]

    def _content(self) -> bytes:
        try:
            with self.files.open(self.name) as file:
                content = file.read()
        except FileNotFoundError:
            raise EngineError(
                f"a worker on {socket.gethostname()} does not find "
                f"{shown(self.files.storage.location, 200)}; name a folder that all machines see "
                "under one name with --work, or a URL"
            ) from None
        if hashlib.sha256(content).hexdigest() != self.digest:
            raise EngineError("the files of the run were changed by somebody else; remove them")
        return content


_KNOWN: dict[str, Step] = {}
_LOCK = threading.Lock()


def check_version(wanted: str) -> None:
    """Refuse to work for another version."""
    if (own := metadata.version("shoal")) != wanted:
        raise EngineError(
            f"a worker on {socket.gethostname()} has shoal {own}, the run was started by {wanted}; "
            "install the same version on all machines"
        )


def _told(error: Exception) -> str:
    """Return kind and place of an error; its words could show a record."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "shoal" in Path(frame.filename).parts] or frames
    place = f"{Path(ours[-1].filename).name}, line {ours[-1].lineno}"
    return f"{type(error).__name__} in {place} on {socket.gethostname()}"


@dataclass(frozen=True)
class Crew:
    """Who does the steps of a run: an `engine`, whose workers use `run` for blocks.

    Sent to a worker, it is somebody who works alone and says nothing.
    """

    work: Files
    engine: Executor
    run: Executor
    report: Reporter

    def __reduce__(self) -> Any:
        return _alone, (self.work,)

    def each(self, what: str, step: Step, tasks: Sequence[Any]) -> Iterator[Any]:
        """Yield what comes of every task, in order; `what` is done is shown meanwhile."""
        count = len(tasks)
        self.report(what, 0, count)
        for done, result in enumerate(self._results(what, step, tasks), start=1):
            self.report(what, done, count)
            yield result

    def reading(self, reading: Reading) -> Crew:
        """Return who reads: nobody elsewhere where only this process can."""
        return self if reading.away else replace(self, engine=Threads(1))

    def all(self, what: str, step: Step, tasks: Sequence[Any]) -> list[Any]:
        """Return what comes of every task."""
        return list(self.each(what, step, tasks))

    def _results(self, what: str, step: Step, tasks: Sequence[Any]) -> Iterator[Any]:
        if not self.engine.away:
            yield from self.engine.map(step, tasks)
            return
        errand = self._sent(step)
        for number, done in enumerate(self.engine.map(errand, tasks), start=1):
            if done.error is not None:
                raise done.error
            LOG.info(
                "%s: %d of %d, %.1f s on %s", what, number, len(tasks), done.seconds, done.where
            )
            yield done.result

    def _sent(self, step: Step) -> Errand:
        content = pickle.dumps(step)
        digest = hashlib.sha256(content).hexdigest()
        name = f"step-{digest[:16]}"
        with self.work.writing(name) as file:
            file.write(content)
        files = Files(self.work.storage)
        return Errand(files, name, digest, metadata.version("shoal"))


def _alone(work: Files) -> Crew:
    return Crew(work, Threads(1), Threads(1), QUIET)
