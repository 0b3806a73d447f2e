"""What the parts leave behind: charts and one page, made of their csv files alone."""

from __future__ import annotations

import platform

from runs import WITHOUT

import shoal
from telling import FRAME, percent, read, several, table, wrapped, write_page

# told apart by color-blind eyes (Okabe and Ito)
COLORS = {"merge": "#D55E00", "swap": "#E69F00", "slices": "#0072B2", "auto": "#009E73"}
DASHES = {"merge": [1, 0], "swap": [1, 0], "slices": [1, 0], "auto": [2, 4]}


def cases(rows):
    """Return what distinguishes the panels: sensitive column, distance, method, k."""
    return several(rows, "sensitive", "distance", "method", "k")


def of(rows, case):
    """Return the rows of one case, by t and way."""
    keys = "sensitive", "distance", "method", "k"
    return {(r["t"], r["way"]): r for r in rows if tuple(r[key] for key in keys) == case}


def label(case):
    """Return a case in words."""
    sensitive, distance, method, k = case
    return f"{sensitive} ({distance}), {method}, k = {k}"


def chart(rows):
    """Return loss over t: a line a way, a panel a case; what is lost without t is a gray line."""
    values, plain = [], []
    for case in cases(rows):
        for (t, way), row in of(rows, case).items():
            one = {"panel": label(case), "way": way, "loss": float(row["loss"])}
            (plain if way == WITHOUT else values).append({**one, "t": float(t or 0)})
    names = list(COLORS)
    x = {"field": "t", "type": "quantitative", "axis": {"title": "t"}}
    y = {"field": "loss", "type": "quantitative", "axis": {"title": "information loss, percent"}}
    color = {"field": "way", "type": "nominal", "sort": names,
             "scale": {"domain": names, "range": [COLORS[name] for name in names]}}  # fmt: skip
    dash = {"field": "way", "type": "nominal", "legend": None,
            "scale": {"domain": names, "range": [DASHES[name] for name in names]}}  # fmt: skip
    lines = {
        "transform": [{"filter": f"datum.way != '{WITHOUT}'"}],
        "mark": {"type": "line", "point": True, "strokeWidth": 2},
        "encoding": {"x": x, "y": y, "color": color, "strokeDash": dash},
    }
    without = {
        "transform": [{"filter": f"datum.way == '{WITHOUT}'"}],
        "mark": {"type": "rule", "color": "#888888", "strokeDash": [4, 3]},
        "encoding": {"y": y},
    }
    panels = [label(case) for case in cases(rows)]
    return {
        **FRAME,
        "data": {"values": values + plain},
        "facet": {"field": "panel", "type": "nominal", "sort": panels, "title": None},
        "columns": 3,
        "spec": {"width": 250, "height": 200, "layer": [lines, without]},
    }


def outcome(rows):
    """Say how often and by how much slices lose less than merging, from the rows."""
    pairs, auto = [], []
    for case in cases(rows):
        found = of(rows, case)
        for (t, way), row in found.items():
            if way == "merge" and row["how"].endswith("merged"):  # there was something to merge
                merged = float(row["loss"])
                pairs.append((float(found[t, "slices"]["loss"]) / merged, label(case), t))
                auto.append(float(found[t, "auto"]["loss"]) / merged)
    less = sum(ratio < 1 for ratio, *_ in pairs)
    least, best, at = min(pairs)
    most, worst, there = max(pairs)
    ratios = sorted(ratio for ratio, *_ in pairs)
    return f"""Where a group of the method is not t-close by itself, slices lose less than merging
        at the same t in {less} of {len(pairs)} rows: in the median
        {100 * ratios[len(ratios) // 2]:.0f} % of what merging loses, from {100 * least:.0f}
        % ({best}, t = {at}) to {100 * most:.0f} % ({worst}, t = {there}); `auto` loses less
        than merging in {sum(ratio < 1 for ratio in auto)} of them, from
        {100 * min(auto):.0f} to {100 * max(auto):.0f} % of it."""


def losses(rows):
    """Return the table of losses, the least of every row bold."""
    cells = []
    for case in cases(rows):
        found = of(rows, case)
        cells.append([label(case), "none", "", "", "", "", percent(found["", WITHOUT]["loss"])])
        for (t,) in several([r for r in rows if r["t"]], "t"):
            some = [found[t, way]["loss"] for way in COLORS]
            least = min(map(float, some))
            cells.append([label(case), t, *(f"**{percent(one)}**" if float(one) == least
                                            else percent(one) for one in some), ""])  # fmt: skip
    return table(["sensitive, method", "t", *COLORS, "without t"], cells)


def details(rows):
    """Return the table of groups and seconds."""
    cells = [
        [", ".join((row["sensitive"], row["distance"], row["method"], f"k = {row['k']}")),
         row["t"] or "none", row["way"], f"{int(row['groups']):,}",
         f"{row['smallest']} / {row['median']} / {row['largest']}", f"{float(row['worst_t']):.3f}",
         row["seconds"], row["how"]]
        for row in rows
    ]  # fmt: skip
    head = ["sensitive, method", "t", "way", "groups", "smallest / median / largest", "worst t",
            "seconds", "how"]  # fmt: skip
    return table(head, cells)


def census_text(there):
    """Loss over t on census."""
    rows = there["census"]
    return [
        "## census",
        wrapped(f"""{outcome(rows)} All {int(rows[0]["records"]):,} records; quasi-identifiers
            {rows[0]["quasi_identifiers"].replace(" ", ", ")}, the other columns are dropped. FEDTAX
            follows from the taxable income among them, EMCONTRB does not. Losses are SSE/SST in
            percent. `benchmarks/closeness/closeness.py census` writes this part."""),
        losses(rows),
        details(rows),
    ]


def adult_text(there):
    """Loss over t on adult."""
    rows = there["adult"]
    return [
        "## adult, every twentieth record",
        wrapped(f"""{outcome(rows)} {int(rows[0]["records"]):,} records; quasi-identifiers
            {rows[0]["quasi_identifiers"].replace(" ", ", ")}, the other columns are dropped. Losses
            are ILoss rates in percent: where a group has dozens of records most cells are `*`,
            whatever was done. `benchmarks/closeness/closeness.py adult` writes this part."""),
        losses(rows),
        details(rows),
    ]


def trees_text(there):
    """Loss of a search by trees over what it begins with."""
    rows = there["trees"]
    head = [
        "records",
        "sensitive",
        "k",
        "asked",
        "way",
        "loss, percent",
        "groups",
        "seconds",
        "how",
    ]
    cells = [
        [f"{int(row['records']):,}", row["sensitive"], row["k"], row["asked"], row["way"],
         percent(row["loss"]), f"{int(row['groups']):,}", row["seconds"], row["how"]]
        for row in rows
    ]  # fmt: skip
    return [
        "## A search by trees",
        wrapped("""`kaim+` at quick effort on some records of adult, quasi-identifiers as above.
            *swap* and *slices* enforce what is asked on the groups that a search begins with;
            then no move may break it. *auto* begins with the better of these two, and with the
            end of a search in which breaking it costs every member of a group more and more; the
            better end counts. *none* is without what is asked.
            `benchmarks/closeness/closeness.py trees` writes this part."""),
        table(head, cells),
    ]


def whole_text(there):
    """Seconds on all of adult."""
    rows = there["whole"]
    cells = [
        [row["t"] or "none", row["way"], percent(row["loss"]), f"{int(row['groups']):,}",
         f"{row['smallest']} / {row['median']} / {row['largest']}", f"{float(row['worst_t']):.3f}",
         row["seconds"], row["how"]]
        for row in rows
    ]  # fmt: skip
    head = ["t", "way", "loss, percent", "groups", "smallest / median / largest", "worst t",
            "seconds", "how"]  # fmt: skip
    return [
        "## All of adult",
        wrapped(f"""All {int(rows[0]["records"]):,} records, {rows[0]["sensitive"]}
            ({rows[0]["distance"]}), {rows[0]["method"]}, k = {rows[0]["k"]}. Seconds from the
            table to the checked release, everything compiled.
            `benchmarks/closeness/closeness.py whole` writes this part."""),
        table(head, cells),
    ]


TEXTS = {"census": census_text, "adult": adult_text, "trees": trees_text, "whole": whole_text}


def write(folder):
    """Draw the charts and write the page, of the parts that were measured."""
    there = {name: rows for name in TEXTS if (rows := read(folder, f"losses_{name}"))}
    opening = f"""Shoal {shoal.__version__}: three ways to t-closeness. *merge* takes the groups of
        a method and joins one that is not t-close to its nearest, until all are. *swap* lets groups
        that are not t-close swap records with those around them, and merges what is left; where
        groups of k records could hardly be t-close it first joins them to larger ones. *slices*
        makes groups anew: records are sorted by the sensitive value and cut into slices, and a
        group takes one record of each; slices are joined to fewer and wider ones while that loses
        less, down to a single one (in the tables *without slices*), and groups that are not t-close
        then are mended by swapping and merging. *auto* keeps the better of swap and slices. They
        are the three algorithms of Soria-Comas, Domingo-Ferrer, Sánchez and Martínez (2015),
        t-closeness through microaggregation: strict privacy with enhanced utility preservation,
        IEEE TKDE 27(11), with changes. Every release was judged by `shoal.verify` at its t; *worst
        t* is the greatest distance that it found; seconds are those of
        the CPU. Made by `make closeness` with Python
        {platform.python_version()}, every number measured; the csv files beside this page hold all
        of them."""
    told = {part: TEXTS[part](there) for part in there}
    charts = {part: chart(there[part]) for part in there if part in ("census", "adult")}
    write_page(folder, "t-closeness by construction and by merging", opening, told, charts)
