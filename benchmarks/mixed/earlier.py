"""Small mixed tables, by this version and an earlier one: losses at equal processor time.

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

TABLES, SEEDS = 40, 5
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


def run(numbers):
    """Return loss and processor seconds of every table and seed, by the version on the path."""
    import shoal
    from shoal.methods.problem import Nodes, Problem
    from shoal.methods.solve import solve
    from shoal.progress import Reporter
    from shoal.table.encode_nodes import code
    from shoal.table.read import read

    del shoal
    found = {}
    for number in (-1, *numbers):
        data, k = made(max(number, 0))
        coded = code(read(data))
        results = []
        for seed in range(SEEDS if number >= 0 else 1):
            begun = time.process_time()
            partition = solve(Problem(Nodes(coded), k, seed=seed), "auto", Reporter(None))
            results.append([partition.information_loss, time.process_time() - begun])
        found[number] = results
    return found


def earlier():
    """Return how losses and processor time compare with those of the version in SHOAL_OLD."""
    from telling import Bar

    old = os.environ.get("SHOAL_OLD")
    if not old:
        sys.exit("SHOAL_OLD must name a folder with the repository of an earlier version")
    here = Path(__file__).parents[2]
    by = {}
    for name, folder in (("now", here), ("earlier", Path(old))):
        asked = json.dumps(list(range(TABLES)))
        told = subprocess.run(
            [sys.executable, __file__], input=asked, capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": str(folder / "src")},
        )  # fmt: skip
        by[name] = json.loads(told.stdout)
    rows, changes = [], []
    for number in map(str, range(TABLES)):
        now, then = (
            [median(one[place] for one in by[name][number]) for place in (0, 1)]
            for name in ("now", "earlier")
        )
        change = 100 * (now[0] / then[0] - 1) if then[0] else 0.0
        changes.append(change)
        rows.append([number, *(f"{x:.6f}" for x in (*now, *then)), f"{change:.3f}"])
    spent = [sum(float(row[place]) for row in rows) for place in (2, 4)]
    bars = [
        Bar(f"{TABLES} tables: percent above the earlier loss at most", max(changes), "<=", WORSE),
        Bar(f"{TABLES} tables: percent below it on average", -mean(changes), ">=", BETTER),
        Bar(f"{TABLES} tables: CPU seconds over the earlier", spent[0] / spent[1], "<=", 1),
    ]
    head = ["table", "loss", "cpu_seconds", "earlier_loss", "earlier_cpu_seconds", "percent"]
    return bars, {"earlier": [head, *rows]}


def earlier_text(there):
    """Return what the page says of the earlier version."""
    from telling import table, wrapped

    cells = [
        [row["table"], f"{float(row['loss']):.3f}", f"{float(row['earlier_loss']):.3f}",
         f"{float(row['percent']):.2f}", f"{float(row['cpu_seconds']):.2f}",
         f"{float(row['earlier_cpu_seconds']):.2f}"]
        for row in there["earlier"]
    ]  # fmt: skip
    return [
        "## Beside the version before",
        wrapped(f"""{len(cells)} made-up tables of 200 to 1,500 records with texts, codes, numbers
            and gaps, `auto` with the usual effort, the median of {SEEDS} seeds: this version and
            the one before `top-down`, side by side.
            `SHOAL_OLD=FOLDER benchmarks/mixed/mixed.py earlier` writes this part."""),
        table(["table", "loss, percent", "before", "change, percent", "CPU s", "before"], cells),
    ]


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
