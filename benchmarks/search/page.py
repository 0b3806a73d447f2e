"""What the parts leave behind: charts and one page, made of their csv files alone."""

from __future__ import annotations

import platform

from losses import CURVES
from runs import ALL_GROUPS, TABLES

import shoal
from telling import FRAME, read, several, table, wrapped, write_page

# told apart by color-blind eyes (Okabe and Ito)
COLORS = {
    "thesis": "#999999",
    "ilsmc": "#0072B2",
    "bDissolve": "#E69F00",
    "dAccept": "#56B4E9",
    "both": "#000000",
    "ilsmc+": "#D55E00",
    ALL_GROUPS: "#009E73",
    "ilsm": "#CC79A7",
}
GLANCES = 500, 1_000, 5_000  # iterations


# charts


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


def table6_chart(rows):
    """Return best, mean and worst, in percent of the thesis's average."""
    values = []
    for row in rows:
        printed = {what: float(row[f"printed_{what}"]) for what in ("best", "mean", "worst")}
        found = {what: float(row[what]) for what in printed}
        both = [(row["recipe"], found)]
        if row["recipe"] == "ilsmc":
            both.append(("thesis", printed))
        values += [
            {"table": row["table"], "k": int(row["k"]), "recipe": recipe,
             **{what: 100 * (loss / printed["mean"] - 1) for what, loss in losses.items()}}
            for recipe, losses in both
        ]  # fmt: skip
    names = ["thesis", "ilsmc", "ilsmc+"]
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
    """Return pairs over passes, as in figures 9 to 11."""
    values = [{**row, "pass": int(row["pass"]), "pairs": float(row["pairs"])} for row in rows
              if float(row["pairs"]) > 0]  # fmt: skip
    names = ["ilsm", ALL_GROUPS, "ilsmc"]
    dash = {"domain": ["first descent", "after perturbations"], "range": [[2, 3], [1, 0]]}
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                "x": {"field": "pass", "type": "quantitative", "axis": {"grid": False}},
                "y": {"field": "pairs", "type": "quantitative", "scale": {"type": "log"},
                      "axis": {"title": "pairs of groups (logarithmic scale)", "format": ",d",
                               "values": [10**power for power in range(8)]}},
                "color": colored(names),
                "strokeDash": {"field": "when", "type": "nominal", "scale": dash,
                               "legend": {"orient": "bottom", "symbolSize": 400}},
            },
        }
    ]  # fmt: skip
    return panels(values, "table", list(TABLES), layers, 3)


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
    "table6": table6_chart,
    "pairs": pairs_chart,
    "growth": growth_chart,
    "curves": curves_chart,
}


# the page


def table6_text(folder):
    """Table 6 and ours."""
    rows = read(folder, "table6")
    found = {(row["recipe"], row["table"], row["k"]): row for row in rows}
    cells = []
    for name, k in several(rows, "table", "k"):
        ilsmc, plus = found["ilsmc", name, k], found["ilsmc+", name, k]
        cells.append([name, k, *(ilsmc[f"printed_{what}"] for what in ("best", "mean", "worst")),
                      *(f"{float(row[what]):.4f}" for row in (ilsmc, plus)
                        for what in ("best", "mean", "worst"))])  # fmt: skip
    return [
        "## Table 6",
        wrapped(f"""Loss in percent from random starts, seeds 0 to {int(rows[0]["seeds"]) - 1}; the
            thesis has 20 runs. In the chart, points are means and lines go from the best to the
            worst run. The printed figures are rounded, which at 0.37 is a percent."""),
        table(["table", "k", "printed best", "mean", "worst", "ilsmc best", "mean", "worst",
               "ilsmc+ best", "mean", "worst"], cells),
    ]  # fmt: skip


def pairs_text(folder):
    """Pairs an iteration."""
    rows = read(folder, "pairs_an_iteration")
    found = {(row["table"], row["k"], row["recipe"]): float(row["pairs"]) for row in rows}
    recipes = list(dict.fromkeys(row["recipe"] for row in rows))
    cells = []
    for name, k in several(rows, "table", "k"):
        values = {recipe: found[name, k, recipe] for recipe in recipes}
        cells.append([name, k, *(f"{value:,.1f}" for value in values.values()),
                      f"{values['ilsm'] / values['ilsmc']:.1f}",
                      f"{values['ilsm'] / values[ALL_GROUPS]:.2f}"])  # fmt: skip
    return [
        "## Pairs of groups",
        wrapped(f"""How many pairs of groups a pass of the local search examines, as in figures 9
            to 11, k = 3. *{ALL_GROUPS}* is the thesis's own form; `ilsmc` takes for partners only
            groups that own a near record. *After perturbations* starts at a local optimum, and the
            first look at it is left out. A pass is averaged over the descents that came to it; the
            thesis averages over all descents, those that had ended counted as 0."""),
        wrapped("""Pairs an iteration after perturbations. `ilsm` examines all pairs in every pass,
            `ilsmc` those not examined since both groups last changed."""),
        table(["table", "k", *recipes, "ilsm ÷ ilsmc", f"ilsm ÷ {ALL_GROUPS}"], cells),
    ]  # fmt: skip


def speed_text(folder):
    """Seconds beside the prototype's."""
    rows = read(folder, "speed")
    cells = []
    for name, k, samples in several(rows, "table", "k", "s"):
        some = [row for row in rows if (row["table"], row["k"], row["s"]) == (name, k, samples)]
        ours, theirs, loss, other = (
            sum(float(row[what]) for row in some) / len(some)
            for what in ("seconds", "prototype_seconds", "loss", "prototype_loss")
        )
        cells.append([name, k, samples, str(len(some)), f"{ours:.3f}", f"{theirs:.3f}",
                      f"{theirs / ours:.2f}", f"{loss:.4f}", f"{other:.4f}"])  # fmt: skip
    return [
        "## Speed",
        wrapped("""Process seconds of 5,000 iterations from random starts, beside a plain prototype
            of ILSMC in Numba that runs in the same process, by turns. Ours include the search for
            neighbors and the closing comparison of all pairs."""),
        table(["table", "k", "s", "seeds", "seconds", "prototype", "ratio", "loss", "prototype"],
              cells),
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
        wrapped("""Process microseconds of an iteration of `ilsmc`, without the search for
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
    "table6": table6_text,
    "pairs": pairs_text,
    "speed": speed_text,
    "growth": growth_text,
    "curves": curves_text,
}


def write(folder, parts):
    """Draw the charts and write the page, of the parts that were measured."""
    there = [part for part in parts if read(folder, part)]
    opening = f"""Shoal {shoal.__version__} beside Bierman (2020, *Improvements to iterated local
        search for microaggregation*, doctoral dissertation, Nova Southeastern University) on
        tarragona, census and eia10. Made by `make search` with Python
        {platform.python_version()}, every number measured; the csv files beside this page hold
        all of them."""
    told = {part: TEXTS[part](folder) for part in there}
    charts = {part: CHARTS[part](read(folder, part)) for part in there if part in CHARTS}
    write_page(folder, "Iterated local search", opening, told, charts)
