"""Threads: how much of `fast` one thread does alone, and what a second one is worth."""

from __future__ import annotations

import time

import numpy as np

import shoal
from shoal.backends.executor import Threads
from telling import Bar

K = 10
ROWS = 300_000
TIMES = 5


def told(matrix):
    """Group records on one thread; return the CPU seconds in all, and those of work for several.

    Work is for several where a map has two tasks or more: what is left, one thread would do while
    the others wait. Rounded records tie, and take the longest way.
    """
    shared, original = [], Threads.map

    def counted(self, work, tasks, stop=None):
        seconds = []

        def timed(task):
            start = time.process_time()
            found = work(task)
            seconds.append(time.process_time() - start)
            return found

        yield from original(self, timed, tasks, stop)
        shared.append(sum(seconds) if len(seconds) > 1 else 0.0)

    Threads.map = counted
    try:
        start = time.process_time()
        shoal.microaggregate(matrix, K, method="fast", threads=1)
        return time.process_time() - start, sum(shared)
    finally:
        Threads.map = original


def seconds_of(matrix, threads):
    """Return the seconds that grouping takes."""
    start = time.perf_counter()
    shoal.microaggregate(matrix, K, method="fast", threads=threads)
    return time.perf_counter() - start


def measured(records):
    """Measure both, on records of two decimals."""
    matrix = records(ROWS).round(2)
    shoal.microaggregate(matrix[:5_000], K, method="fast", threads=2)
    every, shared = told(matrix)
    ratios = [seconds_of(matrix, 2) / seconds_of(matrix, 1) for _ in range(TIMES)]
    alone, ratio = (every - shared) / every, float(np.median(ratios))
    bars = [
        Bar("300,000 × 8: share of fast that one thread does alone", alone, "<=", 0.08),
        Bar("300,000 × 8: time of two threads over that of one, median of 5", ratio, "<=", 0.6),
    ]
    head = ["records", "cpu", "alone", "two_over_one"]
    row = [ROWS, round(every, 3), round(every - shared, 3), round(ratio, 3)]
    return bars, {"threads": [head, row]}
