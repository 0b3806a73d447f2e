"""Executor protocol: map a function over tasks, results in their order.

It never sits inside a loop over records: a task is a block of them, and takes a tenth of a second.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import Any, Protocol, TypeVar

from shoal.errors import EngineError, EngineLostError, RequestError
from shoal.progress import StopToken

Task = TypeVar("Task")
Result = TypeVar("Result")

PASSING = ("OSError", "MemoryError", "TimeoutError", "ConnectionError", "ConnectionResetError",
           "ConnectionRefusedError", "BrokenPipeError", "InterruptedError")  # fmt: skip
AHEAD = 4  # tasks a worker that wait, so that it never does


class Executor(Protocol):
    """Maps a function over tasks.

    A remote executor runs them on other machines, which reach files, but not this memory.
    """

    @property
    def is_remote(self) -> bool:
        """Whether tasks are done elsewhere."""
        ...

    def map(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], stop: StopToken | None = None
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks, which are taken as they are needed."""
        ...


class Threads:
    """Threads of this process; kernels let each other run."""

    is_remote = False

    def __init__(self, workers: int | None = None) -> None:
        self.workers = _count(workers)

    def map(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], stop: StopToken | None = None
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks."""
        if self.workers == 1:
            for task in tasks:
                check(stop)
                yield work(task)
            return
        with ThreadPoolExecutor(self.workers) as pool:
            yield from in_order(pool, work, tasks, self.workers, stop)


def local_threads(run: Executor) -> Threads:
    """Return the threads of this process that an executor may use beside its own tasks."""
    return run if isinstance(run, Threads) else Threads(1)


def ahead(items: Iterable[Task], threads: int) -> Generator[Task, None, None]:
    """Yield items; with several threads, the next is made by another while one is worked on.

    No more than one waits. Whoever stops early waits for the one that is being made.
    """
    if threads == 1:
        yield from items
        return
    todo, context = iter(items), copy_context()

    def following() -> list[Task]:
        return list(islice(todo, 1))

    with ThreadPoolExecutor(1) as pool:
        try:
            made = pool.submit(context.run, following).result()
            while made:
                future = pool.submit(context.run, following)
                yield made.pop()  # so that nothing here keeps it
                made = future.result()
        finally:
            close = getattr(todo, "close", None)
            if close is not None:
                pool.submit(context.run, close).result()


def worker_failed(reason: str) -> EngineError:
    """Return the error for a task that failed wherever it was tried, by its kind and place."""
    if reason.partition(" ")[0] in PASSING:
        return EngineLostError(
            f"a worker failed: {reason}; what was done is kept: start the same run again, to go on"
        )
    return EngineError(f"a worker failed: {reason}")


def check(stop: StopToken | None) -> None:
    """Raise KeyboardInterrupt if a run is canceled."""
    if stop is not None:
        stop.check()


def _count(workers: int | None) -> int:
    if workers is None:
        return os.cpu_count() or 1
    if workers < 1:
        raise RequestError("there must be at least one worker")
    return workers


def in_order(
    pool: Any, work: Callable[[Task], Result], tasks: Iterable[Task], workers: int,
    stop: StopToken | None = None,
) -> Iterator[Result]:  # fmt: skip
    """Yield results in order; only a few tasks wait, and none is begun after an error."""
    waiting: list[Future[Result]] = []
    todo = iter(tasks)
    try:
        for task in todo:
            waiting.append(pool.submit(work, task))
            if len(waiting) >= AHEAD * workers:
                yield waiting.pop(0).result()
            check(stop)
        while waiting:
            yield waiting.pop(0).result()
    finally:
        for future in waiting:
            future.cancel()
