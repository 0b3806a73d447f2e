"""Slow twin of the risk of a table as it is: counts by comparing every record with every other."""

from __future__ import annotations


def alone_and_below(rows, k):
    """Return how many records are alone, and how many share their values with fewer than k - 1."""
    sizes = [sum(one == other for other in rows) for one in rows]
    return sum(size == 1 for size in sizes), sum(size < k for size in sizes)
