"""How much the judge holds in memory at once, and how many threads it uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from shoal.judge.threads import processors


@dataclass(frozen=True)
class Limits:
    """Sizes of what is held in memory.

    entries: distinct combinations that are counted before they go to files; batch: records of
    Parquet and dataframes that are read at once; piece: bytes of csv; few: records of which Python
    values are counted, and rows: so many of them at once, few enough that their cells die young;
    threads: how many work at once.
    """

    entries: int = 400_000
    batch: int = 65_536
    piece: int = 2**20
    few: int = 1_000
    rows: int = 512
    threads: int = field(default_factory=processors)


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
