"""What the parts leave behind: charts and one page, made of their csv files alone."""

from __future__ import annotations

import platform

from domain import domain_text
from efforts import efforts_text

import shoal
from methods import METHODS
from telling import FRAME, percent, read, several, table, wrapped, write_page

# told apart by color-blind eyes (Okabe and Ito)
SEARCH, START = "#0072B2", "#D55E00"
BY_METHOD = {
    "mdav": "#E69F00",
    "v-mdav": "#F0E442",
    "hilbert": "#999999",
    "ilsmc+": "#56B4E9",
    "k-member": "#CC79A7",
    "kaim": START,
    "kaim+": SEARCH,
}
LOSS = "information loss, percent"


def whole(text):
    """Return a whole number of a csv file for people; nothing where there is none."""
    return f"{int(text):,}" if text else ""


# charts


def panels(values, layers, width):
    """Return a Vega-Lite spec: small multiples of some layers."""
    names = list(dict.fromkeys(value["panel"] for value in values))
    return {
        **FRAME,
        "data": {"values": values},
        "facet": {"field": "panel", "type": "nominal", "sort": names, "title": None},
        "columns": len(names),
        "resolve": {"scale": {"y": "independent"}, "axis": {"x": "independent"}},
        "spec": {"width": width, "height": 200, "layer": layers},
    }


def limits_chart(there):
    """Return loss over seconds: a line for the longest search, a point where each one ended."""
    ended = [row for row in there["limits"] if row["method"] == "kaim+"]
    series = [("line", there["limits_curves"]), ("point", ended)]
    values = [
        {"panel": f"k = {row['k']}", "kind": kind, "x": float(row["seconds"]),
         "loss": float(row["loss"])}
        for kind, rows in series for row in rows
    ]  # fmt: skip
    encoding = {
        "x": {"field": "x", "type": "quantitative", "axis": {"title": "seconds of the search"}},
        "y": {"field": "loss", "type": "quantitative", "axis": {"title": LOSS},
              "scale": {"zero": False}},
        "color": {"value": SEARCH},
    }  # fmt: skip
    marks = {
        "line": {"type": "line", "strokeWidth": 2},
        "point": {"type": "point", "filled": True, "size": 60},
    }
    layers = [
        {"transform": [{"filter": f"datum.kind == '{kind}'"}], "mark": mark, "encoding": encoding}
        for kind, mark in marks.items()
    ]
    return panels(values, layers, 250)


def methods_chart(there):
    """Return bars: the loss of every method, a panel for every table and k."""
    values = [
        {"panel": f"{row['table']}, k = {row['k']}", "method": row["method"],
         "loss": float(row["loss"])}
        for row in there["methods"]
    ]  # fmt: skip
    names = [name for name in BY_METHOD if any(value["method"] == name for value in values)]
    scale = {"domain": names, "range": [BY_METHOD[name] for name in names]}
    bars = {
        "mark": {"type": "bar"},
        "encoding": {
            "x": {"field": "method", "type": "nominal", "sort": names,
                  "axis": {"title": None, "labelAngle": -45}},
            "y": {"field": "loss", "type": "quantitative", "axis": {"title": LOSS}},
            "color": {"field": "method", "type": "nominal", "scale": scale, "legend": None},
        },
    }  # fmt: skip
    return panels(values, [bars], 190)


CHARTS = {"limits": limits_chart, "methods": methods_chart}


# the page


def limits_text(there):
    """Loss and seconds on all of adult."""
    rows, gains = there["limits"], there["limits_gains"]
    cells = [
        [row["k"], row["method"], row["limit"], row["seconds"], whole(row["iterations"]),
         row["local_optimum"], percent(row["loss"]),
         f"{float(row['percent_below_kaim']):.1f}" if row["limit"] else ""]
        for row in rows
    ]  # fmt: skip
    told = [
        [row["k"], row["part"], whole(row["applied"]), whole(row["improved"]),
         f"{float(row['gain']):.4f}"]
        for row in gains
    ]  # fmt: skip
    longest = max(int(row["limit"]) for row in rows if row["limit"])
    return [
        "## kaim+ on all of adult",
        wrapped(f"""All {int(rows[0]["records"]):,} records, {rows[0]["quasi_identifiers"]}
            quasi-identifiers. `kaim+` begins with the groups of `top-down`, and has a limit of
            time; every line is a run of its own, on two cores, and its seconds are those after
            `top-down`. The curves are those of the limit of {longest} s, the points where each run
            ended. A search first dissolves groups and forms them anew, which the curve follows;
            what its last shifts and swaps gain is known only when they end, so there the curve is
            straight. A *local optimum* is a grouping that no shift to a group near a record, and no
            swap with one, makes better.
            `make mixed` writes it all, `benchmarks/mixed/mixed.py limits` this part."""),
        table(["k", "method", "limit, s", "seconds", "iterations", "local optimum",
               "loss, percent", "percent below kaim"], cells, left=2),
        wrapped(f"""What the parts of the search gained, in points of the loss, with {longest} s.
            *Improved* counts the groups dissolved or formed anew to which the search held on;
            shifts and swaps are made only where they gain."""),
        table(["k", "part", "made", "improved", "gain, points"], told, left=2),
    ]  # fmt: skip


def sample_text(there):
    """Seconds of the sample and the cost of its columns."""
    rows, columns = there["sample"], there["sample_columns"]
    cells = [
        [f"`{row['method']}`", f"`{row['ran']}`", row["seconds"], percent(row["loss"])]
        for row in rows
    ]
    keys = "unchanged", "generalized", "suppressed"
    found = {(row["method"], row["column"]): row for row in columns}
    ways = [method for (method,) in several(columns, "method")]
    by_column = []
    for (name,) in several(columns, "column"):
        cost = [name]
        for row in (found[method, name] for method in ways):
            cost += [percent(row["loss"]), *(whole(row[key]) for key in keys)]
        by_column.append(cost)
    head = [f"{method}: {key}" for method in ways for key in ("loss, percent", *keys)]
    return [
        "## The sample",
        wrapped(f"""`shoal run` on the recipe of the embedded sample,
            {int(rows[0]["records"]):,} records, k = {rows[0]["k"]}, as `make run` does it but
            with the usual effort, with its own `auto` and with `kaim` in its place. Seconds are
            those of the whole process, from its start to its end, everything compiled: the better
            of two. `make mixed` writes it, `benchmarks/mixed/mixed.py sample` this part."""),
        table(["method", "which is", "seconds", "loss, percent"], cells, left=2),
        "What each column cost, and how many of its cells are as they were, generalized or `*`:",
        table(["column", *head], by_column),
    ]


def methods_text(there):
    """Loss and seconds of the methods."""
    rows = there["methods"]
    found = {(row["table"], row["k"], row["method"]): row for row in rows}
    names = [name for (name,) in several(rows, "method")]
    losses, seconds = [], []
    for where in several(rows, "table", "k"):
        some = [found[(*where, name)] for name in names]
        least = min(float(row["loss"]) for row in some)
        label = f"{where[0]}, k = {where[1]}"
        losses.append([label, *(f"**{percent(row['loss'])}**" if float(row["loss"]) == least
                                else percent(row["loss"]) for row in some)])  # fmt: skip
        seconds.append([label, *(row["seconds"] for row in some)])
    told = ", ".join(
        f"{int(records):,} records of {name} with {width} quasi-identifiers"
        for name, records, width in several(rows, "table", "records", "quasi_identifiers")
    )
    head = [f"`{name}`" for name in names]
    return [
        "## Methods side by side",
        wrapped(f"""{told}. Every method groups the same records, and all groups are released as
            generalizations (`aggregate="generalize"`), so that one measure suits all. `mdav`,
            `v-mdav`, `hilbert` and `ilsmc+` ({METHODS["ilsmc+"]["max_iterations"]:,}
            iterations) group by distances of numbers and
            paths in trees and do not look at ILoss; `kaim+` makes its usual number of iterations.
            `make mixed` writes it, `benchmarks/mixed/mixed.py methods` this part."""),
        "ILoss rate in percent, the least is bold:",
        table(["table, k", *head], losses),
        "Seconds from the table to the checked release, everything compiled:",
        table(["table, k", *head], seconds),
    ]


def bounds_text(there):
    """Loss beside what no grouping can lose less than."""
    rows = there["bounds"]
    cells = [
        [row["table"], whole(row["records"]), row["k"], percent(row["loss"]),
         percent(row["neighbor_bound"]), percent(row["programme_bound"]),
         f"{float(row['at_most_above_percent']):.1f}", row["search_cpu"], row["neighbor_cpu"],
         row["programme_cpu"]]
        for row in rows
    ]  # fmt: skip
    return [
        "## How far from the optimum",
        wrapped("""`kaim+` with its usual number of iterations, and what no grouping loses less
            than. The *neighbor bound* adds up what every record loses at least with the k - 1
            others that suit it best (`shoal bound --effort quick`); the *programme* is the linear
            programme over all groups, by column generation, stopped after two minutes: a bound all
            the same (`--effort best --time-limit 120`). The true optimum lies between the greater
            bound and the loss. Of adult, 2,000 records are drawn. Seconds are those of one
            processor. `make mixed` writes it, `benchmarks/mixed/mixed.py bounds` this part."""),
        table(["table", "records", "k", "kaim+, percent", "neighbor bound", "programme",
               "kaim+ above the optimum, percent at most", "CPU s of kaim+",
               "of the neighbor bound", "of the programme"], cells, left=1),
    ]  # fmt: skip


TEXTS = {
    "efforts": efforts_text,
    "domain": domain_text,
    "limits": limits_text,
    "sample": sample_text,
    "methods": methods_text,
    "bounds": bounds_text,
}
FILES = (*TEXTS, "limits_curves", "limits_gains", "sample_columns")


def write(folder):
    """Draw the charts and write the page, of the parts that were measured."""
    there = {name: rows for name in FILES if (rows := read(folder, name))}
    opening = f"""Shoal {shoal.__version__}: the search `kaim+` beside `top-down`, where it starts,
        `kaim`, and methods of other kinds. Losses are KAIM's ILoss rate in percent: 0 where every
        cell is as it was, 100 where all are `*`. Made by `make mixed` with Python
        {platform.python_version()}, every number measured; the csv files beside this page hold all
        of them."""
    parts = [part for part in TEXTS if part in there]
    told = {part: TEXTS[part](there) for part in parts}
    charts = {part: CHARTS[part](there) for part in parts if part in CHARTS}
    write_page(folder, "Texts, trees and missing cells", opening, told, charts)
