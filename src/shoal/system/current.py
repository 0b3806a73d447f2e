"""The system that this process runs on: the one place that decides it."""

from __future__ import annotations

from functools import cache

from shoal.system.interface import System


@cache
def current() -> System:
    """Return the system of this process: Unix where Python has its module of locks."""
    try:
        from shoal.system.unix import Unix
    except ModuleNotFoundError:  # no fcntl
        from shoal.system.windows import Windows

        return Windows()
    return Unix()
