"""Charts of a release alone: one column in counts, or where groups lie in two."""

from __future__ import annotations

from typing import Any

from shoal.errors import shown
from shoal.report.charts import AFTER, ROOM, WIDTH, Spec, moment, name_of, spec_of

DAY = "%Y-%m-%d"


def released_column(shares: dict[str, Any]) -> Spec:
    """A released column: its spans spread evenly over bins, or its most frequent categories."""
    title = f"{name_of(shares['name'])}, released"
    y: Spec = {"field": "records", "type": "quantitative", "title": "records"}
    if "labels" in shares:
        values = [
            {"value": shown(label, 40)[1:-1], "records": count}
            for label, count in zip(shares["labels"], shares["counts"], strict=True)
        ]
        encoding: Spec = {"y": {"field": "value", "type": "nominal", "sort": None, "title": None},
                          "x": y}  # fmt: skip
        return spec_of(
            values, padding=ROOM, width=WIDTH, height={"step": 18}, title=title,
            mark={"type": "bar", "color": AFTER}, encoding=encoding,
        )  # fmt: skip
    dates = shares["dates"]
    edges = [moment(edge) for edge in shares["edges"]] if dates else shares["edges"]
    values = [
        {"from": edges[i], "to": edges[i + 1], "records": records}
        for i, records in enumerate(shares["records"])
    ]
    axis = {"title": None, "labelOverlap": "greedy", "tickCount": 4, "grid": False}
    encoding = {
        "x": {
            "field": "from",
            "type": _type(dates),
            "axis": {**axis, "format": DAY} if dates else axis,
            "scale": {"nice": False} if dates else {"nice": False, "zero": False},
        },
        "x2": {"field": "to"},
        "y": y,
        "y2": {"datum": 0},
    }
    return spec_of(values, title=title, mark={"type": "rect", "color": AFTER}, encoding=encoding)


def pair(places: dict[str, Any]) -> Spec:
    """Two released columns: where groups lie, or the cells of a grid, and how large they are.

    An interval is a line with its middle, a category a place of its own.
    """
    what = "records of a cell" if places["binned"] else "records of a group"
    x, y = (_axis(places, at, name) for at, name in enumerate("xy"))
    size = {"field": "records", "type": "quantitative", "title": what,
            "scale": {"range": [14, 110], "zero": False}, "legend": {"tickMinStep": 1}}  # fmt: skip
    mark = {"type": "point", "filled": True, "color": AFTER, "opacity": 0.55}
    layers: list[Spec] = []
    for at, name in enumerate("xy"):
        if places["axes"][at]["spans"] and not places["binned"]:
            own, other = ((x, y), (y, x))[at]
            line = {**own, "field": f"{name}_low"}
            layers.append(
                {
                    "transform": [{"filter": f"isValid(datum.{name}_low)"}],
                    "mark": {"type": "rule", "color": AFTER, "opacity": 0.35},
                    "encoding": {
                        name: line,
                        f"{name}2": {"field": f"{name}_high"},
                        "yx"[at]: other,
                    },
                }
            )
    layers.append({"mark": mark, "encoding": {"x": x, "y": y, "size": size}})
    points = [_dated(point, places["axes"]) for point in places["points"]]
    sides = {
        side: {"step": 26} if places["axes"][at]["labels"] else usual
        for at, (side, usual) in enumerate((("width", 420), ("height", 320)))
    }
    return spec_of(points, padding=ROOM, layer=layers, **sides)


def _axis(places: dict[str, Any], at: int, name: str) -> Spec:
    own = places["axes"][at]
    base: Spec = {"field": name, "title": name_of(places[name])}
    if own["labels"]:
        labels = [shown(label, 40)[1:-1] for label in own["labels"]]
        return {**base, "type": "nominal", "sort": labels}
    if own["dates"]:
        return {**base, "type": _type(True), "axis": {"format": DAY, "labelOverlap": "greedy"}}
    return {**base, "type": _type(False), "scale": {"zero": False}}


def _type(dates: bool) -> str:
    return "temporal" if dates else "quantitative"


def _dated(point: dict[str, Any], axes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a point with dates as dates, and categories as they can be shown."""
    shown_point = dict(point)
    for axis, name in zip(axes, "xy", strict=True):
        if axis["labels"]:
            shown_point[name] = shown(point[name], 40)[1:-1]
        elif axis["dates"]:
            for key in (name, f"{name}_low", f"{name}_high"):
                if key in shown_point:
                    shown_point[key] = moment(shown_point[key])
    return shown_point
