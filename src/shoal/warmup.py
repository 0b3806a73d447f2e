"""Compile every kernel once, so that the first real run does not wait for it."""

from __future__ import annotations

import time

import numpy as np

from shoal.progress import Reporter
from shoal.recipes import methods
from shoal.solving import solve, solve_mixed
from shoal.table.code import code
from shoal.table.read import read


def warmup() -> dict[str, float]:
    """Run every method on a tiny table; return the seconds each took, compilation included."""
    matrix = np.random.default_rng(0).normal(size=(24, 3))
    coded = code(read(matrix))
    seconds = {}
    for method in methods():
        start = time.perf_counter()
        if method.mixed is not None:
            solve_mixed(coded, 3, method.name, Reporter(None))
        else:
            solve(matrix[:, : method.columns], 3, method.name, Reporter(None))
        seconds[method.name] = time.perf_counter() - start
    return seconds
