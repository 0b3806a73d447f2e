"""Loss: table 6 of the thesis, and how the loss falls (its figures 12 to 34)."""

from __future__ import annotations

import statistics
from itertools import product

import numpy as np
from runs import ITERATIONS, TABLES, full, printed

from telling import Bar

SIZES = 3, 4, 5, 6, 10
SEEDS = 10
ABOVE_AVERAGE, ABOVE_WORST = 0.005, 0.01  # shares of the printed figure

CURVES = "ilsmc", "bDissolve", "dAccept", "both", "ilsmc+"
CURVE_RUNS = {3: 20, 5: 20, 10: 10}  # by k; those of 10 take most of the time
STEP = 50


def table6():
    """`ilsmc` and `ilsmc+` from random starts, beside the thesis's ILSMC."""
    rows, near, below, farthest = [], 0, 0, 0.0
    for name, k in product(TABLES, SIZES):
        best, average, worst = (
            printed("6", name, f"ILSMC {what}", k) for what in ("Best", "Avg", "Worst")
        )
        half_digit = 0.5 * 10.0 ** int(average.as_tuple().exponent)
        bound = float(average) * (1 + ABOVE_AVERAGE) + half_digit
        for recipe in ("ilsmc", "ilsmc+"):
            losses = [full(name, k, recipe, seed).loss_end for seed in range(SEEDS)]
            mean, above = statistics.mean(losses), max(losses) / float(worst) - 1
            if recipe == "ilsmc":
                near += mean <= bound
                farthest = max(farthest, above)
                note = "" if mean <= bound else f"  mean above {bound:.4f}"
                note += f"  worst {above:+.2%}" if above > ABOVE_WORST else ""
            else:
                below += mean < float(average)
                note = "" if mean < float(average) else "  mean not below"
            print(
                f"      {name:<9} k = {k:<2} {recipe:<6} best {min(losses):8.4f} ({best})  "
                f"mean {mean:8.4f} ({average})  worst {max(losses):8.4f} ({worst}){note}",
                flush=True,
            )
            rows.append([name, k, recipe, SEEDS, *(f"{x:.6f}" for x in (min(losses), mean)),
                         f"{max(losses):.6f}", best, average, worst])  # fmt: skip
    cells = len(TABLES) * len(SIZES)
    bars = [
        Bar(f"ilsmc: mean at most the printed one + 0.5 %, of {cells} cells", near, ">=", 14),
        Bar("ilsmc: most that a seed is above the printed worst, percent",
            100 * farthest, "<=", 100 * ABOVE_WORST),
        Bar(f"ilsmc+: mean below the printed one, of {cells} cells", below, ">=", 13),
    ]  # fmt: skip
    head = ["table", "k", "recipe", "seeds", "best", "mean", "worst"]
    return bars, {"table6": [[*head, "printed_best", "printed_mean", "printed_worst"], *rows]}


def best_after(log, iterations):
    """Return the best loss after each of some iterations, before the closing comparison."""
    at, losses = zip(*log.curve[:-1], strict=True)
    return np.array(losses)[np.searchsorted(at, iterations, side="right") - 1]


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
