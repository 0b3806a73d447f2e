"""The study of speed in the TFRP paper, done again with the methods here: `make study`.

Chang, Li and Huang (2007), section 4.3: seconds over k on blocks of a picture, and over n on the
blocks of two. The pictures are of our own making (`pictures.py`). Times are processor seconds of
the grouping alone, the best of several runs; the tables are standardized beforehand, as in the
paper. What comes out is in docs/studies: a page, a CSV file and the charts (`page.py`).
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
import page
from pictures import blocks, picture

import shoal
from shoal.kernels.tree import EVALUATIONS
from shoal.methods.heuristics import pool
from shoal.methods.problem import Points, Problem
from shoal.methods.registry import find
from shoal.methods.solve import solve
from shoal.progress import Reporter
from shoal.table.encode import encode

METHODS = (
    "diameter-phase2", "diameter", "centroid-phase2", "centroid", "tfrp", "tfrp1", "mdav",
    "hilbert",
)  # fmt: skip
GROUP_SIZES = range(10, 81, 10)
ROWS = (10_000, 20_000, 40_000, 80_000, 120_000, 131_072)
K = 50  # while n varies
FIT_FROM = 20_000  # records from which on the exponent is fitted
RUNS = 3
LIMIT = 60.0  # seconds a point may take
SEEDS = (1, 2)
DOCS = Path(__file__).parents[2] / "docs" / "studies"


class Point(NamedTuple):
    """One method on one table; without seconds where it would have taken too long."""

    table: str
    n: int
    d: int
    k: int
    method: str
    seconds: float | None
    information_loss: float | None


class Count(NamedTuple):
    """Distances between a record and a point that methods compute at one k."""

    k: int
    centroid: int
    tfrp1: int
    mdav: int
    centroid_unbounded: int
    tfrp1_unbounded: int

    @property
    def ratio(self):
        """Centroid over tfrp1, as counted."""
        return self.centroid / self.tfrp1

    @property
    def unbounded_ratio(self):
        """Centroid over tfrp1 where every search looks at every record."""
        return self.centroid_unbounded / self.tfrp1_unbounded


def standardized(table):
    """Return the matrix that a method sees."""
    return encode(shoal.read(table)).matrix


def warm_up(*tables):
    """Compile everything that will be measured."""
    for table in tables:
        for method in METHODS:
            solve(Problem(Points(standardized(table[:1000])), K), method, Reporter(None))


def sweep(name, cases):
    """Measure every method on the cases, pairs of a matrix and k, each no smaller than the last.

    The runs of a point take turns between methods, so that a moment in which the machine is busy
    with something else spoils one run of each rather than all of one.
    """
    points = []
    expected = dict.fromkeys(METHODS, 0.0)
    for at, (matrix, k) in enumerate(cases):
        rows, columns = matrix.shape
        running = [method for method in METHODS if expected[method] <= LIMIT]
        best, loss = {}, {}
        for _ in range(RUNS):
            for method in running:
                if best.get(method, 0.0) > LIMIT / RUNS:
                    continue
                start = time.process_time()
                groups = solve(Problem(Points(matrix), k), method, Reporter(None))
                seconds = time.process_time() - start
                best[method] = min(best.get(method, math.inf), seconds)
                loss[method] = groups.information_loss
        for method in METHODS:
            points.append(Point(name, rows, columns, k, method, best.get(method), loss.get(method)))
        growth = (len(cases[min(at + 1, len(cases) - 1)][0]) / rows) ** 2
        expected = {method: best.get(method, math.inf) * growth for method in METHODS}
        shown = "  ".join(f"{method} {page.seconds(best.get(method))}" for method in METHODS)
        print(f"{name}  n = {rows:,}  k = {k}  {shown}", flush=True)
    return points


def distances(method, matrix, k):
    """Run a method and count the distances that its pool of records computed."""
    pools = []
    make = pool.make

    def keep(*arguments):
        pools.append(make(*arguments))
        return pools[-1]

    with mock.patch.object(pool, "make", keep):
        find(method).group(matrix, k, Reporter(None))
    return sum(int(one.state[EVALUATIONS]) for one in pools)


def count(matrix, k):
    """Count the distances of centroid, tfrp1 and mdav; and those that searches without bounds need.

    Without bounds centroid looks at all remaining records once for the first record of a group
    and once for each of the others. So does tfrp1 once a group, for the k - 1 nearest; its
    first records are known from the distances to the two reference points, computed once.
    """
    rows = len(matrix)
    remaining = range(rows, k - 1, -k)
    return Count(
        k=k,
        centroid=distances("centroid", matrix, k),
        tfrp1=distances("tfrp1", matrix, k),
        mdav=distances("mdav", matrix, k),
        centroid_unbounded=sum(left + sum(left - i for i in range(1, k)) for left in remaining),
        tfrp1_unbounded=2 * rows + sum(left - 1 for left in remaining),
    )


def exponents(points):
    """Return the exponent of time over n of each method: least squares on logarithms."""
    fitted = {}
    for method in METHODS:
        measured = [
            (math.log(point.n), math.log(point.seconds))
            for point in points
            if point.method == method and point.seconds and point.n >= FIT_FROM
        ]
        if len(measured) > 1:
            fitted[method] = float(np.polyfit(*zip(*measured, strict=True), 1)[0])
    return fitted


def main():
    """Make the tables, count, measure, write."""
    first, second = (picture(seed) for seed in SEEDS)
    sparse, dense = blocks(first, 4), blocks(first, 2)
    joined = np.concatenate([dense, blocks(second, 2)])
    joined = joined[np.random.default_rng(SEEDS[0]).permutation(len(joined))]
    warm_up(sparse, dense)

    matrix = standardized(sparse)
    counts = [count(matrix, k) for k in GROUP_SIZES]
    for one in counts:
        print(f"k = {one.k}  distances, centroid over tfrp1: {one.ratio:.2f}", flush=True)
    ratios = [one.ratio for one in counts]
    if ratios != sorted(set(ratios)):
        sys.exit("study: distances of centroid over those of tfrp1 do not grow with k")

    by_k4 = sweep("4x4", [(matrix, k) for k in GROUP_SIZES])
    matrix = standardized(dense)
    by_k2 = sweep("2x2", [(matrix, k) for k in GROUP_SIZES])
    by_n = sweep("joined 2x2", [(standardized(joined[:rows]), K) for rows in ROWS])
    page.write(DOCS, by_k4, by_k2, by_n, counts, exponents(by_n))


if __name__ == "__main__":
    main()
