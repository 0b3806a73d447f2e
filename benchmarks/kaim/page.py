"""What the parts leave behind: one page, made of their csv files alone."""

from __future__ import annotations

import platform
import statistics

from charts import CHARTS
from figures import spread

import shoal
from telling import percent, read, several, table, wrapped, write_page

THREE = "kaim_random", "kaim_paper", "k_member"


def across(rows, down, over, series, names):
    """Return a table: a line for every value of a column, losses for every value of another."""
    label, column = over
    found = {(row[down[1]], row[column]): row for row in rows}
    values = [value for (value,) in several(rows, column)]
    cells = [
        [f"{int(at):,}", *(_shown(found[at, value], key) for value in values for key in series)]
        for (at,) in several(rows, down[1])
    ]
    head = [f"{label} = {value}, {name}" for value in values for name in names]
    return table([down[0], *head], cells, left=0)


def _shown(row, key):
    """Return a loss, with its spread where there are repeats; a dash where there is none."""
    if row[key] == "nan":
        return "–"
    if key != "kaim_random" or int(row["repeats"]) < 2:
        return percent(row[key])
    half = (float(row["kaim_random_greatest"]) - float(row["kaim_random_least"])) / 2
    return f"{percent(row[key])} ± {half:.2g}"


def _repeats(rows):
    """Return how many repeats the points have, in words."""
    counts = sorted({int(row["repeats"]) for row in rows})
    if counts == [1]:
        return "Of `kaim` from random starts there is one draw so far."
    told = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"""Means of {told} repeats of `kaim` from random starts; ± is half of the difference of
        the greatest and the least."""


def fig4_text(rows):
    """Loss over k."""
    return [
        "## Figure 4: k",
        wrapped(f"""All records. |QI| is the number of quasi-identifiers. *Random starts* are the
            paper's; by itself `kaim` starts a group with the record of the commonest values.
            {_repeats(rows)}"""),
        across(rows, ("k", "k"), ("|QI|", "quasi_identifiers"),
               ("kaim_random", "kaim", "kaim_paper", "k_member"),
               ("kaim random", "kaim", "kaim-paper", "k-member")),
    ]  # fmt: skip


def fig5_text(rows):
    """Loss over records."""
    return [
        "## Figure 5: records",
        wrapped(f"""Random records, |QI| = 8. Ranges and shares of values are those of the sample.
            {_repeats(rows)} Each repeat draws other records, which `k-member` gets too."""),
        across(rows, ("records", "records"), ("k", "k"), THREE, ("kaim", "kaim-paper", "k-member")),
    ]  # fmt: skip


def fig6_text(rows):
    """Loss over quasi-identifiers."""
    return [
        "## Figure 6: quasi-identifiers",
        wrapped(f"""All records, the first columns of: age, workclass, education, marital-status,
            occupation, race, sex, native-country. {_repeats(rows)}"""),
        across(rows, ("|QI|", "quasi_identifiers"), ("k", "k"), THREE,
               ("kaim", "kaim-paper", "k-member")),
    ]  # fmt: skip


def fig7_text(rows):
    """Loss over missing cells."""
    keys = "kaim_random", "kaim_paper", "k_member", "k_member_generalized", "k_member_deleted"
    cells = []
    for row in rows:
        missing = float(row["missing_percent"])
        of_present = float(row["kaim_random"]) / (1 - missing / 100)
        shown = [_shown(row, key) for key in keys]
        cells.append([f"{missing:g}", shown[0], percent(of_present), *shown[1:]])
    return [
        "## Figure 7: missing cells",
        wrapped(f"""All records, |QI| = 8, k = 5. The first line is the table as it is; then random
            cells are blanked, by each repeat others. {_repeats(rows)} By the paper's measure a
            missing cell has nothing to lose, unless its record is deleted; the third column has
            what `kaim` loses of the cells that are present."""),
        table(["missing, percent", "kaim", "of present cells", "kaim-paper", "k-member",
               "of it generalization", "of it deleted records"], cells, left=0),
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
         f"{float(row['ratio_of_means']):.3f}",
         "–" if row["paper_points"] == "0" else
         f"{float(row['paper_mean_of_ratios']):.3f} ({row['paper_points']})"]
        for row in rows
    ]  # fmt: skip
    return [
        "## kaim's loss over k-member's",
        wrapped("""`kaim` from random starts. The paper says 0.438 and not how it took the mean. A
            point that two figures have counts in both. The last column has the mean of ratios of
            `kaim-paper`, in brackets of how many points."""),
        table(
            ["figure", "points", "mean of ratios", "ratio of mean losses", "kaim-paper"],
            cells,
            left=1,
        ),
    ]


TEXTS = {
    "fig4": fig4_text,
    "fig5": fig5_text,
    "fig6": fig6_text,
    "fig7": fig7_text,
    "fig8": fig8_text,
    "ratio": ratio_text,
}


def _claim(there):
    """Return where the form that can be read loses more than k-member: adult, k = 5."""
    for row in there.get("fig4", []):
        if (row["quasi_identifiers"], row["k"]) == ("8", "5") and row["kaim_paper"] != "nan":
            ours, paper, theirs = (percent(row[key]) for key in THREE)
            return f"at k = 5 it loses {paper} % where k-member loses {theirs} % and kaim {ours} %"
    return "it loses more than k-member"


def write(folder):
    """Draw the charts and write the page, of the parts that were measured."""
    there = {part: rows for part in TEXTS if (rows := read(folder, part))}
    opening = f"""Shoal {shoal.__version__} beside figures 4 to 8 of the KAIM paper
        (*k-anonymity for incomplete microdata*) on the adult table: 48,842 records, 8
        quasi-identifiers, 1.65 % of their cells missing. Losses are the paper's ILossRate in
        percent; `k-member` deletes incomplete records first, and a deleted record has lost all
        its cells. The distance has two forms. As far as it can be read, the paper divides by the
        information of the value that is generalized: `kaim-paper`. With it the paper's claim, that
        KAIM loses 43.8 % of what k-member does, fails: {_claim(there)}. The figures are made with
        the *root form*, which divides by the information of the whole column, as `kaim` does: with
        it the claim holds. Made by `make kaim` with Python {platform.python_version()}, every
        number measured; the csv files beside this page hold all of them."""
    told = {part: TEXTS[part](rows) for part, rows in there.items()}
    charts = {part: CHARTS[part](rows) for part, rows in there.items() if part in CHARTS}
    write_page(folder, "KAIM and k-member", opening, told, charts)
