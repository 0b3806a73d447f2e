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

Piece = TypeVar("Piece")
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
        begin, host = time.perf_counter(), socket.gethostname()
        answer: dict[str, Any] = {"where": host}
        try:
            self._check(host)
            answer["result"] = self.step(task)
        except EngineLostError as error:  # which may pass: not for us to end the run
            raise FailedError(_error_place(error, "OSError", host)) from None
        except ShoalError as error:
            answer["error"] = error.to_plain()
        except Exception as error:
            raise FailedError(_error_place(error, type(error).__name__, host)) from None
        return {**answer, "seconds": time.perf_counter() - begin}

    def _check(self, host: str) -> None:
        """Refuse to work for another version, or where the files are not."""
        if __version__ != self.version:
            raise EngineError(
                f"a worker on {host} has shoal {__version__}, the run was started by "
                f"{self.version}; install the same version on all machines"
            )
        if self.files.read(REQUEST) is None:
            raise EngineError(
                f"a worker on {host} does not find {shown(self.files.storage.location, 200)}; name "
                f"a folder that all machines see under one name with {option('work')}, or a URL"
            )


def _error_place(error: Exception, kind: str, host: str) -> str:
    """Return kind and place of an error; its words could show a record."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "shoal" in Path(frame.filename).parts] or frames
    return f"{kind} in {Path(ours[-1].filename).name}, line {ours[-1].lineno} on {host}"


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
        return TaskRunner, (self.work, Threads(1), Threads(1), Reporter(None))

    def each(self, what: str, step: Step, tasks: Sequence[Any]) -> Iterator[Any]:
        """Yield the result of every task, in order; `what` is the stage shown meanwhile."""
        count, is_remote = len(tasks), self.engine.is_remote
        if is_remote:
            step = RemoteStep(Files(self.work.storage), step, __version__)
        self.report(what, 0, count)
        results = freed(self.engine.map(step, tasks, self.report.stop))
        for done, result in enumerate(results, start=1):
            if is_remote and "error" in result:
                raise errors.from_plain(result["error"])
            if is_remote:
                seconds, where = result["seconds"], result["where"]
                LOG.info("%s: %d of %d, %.1f s on %s", what, done, count, seconds, where)
            self.report(what, done, count)
            yield result["result"] if is_remote else result

    def all(self, what: str, step: Step, tasks: Sequence[Any]) -> list[Any]:
        """Return the results of all tasks."""
        return list(self.each(what, step, tasks))

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


# Returning freed memory to the system after every step.
#
# Arrow's pool and the C library keep what was freed, for the next who asks. Over many steps of
# different sizes what is kept grows far beyond what any step needs.


@cache
def _trim() -> Callable[[Any], int]:
    """Return what the GNU C library offers for it; where there is another, what does nothing."""
    try:
        trim: Callable[[Any], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return lambda _: 0
    return trim


def give_back() -> None:
    """Return free memory to the system."""
    pa.default_memory_pool().release_unused()
    _trim()(ctypes.c_size_t(0))


def freed(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces; what each left behind is given back before the next is made."""
    for piece in pieces:
        yield piece
        del piece
        give_back()
