"""Runs that are kept: each is a line of docs/kaim/runs.csv, written as it is made, and made once.

What was cut short goes on where it ended, on as many processes as there are processors. With
`--kept` nothing is run: what was never made is nan, and a gap on the page.
"""

from __future__ import annotations

import csv
import math
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from typing import NamedTuple

from runs import ALL, REPOSITORY, WIDTH, Data, Loss, lose

DOCS = REPOSITORY / "docs/kaim"
HEAD = ("method", "start", "k", "quasi_identifiers", "records", "missing", "draw", "seed", "loss",
        "deleted")  # fmt: skip
KEPT = "--kept" in sys.argv
NEVER = Loss(math.nan, math.nan)


class Run(NamedTuple):
    """One run: a method on some data."""

    method: str
    k: int
    width: int = WIDTH
    data: Data = ALL
    start: str | None = None
    seed: int = 0

    def fields(self):
        """Return the run as the csv file has it, without what it lost."""
        some = (self.start, self.k, self.width, *self.data, self.seed)
        return (self.method, *("" if one is None else str(one) for one in some))


@cache
def kept():
    """Return all losses that are kept; the csv file is read once."""
    path = DOCS / "runs.csv"
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {
            tuple(row[:-2]): Loss(float(row[-2]), float(row[-1]))
            for row in csv.reader(file)
            if len(row) == len(HEAD) and row[0] != HEAD[0]
        }


def prepare(runs):
    """Make those runs that are missing, side by side, and keep each as it ends."""
    missing = [run for run in dict.fromkeys(runs) if run.fields() not in kept()]
    if KEPT or not missing:
        return
    DOCS.mkdir(parents=True, exist_ok=True)
    with (
        (DOCS / "runs.csv").open("a", newline="", encoding="utf-8") as file,
        ProcessPoolExecutor(int(os.environ.get("SHOAL_PROCESSES", os.cpu_count() or 1))) as pool,
    ):
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(HEAD)
        waiting = {pool.submit(lose, *run): run for run in missing}
        for done in as_completed(waiting):
            run, found = waiting[done], done.result()
            kept()[run.fields()] = found
            writer.writerow([*run.fields(), f"{found.total:.6f}", f"{found.deleted:.6f}"])
            file.flush()


def lost(run):
    """Return what a kept run lost."""
    return kept().get(run.fields(), NEVER)
