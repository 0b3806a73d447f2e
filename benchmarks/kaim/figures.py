"""Figures 4 to 8 of the KAIM paper: information loss of kaim beside k-member."""

from __future__ import annotations

import math
import statistics
import sys
from itertools import product

from runs import ALL, WIDTH, Data, adult, coded, incomplete, missing_share
from store import Run, lost, prepare

from telling import Bar

FULL = "--full" in sys.argv
SIZES = 2, 5, 10  # k
WIDTHS = 2, 5, 8  # quasi-identifiers
REPEATS = 20  # of figure 8, as in the paper; with --full of figures 4 to 7 too
FEW = REPEATS if FULL else 3
BLANKED = range(2, 23, 2)  # percent
RATIO = 0.5  # the paper: 0.438
COMPARED = "fig4", "fig5", "fig6", "fig7"
SEVERAL = ["kaim_random", "kaim_random_least", "kaim_random_greatest", "repeats", "kaim_paper",
           "k_member", "k_member_deleted"]  # fmt: skip


def below(series, points):
    """Return the bar that kaim is below k-member wherever cells are missing.

    `points` are the number of quasi-identifiers and the two losses.
    """
    where = [
        (ours, theirs) for width, ours, theirs in points if incomplete(coded(ALL, width)).any()
    ]
    better = sum(ours < theirs for ours, theirs in where)
    what = f"{series}: below k-member, of {len(where)} points with missing cells"
    return Bar(what, better, ">=", len(where))


def repeats(k, width=WIDTH, data=ALL, many=FEW):
    """Return repeats of kaim from random starts, each on a draw of its own where data are drawn."""
    drawn = data != ALL
    return [
        Run("kaim", k, width, data._replace(draw=seed) if drawn else data, "random", seed)
        for seed in range(many)
    ]


def of_point(k, width=WIDTH, data=ALL):
    """Return all runs of a point of figures 4 to 7."""
    theirs = [Run("k-member", k, width, one.data) for one in repeats(k, width, data)]
    paper = Run("kaim-paper", k, width, data, "random")
    return [*repeats(k, width, data, REPEATS), paper, *dict.fromkeys(theirs)]


def wanted(points):
    """Return the runs of points, without the repeats that are not asked for."""
    return [
        run
        for point in points
        for run in of_point(*point)
        if run.method != "kaim" or run.seed < FEW
    ]


def measured(k, width=WIDTH, data=ALL):
    """Return what a point of figures 4 to 7 lost: the columns of SEVERAL, as numbers."""
    runs = of_point(k, width, data)
    every = {name: [found for run in runs if run.method == name
                    and not math.isnan((found := lost(run)).total)]
             for name in ("kaim", "kaim-paper", "k-member")}  # fmt: skip
    random = [found.total for found in every["kaim"]] or [math.nan]
    paper, theirs = ([one.total for one in every[name]] or [math.nan]
                     for name in ("kaim-paper", "k-member"))  # fmt: skip
    deleted = [one.deleted for one in every["k-member"]] or [math.nan]
    return [statistics.mean(random), min(random), max(random), len(random),
            statistics.mean(paper), statistics.mean(theirs), statistics.mean(deleted)]  # fmt: skip


def fig4():
    """Loss over k."""
    points = list(product(range(2, 11), WIDTHS))
    own = {(k, width): Run("kaim", k, width) for k, width in points}
    prepare([*wanted(points), *own.values()])
    rows, random, default = [], [], []
    for width, k in product(WIDTHS, range(2, 11)):
        found, ours = measured(k, width), lost(own[k, width]).total
        random.append((width, found[0], found[5]))
        default.append((width, ours, found[5]))
        rows.append([width, k, *written(*found), *written(ours)])
    bars = [below("kaim, random starts", random), below("kaim, its own starts", default)]
    return bars, {"fig4": [["quasi_identifiers", "k", *SEVERAL, "kaim"], *rows]}


def fig5():
    """Loss over the number of records."""
    points = [(k, WIDTH, Data(records=records))
              for k, records in product(SIZES, range(2_000, 20_001, 2_000))]  # fmt: skip
    prepare(wanted(points))
    rows = [[k, data.records, *written(*measured(k, width, data))] for k, width, data in points]
    return [], {"fig5": [["k", "records", *SEVERAL], *rows]}


def fig6():
    """Loss over the number of quasi-identifiers."""
    points = list(product(SIZES, range(2, WIDTH + 1)))
    prepare(wanted(points))
    found = {point: measured(*point) for point in points}
    rows = [[k, width, *written(*found[k, width])] for k, width in points]
    compared = [(width, found[k, width][0], found[k, width][5]) for k, width in points]
    head = ["k", "quasi_identifiers", *SEVERAL]
    return [below("kaim, random starts", compared)], {"fig6": [head, *rows]}


def fig7():
    """Loss over the share of missing cells, at first as they are."""
    shares = {None: ALL} | {percent: Data(missing=percent / 100) for percent in BLANKED}
    prepare(wanted([(5, WIDTH, data) for data in shares.values()]))
    found = {percent: measured(5, data=data) for percent, data in shares.items()}
    rows = []
    for percent, values in found.items():
        shown = 100 * missing_share(adult()) if percent is None else percent
        rows.append([f"{shown:.2f}", *written(*values, values[5] - values[6])])
    most = BLANKED[-1]
    ours = [values[0] for values in found.values() if not math.isnan(values[0])]
    bars = [
        Bar(f"kaim, random starts: most it rises up to {most} % missing, points",
            max(ours) - ours[0], "<", 8),
        Bar(f"k-member: loss at {most} % missing, percent", found[most][5], ">", 80),
    ]  # fmt: skip
    return bars, {"fig7": [["missing_percent", *SEVERAL, "k_member_generalized"], *rows]}


def fig8():
    """Loss of repeats with other random starts: the paper's on all records, and one on fewer."""
    few = Data(records=10_000)
    points = {(few, 8, 5): [Run("kaim", 5, 8, few, "random", seed) for seed in range(REPEATS)]}
    for width, k in product(WIDTHS, SIZES):
        points[ALL, width, k] = repeats(k, width, many=REPEATS)
    prepare([run for runs in points.values() for run in runs])
    rows, bars = [], []
    for (data, width, k), runs in points.items():
        found, records = [lost(run).total for run in runs], coded(data, width).rows
        rows += [[records, width, k, seed, *written(loss)] for seed, loss in enumerate(found)]
        if (width, k) == (8, 5):
            what = f"{records:,} records, |QI| = {width}, k = {k}: (max - min) / mean, percent"
            bars.append(Bar(what, 100 * spread(found), "<", 10))
    return bars, {"fig8": [["records", "quasi_identifiers", "k", "seed", "kaim_random"], *rows]}


def ratio(rows_of):
    """Return how much of k-member's loss is kaim's, from the csv files of figures 4 to 7."""
    points = {
        name: [tuple(float(row[key]) for key in ("kaim_random", "kaim_paper", "k_member"))
               for row in rows_of(name)]
        for name in COMPARED
    }  # fmt: skip
    if not all(points.values()):
        return [], {}
    points["all"] = [point for name in COMPARED for point in points[name]]
    rows = []
    for name, some in points.items():
        paper = [(one, theirs) for _, one, theirs in some if not math.isnan(one)]
        rows.append([
            name, len(some), *written(
                statistics.mean(ours / theirs for ours, _, theirs in some),
                sum(ours for ours, _, _ in some) / sum(other for _, _, other in some),
                statistics.mean(one / theirs for one, theirs in paper) if paper else math.nan,
            ), len(paper),
        ])  # fmt: skip
    what = f"kaim, random starts: mean of its loss over k-member's, {rows[-1][1]} points"
    bars = [Bar(what, float(rows[-1][2]), "<=", RATIO)]
    head = ["figure", "points", "mean_of_ratios", "ratio_of_means", "paper_mean_of_ratios",
            "paper_points"]  # fmt: skip
    return bars, {"ratio": [head, *rows]}


def spread(losses):
    """Return the greatest difference of some losses, as a share of their mean."""
    return (max(losses) - min(losses)) / statistics.mean(losses)


def written(*losses):
    """Return numbers as the csv files have them."""
    return [str(loss) if isinstance(loss, int) else f"{loss:.6f}" for loss in losses]
