"""Which records to leave out: chosen with the groups, beside three simple rules.

    SHOAL_DATA=… python benchmarks/suppress/records.py [census|adult|few …]

`census` (k = 5) and `adult` (k = 10) leave out 1 %; all rows group the others by the same method.
`few` compares 100 tables of 6 to 10 records with brute force.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests")]

from naive import suppressing  # noqa: E402
from reference import NAMES, adult, folder, trees  # noqa: E402
from shoal.methods.problem import Nodes, Points  # noqa: E402
from shoal.methods.suppress.choose import Regroup, Task, allowed, choose  # noqa: E402
from shoal.methods.suppress.removals import Losses  # noqa: E402
from shoal.partition import rows_of_groups  # noqa: E402
from shoal.pipeline.group import (  # noqa: E402
    Conditions,
    Groups,
    suppressed,
)
from shoal.progress import Reporter  # noqa: E402
from shoal.settings.tree import settings_and_run  # noqa: E402
from shoal.table.encode import encode  # noqa: E402
from shoal.table.encode_nodes import code  # noqa: E402
from shoal.table.read import read  # noqa: E402

SHARE, TABLES = 0.01, 100
QUIET = Reporter(None)


def census():
    """The census table as points, k = 5."""
    table = read(folder() / "census.csv")
    return Points(encode(table, k=5).matrix), 5


def adults():
    """The adult table as nodes of its hierarchies, k = 10."""
    table = adult().only(lambda column: column.name in NAMES)
    coded = code(table, trees())
    return Nodes(coded, None, encode(table, coded=coded, k=10).matrix), 10


def beside(name, encoding, k):
    """Print what the others lose, by how the records are chosen that are left out."""
    groups = Groups(settings_and_run({"k": k, "effort": "quick"})[0], QUIET, None)
    rows, matrix, losses = encoding.rows, encoding.matrix, Losses(encoding)
    budget = allowed(SHARE, rows)
    start = time.perf_counter()
    every = groups.in_strata(encoding, Conditions())
    plain = time.perf_counter() - start
    print(f"{name}: {rows:,} records, k = {k}, {budget} may be left out, effort quick")
    print("left out                       records  others lose %  with those %  seconds")
    line("none", every, 0.0, 0, plain)
    start = time.perf_counter()
    found = suppressed(groups, encoding, Conditions(), budget, lambda _: None)
    own = found.suppression
    seconds = time.perf_counter() - start
    line("chosen with the groups", found, own.others, own.suppressed.size, seconds)
    worst = np.zeros(rows)
    members = rows_of_groups(np.array(every.labels))
    for some, lost, without in zip(members, losses.of(members), losses.without(members),
                                   strict=True):  # fmt: skip
        worst[some] = lost - without
    apart = ((matrix - matrix.mean(axis=0)) ** 2).sum(axis=1)
    drawn = np.random.default_rng(0).random(rows)
    for words, score in (("farthest from the mean", apart), ("largest loss in their groups", worst),
                         ("at random", drawn)):  # fmt: skip
        start = time.perf_counter()
        out = np.sort(np.argsort(-score, kind="stable")[:budget])
        rest = encoding.without(out)
        made = groups.in_strata(rest, Conditions())
        others = made.information_loss - rest.lost_with_others
        line(words, made, others, out.size, time.perf_counter() - start)


def line(words, partition, others, count, seconds):
    """Print one row."""
    lost = partition.information_loss
    others = others if count else lost
    print(f"{words:30} {count:7,} {others:14.4f} {lost:13.4f} {seconds:8.1f}", flush=True)


def few():
    """Count on how many small tables the choice equals brute force, exactly and by turns alone."""
    exact = turns = 0
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        rows, k = int(rng.integers(6, 11)), int(rng.integers(2, 4))
        budget = int(rng.integers(1, 4))
        matrix = rng.standard_t(2, size=(rows, 2))
        points = [tuple(one) for one in matrix]

        def loss(some, points=points):
            return suppressing.squared([points[i] for i in some])

        best = suppressing.best_without(rows, k, budget, loss)
        encoding = Points(matrix)
        groups = Groups(settings_and_run({"k": k, "effort": "quick"})[0], QUIET, 1)

        def anew(some, groups=groups, encoding=encoding):
            return groups.in_strata(encoding.take(some), Conditions()).labels

        ways = Regroup(anew, lambda _, labels: labels)
        for only_k in (True, False):
            task = Task(encoding, matrix, k, min(budget, rows - k), None, only_k)
            found = choose(task, ways, QUIET)
            labels = anew(found.kept) if not only_k else found.labels
            kept = [found.kept[some] for some in rows_of_groups(labels)]
            same = Losses(encoding).of(kept).sum() <= best * (1 + 1e-9) + 1e-12
            exact, turns = exact + (same and only_k), turns + (same and not only_k)
    print(f"few: of {TABLES} tables of 6 to 10 records, 1 to 3 of which may be left out, {exact} "
          f"lose as little as brute force finds; {turns} by turns and exchanges alone")  # fmt: skip


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["census", "adult", "few"]
    for one in wanted:
        if one == "few":
            few()
        else:
            beside(one, *(census() if one == "census" else adults()))
