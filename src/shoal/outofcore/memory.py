"""Returning freed memory to the system after every step.

Arrow's pool and the C library keep what was freed, for the next who asks. Over many steps of
different sizes what is kept grows far beyond what any step needs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TypeVar

import pyarrow as pa

One = TypeVar("One")


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
