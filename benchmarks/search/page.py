"""What the parts leave behind: one page, made of their csv files alone."""

from __future__ import annotations

import platform

import figures
import thesis_page as thesis
from charts import CHARTS
from losses import CURVES

import shoal
from telling import read, several, table, wrapped, write_page

GLANCES = 500, 1_000, 5_000  # iterations


def near_text(folder):
    """Table 6 and our faster form."""
    rows = read(folder, "near")
    found = {(row["recipe"], row["table"], row["k"]): row for row in rows}
    cells = []
    for name, k in several(rows, "table", "k"):
        near, plus = found["ilsmc-near", name, k], found["ilsmc+", name, k]
        cells.append([name, k, *(near[f"printed_{what}"] for what in ("best", "mean", "worst")),
                      *(f"{float(row[what]):.4f}" for row in (near, plus)
                        for what in ("best", "mean", "worst"))])  # fmt: skip
    return [
        "## Our faster form",
        wrapped(f"""`ilsmc-near` makes the best move of a pair and looks only at groups that own a
            near record; `ilsmc+` builds on it. Loss in percent from random starts, seeds 0 to
            {int(rows[0]["seeds"]) - 1}; the thesis has 20 runs. In the chart, points are means and
            lines go from the best to the worst run. The printed figures are rounded, which at 0.37
            is a percent."""),
        table(["table", "k", "printed best", "mean", "worst", "ilsmc-near best", "mean", "worst",
               "ilsmc+ best", "mean", "worst"], cells),
    ]  # fmt: skip


def growth_text(folder):
    """Microseconds by n."""
    rows = read(folder, "growth")
    kinds = several(rows, "k", "data", "start")
    found = {(row["k"], row["data"], row["start"], row["n"]): row["microseconds"] for row in rows}
    cells = [
        [f"{int(n):,}", *(f"{float(found[*kind, n]):.1f}" for kind in kinds)]
        for (n,) in several(rows, "n")
    ]
    return [
        "## Growth",
        wrapped("""Process microseconds of an iteration of `ilsmc-near`, without the search for
            neighbors, the first descent and the closing comparison. Tables have 8 columns.
            Clustered records lie around seeded centers: 50, or one for 20 records, so that a
            record has as many near ones whatever n is. From `mdav` nearly all groups have k
            records, from `hilbert` many have more."""),
        table(["n", *(f"k = {k}, {data}, {start}" for k, data, start in kinds)], cells, left=0),
    ]


def curves_text(folder):
    """Loss after some iterations."""
    rows = read(folder, "curves")
    found = {(row["table"], row["k"], int(row["iteration"])): row for row in rows}
    cells = [
        [name, k, f"{at:,}", *(f"{float(found[name, k, at][recipe]):.4f}" for recipe in CURVES)]
        for name, k in several(rows, "table", "k")
        for at in GLANCES
    ]
    runs = ", ".join(f"{runs} at k = {k}" for k, runs in several(rows, "k", "runs"))
    return [
        "## Curves",
        wrapped(f"""Means of the best loss of several runs ({runs}) from random starts, as in
            figures 12 to 34 (there from ILSM): *bDissolve* draws 5 groups and dissolves the one of
            most loss, *dAccept* has T = 0.00001, *both* joins them, `ilsmc+` has bDissolve and
            annealing over all iterations. The closing comparison is left out."""),
        table(["table", "k", "iteration", *CURVES], cells),
    ]


TEXTS = {
    "thesis": thesis.all_text,
    "table3": thesis.table3_text,
    "table4": thesis.table4_text,
    "table5": thesis.table5_text,
    "table6": thesis.table6_text,
    "table7": thesis.table7_text,
    "descents": thesis.descents_text,
    "falls": thesis.falls_text,
    "pairs": thesis.pairs_text,
    "near": near_text,
    "growth": growth_text,
    "curves": curves_text,
}


def write(folder):
    """Draw the charts and write the page, of the parts that were measured."""
    figures.write_all(folder)
    figures.write_falls(folder)
    there = [part for part in TEXTS if read(folder, part)]
    opening = f"""Shoal {shoal.__version__} beside Bierman (2020, *Improvements to iterated local
        search for microaggregation*, doctoral dissertation, Nova Southeastern University) on
        tarragona, census and eia10. `ls`, `lsc`, `ilsm` and `ilsmc` are its algorithms as they are
        written there. Made by `make search` with Python {platform.python_version()}, every number
        measured; the csv files beside this page hold all of them."""
    told = {part: TEXTS[part](folder) for part in there}
    charts = {part: CHARTS[part](read(folder, part)) for part in there if part in CHARTS}
    write_page(folder, "Iterated local search", opening, told, charts)
