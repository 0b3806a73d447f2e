"""The records that are kept: the least loss of all runs ever made, its labels, and its command.

    python benchmarks/records/keep.py FOLDER [COMMAND]

merges label files of another folder (TABLE-K.txt, one line a record) that lose less than those that
are kept. A label file is never replaced by one that loses as much or more: whoever found groups,
by whatever run, offers them here.
"""

from __future__ import annotations

import csv
import sys
from functools import cache
from pathlib import Path

import numpy as np

import shoal
from shoal.measures.loss import information_loss
from shoal.table.encode import encode

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))

from telling import read, write  # noqa: E402

DOCS = REPOSITORY / "docs/records"
PRINTED = REPOSITORY / "tests/published"
HEAD = ["table", "k", "loss", "printed", "year", "below_percent", "bound", "gap_percent", "runs",
        "command"]  # fmt: skip
# what the papers call our tables; the thesis's EIA has ten attributes
SOURCES = {
    "tfrp_2007_table2": ("2007", {"tarragona": "tarragona", "census": "census", "eia10": "eia10"}),
    "group_decomposition_2018": ("2018", {"tarragona": "tarragona", "census": "census",
                                          "eia": "eia"}),
    "ilsmc_2020": ("2020", {"tarragona": "tarragona", "census": "census", "eia": "eia10"}),
}  # fmt: skip
DIGIT = 1e-6  # of the losses in records.csv
LOSSES = "4", "6", "7"  # tables of the thesis that print losses


@cache
def matrix(name):
    """A reference table, standardized."""
    return encode(shoal.datasets.load(name), standardize=True).matrix


@cache
def printed():
    """The least printed loss of a table and k: its text, and the year of the paper."""
    found = {}
    for file, (year, names) in SOURCES.items():
        with (PRINTED / f"{file}.csv").open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                text = row.get("information_loss_percent") or row["value"]
                if row["dataset"] not in names or row.get("table", "6") not in LOSSES:
                    continue
                key = names[row["dataset"]], int(row["k"])
                told = float(text.strip("%")), text.strip("%"), year
                found[key] = min(found.get(key, told), told)
    return found


def kept(folder=DOCS):
    """Return the rows of the records, by table and k."""
    return {(row["table"], int(row["k"])): row for row in read(folder, "records")}


def offer(name, k, labels, command, bound=0.0, runs=1, folder=DOCS):
    """Keep labels if they lose less than those that are kept; return whether they do.

    The greatest bound is kept in any case, and the runs are counted.
    """
    labels = np.asarray(labels)
    if labels.shape != (len(matrix(name)),) or np.bincount(labels).min() < k:
        sys.exit(f"{name}, k = {k}: not a group of {k} records or more for each record")
    rows = kept(folder)
    before = rows.get((name, k))
    loss = information_loss(matrix(name), labels)
    better = before is None or loss < float(before["loss"]) - DIGIT
    if better:
        (folder / "labels").mkdir(parents=True, exist_ok=True)
        np.savetxt(folder / f"labels/{name}-{k}.txt", labels, fmt="%d")
    else:
        loss, command = float(before["loss"]), before["command"]
    bound = max(bound, float(before["bound"]) if before else 0.0)
    runs += int(before["runs"]) if before else 0
    least, text, year = printed().get((name, k), (np.nan, "", ""))
    values = [name, str(k), f"{loss:.6f}", text, year,
              f"{100 * (1 - loss / least):.2f}" if text else "", f"{bound:.6f}",
              f"{shoal.Bound(bound, 0.0, True).above(loss):.4f}", str(runs), command]  # fmt: skip
    rows[name, k] = dict(zip(HEAD, values, strict=True))
    names = list(dict.fromkeys(one for one, _ in rows))
    ordered = sorted(rows, key=lambda cell: (names.index(cell[0]), cell[1]))
    write(folder, "records", [HEAD, *([rows[cell][key] for key in HEAD] for cell in ordered)])
    return better


def told(name, k, found, seed):
    """Return the command that makes a run again: its iterations and seed, not its seconds."""
    return (f'shoal.microaggregate(shoal.datasets.load("{name}"), {k}, method="{found.method}", '
            f"max_iterations={found.search.iterations}, seed={seed})")  # fmt: skip


def merge(folder, command):
    """Offer every label file of a folder; print what became of each."""
    for path in sorted(folder.glob("*.txt")):
        name, _, k = path.stem.rpartition("-")
        better = offer(name, int(k), np.loadtxt(path, dtype=np.int64), command)
        print(f"{path.stem}: {'kept' if better else 'no better than what is kept'}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    merge(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else "labels that were given")
