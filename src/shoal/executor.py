"""Executor protocol: map a function over tasks, results in their order.

It never sits inside a loop over records: a task is a block of them, and takes a tenth of a second.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from itertools import islice
from typing import Protocol, TypeVar

from shoal.errors import EngineError, EngineLostError, RequestError
from shoal.progress import StopToken

Task = TypeVar("Task")
Result = TypeVar("Result")

PASSING = ("OSError", "MemoryError", "TimeoutError", "ConnectionError", "ConnectionResetError",
           "ConnectionRefusedError", "BrokenPipeError", "InterruptedError")  # fmt: skip
AHEAD = 4  # tasks a worker that wait, so that it never does
LOOK = 1.0  # seconds between two looks at those who work elsewhere


class Executor(Protocol):
    """Maps a function over tasks.

    A remote executor runs them on other machines, which reach files, but not this memory.
    """

    is_remote: bool

    def map(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], stop: StopToken | None = None
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks, which are taken as they are needed."""


class Threads:
    """Threads of this process; kernels let each other run."""

    is_remote = False

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise RequestError("there must be at least one worker")
        self.workers = workers or os.cpu_count() or 1

    def map(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], stop: StopToken | None = None
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks."""
        watch = (stop or StopToken()).check
        if self.workers == 1:
            for task in tasks:
                watch()
                yield work(task)
            return
        with ThreadPoolExecutor(self.workers) as pool:
            yield from in_order(
                lambda task: pool.submit(work, task), tasks, lambda: self.workers, watch
            )


def local_threads(run: Executor) -> Threads:
    """Return the threads of this process that an executor may use beside its own tasks."""
    return run if isinstance(run, Threads) else Threads(1)


def in_order(
    submit: Callable[[Task], Future[Result]], tasks: Iterable[Task], workers: Callable[[], int],
    watch: Callable[[], None],
) -> Iterator[Result]:  # fmt: skip
    """Yield results in order; only a few tasks wait, and none is begun after an error.

    `watch` is called for every task, and once a second while a result is waited for: it raises
    what ends the run.
    """
    waiting: deque[Future[Result]] = deque()
    try:
        for task in tasks:
            waiting.append(submit(task))
            if len(waiting) >= AHEAD * workers():
                yield _result(waiting.popleft(), watch)
            watch()
        while waiting:
            yield _result(waiting.popleft(), watch)
    finally:
        with suppress(Exception):  # those of an engine that is gone
            for future in waiting:
                future.cancel()


def _result(future: Future[Result], watch: Callable[[], None]) -> Result:
    ready = threading.Event()
    future.add_done_callback(lambda _: ready.set())
    while not ready.wait(LOOK):
        watch()
    return future.result()


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

    try:
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(context.run, following)
            while made := future.result():
                future = pool.submit(context.run, following)
                yield made.pop()  # so that nothing here keeps it
    finally:
        if isinstance(todo, Generator):
            context.run(todo.close)


def worker_failed(reason: str) -> EngineError:
    """Return the error for a task that failed wherever it was tried, by its kind and place."""
    if reason.partition(" ")[0] in PASSING:
        return EngineLostError(
            f"a worker failed: {reason}; what was done is kept: start the same run again, to go on"
        )
    return EngineError(f"a worker failed: {reason}")
