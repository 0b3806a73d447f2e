"""Threads of the judge: batches are read ahead, parts are worked on side by side, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from shoal.system.current import current

Item = TypeVar("Item")
Result = TypeVar("Result")


def processors() -> int:
    """Return how many processors this process may use."""
    return current().processors()


def each(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Yield the results of items in their order; no more than `threads` wait to be taken."""
    if threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def ahead(items: Iterator[Item], threads: int) -> Iterator[Item]:
    """Yield the items, each made by another thread while the one before is worked on."""
    if threads == 1:
        yield from items
        return
    end: Any = object()
    context = copy_context()  # of the caller: its limits hold in the other thread, too

    def following() -> Item:
        return context.run(lambda: next(items, end))

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(following)
        while (item := future.result()) is not end:
            future = pool.submit(following)
            yield item
