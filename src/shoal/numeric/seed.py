"""Seeding: which record of the pool starts the next group."""

from __future__ import annotations

from typing import Protocol

from shoal.numeric.pool import Pool


class Seed(Protocol):
    """Picks the record of the pool that starts the next group."""

    def __call__(self, pool: Pool) -> int:
        """Return its row."""


def farthest_from_centroid(pool: Pool) -> int:
    """Return argmax D(x, mean of the pool): the record most in need of company."""
    return pool.farthest(pool.centroid())
