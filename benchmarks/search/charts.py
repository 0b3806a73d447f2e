"""Charts of the page, made of the csv files alone."""

from __future__ import annotations

from losses import CURVES
from runs import TABLES

from telling import FRAME

# told apart by color-blind eyes (Okabe and Ito)
COLORS = {
    "thesis": "#999999",
    "ilsmc": "#0072B2",
    "ilsmc-near": "#009E73",
    "bDissolve": "#E69F00",
    "dAccept": "#56B4E9",
    "both": "#000000",
    "ilsmc+": "#D55E00",
    "ilsm": "#CC79A7",
    "lsc": "#0072B2",
    "ls": "#CC79A7",
}


def panels(values, facet, names, layers, columns, *, width=250, height=200, shared_y=False):
    """Return a Vega-Lite spec: small multiples of some layers."""
    return {
        **FRAME,
        "data": {"values": values},
        "facet": {"field": facet, "type": "nominal", "sort": names, "title": None},
        "columns": columns,
        "resolve": {"scale": {"y": "shared" if shared_y else "independent"},
                    "axis": {"x": "independent", "y": "independent"}},
        "spec": {"width": width, "height": height, "layer": layers},
    }  # fmt: skip


def colored(names, field="recipe"):
    """Return the color of a series by its name."""
    scale = {"domain": list(names), "range": [COLORS[name] for name in names]}
    return {"field": field, "type": "nominal", "scale": scale, "legend": {"orient": "bottom"}}


def near_chart(rows):
    """Return best, mean and worst, in percent of the thesis's average."""
    values = []
    for row in rows:
        printed = {what: float(row[f"printed_{what}"]) for what in ("best", "mean", "worst")}
        found = {what: float(row[what]) for what in printed}
        both = [(row["recipe"], found)]
        if row["recipe"] == "ilsmc-near":
            both.append(("thesis", printed))
        values += [
            {"table": row["table"], "k": int(row["k"]), "recipe": recipe,
             **{what: 100 * (loss / printed["mean"] - 1) for what, loss in losses.items()}}
            for recipe, losses in both
        ]  # fmt: skip
    names = ["thesis", "ilsmc-near", "ilsmc+"]
    x = {
        "x": {"field": "k", "type": "ordinal", "axis": {"labelAngle": 0, "grid": False}},
        "xOffset": {"field": "recipe", "sort": names},
        "color": colored(names),
    }
    title = "percent above the printed mean"
    layers = [
        {"mark": {"type": "rule", "strokeWidth": 2},
         "encoding": {**x, "y": {"field": "best", "type": "quantitative", "title": title},
                      "y2": {"field": "worst"}}},
        {"mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
         "encoding": {**x, "y": {"field": "mean", "type": "quantitative", "title": title}}},
    ]  # fmt: skip
    return panels(values, "table", list(TABLES), layers, 3)


def pairs_chart(rows):
    """Return pairs over passes, as in figures 1 to 3 and 9 to 11."""
    values = [{**row, "pass": int(row["pass"]), "pairs": float(row["pairs"])} for row in rows
              if float(row["pairs"]) > 0]  # fmt: skip
    names = list(dict.fromkeys(row["recipe"] for row in rows))
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                "x": {"field": "pass", "type": "quantitative", "axis": {"grid": False}},
                "y": {"field": "pairs", "type": "quantitative", "scale": {"type": "log"},
                      "axis": {"title": "pairs of groups (logarithmic scale)", "format": ",d",
                               "values": [10**power for power in range(8)]}},
                "color": colored(names),
            },
        }
    ]  # fmt: skip
    return panels(values, "table", list(TABLES), layers, 3)


def falls_chart(rows):
    """Return the mean of the best loss over time, as in figures 4 to 8."""
    values = [
        {"panel": f"figure {row['figure']}: {row['table']}, k = {row['k']}",
         "recipe": row["recipe"], "time": float(row["time"]), "loss": float(row["loss"])}
        for row in rows
    ]  # fmt: skip
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 2, "point": {"filled": True, "size": 25}},
            "encoding": {
                "x": {"field": "time", "type": "quantitative", "scale": {"type": "log"},
                      "axis": {"title": "time, in iterations of ilsmc (logarithmic scale)",
                               "grid": False, "values": [10**power for power in range(8)]}},
                "y": {"field": "loss", "type": "quantitative", "scale": {"zero": False},
                      "axis": {"title": "loss, percent"}},
                "color": colored(["ilsmc", "ilsm"]),
            },
        }
    ]  # fmt: skip
    names = list(dict.fromkeys(value["panel"] for value in values))
    return panels(values, "panel", names, layers, 3)


def growth_chart(rows):
    """Return microseconds over n, both on logarithmic scales."""
    values = [
        {"panel": f"k = {row['k']}", "n": int(row["n"]), "µs": float(row["microseconds"]),
         "series": f"{row['data']}, from {row['start']}"}
        for row in rows
    ]  # fmt: skip
    series = list(dict.fromkeys(value["series"] for value in values))
    scale = {"domain": series, "range": ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]}
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 2, "point": {"filled": True, "size": 50}},
            "encoding": {
                "x": {"field": "n", "type": "quantitative",
                      "scale": {"type": "log", "nice": False, "padding": 14},
                      "axis": {"title": "records (logarithmic scale)", "grid": False,
                               "values": sorted({value["n"] for value in values})}},
                "y": {"field": "µs", "type": "quantitative", "scale": {"type": "log"},
                      "axis": {"title": "microseconds an iteration (logarithmic scale)",
                               "values": [10**power for power in range(8)]}},
                "color": {"field": "series", "type": "nominal", "scale": scale,
                          "legend": {"orient": "bottom"}},
            },
        }
    ]  # fmt: skip
    names = list(dict.fromkeys(value["panel"] for value in values))
    return panels(values, "panel", names, layers, 2, width=330, height=260, shared_y=True)


def curves_chart(rows):
    """Return the mean of the best loss over iterations, from the first step on."""
    first = min(int(row["iteration"]) for row in rows if int(row["iteration"]) > 1)
    values = [
        {"panel": f"{row['table']}, k = {row['k']}", "iteration": int(row["iteration"]),
         "recipe": recipe, "loss": float(row[recipe])}
        for row in rows if int(row["iteration"]) >= first
        for recipe in CURVES
    ]  # fmt: skip
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 1.5},
            "encoding": {
                "x": {"field": "iteration", "type": "quantitative",
                      "scale": {"type": "log", "nice": False},
                      "axis": {"title": "iteration (logarithmic scale)", "grid": False,
                               "values": [50, 100, 200, 500, 1000, 2000, 5000]}},
                "y": {"field": "loss", "type": "quantitative", "scale": {"zero": False},
                      "axis": {"title": "loss, percent"}},
                "color": colored(CURVES),
            },
        }
    ]  # fmt: skip
    names = list(dict.fromkeys(value["panel"] for value in values))
    return panels(values, "panel", names, layers, 3, height=180)


CHARTS = {
    "descents": pairs_chart,
    "falls": falls_chart,
    "pairs": pairs_chart,
    "near": near_chart,
    "growth": growth_chart,
    "curves": curves_chart,
}
