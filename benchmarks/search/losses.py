"""Losses: tables 4, 6 and 7 of the thesis, and how the loss falls (its figures 12 to 34)."""

from __future__ import annotations

import statistics
import sys
from functools import cache
from itertools import product

import numpy as np
from runs import ITERATIONS, SIZES, TABLES, full, half_digit, printed
from store import BLOCK, best_after, make

from telling import Bar

FULL = "--full" in sys.argv
ALL_RESTARTS = 5_000
RESTARTS = ALL_RESTARTS if FULL else 200
SEEDS = dict.fromkeys(SIZES, 20) if FULL else {3: 5, 4: 5, 5: 5, 6: 5, 10: 3}
NEAR = 0.01  # of the printed figure
MOST = 0.95  # of the figures must be so near
LONG = {"ILSMC": "ilsmc", "ILSM": "ilsm, due"}  # the thesis's name: our recipe
DISSOLVE = {"bDissolve": "ilsm, bDissolve", "dissolve": "ilsm, due"}
WHAT = {"Best": min, "Avg": statistics.mean, "Worst": max}

NEAR_SEEDS = 10
CURVES = "ilsmc-near", "bDissolve", "dAccept", "both", "ilsmc+"
CURVE_RUNS = {3: 20, 5: 20, 10: 10}  # by k; those of 10 take most of the time
STEP = 50


def is_near(loss, figure):
    """Tell whether a loss is within a percent of a printed figure or better, at its digits."""
    return loss <= float(figure) * (1 + NEAR) + half_digit(figure)


@cache
def long_runs():
    """Return the kept searches of 5,000 iterations; makes those that are missing."""
    return make("runs", ("ilsmc", "ilsm, due", "ilsm, bDissolve"), SEEDS)


def losses_of(recipe, name, k):
    """Return the losses of all kept searches of a cell."""
    kept = [row for key, row in sorted(long_runs().items()) if key[:3] == (recipe, name, k)]
    return [float(row["loss"]) for row in kept]


def best_of(losses, many):
    """Return what the best of many restarts is expected to be, and its standard error.

    The mean of the best of m, over all choices of m of the losses, falls by about as much with each
    doubling of m: that line, from m = n/10 to n/2, is prolonged. The error is that of ten parts,
    each left out once (jackknife).
    """
    parts = np.array_split(np.asarray(losses), 10)
    whole = _prolonged(np.sort(losses), many)
    without = [
        _prolonged(np.sort(np.concatenate([*parts[:i], *parts[i + 1 :]])), many) for i in range(10)
    ]
    return whole, float(np.sqrt(0.9 * np.square(np.array(without) - np.mean(without)).sum()))


def _prolonged(ordered, many):
    sizes = np.unique(np.geomspace(ordered.size / 10, ordered.size / 2, 8).astype(int))
    means = [_mean_of_best(ordered, size) for size in sizes]
    slope, intercept = np.polyfit(np.log(sizes), means, 1)
    return float(intercept + slope * np.log(many))


def _mean_of_best(ordered, size):
    """Return the mean of the least of `size` of the losses, over all choices."""
    n = ordered.size
    left = np.cumprod([(n - size - i) / (n - i) for i in range(n - size)])  # none of the first
    chance = np.concatenate(([1.0], left)) - np.concatenate((left, [0.0]))
    return float(chance @ ordered[: chance.size])


@cache
def restarts():
    """Return a row for every cell of table 4, and how many are near print."""
    kept = make("restarts", ("lsc", "ls"), dict.fromkeys(SIZES, -(-RESTARTS // BLOCK)))
    rows, near = [], 0
    for recipe, name, k in product(("lsc", "ls"), TABLES, SIZES):
        blocks = [row for key, row in sorted(kept.items()) if key[:3] == (recipe, name, k)]
        losses = [float(loss) for row in blocks for loss in row["losses"].split()]
        if not losses:
            continue
        figure = printed("4", name, f"{recipe.upper()} Best", k)
        expected, error = best_of(losses, ALL_RESTARTS)
        ours = min(losses) if len(losses) >= ALL_RESTARTS else min(*losses, expected)
        near += is_near(ours, figure)
        spread = statistics.stdev(losses) / len(losses) ** 0.5
        rows.append([name, k, recipe, len(losses), figure, f"{min(losses):.5f}", f"{expected:.5f}",
                     f"{error:.5f}", f"{statistics.mean(losses):.5f}", f"{spread:.5f}",
                     "yes" if is_near(ours, figure) else "no"])  # fmt: skip
    return rows, near


def table4():
    """The best of 5,000 restarts of LSC and LS; of fewer, what it is expected to be.

    How many are near print counts together with those of table 6.
    """
    head = ["table", "k", "recipe", "restarts", "printed", "best", "expected_best",
            "expected_error", "mean", "mean_error", "near"]  # fmt: skip
    return [], {"table4": [head, *restarts()[0]]}


def table6():
    """ILSMC and ILSM: best, mean and worst of the kept runs; with table 4, how many are near."""
    bars, tables = _best_mean_worst("6", LONG, "table6")
    rows, near = restarts()
    cells, all_near = len(rows) + len(tables["table6"]) - 1, near + bars[0].measured
    both = Bar(f"tables 4 and 6: within 1 % or better, of {cells}", all_near, ">=", MOST * cells)
    return [both, *bars[1:]], tables


def table7():
    """ILSM with bDissolve beside plain dissolve; a mean must lie between printed best and worst."""
    return _best_mean_worst("7", DISSOLVE, "table7")


def _best_mean_worst(table, recipes, file):
    rows, near, inside = [], 0, 0
    for (row, recipe), name, k in product(recipes.items(), TABLES, SIZES):
        losses = losses_of(recipe, name, k)
        if not losses:
            continue
        figures = {what: printed(table, name, f"{row} {what}", k) for what in WHAT}
        for what, of in WHAT.items():
            ours, figure = of(losses), figures[what]
            near += is_near(ours, figure)
            rows.append([name, k, row, what, len(losses), figure, f"{ours:.5f}",
                         "yes" if is_near(ours, figure) else "no"])  # fmt: skip
        mean = statistics.mean(losses)
        inside += mean <= float(figures["Worst"]) + half_digit(figures["Worst"])
    cells = len(rows) // 3
    bars = [Bar(f"table {table}: within 1 % or better, of {len(rows)}", near, ">=",
                MOST * len(rows)),
            Bar(f"table {table}: mean within best to worst or better, of {cells}", inside, ">=",
                MOST * cells)]  # fmt: skip
    head = ["table", "k", "row", "what", "runs", "printed", "ours", "near"]
    return bars, {file: [head, *rows]}


def near():
    """`ilsmc-near` and `ilsmc+` from random starts, beside the thesis's ILSMC."""
    rows, below = [], dict.fromkeys(("ilsmc-near", "ilsmc+"), 0)
    for name, k, recipe in product(TABLES, SIZES, below):
        best, average, worst = (printed("6", name, f"ILSMC {what}", k) for what in WHAT)
        losses = [full(name, k, recipe, seed).loss_end for seed in range(NEAR_SEEDS)]
        mean = statistics.mean(losses)
        limit = {"ilsmc-near": float(average) * 1.005 + half_digit(average),
                 "ilsmc+": float(average)}[recipe]  # fmt: skip
        below[recipe] += mean <= limit
        print(f"      {name:<9} k = {k:<2} {recipe:<10} mean {mean:8.4f} ({average})", flush=True)
        rows.append([name, k, recipe, NEAR_SEEDS, *(f"{x:.6f}" for x in (min(losses), mean)),
                     f"{max(losses):.6f}", best, average, worst])  # fmt: skip
    cells = len(TABLES) * len(SIZES)
    bars = [
        Bar(f"ilsmc-near: mean at most the printed one + 0.5 %, of {cells} cells",
            below["ilsmc-near"], ">=", 14),
        Bar(f"ilsmc+: mean at most the printed one, of {cells} cells", below["ilsmc+"], ">=", 13),
    ]  # fmt: skip
    head = ["table", "k", "recipe", "seeds", "best", "mean", "worst"]
    return bars, {"near": [[*head, "printed_best", "printed_mean", "printed_worst"], *rows]}


def curves():
    """Mean of the best loss over the iterations, for the thesis's two improvements and ours."""
    iterations = np.array([1, *range(STEP, ITERATIONS + 1, STEP)])
    rows = []
    for name, (k, runs) in product(TABLES, CURVE_RUNS.items()):
        means = {
            recipe: np.mean(
                [best_after(full(name, k, recipe, seed), iterations) for seed in range(runs)],
                axis=0,
            )
            for recipe in CURVES
        }
        ends = "  ".join(f"{recipe} {mean[-1]:.4f}" for recipe, mean in means.items())
        print(f"      {name:<9} k = {k:<2} {ends}", flush=True)
        rows += [
            [name, k, runs, iteration, *(f"{means[recipe][i]:.6f}" for recipe in CURVES)]
            for i, iteration in enumerate(iterations)
        ]
    return [], {"curves": [["table", "k", "runs", "iteration", *CURVES], *rows]}
