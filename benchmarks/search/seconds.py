"""Seconds: beside the prototype in one process, and as the table grows. All are process seconds."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from pathlib import Path

import numpy as np
from runs import ITERATIONS, matrix, run

import shoal
from shoal.measures.loss import information_loss
from telling import Bar

TIMES_AS_FAST = {("census", 3): 5, ("eia10", 3): 5, ("census", 10): 4}
SEEDS = {3: 10, 10: 5}  # by k
LOSS = 1.005
BIASES = {1: "ilsmc-near", 5: "bDissolve"}  # the recipes of the same s

ROWS = 1_000, 3_162, 10_000, 31_623, 100_000
GROWTH_ITERATIONS = 2_000
GROWTH_SEEDS = 2
EXPONENT = 0.5


def prototype():
    """Return the module `ilsmc` of the folder that SHOAL_BASELINE names."""
    folder = os.environ.get("SHOAL_BASELINE")
    if not folder:
        sys.exit("search: speed needs SHOAL_BASELINE, a folder with a prototype in ilsmc.py")
    spec = importlib.util.spec_from_file_location("baseline_ilsmc", Path(folder) / "ilsmc.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def theirs(module, points, k, samples, seed, iterations=ITERATIONS):
    """Return the prototype's labels from its own random start."""
    start, groups = module.randpart(len(points), k, np.random.default_rng(seed))
    return module.ilsmc(points, k, start, groups, iterations, seed, samples, 0, 1e-5, 0.8)[0]


def timed(work):
    """Return what work returns, and its process seconds."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def speed():
    """5,000 iterations of ours and of the prototype's, by turns."""
    module = prototype()
    bars, rows = [], []
    for (name, k), times in TIMES_AS_FAST.items():
        points = matrix(name)
        for samples, recipe in BIASES.items():
            run(points, k, recipe, 1)
            theirs(module, points, k, samples, 0, 1)
            seconds, losses = np.zeros((SEEDS[k], 2)), np.zeros((SEEDS[k], 2))
            for seed in range(SEEDS[k]):
                works = (
                    lambda: run(points, k, recipe, ITERATIONS, seed=seed)[0],  # noqa: B023
                    lambda: theirs(module, points, k, samples, seed),  # noqa: B023
                )
                for i, work in enumerate(works):
                    labels, seconds[seed, i] = timed(work)
                    losses[seed, i] = information_loss(points, labels)
                rows.append([name, k, samples, seed, *(f"{x:.4f}" for x in seconds[seed]),
                             *(f"{x:.6f}" for x in losses[seed])])  # fmt: skip
            (ours, other), (loss, other_loss) = seconds.mean(axis=0), losses.mean(axis=0)
            what = f"{name} k = {k}, s = {samples}"
            bars.append(Bar(f"{what}: prototype's seconds over ours", other / ours, ">=", times))
            bars.append(Bar(f"{what}: our loss over the prototype's", loss / other_loss, "<=",
                            LOSS))  # fmt: skip
            print(f"      {what:<24} {ours:6.3f} s against {other:6.3f} s; loss {loss:.4f} against "
                  f"{other_loss:.4f} ({SEEDS[k]} seeds)", flush=True)  # fmt: skip
    head = ["table", "k", "s", "seed", "seconds", "prototype_seconds", "loss", "prototype_loss"]
    return bars, {"speed": [head, *rows]}


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
