"""Runs that are kept: each is a line of a csv file, written as it is made, and made once.

What was cut short goes on where it ended, on as many processes as there are processors. With
`--kept` nothing is run: what was never made is a gap on the page.
"""

from __future__ import annotations

import csv
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product

import numpy as np
from runs import DOCS, ITERATIONS, RECIPES, SIZES, TABLES, matrix, run

from shoal.methods.ils.parameters import Task
from shoal.methods.ils.search import search
from shoal.progress import Reporter

MARKS = 1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_000, 3_000, 4_000, ITERATIONS
BLOCK = 50  # restarts in a line
KEPT = "--kept" in sys.argv
LONG = "recipe", "table", "k", "seed", "seconds", "loss", *(f"after_{mark}" for mark in MARKS)
RESTARTED = "recipe", "table", "k", "block", "seconds", "losses"


def best_after(log, iterations):
    """Return the best loss after each of some iterations, before the closing comparison."""
    at, losses = zip(*log.curve[:-1], strict=True)
    return np.array(losses)[np.searchsorted(at, iterations, side="right") - 1]


def long_run(recipe, name, k, seed):
    """Search for 5,000 iterations from a random start; return a line."""
    begun = time.process_time()
    log = run(matrix(name), k, recipe, ITERATIONS, seed=seed)[1]
    marks = (f"{loss:.6f}" for loss in best_after(log, MARKS))
    return [recipe, name, k, seed, f"{time.process_time() - begun:.3f}", f"{log.loss_end:.6f}",
            *marks]  # fmt: skip


def restarts(recipe, name, k, block):
    """Descend from a block of random starts; return a line."""
    options = RECIPES[recipe].replace({"restarts": False, "stop": {"iterations": 0}})
    begun, losses = time.process_time(), []
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        task = Task(k, None, options, seed, threads=1)
        losses.append(search(matrix(name), task, Reporter(None))[1].loss_end)
    seconds = (time.process_time() - begun) / BLOCK
    return [recipe, name, k, block, f"{seconds:.6f}", " ".join(f"{loss:.5f}" for loss in losses)]


KINDS = {"runs": (LONG, long_run), "restarts": (RESTARTED, restarts)}


def known(kind):
    """Return the lines that are kept, by recipe, table, k and seed (or block)."""
    path = DOCS / f"{kind}.csv"
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if None not in row.values()]
    last = KINDS[kind][0][3]
    return {(row["recipe"], row["table"], int(row["k"]), int(row[last])): row for row in rows}


def make(kind, recipes, how_many):
    """Make what is missing: of each recipe, table and k the first runs; return all that is kept.

    how_many: how many of a k. The first of every cell come first.
    """
    head, work = KINDS[kind]
    there = known(kind)
    wanted = [
        (recipe, name, k, number)
        for number in range(max(how_many.values()))
        for recipe, name, k in product(recipes, TABLES, SIZES)
        if number < how_many[k]
    ]
    missing = [key for key in wanted if key not in there]
    if KEPT or not missing:
        return there
    DOCS.mkdir(parents=True, exist_ok=True)
    with (
        (DOCS / f"{kind}.csv").open("a", newline="", encoding="utf-8") as file,
        ProcessPoolExecutor(int(os.environ.get("SHOAL_PROCESSES", os.cpu_count() or 1))) as pool,
    ):
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(head)
        for done in as_completed([pool.submit(work, *key) for key in missing]):
            writer.writerow(done.result())
            file.flush()
            print("      " + "  ".join(map(str, done.result()[:6]))[:90], flush=True)
    return known(kind)
