"""Figures 4 to 8 of the KAIM paper: information loss of kaim beside k-member."""

from __future__ import annotations

import statistics
from itertools import product

from runs import (
    ALL,
    WIDTH,
    Data,
    adult,
    coded,
    incomplete,
    lost,
    missing_share,
    random_kaim,
)

from telling import Bar

SIZES = 2, 5, 10  # k
WIDTHS = 2, 5, 8  # quasi-identifiers
REPEATS = 20
BLANKED = range(2, 23, 2)  # percent
RATIO = 0.5  # the paper: 0.438
COMPARED = "fig4", "fig5", "fig6", "fig7"


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


def fig4():
    """Loss over k."""
    rows, random, default = [], [], []
    for width, k in product(WIDTHS, range(2, 11)):
        theirs, ours = lost("k-member", k, width), random_kaim(k, width)
        ours_by_default = lost("kaim", k, width).total
        random.append((width, ours, theirs.total))
        default.append((width, ours_by_default, theirs.total))
        rows.append([width, k, *written(ours, ours_by_default, theirs.total, theirs.deleted)])
    head = ["quasi_identifiers", "k", "kaim_random", "kaim", "k_member", "k_member_deleted"]
    bars = [below("kaim, random starts", random), below("kaim, its own starts", default)]
    return bars, {"fig4": [head, *rows]}


def fig5():
    """Loss over the number of records."""
    rows = []
    for k, records in product(SIZES, range(2_000, 20_001, 2_000)):
        data = Data(records=records)
        theirs = lost("k-member", k, data=data)
        ours = random_kaim(k, data=data)
        rows.append([k, records, *written(ours, theirs.total, theirs.deleted)])
    return [], {"fig5": [["k", "records", "kaim_random", "k_member", "k_member_deleted"], *rows]}


def fig6():
    """Loss over the number of quasi-identifiers."""
    rows, points = [], []
    for k, width in product(SIZES, range(2, WIDTH + 1)):
        theirs, ours = lost("k-member", k, width), random_kaim(k, width)
        points.append((width, ours, theirs.total))
        rows.append([k, width, *written(ours, theirs.total, theirs.deleted)])
    head = ["k", "quasi_identifiers", "kaim_random", "k_member", "k_member_deleted"]
    return [below("kaim, random starts", points)], {"fig6": [head, *rows]}


def fig7():
    """Loss over the share of missing cells, at first as they are."""
    rows, ours, theirs = [], [], []
    for percent in (None, *BLANKED):
        data = ALL if percent is None else Data(missing=percent / 100)
        found = lost("k-member", 5, data=data)
        theirs.append(found.total)
        ours.append(random_kaim(5, data=data))
        shown = 100 * missing_share(adult()) if percent is None else percent
        rows.append([f"{shown:.2f}", *written(ours[-1], found.total, found.total - found.deleted,
                                              found.deleted)])  # fmt: skip
    most = BLANKED[-1]
    bars = [
        Bar(f"kaim, random starts: most it rises up to {most} % missing, points",
            max(ours) - ours[0], "<", 8),
        Bar(f"k-member: loss at {most} % missing, percent", theirs[-1], ">", 80),
    ]  # fmt: skip
    head = ["missing_percent", "kaim_random", "k_member", "k_member_generalized",
            "k_member_deleted"]  # fmt: skip
    return bars, {"fig7": [head, *rows]}


def fig8():
    """Loss of repeats with other random starts: the paper's on all records, and one on fewer."""
    rows, bars = [], []
    for data, width, k in [(Data(records=10_000), 8, 5), *product((ALL,), WIDTHS, SIZES)]:
        found = [random_kaim(k, width, data, seed) for seed in range(REPEATS)]
        records = coded(data, width).rows
        rows += [[records, width, k, seed, *written(loss)] for seed, loss in enumerate(found)]
        if (width, k) == (8, 5):
            what = f"{records:,} records, |QI| = {width}, k = {k}: (max - min) / mean, percent"
            bars.append(Bar(what, 100 * spread(found), "<", 10))
    return bars, {"fig8": [["records", "quasi_identifiers", "k", "seed", "kaim_random"], *rows]}


def ratio(rows_of):
    """Return how much of k-member's loss is kaim's, from the csv files of figures 4 to 7."""
    points = {
        name: [(float(row["kaim_random"]), float(row["k_member"])) for row in rows_of(name)]
        for name in COMPARED
    }
    if not all(points.values()):
        return [], {}
    points["all"] = [point for name in COMPARED for point in points[name]]
    rows = [
        [name, len(some), *written(statistics.mean(ours / theirs for ours, theirs in some),
                                   sum(ours for ours, _ in some) / sum(other for _, other in some))]
        for name, some in points.items()
    ]  # fmt: skip
    what = f"kaim, random starts: mean of its loss over k-member's, {rows[-1][1]} points"
    bars = [Bar(what, float(rows[-1][2]), "<=", RATIO)]
    return bars, {"ratio": [["figure", "points", "mean_of_ratios", "ratio_of_means"], *rows]}


def spread(losses):
    """Return the greatest difference of some losses, as a share of their mean."""
    return (max(losses) - min(losses)) / statistics.mean(losses)


def written(*losses):
    """Return numbers as the csv files have them."""
    return [f"{loss:.6f}" for loss in losses]
