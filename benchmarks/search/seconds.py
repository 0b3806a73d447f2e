"""Seconds as the table grows: process seconds of an iteration."""

from __future__ import annotations

import time

import numpy as np
from runs import run

import shoal
from telling import Bar

ROWS = 1_000, 3_162, 10_000, 31_623, 100_000
GROWTH_ITERATIONS = 2_000
GROWTH_SEEDS = 2
EXPONENT = 0.5


def clustered(rows, columns=8, clusters=50):
    """Records around seeded centers."""
    rng = np.random.default_rng(1)
    centers = 3 * rng.normal(size=(clusters, columns))
    return centers[rng.integers(0, clusters, rows)] + 0.5 * rng.normal(size=(rows, columns))


def seconds_an_iteration(points, k, method):
    """Return the seconds of an iteration of `ilsmc-near` from the optimum near some groups."""
    start = shoal.microaggregate(points, k, method=method, standardize=False).labels
    start, _ = run(points, k, "ilsmc-near", 0, start=start)
    at = {}

    def look(progress):
        at[progress.done] = time.process_time()  # the last look at 0: the first optimum is reached

    found = []
    for seed in range(GROWTH_SEEDS):
        at.clear()
        run(points, k, "ilsmc-near", GROWTH_ITERATIONS, start=start, seed=seed, callback=look)
        found.append((at[GROWTH_ITERATIONS] - at[0]) / GROWTH_ITERATIONS)
    return min(found)


def growth():
    """How the time of an iteration grows with the table."""
    bars, rows = [], []
    kinds = {
        ("mdav", "50 clusters"): clustered,
        ("hilbert", "50 clusters"): clustered,
        ("mdav", "normal"): lambda rows: np.random.default_rng(1).normal(size=(rows, 8)),
        ("mdav", "20 records a cluster"): lambda rows: clustered(rows, clusters=rows // 20),
    }
    for k in (3, 10):
        for (method, data), make in kinds.items():
            seconds = [seconds_an_iteration(make(size), k, method) for size in ROWS]
            rows += [[k, method, data, size, f"{1e6 * value:.2f}"]
                     for size, value in zip(ROWS, seconds, strict=True)]  # fmt: skip
            fitted = float(np.polyfit(np.log(ROWS), np.log(seconds), 1)[0])
            ends = float(np.log(seconds[-1] / seconds[0]) / np.log(ROWS[-1] / ROWS[0]))
            what = f"k = {k}, {data}, from {method}: exponent"
            bars.append(Bar(f"{what}, least squares", fitted, "<", EXPONENT))
            bars.append(Bar(f"{what}, end to end", ends, "<", EXPONENT))
            told = ", ".join(f"{1e6 * value:.0f}" for value in seconds)
            print(f"      k = {k:<2} {data}, from {method}: {told} µs an iteration", flush=True)
    return bars, {"growth": [["k", "start", "data", "n", "microseconds"], *rows]}
