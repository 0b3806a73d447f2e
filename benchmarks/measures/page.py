"""The page of the measures: every definition, and what was measured, made of csv files alone."""

from __future__ import annotations

import platform

import shoal
from shoal.measures.risk.definitions import RISK
from shoal.measures.utility.definitions import UTILITY
from telling import FRAME, definitions, read, table, wrapped, write_page

COLORS = {"mdav": "#D55E00", "ilsmc+": "#0072B2"}


def chart(rows):
    """Return what is linked over what is lost, a point a k."""
    values = [
        {"method": r["method"], "k": f"k = {r['k']}", "lost": float(r["sse_sst"]),
         "linked": float(r["distance_linkage"])}
        for r in rows
    ]  # fmt: skip
    names = list(COLORS)
    color = {"field": "method", "type": "nominal", "sort": names,
             "scale": {"domain": names, "range": list(COLORS.values())}}  # fmt: skip
    x = {"field": "lost", "type": "quantitative", "axis": {"title": "variation lost, percent"}}
    y = {"field": "linked", "type": "quantitative", "axis": {"title": "linked by distance, %"}}
    return {
        **FRAME,
        "width": 420, "height": 280, "data": {"values": values},
        "layer": [
            {"mark": {"type": "line", "point": True}, "encoding": {"x": x, "y": y, "color": color,
             "order": {"field": "lost", "type": "quantitative"}}},
            {"mark": {"type": "text", "dx": 8, "dy": -8, "fontSize": 10, "align": "left"},
             "encoding": {"x": x, "y": y, "text": {"field": "k"}, "color": color}},
        ],
    }  # fmt: skip


def short(text):
    """Return a figure with four digits."""
    return f"{float(text):.4g}"


def linked(rows):
    """Columns grouped together and each on its own."""
    return [
        "## Columns on their own and together",
        wrapped(
            "Grouping each column on its own loses little and protects nobody: nearly every record "
            "is found again by taking the nearest (k = 3; percent). "
            "`benchmarks/measures/measures.py linkage` writes this part."
        ),
        table(
            ["table", "release", "smallest class", "lost", "by distance", "by ranks",
             "by blocks", "intervals", "known members"],
            [[r["table"], r["release"], r["smallest class"],
              *(short(r[key]) for key in list(r)[3:])] for r in rows], left=2,
        ),
    ]  # fmt: skip


def curve(rows):
    """What is lost and what is linked as k grows."""
    return [
        "## As k grows",
        wrapped(
            "Less is linked and more is lost (census; loss and linkage in percent). "
            "`benchmarks/measures/measures.py frontier` writes this part."
        ),
        table(list(rows[0]),
              [[r["method"], r["k"], *(short(r[key]) for key in list(r)[2:])] for r in rows]),
    ]  # fmt: skip


def write(folder):
    """Write docs/measures/README.md and its chart."""
    opening = (
        "`shoal measure ORIGINAL RELEASE`, `shoal.measure(original, release)` and every report "
        "give these figures, each with its sentence. Quasi-identifiers are compared before and "
        "after; x is an original, x′ what is released for it, a *class* all released records "
        "with the same quasi-identifiers. What compares records with their own release needs "
        "to know who is who (`--rows`, `--key`) and is left out where nobody does. Made by `make "
        f"measures` with shoal {shoal.__version__}, Python {platform.python_version()}; the "
        "definitions are those of the code, every number was measured, and the csv files beside "
        "this page hold all of them."
    )
    told, charts = {}, {}
    for name, part in (("linkage", linked), ("frontier", curve)):
        rows = read(folder, name)
        if rows:
            told[name] = part(rows)
            if name == "frontier":
                charts[name] = chart(rows)
    told["utility"] = definitions("What it cost", UTILITY)
    told["risk"] = definitions("Which risks are left", RISK)
    write_page(folder, "What a release cost and which risks are left", opening, told, charts)
