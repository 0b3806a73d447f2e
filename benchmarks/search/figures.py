"""All 270 figures of the thesis beside ours, and its figures 4 to 8, from what was measured."""

from __future__ import annotations

import csv
import statistics

from runs import PRINTED, TABLES
from store import MARKS, known

from telling import read, write

OURS = {thesis: name for name, thesis in TABLES.items()}  # the thesis's name of a table: ours
FALLS = {4: ("eia10", 3), 5: ("eia10", 10), 6: ("tarragona", 3), 7: ("census", 10),
         8: ("tarragona", 10)}  # fmt: skip
TIMED = {"LSC run": "seconds", "LS run": "slow_seconds", "ILSMC iteration": "seconds",
         "ILSM iteration": "slow_seconds"}  # fmt: skip


def write_all(folder):
    """Write a line for each printed figure: ours, and how the two compare.

    Times are compared as ratios to the quicker search of the same table and k.
    """
    found = {number: read(folder, f"table{number}") for number in "34567"}
    rows = []
    with PRINTED.open() as file:
        for line in csv.DictReader(file):
            rows.append(_compared(line, found[line["table"]]))
    head = ["thesis_table", "table", "k", "row", "printed", "ours", "of", "compared"]
    write(folder, "thesis", [head, *rows])


def _compared(line, rows):
    """Return the line of a printed figure; without ours where that was never measured."""
    name, k, row = OURS[line["dataset"]], line["k"], line["row"]
    text = line["value"]
    cells = [one for one in rows if (one["table"], one["k"]) == (name, k)]
    ours = of = compared = ""
    if row in TIMED and cells:
        cell, slow = cells[0], TIMED[row] == "slow_seconds"
        ours, of = cell[TIMED[row]], "1 timing"
        compared = f"{cell['ratio']} times ({cell['printed_ratio']})" if slow else "1 (the unit)"
    elif line["table"] == "4":
        recipe = row.partition(" ")[0].lower()
        for cell in cells:
            if cell["recipe"] == recipe:
                best = min(float(cell["best"]), float(cell["expected_best"]))
                ours, of = f"{best:.5f}", f"{cell['restarts']} restarts"
    else:
        kind, _, what = row.partition(" ")
        for cell in cells:
            if (cell["row"], cell["what"]) == (kind, what):
                ours, of = cell["ours"], f"{cell['runs']} runs"
    if ours and not compared:
        compared = f"{100 * (float(ours) / float(text.rstrip('%')) - 1):+.2f} %"
    return [line["table"], name, k, row, text, ours, of, compared]


def write_falls(folder):
    """Write the mean of the best loss of ILSMC and ILSM over time, in iterations of ILSMC."""
    kept = known("runs")
    ratios = {(row["table"], row["k"]): float(row["ratio"]) for row in read(folder, "table5")}
    rows = []
    for figure, (name, k) in FALLS.items():
        for recipe, named in (("ilsmc", "ilsmc"), ("ilsm, due", "ilsm")):
            runs = [row for key, row in kept.items() if key[:3] == (recipe, name, k)]
            if not runs or (name, str(k)) not in ratios:
                continue
            longer = ratios[name, str(k)] if named == "ilsm" else 1.0
            rows += [[figure, name, k, named, len(runs), mark, f"{mark * longer:.1f}",
                      f"{statistics.mean(float(row[f'after_{mark}']) for row in runs):.6f}"]
                     for mark in MARKS]  # fmt: skip
    write(folder, "falls", [["figure", "table", "k", "recipe", "runs", "iteration", "time", "loss"],
                            *rows])  # fmt: skip
