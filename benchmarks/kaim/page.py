"""What the parts leave behind: charts and one page, made of their csv files alone."""

from __future__ import annotations

import platform
import statistics

from figures import spread

import shoal
from telling import FRAME, percent, read, several, table, wrapped, write_page

# csv column: name and color, told apart by color-blind eyes (Okabe and Ito)
SERIES = {
    "k_member": ("k-member", "#D55E00"),
    "kaim_random": ("kaim, random starts", "#0072B2"),
    "kaim": ("kaim, its own starts", "#009E73"),
}
PIECES = {
    "k_member_deleted": ("deleted records", "#D55E00"),
    "k_member_generalized": ("generalization", "#E69F00"),
}
BY_K = {"2": "#009E73", "5": "#0072B2", "10": "#CC79A7"}
LOSS = "information loss, percent"


# charts


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
        for row in rows for key in series
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
    both = ["k_member", "kaim_random"]
    return lines(rows, ("k", "k"), "records", "records", both, values=ticks, format=",d")


def fig6_chart(rows):
    """Return loss over quasi-identifiers."""
    both = ["k_member", "kaim_random"]
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
        ]
        return {
            "title": title,
            "width": 380,
            "height": 220,
            "data": {"values": values},
            "mark": {"type": "bar"},
            "encoding": {"x": x, "y": y, "color": colored(looks.values()), **more},
        }

    both = {key: SERIES[key] for key in ("kaim_random", "k_member")}
    beside = {"xOffset": {"field": "series", "sort": [name for name, _ in both.values()]}}
    return {
        **FRAME,
        "resolve": {"scale": {"color": "independent"}},
        "hconcat": [
            bars("what k-member loses", PIECES, order={"field": "order", "type": "quantitative"}),
            bars("both", both, **beside),
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


# the page


def across(rows, down, over, series, names):
    """Return a table: a line for every value of a column, losses for every value of another."""
    label, column = over
    found = {(row[down[1]], row[column]): row for row in rows}
    values = [value for (value,) in several(rows, column)]
    cells = [
        [f"{int(at):,}", *(percent(found[at, value][key]) for value in values for key in series)]
        for (at,) in several(rows, down[1])
    ]
    head = [f"{label} = {value}, {name}" for value in values for name in names]
    return table([down[0], *head], cells, left=0)


def fig4_text(rows):
    """Loss over k."""
    return [
        "## Figure 4: k",
        wrapped("""All records. |QI| is the number of quasi-identifiers. *Random starts* are the
            paper's; by itself `kaim` starts a group with the record of the commonest values."""),
        across(rows, ("k", "k"), ("|QI|", "quasi_identifiers"),
               ("kaim_random", "kaim", "k_member"), ("kaim random", "kaim", "k-member")),
    ]  # fmt: skip


def fig5_text(rows):
    """Loss over records."""
    return [
        "## Figure 5: records",
        wrapped("""Random records, |QI| = 8, `kaim` from random starts. Ranges and shares of values
            are those of the sample."""),
        across(rows, ("records", "records"), ("k", "k"), ("kaim_random", "k_member"),
               ("kaim", "k-member")),
    ]  # fmt: skip


def fig6_text(rows):
    """Loss over quasi-identifiers."""
    return [
        "## Figure 6: quasi-identifiers",
        wrapped("""All records, the first columns of: age, workclass, education, marital-status,
            occupation, race, sex, native-country. `kaim` from random starts."""),
        across(rows, ("|QI|", "quasi_identifiers"), ("k", "k"), ("kaim_random", "k_member"),
               ("kaim", "k-member")),
    ]  # fmt: skip


def fig7_text(rows):
    """Loss over missing cells."""
    keys = "kaim_random", "k_member", "k_member_generalized", "k_member_deleted"
    cells = []
    for row in rows:
        missing = float(row["missing_percent"])
        of_present = float(row["kaim_random"]) / (1 - missing / 100)
        shown = [percent(row[key]) for key in keys]
        cells.append([f"{missing:g}", shown[0], percent(of_present), *shown[1:]])
    return [
        "## Figure 7: missing cells",
        wrapped("""All records, |QI| = 8, k = 5, `kaim` from random starts. The first line is the
            table as it is; then random cells are blanked, drawn once. By the paper's measure a
            missing cell has nothing to lose, unless its record is deleted; the third column has
            what `kaim` loses of the cells that are present."""),
        table(["missing, percent", "kaim", "of present cells", "k-member", "of it generalization",
               "of it deleted records"], cells, left=0),
    ]  # fmt: skip


def fig8_text(rows):
    """Loss of repeats."""
    cells = []
    for records, width, k in several(rows, "records", "quasi_identifiers", "k"):
        losses = [
            float(row["kaim_random"])
            for row in rows
            if (row["records"], row["quasi_identifiers"], row["k"]) == (records, width, k)
        ]
        shown = (percent(value) for value in (min(losses), statistics.mean(losses), max(losses)))
        cells.append([f"{int(records):,}", width, k, *shown, f"{100 * spread(losses):.2f}"])
    return [
        "## Figure 8: repeats",
        wrapped(f"""`kaim` from random starts, seeds 0 to {max(int(row["seed"]) for row in rows)}.
            The bar is for |QI| = 8, k = 5; with |QI| = 2 next to nothing is lost, and a share of
            that differs more. The chart has all records, as the paper's. Its third panel says
            |QI| = 10, of 8 columns; here it is 8."""),
        table(["records", "|QI|", "k", "least", "mean", "greatest", "(max - min) / mean, percent"],
              cells, left=0),
    ]  # fmt: skip


def ratio_text(rows):
    """Kaim's loss over k-member's."""
    cells = [
        [row["figure"], row["points"], f"{float(row['mean_of_ratios']):.3f}",
         f"{float(row['ratio_of_means']):.3f}"]
        for row in rows
    ]  # fmt: skip
    return [
        "## kaim's loss over k-member's",
        wrapped("""`kaim` from random starts. The paper says 0.438 and not how it took the mean. A
            point that two figures have counts in both."""),
        table(["figure", "points", "mean of ratios", "ratio of mean losses"], cells, left=1),
    ]


def alone_text(rows):
    """Seconds and memory."""
    cells = [
        [row["method"], row["seconds"], row["grouping_seconds"], row["gigabytes"],
         percent(row["loss"])]
        for row in rows
    ]  # fmt: skip
    first = rows[0]
    return [
        "## Seconds and memory",
        wrapped(f"""All {int(first["records"]):,} records, |QI| = {first["quasi_identifiers"]},
            k = {first["k"]}, each in a process of its own, everything compiled; seconds from its
            start to its end. No record is deleted here: to `k-member`, too, a missing cell is the
            root."""),
        table(["method", "seconds", "of it grouping", "peak memory, GB", "loss, percent"], cells,
              left=1),
    ]  # fmt: skip


TEXTS = {
    "fig4": fig4_text,
    "fig5": fig5_text,
    "fig6": fig6_text,
    "fig7": fig7_text,
    "fig8": fig8_text,
    "ratio": ratio_text,
    "alone": alone_text,
}


def write(folder):
    """Draw the charts and write the page, of the parts that were measured."""
    there = {part: rows for part in TEXTS if (rows := read(folder, part))}
    opening = f"""Shoal {shoal.__version__} beside figures 4 to 8 of the KAIM paper
        (*k-anonymity for incomplete microdata*) on the adult table: 48,842 records, 8
        quasi-identifiers, 1.65 % of their cells missing. Losses are the paper's ILossRate in
        percent; `k-member` deletes incomplete records first, and a deleted record has lost all
        its cells. Made by `make kaim` with Python {platform.python_version()}, every number
        measured; the csv files beside this page hold all of them."""
    told = {part: TEXTS[part](rows) for part, rows in there.items()}
    charts = {part: CHARTS[part](rows) for part, rows in there.items() if part in CHARTS}
    write_page(folder, "KAIM and k-member", opening, told, charts)
