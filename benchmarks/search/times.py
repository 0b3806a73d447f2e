"""Times of the thesis as ratios: LS over LSC a run, ILSM over ILSMC an iteration (tables 3, 5)."""

from __future__ import annotations

import time
from itertools import product

from runs import RECIPES, SIZES, TABLES, matrix, printed, run

from shoal.methods.ils.parameters import Task
from shoal.methods.ils.search import search
from shoal.progress import Reporter

RUNS = 5  # of each, by turns
SETTLED = 300  # iterations before the clock is read
TIMED = {"ilsmc": 200, "ilsm": 20}  # iterations


def table3():
    """Process seconds of a run of LSC and of LS from a random start."""
    rows = []
    for name, k in product(TABLES, SIZES):
        points, seconds = matrix(name), dict.fromkeys(("lsc", "ls"), 0.0)
        for seed, recipe in product(range(RUNS + 1), seconds):
            options = RECIPES[recipe].replace({"restarts": False, "stop": {"iterations": 0}})
            begun = time.process_time()
            search(points, Task(k, None, options, seed, threads=1), Reporter(None))
            seconds[recipe] += (time.process_time() - begun) / RUNS if seed > 0 else 0.0
        rows.append(_row("3", name, k, seconds, {"lsc": "LSC run", "ls": "LS run"}))
    return [], {"table3": [HEAD, *rows]}


def table5():
    """Process seconds of an iteration of ILSMC and of ILSM, once a search has settled."""
    rows = []
    for name, k in product(TABLES, SIZES):
        points = matrix(name)
        start, _ = run(points, k, "ilsmc", SETTLED)
        seconds = {recipe: _an_iteration(points, k, recipe, start) for recipe in TIMED}
        rows.append(_row("5", name, k, seconds, {"ilsmc": "ILSMC iteration",
                                                 "ilsm": "ILSM iteration"}))  # fmt: skip
    return [], {"table5": [HEAD, *rows]}


HEAD = ["table", "k", "quick", "seconds", "printed_seconds", "slow", "slow_seconds",
        "printed_slow_seconds", "ratio", "printed_ratio"]  # fmt: skip


def _row(table, name, k, seconds, rows):
    """Return the line of a cell, and print it."""
    (quick, ours), (slow, more) = seconds.items()
    figure, other = (float(printed(table, name, rows[one], k)) for one in (quick, slow))
    print(f"      {name:<9} k = {k:<2} {slow} over {quick}: {more / ours:.2f} "
          f"({other / figure:.2f})", flush=True)  # fmt: skip
    return [name, k, quick, f"{ours:.6f}", f"{figure:g}", slow, f"{more:.6f}", f"{other:g}",
            f"{more / ours:.3f}", f"{other / figure:.3f}"]  # fmt: skip


def _an_iteration(points, k, recipe, start):
    """Return the process seconds of an iteration, without the first look at the start."""
    at = {}
    run(points, k, recipe, 1, start=start)
    run(points, k, recipe, TIMED[recipe], start=start,
        callback=lambda look: at.__setitem__(look.done, time.process_time()))  # fmt: skip
    return (at[TIMED[recipe]] - at[0]) / TIMED[recipe]
