"""The page of the records, made of the csv files alone."""

from __future__ import annotations

import platform

import keep  # noqa: F401 - says where `telling` is

import shoal
from telling import read, table, wrapped

TABLE_HEAD = "| all runs so far | best in print | ours | no grouping below | gap at most |"
BUDGETS = {"minute": "60 seconds", "moment": "10 seconds"}


def write(folder, parts):
    """Write README.md."""
    text = [
        "# The lowest losses",
        wrapped(
            f"The least losses of all runs ever made by Shoal (now {shoal.__version__}) on the "
            "reference tables, whatever the method, beside the least figure in print and the bound "
            "below which no grouping goes. Losses are 100 SSE/SST of the standardized tables, in "
            f"percent. Made by `make records`, Python {platform.python_version()}, on two cores, "
            "every number measured; records.csv has the command that made each, [labels](labels) "
            "the groups, one line a record in the order of the table. Only one that loses less "
            "replaces a label file (`benchmarks/records/keep.py`, which merges files of others, "
            "too). `SHOAL_DATA=... python check.py` computes every loss again, with numpy alone."
        ),
        "## Records",
        table(
            ["table", "k", "loss", "printed", "year", "below it, %", "bound", "gap at most, %",
             "runs"],
            [[row["table"], row["k"], f"{float(row['loss']):.4f}", row["printed"], row["year"],
              row["below_percent"], f"{float(row['bound']):.4f}", _gap(row), row["runs"]]
             for row in read(folder, "records")],
        ),
        wrapped(
            "Years: 2007 is Chang, Li and Huang (TFRP, JSS 80(11)), 2018 Khomnotai, Lin, Peng and "
            "Santra (Symmetry 10(7)), 2020 Bierman's dissertation (its EIA is eia10). A gap is "
            "(loss - bound) / bound; 0 says that the grouping is proven optimal. The gap is what "
            "is proven, not what is likely."
        ),
        wrapped(
            "Bounds of small k are linear programmes over all groups, with cuts of up to 15 "
            "records, and the integer programme over the groups that could be in a better "
            "grouping (`benchmarks/records/prove.py`). The folder duals has the duals that prove "
            "some of them, with their cuts; `benchmarks/records/duals.py` prices all groups and "
            "prints what they prove. Those of large k are by pairs of records "
            "(`prove_large.py`): a semidefinite relaxation for tarragona and census, a linear "
            "programme for eia and eia10 (from k = 5 on), whose 4,092 records are too many for the "
            "former: a step would take about half a minute. The folder prices has the prices of "
            "records that prove the linear ones of all tables; `SHOAL_DATA=... python "
            "check_bounds.py` computes what they prove, with numpy alone. Prices of pairs are as "
            "large as all distances and are not kept here: `prove_large.py` writes them into a "
            "folder in minutes, and `check_bounds.py FOLDER` checks them the same way."
        ),
        "## Commands",
        wrapped(
            "What makes each record again: iterations and seed, not seconds. Where it has a time "
            "limit the run was made before iterations were noted, and another machine may end "
            "elsewhere."
        ),
        table(
            ["table", "k", "command"],
            [[row["table"], row["k"], f"`{row['command']}`"] for row in read(folder, "records")],
            left=3,
        ),
    ]  # fmt: skip
    for part, budget in BUDGETS.items():
        rows = read(folder, part)
        if rows:
            text += [f"## In {budget}", table(list(rows[0]), [list(row.values()) for row in rows])]
    bars = [row | {"part": part} for part in parts for row in read(folder, f"bars_{part}")]
    text += [
        "## Bars",
        table(
            ["part", "what", "bar", "measured", "met"],
            [[row["part"], row["what"], f"{row['sign']} {row['bar']}", row["measured"], row["met"]]
             for row in bars],
            left=2,
        ),
    ]  # fmt: skip
    (folder / "README.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")


def write_table(page_file, rows):
    """Write the table of all records into a page, in place of the one that is there."""
    lines = page_file.read_text(encoding="utf-8").splitlines()
    first = lines.index(TABLE_HEAD) + 2
    last = lines.index("", first)
    lines[first:last] = [
        f"| {row['table']} k = {row['k']} | {row['printed'] or '–'} | {float(row['loss']):.4f} | "
        f"{float(row['bound']):.4f} | {float(row['gap_percent']):.2f} % |"
        for row in rows
    ]
    page_file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _gap(row):
    gap = float(row["gap_percent"])
    return "0 (proven)" if gap == 0 else f"{gap:.2f}"
