"""How much the judge holds in memory and compares, and how many threads it uses."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from shoal.system.interface import current

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


@dataclass(frozen=True)
class Limits:
    """Sizes of what is held in memory, and of what is compared.

    entries: distinct combinations that are counted before they go to files; batch: records of
    Parquet and dataframes that are read at once; piece: bytes of csv; few: records of which Python
    values are counted, and rows: so many of them at once, few enough that their cells die young;
    threads: how many work at once. Refused is what is beyond cells: that a reading of missing cells
    looks at, some minutes; counts: of sensitive values that it keeps, about 2 GB; pairs: of classes
    of two releases. block: classes that meet as bits, wide enough that an operation is worth its
    call.
    """

    entries: int = 400_000
    batch: int = 65_536
    piece: int = 2**20
    few: int = 1_000
    rows: int = 512
    threads: int = field(default_factory=processors)
    cells: int = 2_000_000_000
    counts: int = 20_000_000
    pairs: int = 20_000_000
    block: int = 4_096


_NOW: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039 - it is frozen


def limits() -> Limits:
    """Return the limits that hold now."""
    return _NOW.get()


@contextmanager
def limited(**changes: int | None) -> Iterator[None]:
    """Change limits for a while, but for None; no more entries are held than were allowed."""
    before = limits()
    some = {name: limit for name, limit in changes.items() if limit is not None}
    if "entries" in some:
        some["entries"] = min(some["entries"], before.entries)
    token = _NOW.set(replace(before, **some))
    try:
        yield
    finally:
        _NOW.reset(token)
