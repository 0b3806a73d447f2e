"""Work: pairs of groups that are visited (figures 1 to 3 and 9 to 11 of the thesis)."""

from __future__ import annotations

from runs import ITERATIONS, TABLES, matrix, run

from telling import Bar

K = 3
MOST_A_PASS = {"tarragona": 1_500, "census": 1_900, "eia10": 4_500}  # as the thesis tells
TIMES_AS_MANY = {("tarragona", 3): 14, ("census", 3): 20, ("eia10", 3): 200, ("tarragona", 10): 4}
RUNS = 4
DESCENTS = 8  # of figures 1 to 3; the thesis: 5,000
FEW_ITERATIONS = 25  # ilsm is slow


def local_optimum(points, k):
    """Return a grouping that no comparison of all pairs changes."""
    labels = None
    while True:
        labels, log = run(points, k, "ilsmc", 0, start=labels)
        if len(log.pairs_by_pass) == 1:
            return labels


def after_perturbations(points, k, recipe, start, iterations):
    """Return the pairs an iteration and by pass, without the first look at the start.

    A pass is averaged over all descents, those that had ended counted as 0, as in the thesis.
    """
    first = run(points, k, recipe, 0, start=start, runs=RUNS)[1]
    if len(first.pairs_by_pass) != 1:
        raise RuntimeError(f"the start is no local optimum of {recipe}")
    log = run(points, k, recipe, iterations, start=start, runs=RUNS)[1]
    by_pass = list(log.pairs_by_pass)
    made = RUNS * iterations
    by_pass[0] = (by_pass[0] * (made + RUNS) - first.pairs_examined) / made
    return (log.pairs_examined - first.pairs_examined) / made, by_pass


def descents():
    """Pairs in each pass of LSC and LS from random starts (figures 1 to 3)."""
    rows = []
    for name in TABLES:
        for recipe in ("ilsmc", "ilsm"):  # without iterations: LSC, LS
            log = run(matrix(name), K, recipe, 0, runs=DESCENTS)[1]
            told = {"ilsmc": "lsc", "ilsm": "ls"}[recipe]
            rows += [[name, K, told, DESCENTS, i + 1, f"{value:.1f}"]
                     for i, value in enumerate(log.pairs_by_pass)]  # fmt: skip
            print(f"      {name:<9} {told:<4} {len(log.pairs_by_pass)} passes, "
                  f"{log.pairs_by_pass[0]:,.0f} pairs in the first", flush=True)  # fmt: skip
    return [], {"descents": [["table", "k", "recipe", "runs", "pass", "pairs"], *rows]}


def pairs():
    """How many pairs of groups are visited in a pass, and in an iteration (figures 9 to 11)."""
    bars, by_pass, an_iteration = [], [], []
    for (name, k), times in TIMES_AS_MANY.items():
        points = matrix(name)
        start = local_optimum(points, k)
        found = {}
        for recipe in ("ilsmc-near", "ilsmc", "ilsm"):
            found[recipe], passes = after_perturbations(points, k, recipe, start, FEW_ITERATIONS)
            an_iteration.append([name, k, recipe, RUNS * FEW_ITERATIONS, f"{found[recipe]:.1f}"])
            if k != K:
                continue
            if recipe != "ilsm":
                iterations = ITERATIONS if recipe == "ilsmc-near" else 10 * FEW_ITERATIONS
                passes = after_perturbations(points, k, recipe, start, iterations)[1]
                what = f"{name} k = {k}: pairs in the largest pass, {recipe}"
                bars.append(Bar(what, max(passes), "<", MOST_A_PASS[name]))
            by_pass += [[name, k, recipe, i + 1, f"{value:.1f}"] for i, value in enumerate(passes)]
        what = f"{name} k = {k}: pairs an iteration, ilsm over ilsmc"
        bars.append(Bar(what, found["ilsm"] / found["ilsmc"], ">=", times))
        told = ", ".join(f"{recipe} {value:,.1f}" for recipe, value in found.items())
        print(f"      {name:<9} k = {k:<2} pairs an iteration: {told}", flush=True)
    return bars, {
        "pairs": [["table", "k", "recipe", "pass", "pairs"], *by_pass],
        "pairs_an_iteration": [["table", "k", "recipe", "iterations", "pairs"], *an_iteration],
    }
