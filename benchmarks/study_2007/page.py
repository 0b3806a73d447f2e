"""What the study leaves behind: a page, a CSV file and three charts. Every number is measured."""

from __future__ import annotations

import csv
import os
import platform
import shutil
import subprocess
import textwrap
from itertools import pairwise

import vl_convert

import shoal

NAME = "tfrp_2007"
PAPER_RATIOS = {10: 3.52, 80: 12.84}  # centroid's seconds over TFRP's, section 4.3 on Fig. 11b

# From slow to fast in 2007. The colors are told apart by color-blind eyes (Okabe and Ito), the
# shapes without any color.
LOOKS = {
    "diameter-phase2": ("#CC79A7", "square"),
    "diameter": ("#D55E00", "square"),
    "centroid-phase2": ("#999999", "diamond"),
    "centroid": ("#E69F00", "diamond"),
    "tfrp": ("#0072B2", "circle"),
    "tfrp1": ("#56B4E9", "triangle-up"),
    "mdav": ("#009E73", "cross"),
    "hilbert": ("#000000", "triangle-down"),
}
TICKS = [number * 10**power for power in (-3, -2, -1, 0, 1, 2) for number in (1, 2, 5)]


def seconds(value):
    """Return seconds with about three digits; a dash for what was not measured."""
    if value is None:
        return "–"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def chart(points, field, title, *, x_title, x_ticks, x_scale):
    """Return a Vega-Lite spec: seconds over one field, a line a method."""
    values = [
        {"method": point.method, "seconds": point.seconds, field: getattr(point, field)}
        for point in points
        if point.seconds is not None
    ]
    least = min(value["seconds"] for value in values)
    most = max(value["seconds"] for value in values)
    low = max(tick for tick in TICKS if tick <= least)
    high = min(tick for tick in TICKS if tick >= most)
    methods = list(LOOKS)
    colors, shapes = zip(*LOOKS.values(), strict=True)
    legend = {"title": None, "orient": "right", "symbolSize": 110, "labelFontSize": 13}
    axis = {"labelFontSize": 12, "titleFontSize": 13, "titleFontWeight": "normal"}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 540,
        "height": 340,
        "background": "white",
        "padding": 12,
        "title": {"text": title, "anchor": "start", "fontSize": 15, "offset": 12},
        "config": {"font": "Helvetica, Arial, sans-serif", "view": {"stroke": None},
                   "axis": {**axis, "gridColor": "#e4e4e4"}},
        "data": {"values": values},
        "mark": {"type": "line", "strokeWidth": 2, "point": {"filled": True, "size": 65}},
        "encoding": {
            "x": {"field": field, "type": "quantitative", "scale": x_scale,
                  "axis": {"title": x_title, "values": x_ticks, "format": ",d", "grid": False,
                           "labelFlush": False}},
            "y": {"field": "seconds", "type": "quantitative",
                  "scale": {"type": "log", "domain": [low, high]},
                  "axis": {"title": "seconds (logarithmic scale)",
                           "values": [tick for tick in TICKS if low <= tick <= high],
                           "format": "~g"}},
            "color": {"field": "method", "type": "nominal", "legend": legend,
                      "scale": {"domain": methods, "range": colors}},
            "shape": {"field": "method", "type": "nominal", "legend": legend,
                      "scale": {"domain": methods, "range": shapes}},
        },
    }  # fmt: skip


def table(head, rows):
    """Return a Markdown table, all columns aligned right."""
    lines = [head, ["--:"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def seconds_table(points, field, last=None):
    """Return seconds as a table: one row for each value of a field, one column a method."""
    found = {(getattr(point, field), point.method): point.seconds for point in points}
    rows = [
        [f"{value:,}", *(seconds(found[value, method]) for method in LOOKS)]
        for value in dict.fromkeys(getattr(point, field) for point in points)
    ]
    return table([field, *LOOKS], rows + ([last] if last else []))


def machine():
    """Return the processor's name and how many cores there are."""
    name = platform.processor() or platform.machine()
    if shutil.which("lscpu"):
        told = subprocess.run(["lscpu"], check=True, capture_output=True, text=True).stdout
        fields = dict(line.split(":", 1) for line in told.splitlines() if ":" in line)
        name = fields.get("Model name", name).strip()
    return f"{name}, {os.cpu_count()} cores"


def write(folder, by_k4, by_k2, by_n, counts, exponents):
    """Write everything into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{NAME}.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(by_k4[0]._fields)
        for point in (*by_k4, *by_k2, *by_n):
            *what, taken, loss = point
            out.writerow([*what, *("" if x is None else f"{x:.4f}" for x in (taken, loss))])
    group_sizes = {
        "x_title": "k, the least size of a group",
        "x_ticks": sorted({point.k for point in by_k4}),
        "x_scale": {"zero": False, "nice": False, "padding": 14},
    }
    sizes = sorted({point.n for point in by_n})
    apart = [one for one, following in pairwise(sizes) if following > 1.2 * one]
    records = {
        "x_title": "records (logarithmic scale)",
        "x_ticks": [*apart, sizes[-1]],
        "x_scale": {"type": "log", "nice": False, "padding": 14},
    }
    n4, n2, k = by_k4[0].n, by_k2[0].n, by_n[0].k
    charts = {
        "k4x4": chart(by_k4, "k", f"Seconds for {n4:,} blocks of 4 × 4 pixels", **group_sizes),
        "k2x2": chart(by_k2, "k", f"Seconds for {n2:,} blocks of 2 × 2 pixels", **group_sizes),
        "n": chart(by_n, "n", f"Seconds as the table grows, k = {k}", **records),
    }
    for name, spec in charts.items():
        drawn = vl_convert.vegalite_to_svg(spec)
        (folder / f"{NAME}_{name}.svg").write_text(drawn, encoding="utf-8")
    text = page(by_k4, by_k2, by_n, counts, exponents)
    (folder / f"{NAME}.md").write_text(text, encoding="utf-8")


def wrapped(text, bullet=""):
    """Return a paragraph in lines of at most 100 signs."""
    return textwrap.fill(
        " ".join(text.split()),
        100,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_on_hyphens=False,
        break_long_words=False,
    )


def page(by_k4, by_k2, by_n, counts, exponents):
    """Return the page as Markdown."""
    fitted = ["exponent", *(f"{exponents[m]:.2f}" if m in exponents else "–" for m in LOOKS)]
    parts = [
        "# The speed study of the TFRP paper, again",
        wrapped(f"""
            Chang, Li and Huang (2007, *TFRP: an efficient microaggregation algorithm for
            statistical disclosure control*, JSS 80(11), section 4.3) measured how long
            microaggregation takes on blocks of two photographs. This page measures the methods of
            Shoal {shoal.__version__} in the same way. `make study` writes it; its numbers are
            those of one run on {machine()}, with Python {platform.python_version()}. All of the
            seconds are in [{NAME}.csv]({NAME}.csv), with the information loss in percent; losses
            over k are a [page of their own]({NAME}_loss.md). Diameter+ and Centroid+ of the paper
            are `diameter-phase2` and `centroid-phase2`."""),
        wrapped(f"""
            **The tables.** The photographs are not ours to ship. Two pictures of 512 × 512 pixels
            and 256 gray levels, made by seed from the dead leaves model
            (`benchmarks/study_2007/pictures.py`), stand in for them. One is cut into 4 × 4 blocks
            ({by_k4[0].n:,} records, {by_k4[0].d} attributes) and 2 × 2 blocks ({by_k2[0].n:,}
            records, {by_k2[0].d} attributes). For the study of n, the 2 × 2 blocks of both are
            joined ({by_n[-1].n:,} records) and shuffled by seed. So no figure can be held
            against one of the paper; how figures grow can."""),
        wrapped("""
            **The seconds** are processor seconds of the grouping alone, on one core, with compiled
            kernels, the best of up to three runs. Tables are standardized beforehand, as in the
            paper. A dash (–) marks a point left out because it would have taken over a minute."""),
        "## Over k",
        f"![Seconds over k, 4 × 4 blocks]({NAME}_k4x4.svg)",
        seconds_table(by_k4, "k"),
        f"![Seconds over k, 2 × 2 blocks]({NAME}_k2x2.svg)",
        seconds_table(by_k2, "k"),
        "## Over n",
        wrapped(f"""
            k = {by_n[0].k}. The last row is the exponent b of seconds ~ n^b, by least squares on
            the logarithms of the points with 20,000 records or more. In the paper Diameter is
            cubic, Centroid and TFRP are quadratic."""),
        f"![Seconds over n]({NAME}_n.svg)",
        seconds_table(by_n, "n", fitted),
        "## Centroid against TFRP",
        wrapped("""
            How many distances between a record and a point were computed on the 4 × 4 blocks, and
            how many times as many in centroid as in tfrp1. *Without bounds* is the same ratio
            where each search looks at every remaining record: k searches a group in centroid,
            one in tfrp1 (and two more at the start). The last three columns are ratios of
            seconds; the paper gives two of them in its text."""),
        ratios(by_k4, counts),
        "## What one sees",
        "\n".join(wrapped(one, "- ") for one in findings(by_k4, by_k2, by_n, counts, exponents)),
    ]
    return "\n\n".join(parts) + "\n"


def over(points, k, method, other):
    """Return a ratio of seconds at one k; a dash where one was not measured."""
    at = {point.method: point.seconds for point in points if point.k == k}
    return f"{at[method] / at[other]:.2f}" if at[method] and at[other] else "–"


def ratios(by_k4, counts):
    """Return centroid over tfrp1 as a table: distances, counted and in theory, and seconds."""
    return table(
        ["k", "centroid", "tfrp1", "mdav", "centroid ÷ tfrp1", "without bounds",
         "seconds: centroid ÷ tfrp1", "centroid ÷ tfrp", "Centroid ÷ TFRP, 2007"],
        [
            [f"{one.k}", *(f"{x:,}" for x in (one.centroid, one.tfrp1, one.mdav)),
             f"{one.ratio:.2f}", f"{one.unbounded_ratio:.2f}",
             over(by_k4, one.k, "centroid", "tfrp1"), over(by_k4, one.k, "centroid", "tfrp"),
             f"{PAPER_RATIOS.get(one.k, '')}"]
            for one in counts
        ],
    )  # fmt: skip


def findings(by_k4, by_k2, by_n, counts, exponents):
    """Return in words what the tables show."""
    first, last = counts[0], counts[-1]
    measured = [point for point in (*by_k4, *by_k2, *by_n) if point.seconds is not None]
    slowest = max(measured, key=lambda point: point.seconds)
    at = {(point.n, point.method): point.seconds for point in by_n if point.seconds is not None}
    largest = by_n[-1].n
    order = sorted((m for m in LOOKS if (largest, m) in at), key=lambda m: at[largest, m])
    phase_two = {n: 1 - at[n, "tfrp1"] / at[n, "tfrp"] for n, m in at if m == "tfrp"}
    few, many = min(phase_two), max(phase_two)
    low, high = min(exponents, key=exponents.get), max(exponents, key=exponents.get)
    return [
        f"""Centroid computes {first.ratio:.1f} times as many distances as tfrp1 at k = {first.k}
        and {last.ratio:.1f} times as many at k = {last.k}: the gap grows with k, as in the paper.
        Bounds narrow it, for at k = {last.k} they leave centroid one in
        {last.centroid_unbounded / last.centroid:.0f} distances and tfrp1 one in
        {last.tfrp1_unbounded / last.tfrp1:.0f}. In seconds the gap is
        {over(by_k4, first.k, "centroid", "tfrp1")} and {over(by_k4, last.k, "centroid", "tfrp1")};
        counts leave out the time to draw the bounds and to look at them.""",
        f"""With {largest:,} records the order is
        {", ".join(f"{m} ({seconds(at[largest, m])} s)" for m in order)}. The slowest point of all
        is {slowest.method} on {slowest.n:,} × {slowest.d} with k = {slowest.k}, at
        {seconds(slowest.seconds)} s. Mdav computes {first.mdav / first.tfrp1:.0%} of the distances
        of tfrp1 at k = {first.k} and {last.mdav / last.tfrp1:.0%} at k = {last.k}.""",
        f"""The paper calls the time of TFRP's second phase slight. Beside a first phase with
        bounds it is {phase_two[few]:.0%} of tfrp's seconds with {few:,} records and
        {phase_two[many]:.0%} with {many:,}. So centroid takes
        {over(by_k4, first.k, "centroid", "tfrp")} times as long as tfrp on the 4 × 4 blocks at
        k = {first.k} and {over(by_k4, last.k, "centroid", "tfrp")} times at k = {last.k}, where
        the paper has {PAPER_RATIOS[first.k]} and {PAPER_RATIOS[last.k]}.""",
        f"""Exponents go from {exponents[low]:.2f} ({low}) to {exponents[high]:.2f} ({high}); in
        the paper they are 2 (Centroid, TFRP) and 3 (Diameter).""",
    ]
