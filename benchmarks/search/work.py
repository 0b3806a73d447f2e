"""Work: pairs of groups that are examined (figures 9 to 11 of the thesis)."""

from __future__ import annotations

from runs import ALL_GROUPS, ITERATIONS, matrix, run

from telling import Bar

MOST_A_PASS = {"tarragona": 1_500, "census": 1_900, "eia10": 4_500}
TIMES_AS_MANY = {("tarragona", 3): 14, ("census", 3): 20, ("eia10", 3): 200, ("tarragona", 10): 4}
RUNS = 4
FEW_ITERATIONS = 100  # ilsm is slow


def local_optimum(points, k):
    """Return a grouping that no comparison of all pairs changes."""
    labels = None
    while True:
        labels, log = run(points, k, ALL_GROUPS, 0, start=labels)
        if len(log.pairs_by_pass) == 1:
            return labels


def after_perturbations(points, k, recipe, start, iterations):
    """Return the pairs an iteration and by pass, without the first look at the start.

    A pass is averaged over the descents that came to it. The thesis averages over all descents,
    those that had ended counted as 0, so that its figures are lower.
    """
    first = run(points, k, recipe, 0, start=start, runs=RUNS)[1]
    if len(first.pairs_by_pass) != 1:
        raise RuntimeError(f"the start is no local optimum of {recipe}")
    log = run(points, k, recipe, iterations, start=start, runs=RUNS)[1]
    by_pass = list(log.pairs_by_pass)
    made = RUNS * iterations
    by_pass[0] = (by_pass[0] * (made + RUNS) - first.pairs_examined) / made
    return (log.pairs_examined - first.pairs_examined) / made, by_pass


def pairs():
    """How many pairs of groups are examined in a pass, and in an iteration."""
    bars, by_pass, an_iteration = [], [], []
    for (name, k), times in TIMES_AS_MANY.items():
        points = matrix(name)
        start = local_optimum(points, k)
        found = {}
        for recipe in ("ilsmc", ALL_GROUPS, "ilsm"):
            found[recipe], passes = after_perturbations(points, k, recipe, start, FEW_ITERATIONS)
            an_iteration.append([name, k, recipe, RUNS * FEW_ITERATIONS, f"{found[recipe]:.1f}"])
            if k == 3:
                if recipe != "ilsm":
                    passes = after_perturbations(points, k, recipe, start, ITERATIONS)[1]
                    what = f"{name} k = {k}: pairs in the largest pass, {recipe}"
                    bars.append(Bar(what, max(passes), "<", MOST_A_PASS[name]))
                first = run(points, k, recipe, 0, runs=RUNS)[1].pairs_by_pass
                by_pass += [
                    [name, k, recipe, when, i + 1, f"{value:.1f}"]
                    for when, values in (("first descent", first), ("after perturbations", passes))
                    for i, value in enumerate(values)
                ]
        what = f"{name} k = {k}: pairs an iteration, ilsm over ilsmc"
        bars.append(Bar(what, found["ilsm"] / found["ilsmc"], ">=", times))
        print(
            f"      {name:<9} k = {k:<2} pairs an iteration: "
            + ", ".join(f"{recipe} {value:,.1f}" for recipe, value in found.items())
            + f"; ilsm over {ALL_GROUPS} {found['ilsm'] / found[ALL_GROUPS]:.2f}",
            flush=True,
        )
    return bars, {
        "pairs": [["table", "k", "recipe", "when", "pass", "pairs"], *by_pass],
        "pairs_an_iteration": [["table", "k", "recipe", "iterations", "pairs"], *an_iteration],
    }
