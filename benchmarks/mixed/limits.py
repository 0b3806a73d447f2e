"""All of the adult table: what `kaim+` loses beside `kaim`, and in how many seconds."""

from __future__ import annotations

import time

import numpy as np
from runs import NAMES, adult_table, trees

from shoal.methods.problem import Nodes, Problem
from shoal.methods.solve import solve
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from telling import Bar

SIZES = 5, 10, 20  # k
LIMITS = 3, 10, 30  # seconds of the search
BELOW, LATE = 10, 2  # percent below kaim at the end; seconds that a limit may be passed by
FEW = 400  # records: enough to compile everything
POINTS = 120  # of a curve


def limits():
    """`kaim`, then `kaim+` from its own start, with three limits of time."""
    coded = code(adult_table(), trees())
    compiled(coded.take(np.arange(FEW)))
    bars, rows, curves, gains = [], [], [], []
    for k in SIZES:
        begun = time.perf_counter()
        start = solve(Problem(Nodes(coded), k), "kaim", Reporter(None))
        took, loss = time.perf_counter() - begun, start.information_loss
        rows.append(row(coded, k, "kaim", "", took, start, loss))
        for limit in LIMITS:
            found, curve = searched(coded, k, limit)
            rows.append(row(coded, k, "kaim+", limit, found.search.seconds, found, loss))
        curves += [[k, f"{seconds:.3f}", f"{lost:.6f}"] for seconds, lost in curve]
        gains += [
            [k, part, gain["applied"], gain.get("improved", ""), f"{gain['gain']:.6f}"]
            for part, gain in found.search.gains.items()
        ]
        what = f"kaim+, k = {k}, limit {limit} s"
        bars += [
            Bar(f"{what}: percent below kaim", below(found, loss), ">=", BELOW),
            Bar(f"{what}: seconds of the search", found.search.seconds, "<=", limit + LATE),
        ]
    head = ["records", "quasi_identifiers", "k", "method", "limit", "seconds", "iterations",
            "local_optimum", "loss", "percent_below_kaim"]  # fmt: skip
    return bars, {
        "limits": [head, *rows],
        "limits_curves": [["k", "seconds", "loss"], *curves],
        "limits_gains": [["k", "part", "applied", "improved", "gain"], *gains],
    }


def compiled(few):
    """Compile both methods, so that no seconds of a run are the compiler's."""
    few_groups = Problem(Nodes(few), SIZES[0], options={"stop": {"iterations": 100}})
    solve(few_groups, "kaim+", Reporter(None))


def searched(coded, k, limit):
    """Return what a search finds, and its losses over the seconds.

    Losses are heard while groups are dissolved and formed anew; then comes the end.
    """
    heard = []

    def hear(progress):
        if progress.stage == "searching":
            heard.append((progress.seconds, progress.best_loss))

    changes = {"stop": {"seconds": limit}}
    problem = Problem(Nodes(coded), k, options=changes)
    found = solve(problem, "kaim+", Reporter(hear))
    kept = np.unique(np.linspace(0, len(heard) - 1, POINTS).astype(int))
    end = found.search.seconds, found.search.loss_end
    return found, [*(heard[i] for i in kept), end]


def below(found, loss):
    """Return how many percent a loss is below another."""
    return 100 * (1 - found.information_loss / loss)


def row(coded, k, method, limit, seconds, found, loss):
    """Print a run and return it as the csv file has it."""
    less = below(found, loss)
    told = f"{method}, limit {limit} s" if limit else method
    print(f"      k = {k:<2} {told:<18} {seconds:5.1f} s  loss {found.information_loss:8.4f} %  "
          f"{less:5.1f} % below kaim", flush=True)  # fmt: skip
    log = found.search
    iterations, optimum = ("", "") if log is None else (log.iterations, log.complete)
    return [coded.rows, len(NAMES), k, method, limit, f"{seconds:.2f}", iterations,
            {True: "yes", False: "no"}.get(optimum, ""), f"{found.information_loss:.6f}",
            f"{less:.3f}"]  # fmt: skip
