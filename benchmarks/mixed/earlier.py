"""Mixed tables, made up and real, by this version and an earlier one: loss and processor time.

    python benchmarks/mixed/earlier.py

runs what is described in JSON on stdin with whatever version is on the path, and prints losses and
processor seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import mean, median

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

MADE, REAL, SEEDS = 20, 20, 5
TABLES = MADE + REAL
FEWEST, MOST = 500, 30_000  # records of adult
WITH_TREES = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip
NUMBERS = "education-num", "hours-per-week", "capital-gain"
WORSE, BETTER = 0.5, 4.0  # percent: above the earlier loss at most, below it on average


def made(number):
    """Return a random mixed table: texts with and without order, numbers, gaps, some structure."""
    rng = np.random.default_rng([number, 33])
    rows = int(rng.integers(200, 1_500))
    center = rng.integers(0, int(rng.integers(4, 60)), rows)
    columns = {}
    for j in range(int(rng.integers(3, 9))):
        noise = rng.integers(0, int(rng.integers(2, 12)), rows)
        kind = rng.integers(0, 4)
        if kind == 0:
            values = np.char.add("w", ((center + noise) % int(rng.integers(3, 30))).astype(str))
        elif kind == 1:
            values = np.char.add("", (1000 + 13 * (center * 7 + noise)).astype(str))
        elif kind == 2:
            values = 3 * center + noise
        else:
            values = np.round(center + rng.normal(size=rows) * 3, 2)
        gaps = rng.random(rows) < rng.choice([0.0, 0.0, 0.05])
        columns[f"c{j}"] = pa.array(values, mask=gaps)
    columns["t"] = pa.array(rng.choice(["f", "m"], rows))
    return pa.table(columns), int(rng.integers(2, 12))


def real(number, adult):
    """Return records and columns of adult, drawn at random, with its trees; some have gaps."""
    rng = np.random.default_rng([number, 34])
    rows = int(np.exp(rng.uniform(np.log(FEWEST), np.log(MOST))))
    names = list(rng.choice(WITH_TREES, int(rng.integers(3, 9)), replace=False))
    names += list(rng.choice(NUMBERS, int(rng.integers(0, 3)), replace=False))
    gaps = float(rng.choice([0.0, 0.0, 0.03]))
    data = adult.take(np.sort(rng.choice(adult.num_rows, rows, replace=False)))
    columns = {}
    for name in names:
        column = data[name].combine_chunks()
        absent = pa.array(rng.random(rows) < gaps)
        columns[str(name)] = pc.if_else(absent, pa.scalar(None, column.type), column)
    return pa.table(columns), int(rng.integers(3, 21))


def tables(numbers):
    """Yield the number of every table, its records as nodes of trees, and k."""
    from shoal.table.encode_nodes import code
    from shoal.table.read import read

    folder = Path(os.environ["SHOAL_DATA"])
    missing = csv.ConvertOptions(strings_can_be_null=True)
    adult = csv.read_csv(folder / "adult.csv", convert_options=missing)
    for number in numbers:
        if number < MADE:
            data, k = made(number)
            yield number, code(read(data)), k
        else:
            data, k = real(number, adult)
            own = [name for name in data.column_names if name in WITH_TREES]
            files = {name: str(folder / f"adult_hierarchies/{name}.csv") for name in own}
            yield number, code(read(data), files), k


def run(numbers):
    """Return loss and processor seconds of every table and seed, by the version on the path."""
    from shoal.methods.problem import Nodes, Problem
    from shoal.methods.solve import solve
    from shoal.progress import Reporter

    found = {}
    for place, (number, coded, k) in enumerate(tables([numbers[0], *numbers])):
        results = []
        for seed in range(SEEDS if place else 1):  # the first compiles everything
            begun = time.process_time()
            partition = solve(Problem(Nodes(coded), k, seed=seed), "auto", Reporter(None))
            results.append([partition.information_loss, time.process_time() - begun])
        found[number] = results, coded.rows, len(coded.columns), k
    return found


def earlier():
    """Return how losses and processor time compare with those of the version in SHOAL_OLD."""
    from telling import Bar

    old = os.environ.get("SHOAL_OLD")
    if not old:
        sys.exit("SHOAL_OLD must name a folder with the repository of an earlier version")
    here = Path(__file__).parents[2]
    asked = json.dumps(list(range(TABLES)))
    running = {}
    for name, folder in (("now", here), ("earlier", Path(old))):  # side by side
        running[name] = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(folder / "src")},
        )  # fmt: skip
        running[name].stdin.write(asked)
        running[name].stdin.close()
    by = {name: json.loads(process.stdout.read()) for name, process in running.items()}
    rows, changes = [], []
    for number in map(str, range(TABLES)):
        _, *shape = by["now"][number]
        now, then = (
            [median(one[place] for one in by[name][number][0]) for place in (0, 1)]
            for name in ("now", "earlier")
        )
        change = 100 * (now[0] / then[0] - 1) if then[0] else 0.0
        changes.append(change)
        kind = "made up" if int(number) < MADE else "adult"
        rows.append([number, kind, *shape, *(f"{x:.6f}" for x in (*now, *then)), f"{change:.3f}"])
    spent = [sum(float(row[place]) for row in rows) for place in (6, 8)]
    bars = [
        Bar(f"{TABLES} tables: percent above the earlier loss at most", max(changes), "<=", WORSE),
        Bar(f"{TABLES} tables: percent below it on average", -mean(changes), ">=", BETTER),
        Bar(f"{TABLES} tables: CPU seconds over the earlier", spent[0] / spent[1], "<=", 1),
    ]
    head = ["table", "kind", "records", "columns", "k", "loss", "cpu_seconds", "earlier_loss",
            "earlier_cpu_seconds", "percent"]  # fmt: skip
    return bars, {"earlier": [head, *rows]}


def earlier_text(there):
    """Return what the page says of the earlier version."""
    from telling import table, wrapped

    rows = there["earlier"]
    cells = [
        [row["kind"], f"{int(row['records']):,}", row["columns"], row["k"],
         f"{float(row['loss']):.3f}", f"{float(row['earlier_loss']):.3f}",
         f"{float(row['percent']):.2f}", f"{float(row['cpu_seconds']):.2f}",
         f"{float(row['earlier_cpu_seconds']):.2f}"]
        for row in rows
    ]  # fmt: skip
    means = {
        kind: mean(float(row["percent"]) for row in rows if row["kind"] == kind)
        for kind in ("made up", "adult")
    }
    return [
        "## Beside the version before",
        wrapped(f"""{MADE} made-up tables of 200 to 1,500 records with texts, codes, numbers and
            gaps, and {REAL} of records and columns of adult, {FEWEST:,} to {MOST:,} records with
            their trees, some with gaps: `auto` with the usual effort, the median of {SEEDS} seeds,
            this version and the one before `top-down`, side by side. The made-up tables lose
            {-means["made up"]:.2f} percent less on average, those of adult {-means["adult"]:.2f}:
            small tables leave less to gain. `SHOAL_OLD=FOLDER benchmarks/mixed/mixed.py earlier`
            writes this part."""),
        table(["table", "records", "columns", "k", "loss, percent", "before", "change, percent",
               "CPU s", "before"], cells, left=1),
    ]  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
