"""Charts as Vega-Lite specs: plain dicts of binned aggregates, never records.

The colors of text and lines are the page's own (`currentColor`), so that a chart reads well on
white paper and on a dark screen; the two hues differ in lightness too, for eyes that do not tell
them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from shoal.errors import shown
from shoal.measures.definitions import DEFINITIONS
from shoal.report.places import REST

if TYPE_CHECKING:
    from shoal.report.fields import ColumnReport, ReportFields

Spec = dict[str, Any]

BEFORE, AFTER = "#8fa3b8", "#e07a3f"
SERIES = {"domain": ["before", "after"], "range": [BEFORE, AFTER]}
WIDTH, HEIGHT = 300, 130
COLUMNS_SHOWN = 12
ROOM = {"left": 24, "right": 5, "top": 5, "bottom": 5}  # a browser's letters may be wider

CONFIG: Spec = {
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "domainColor": "currentColor",
        "tickColor": "currentColor",
        "gridColor": "#88888840",
        "titleFontWeight": "normal",
        "labelLimit": 140,
    },
    "legend": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "orient": "top",
        "symbolStrokeWidth": 0,
    },
    "title": {"color": "currentColor", "anchor": "start", "fontSize": 13},
    "text": {"color": "currentColor"},
}


def spec_of(values: list[dict[str, Any]], **parts: Any) -> Spec:
    """Return the spec of a chart of values."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": WIDTH,
        "height": HEIGHT,
        "config": CONFIG,
        "data": {"values": values},
        **parts,
    }


def name_of(name: str) -> str:
    """Return a column's name without control signs, which no SVG can hold."""
    return shown(name, 40)[1:-1]


def group_sizes(report: ReportFields) -> Spec:
    """How many groups have how many records."""
    values = [
        {"size": int(size) if size.isdigit() else size, "groups": n}
        for size, n in report.groups["sizes"].items()
    ]
    encoding = {
        "x": {"field": "size", "type": "ordinal", "sort": None, "title": "records in a group",
              "axis": {"labelAngle": 0, "labelOverlap": True}},
        "y": {"field": "groups", "type": "quantitative", "title": "groups"},
    }  # fmt: skip
    width: Any = {"step": 36} if len(values) * 36 < WIDTH else WIDTH
    return spec_of(values, width=width, mark={"type": "bar", "color": AFTER}, encoding=encoding)


def loss_by_column(report: ReportFields) -> Spec:
    """The share of each column that the release lost."""
    what = "variation lost, percent" if report.costs is None else "lost, percent"
    what = "lost at most, percent of the range" if report.is_public else what
    values = [{"column": name_of(c.name), "loss": lost(c)} for c in report.columns]
    encoding = {
        "y": {"field": "column", "type": "nominal", "sort": "-x", "title": None},
        "x": {"field": "loss", "type": "quantitative", "title": what},
    }
    height = {"step": 18}
    return spec_of(
        values, padding=ROOM, height=height, mark={"type": "bar", "color": AFTER}, encoding=encoding
    )


def lost(column: ColumnReport) -> float:
    """Return the loss of a column in percent: exact or public; 0 where it is not public."""
    if column.information_loss is not None:
        return column.information_loss
    return float(column.loss.get("value") or 0.0)


def cells_by_column(report: ReportFields) -> Spec:
    """How the cells of each column were released: as they were, generalized, or as *."""
    columns = [c for c in report.columns if c.released_as in ("generalize", "range")]
    values = [
        {"column": name_of(column.name), "cells": count, "released": word, "order": order}
        for column in columns
        for order, (word, count) in enumerate(
            (
                ("as they were", column.unchanged),
                ("generalized", column.generalized),
                ("* (suppressed)", column.suppressed),
                ("missing before", column.missing),
            )
        )
    ]
    words = ["as they were", "generalized", "* (suppressed)", "missing before"]
    scale = {"domain": words, "range": [BEFORE, AFTER, "#9c3a12", "#c9d1d9"]}
    encoding = {
        "y": {"field": "column", "type": "nominal", "sort": None, "title": None},
        "x": {"field": "cells", "type": "quantitative", "stack": "normalize",
              "title": "share of cells", "axis": {"format": "%"}},
        "color": {"field": "released", "type": "nominal", "scale": scale, "title": None,
                  "legend": {"columns": 2}},
        "order": {"field": "order", "type": "quantitative"},
    }  # fmt: skip
    return spec_of(
        values, padding=ROOM, height={"step": 18}, mark={"type": "bar"}, encoding=encoding
    )


def distribution(column: ColumnReport) -> Spec:
    """A column before and after, in bins."""
    bins = column.histogram
    assert bins is not None
    kind = "temporal" if column.kind in ("date", "datetime") else "quantitative"
    edges = [moment(edge) for edge in bins.edges] if kind == "temporal" else bins.edges
    values = [
        {"from": edges[i], "to": edges[i + 1], "records": counts[i], "when": when}
        for when, counts in (("before", bins.before), ("after", bins.after))
        for i in range(len(counts))
    ]
    axis: Spec = {"title": None, "labelOverlap": "greedy", "tickCount": 4, "grid": False}
    if kind == "temporal":
        axis["format"] = "%Y-%m-%d"
        axis["values"] = [_ticks(bins.edges[i]) for i in (0, len(edges) // 2, -1)]
    encoding = {
        "x": {"field": "from", "type": kind, "axis": axis, "scale": {"nice": False}},
        "x2": {"field": "to"},
        "y": {"field": "records", "type": "quantitative", "title": "records"},
        "y2": {"datum": 0},
        "color": {"field": "when", "type": "nominal", "scale": SERIES, "title": None},
    }
    bars = {
        "transform": [{"filter": "datum.when === 'before'"}],
        "mark": {"type": "rect"},
    }
    outline = {
        "transform": [{"filter": "datum.when === 'after'"}],
        "mark": {"type": "rect", "fillOpacity": 0.12, "strokeWidth": 1.5, "stroke": AFTER},
    }
    return spec_of(values, title=name_of(column.name), encoding=encoding, layer=[bars, outline])


def day_of(days: float) -> datetime:
    """Return days since 1970 as a moment, within the years that a calendar has."""
    within = min(max(days, -719_162.0), 2_932_896.0)
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=within)


def _ticks(days: float) -> Spec:
    """Return a moment as Vega-Lite writes the place of a tick."""
    day = day_of(days)
    return {"year": day.year, "month": day.month, "date": day.day, "hours": day.hour}


def moment(days: float) -> str:
    """Return a day, and a part of it, as a chart takes it."""
    return day_of(days).strftime("%Y-%m-%dT%H:%M:%S")


def frequencies(name: str, before: dict[str, Any], after: dict[str, Any]) -> Spec:
    """The most frequent values of a column before, beside those after; counts alone."""
    every = dict.fromkeys([*before["labels"], *after["labels"]])
    order = sorted(every, key=lambda label: label == REST)  # others last
    values = [
        {
            "value": shown(label, 40)[1:-1],
            "records": count,
            "when": when,
            "place": order.index(label),
        }
        for when, side in (("before", before), ("after", after))
        for label, count in zip(side["labels"], side["counts"], strict=True)
    ]
    encoding = {
        "y": {"field": "value", "type": "nominal", "sort": {"field": "place"}, "title": None},
        "x": {"field": "records", "type": "quantitative", "title": "records",
              "axis": {"tickCount": 4}},
        "color": {"field": "when", "type": "nominal", "scale": SERIES, "title": None},
        "column": {"field": "when", "type": "nominal", "sort": ["before", "after"], "title": None,
                   "header": {"labelColor": "currentColor"}},
    }  # fmt: skip
    return spec_of(
        values, padding=ROOM, width=WIDTH // 2, height={"step": 18}, title=name_of(name),
        mark={"type": "bar"}, encoding=encoding,
    )  # fmt: skip


def correlations(report: ReportFields) -> Spec:
    """Each pair of columns: its correlation before and after; on the line nothing changed."""
    names = report.correlations["columns"]
    before, after = report.correlations["before"] or [], report.correlations["after"]
    values = [
        {
            "pair": f"{name_of(names[i])} and {name_of(names[j])}",
            "before": before[i][j],
            "after": after[i][j],
        }
        for i in range(len(names))
        for j in range(i)
        if before[i][j] is not None and after[i][j] is not None
    ]
    scale = {"domain": [-1, 1]}
    points = {
        "mark": {"type": "point", "filled": True, "size": 45, "color": AFTER, "opacity": 0.8},
        "encoding": {
            "x": {"field": "before", "type": "quantitative", "scale": scale,
                  "title": "correlation before"},
            "y": {"field": "after", "type": "quantitative", "scale": scale,
                  "title": "correlation after"},
        },
    }  # fmt: skip
    line = {
        "data": {"values": [{"x": -1, "y": -1}, {"x": 1, "y": 1}]},
        "mark": {"type": "line", "color": BEFORE, "strokeDash": [4, 4]},
        "encoding": {"x": {"field": "x", "type": "quantitative"},
                     "y": {"field": "y", "type": "quantitative"}},
    }  # fmt: skip
    return spec_of(values, height=220, width=220, layer=[line, points])


def loss_curve(search: Mapping[str, Any], loss_name: str) -> Spec:
    """The best loss over the iterations of a search."""
    values = [{"iteration": at, "loss": loss} for at, loss in search["curve"]]
    ticks = [0, *(10**power for power in range(12) if 10**power <= search["iterations"])]
    encoding = {
        "x": {"field": "iteration", "type": "quantitative", "title": "iteration",
              "scale": {"type": "symlog", "nice": False},
              "axis": {"values": ticks, "labelOverlap": "greedy", "format": ",d"}},
        "y": {"field": "loss", "type": "quantitative", "title": loss_name,
              "scale": {"zero": False}},
    }  # fmt: skip
    mark = {"type": "line", "interpolate": "step-after", "color": AFTER}
    return spec_of(values, mark=mark, encoding=encoding)


def frontier(comparison: dict[str, Any]) -> Spec:
    """What runs lose and what they leave to fear; the frontier as a line, the pick as a star."""
    values = [
        {
            "loss": point["information_loss"],
            "risk": point["risk"],
            "method": point["method"],
            "k": point["k"],
            "auto": point.get("auto", False),
            "what": "picked" if point["picked"] else "frontier" if point["frontier"] else "other",
        }
        for point in comparison["points"]
        if point["information_loss"] is not None
    ]
    x = {"field": "loss", "type": "quantitative", "title": f"loss, {comparison['loss_name']}",
         "scale": {"zero": False}}  # fmt: skip
    y = {"field": "risk", "type": "quantitative", "title": "records linked rightly, percent"}
    on_edge = {"filter": "datum.what !== 'other'"}
    line = {
        "transform": [on_edge],
        "mark": {"type": "line", "color": BEFORE, "interpolate": "step-after"},
        "encoding": {"x": x, "y": y, "order": {"field": "loss", "type": "quantitative"}},
    }
    kinds = ["other", "frontier", "picked"]
    points = {
        "mark": {"type": "point", "filled": True, "opacity": 0.9},
        "encoding": {
            "x": x,
            "y": y,
            "shape": {"field": "k", "type": "ordinal", "title": "k"},
            "color": {"field": "what", "type": "nominal", "title": None,
                      "scale": {"domain": kinds, "range": [BEFORE, AFTER, "#9c3a12"]}},
            "size": {"field": "what", "type": "nominal", "legend": None,
                     "scale": {"domain": kinds, "range": [40, 70, 190]}},
        },
    }  # fmt: skip
    names = {
        "transform": [on_edge],
        "mark": {"type": "text", "align": "left", "dx": 8, "dy": -6, "fontSize": 10},
        "encoding": {"x": x, "y": y, "text": {"field": "method", "type": "nominal"}},
    }
    return spec_of(values, width=460, height=320, padding=ROOM, layer=[line, points, names])


ATTACKS = (
    "prosecutor", "journalist", "marketer", "distance_linkage", "rank_linkage", "block_linkage",
    "kept_linkage", "interval_disclosure", "certain_inference", "class_inference",
    "model_inference", "known_members", "exact_values", "dominance",
)  # fmt: skip


def attacks(measures: Mapping[str, Any] | None) -> Spec | None:
    """What each attack finds, in percent, and 1 in k."""
    risk = (measures or {}).get("risk", {})
    if not measures or not risk:
        return None
    values = [
        {"attack": DEFINITIONS[key].title, "share": max(0.0, risk[key]["value"])}
        for key in ATTACKS
        if key in risk
    ]
    x = {"type": "quantitative", "scale": {"domain": [0, 100]}, "title": "percent"}
    bars = {
        "mark": {"type": "bar", "color": AFTER},
        "encoding": {
            "y": {"field": "attack", "type": "nominal", "sort": None, "title": None,
                  "axis": {"labelLimit": 260}},
            "x": {"field": "share", **x},
        },
    }  # fmt: skip
    line = {
        "data": {"values": [{"k": 100.0 / measures["k"]}]},
        "mark": {"type": "rule", "color": BEFORE, "strokeDash": [4, 4]},
        "encoding": {"x": {"field": "k", **x}},
    }
    return spec_of(values, padding=ROOM, height={"step": 18}, layer=[bars, line])


def report_charts(report: ReportFields) -> dict[str, Spec]:
    """Return every chart of a report by name; distributions of the columns that lost most."""
    shows_loss = not report.is_public or report.loss.get("value") is not None
    charts = {"group sizes": group_sizes(report)}
    if shows_loss:
        charts["loss by column"] = loss_by_column(report)
    if shows_loss and any(c.released_as in ("generalize", "range") for c in report.columns):
        charts["cells by column"] = cells_by_column(report)
    if len(report.correlations["columns"]) > 1 and "before" in report.correlations:
        charts["correlations"] = correlations(report)
    specs = attacks(report.measures)
    if specs is not None:
        charts["attacks"] = specs
    if report.search is not None and report.search["iterations"] > 0:
        charts["loss curve"] = loss_curve(report.search, report.loss_name)
    shown_ = [column for column in report.columns if column.histogram is not None]
    ranked = sorted(shown_, key=lambda column: -lost(column))
    for column in ranked[:COLUMNS_SHOWN]:
        charts[f"distribution {column.name}"] = distribution(column)
    return charts
