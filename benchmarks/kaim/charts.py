"""Charts of the page, made of the csv files alone."""

from __future__ import annotations

import runs  # noqa: F401 - says where `telling` is

from telling import FRAME

# csv column: name and color, told apart by color-blind eyes (Okabe and Ito)
SERIES = {
    "k_member": ("k-member", "#D55E00"),
    "kaim_random": ("kaim, random starts", "#0072B2"),
    "kaim": ("kaim, its own starts", "#009E73"),
    "kaim_paper": ("kaim-paper", "#CC79A7"),
}
PIECES = {
    "k_member_deleted": ("deleted records", "#D55E00"),
    "k_member_generalized": ("generalization", "#E69F00"),
}
BY_K = {"2": "#009E73", "5": "#0072B2", "10": "#CC79A7"}
LOSS = "information loss, percent"


def colored(looks, field="series"):
    """Return the color of a series by its name; `looks` are names and colors."""
    names, colors = zip(*looks, strict=True)
    scale = {"domain": list(names), "range": list(colors)}
    return {"field": field, "type": "nominal", "scale": scale}


def panels(values, x, color):
    """Return a Vega-Lite spec: lines of losses, a panel for every value of a third column."""
    names = list(dict.fromkeys(value["panel"] for value in values))
    encoding = {
        "x": {"field": "x", "type": "quantitative", **x},
        "y": {"field": "loss", "type": "quantitative", "axis": {"title": LOSS}},
        "color": color,
        "strokeDash": {  # it lies on the line of random starts
            "condition": {"test": f"datum.series == '{SERIES['kaim'][0]}'", "value": [5, 5]},
            "value": [1, 0],
        },
    }
    return {
        **FRAME,
        "data": {"values": values},
        "facet": {"field": "panel", "type": "nominal", "sort": names, "title": None},
        "columns": len(names),
        "resolve": {"axis": {"x": "independent", "y": "independent"}},
        "spec": {
            "width": 250,
            "height": 200,
            "mark": {"type": "line", "strokeWidth": 2, "point": {"filled": True, "size": 35}},
            "encoding": encoding,
        },
    }


def lines(rows, panel, over, title, series, **axis):
    """Return losses over a column of a csv file, a panel for every value of another."""
    name, column = panel
    values = [
        {"panel": f"{name} = {row[column]}", "x": float(row[over]), "loss": float(row[key]),
         "series": SERIES[key][0]}
        for row in rows for key in series if row[key] != "nan"
    ]  # fmt: skip
    ticks = sorted({value["x"] for value in values})
    x = {
        "scale": {"domain": [ticks[0], ticks[-1]], "nice": False, "padding": 8},
        "axis": {"title": title, "grid": False, "values": ticks, "format": "d", **axis},
    }
    return panels(values, x, colored([SERIES[key] for key in series]))


def fig4_chart(rows):
    """Return loss over k."""
    return lines(rows, ("|QI|", "quasi_identifiers"), "k", "k", list(SERIES))


def fig5_chart(rows):
    """Return loss over records."""
    ticks = [4_000, 8_000, 12_000, 16_000, 20_000]
    both = ["k_member", "kaim_random", "kaim_paper"]
    return lines(rows, ("k", "k"), "records", "records", both, values=ticks, format=",d")


def fig6_chart(rows):
    """Return loss over quasi-identifiers."""
    both = ["k_member", "kaim_random", "kaim_paper"]
    return lines(rows, ("k", "k"), "quasi_identifiers", "quasi-identifiers", both)


def fig7_chart(rows):
    """Return bars over the share of missing cells: what k-member loses, and both."""
    order = [f"{float(row['missing_percent']):g}" for row in rows]
    x = {"field": "missing", "type": "ordinal", "sort": order,
         "axis": {"title": "missing cells, percent", "labelAngle": 0, "grid": False}}  # fmt: skip
    y = {"field": "loss", "type": "quantitative", "axis": {"title": LOSS},
         "scale": {"domain": [0, 100]}}  # fmt: skip

    def bars(title, looks, **more):
        values = [
            {"missing": at, "series": name, "loss": float(row[key]), "order": i}
            for at, row in zip(order, rows, strict=True)
            for i, (key, (name, _)) in enumerate(looks.items())
            if row[key] != "nan"
        ]
        return {
            "title": title,
            "width": 380,
            "height": 220,
            "data": {"values": values},
            "mark": {"type": "bar"},
            "encoding": {"x": x, "y": y, "color": colored(looks.values()), **more},
        }

    both = {key: SERIES[key] for key in ("kaim_random", "kaim_paper", "k_member")}
    beside = {"xOffset": {"field": "series", "sort": [name for name, _ in both.values()]}}
    return {
        **FRAME,
        "resolve": {"scale": {"color": "independent"}},
        "hconcat": [
            bars("what k-member loses", PIECES, order={"field": "order", "type": "quantitative"}),
            bars("all", both, **beside),
        ],
    }


def fig8_chart(rows):
    """Return loss over repeats, on all records."""
    most = max(int(row["records"]) for row in rows)
    values = [
        {"panel": f"|QI| = {row['quasi_identifiers']}", "x": int(row["seed"]) + 1,
         "loss": float(row["kaim_random"]), "series": f"k = {row['k']}"}
        for row in rows if int(row["records"]) == most
    ]  # fmt: skip
    x = {
        "scale": {"domain": [1, max(value["x"] for value in values)], "nice": False, "padding": 8},
        "axis": {"title": "repeat", "grid": False, "values": [1, 4, 8, 12, 16, 20]},
    }
    return panels(values, x, colored([(f"k = {k}", color) for k, color in BY_K.items()]))


CHARTS = {
    "fig4": fig4_chart,
    "fig5": fig5_chart,
    "fig6": fig6_chart,
    "fig7": fig7_chart,
    "fig8": fig8_chart,
}
