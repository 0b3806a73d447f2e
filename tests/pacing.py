"""The pace of `auto`, changed for a while."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

from shoal.methods import auto


@contextmanager
def paced(**changes):
    """Change what `auto` takes for long, and for large."""
    token = auto._NOW.set(replace(auto.pace(), **changes))
    try:
        yield
    finally:
        auto._NOW.reset(token)
