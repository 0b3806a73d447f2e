"""Tasks of a run, on this machine or by an engine on others.

A step is a function of one task: a chunk of the input, a region, a bucket. Records are in the files
of the run, where every worker finds them; what travels is the step, by the engine's own means, the
version of Shoal, the task, and plain values that come back. A step that is begun twice, because a
worker was lost or thought to be, leaves the same files: it depends on its task alone.
"""

from __future__ import annotations

import ctypes
import socket
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from shoal import errors
from shoal.errors import EngineError, EngineLostError, ShoalError, shown
from shoal.executor import Executor, Threads, local_threads
from shoal.hints import option
from shoal.pipeline.regions.run_folder import LOG, REQUEST, Files
from shoal.progress import Reporter
from shoal.table.streams import Reading
from shoal.version import __version__

One = TypeVar("One")
QUIET = Reporter(None)
Step = Callable[[Any], Any]


class FailedError(Exception):
    """A mistake of the program on a worker: its kind and place, and not a word of the data."""


@dataclass(frozen=True)
class RemoteStep:
    """A step sent to a worker: its files, and the version of the sender."""

    files: Files
    step: Step
    version: str

    def __call__(self, task: Any) -> dict[str, Any]:
        """Run the step for a task; return its result as plain values.

        Errors of ours come back as such; others are for the engine to do again.
        """
        begin = time.perf_counter()
        answer: dict[str, Any] = {}
        try:
            self._check()
            answer["result"] = self.step(task)
        except EngineLostError as error:  # which may pass: not for us to end the run
            raise FailedError(_error_place(error, "OSError")) from None
        except ShoalError as error:
            answer["error"] = error.to_plain()
        except Exception as error:
            raise FailedError(_error_place(error, type(error).__name__)) from None
        return {**answer, "where": socket.gethostname(), "seconds": time.perf_counter() - begin}

    def _check(self) -> None:
        """Refuse to work for another version, or where the files are not."""
        here = socket.gethostname()
        if (own := __version__) != self.version:
            raise EngineError(
                f"a worker on {here} has shoal {own}, the run was started by {self.version}; "
                "install the same version on all machines"
            )
        if self.files.read(REQUEST) is None:
            raise EngineError(
                f"a worker on {here} does not find {shown(self.files.storage.location, 200)}; name "
                f"a folder that all machines see under one name with {option('work')}, or a URL"
            )


def _error_place(error: Exception, kind: str) -> str:
    """Return kind and place of an error; its words could show a record."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "shoal" in Path(frame.filename).parts] or frames
    place = f"{Path(ours[-1].filename).name}, line {ours[-1].lineno}"
    return f"{kind} in {place} on {socket.gethostname()}"


@dataclass(frozen=True)
class TaskRunner:
    """Runs the steps of a run on an `engine`, whose workers use `run` for blocks.

    Sent to a worker, it becomes a local runner without progress reports.
    """

    work: Files
    engine: Executor
    run: Executor
    report: Reporter

    def __reduce__(self) -> Any:
        return _alone, (self.work,)

    def each(self, what: str, step: Step, tasks: Sequence[Any]) -> Iterator[Any]:
        """Yield the result of every task, in order; `what` is the stage shown meanwhile."""
        count = len(tasks)
        self.report(what, 0, count)
        for done, result in enumerate(self._results(what, step, tasks), start=1):
            self.report(what, done, count)
            yield result

    def reading(self, reading: Reading) -> TaskRunner:
        """Return the runner of a reading: local where only this process can read."""
        return self if reading.is_shared else replace(self, engine=Threads(1))

    @property
    def threads(self) -> int:
        """How many threads a step may use."""
        return local_threads(self.run).workers

    def beside(self, most: int) -> TaskRunner:
        """Return the runner of steps that use one core each: so many at once on this machine."""
        side = min(most, self.threads)
        if self.engine.is_remote or side == 1:
            return self
        return replace(self, engine=Threads(side), run=Threads(self.threads // side))

    def all(self, what: str, step: Step, tasks: Sequence[Any]) -> list[Any]:
        """Return the results of all tasks."""
        return list(self.each(what, step, tasks))

    def _results(self, what: str, step: Step, tasks: Sequence[Any]) -> Iterator[Any]:
        if not self.engine.is_remote:
            yield from freed(self.engine.map(step, tasks, self.report.stop))
            return
        remote_step = RemoteStep(Files(self.work.storage), step, __version__)
        for number, done in enumerate(
            self.engine.map(remote_step, tasks, self.report.stop), start=1
        ):
            if "error" in done:
                raise errors.from_plain(done["error"])
            LOG.info(
                "%s: %d of %d, %.1f s on %s",
                what, number, len(tasks), done["seconds"], done["where"],
            )  # fmt: skip
            yield done["result"]


def _alone(work: Files) -> TaskRunner:
    return TaskRunner(work, Threads(1), Threads(1), QUIET)


# Returning freed memory to the system after every step.
#
# Arrow's pool and the C library keep what was freed, for the next who asks. Over many steps of
# different sizes what is kept grows far beyond what any step needs.


@cache
def _trim() -> Callable[[int], int] | None:
    """Return what the GNU C library offers for it; None where there is another."""
    try:
        malloc_trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return None
    malloc_trim.argtypes, malloc_trim.restype = [ctypes.c_size_t], ctypes.c_int
    return malloc_trim


def give_back() -> None:
    """Return free memory to the system."""
    pa.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


def freed(pieces: Iterable[One]) -> Iterator[One]:
    """Yield pieces; what each left behind is given back before the next is made."""
    for piece in pieces:
        yield piece
        del piece
        give_back()
