"""Part of `make scale`: from a file to its verified release, beside an older version of Shoal.

`SHOAL_OLD` names a folder with the older version's repository; both make the same release of the
same file, one after the other, `RUNS` times each, and the lower time of each counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

sys.path.append(str(Path(__file__).parents[1]))  # for `telling`, which others have too

from telling import Bar

ROWS, WIDTH, K, RUNS = 1_000_000, 8, 10, 2
MOST = {"parquet": 0.35, "csv": 0.36}  # of the old seconds
NAMES = [f"x{j}" for j in range(WIDTH)]
VARIES = ("seconds", "notes")  # what is never the same, and what is told in words


def table(rows):
    """Return clustered records of eight numbers with two decimals, and a text."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(50, WIDTH)) * 4
    values = centers[rng.integers(0, 50, rows)] + rng.normal(size=(rows, WIDTH))
    columns = {name: values[:, j].round(2) for j, name in enumerate(NAMES)}
    words = np.array([f"d{i}" for i in range(20)])
    return pa.table({**columns, "diagnosis": words[rng.integers(0, 20, rows)]})


def released(repository, source, output):
    """Release a file with the code of a repository; return seconds and the report."""
    start = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-m", "shoal", "anonymize", str(source), "-k", str(K), "--quasi",
         ",".join(NAMES), "--sensitive", "diagnosis", "--seed", "1", "--keep-order", "--force",
         "--json", "-o", str(output)],
        env={**os.environ, "PYTHONPATH": str(Path(repository) / "src")},
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return time.perf_counter() - start, json.loads(ran.stdout)


def differences(one, other, where=""):
    """Yield where a figure of an older report is not the same in another, to 1e-9 of it.

    What the older report does not have was added later; sentences are not figures.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() - set(VARIES)):
            yield from differences(one.get(key), other.get(key), f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{where}[{place}]")
    elif isinstance(one, float) and isinstance(other, float):
        if abs(one - other) > 1e-9 * max(abs(one), abs(other)):
            yield where
    elif one != other and not (isinstance(one, str) and " " in one):
        yield where


def whole():
    """Release a million records from Parquet and from csv, with the old code and this one."""
    old = os.environ.get("SHOAL_OLD")
    if not old:
        sys.exit("SHOAL_OLD must name a folder with the repository of an older version")
    here = Path(__file__).parents[2]
    bars, rows = [], [["file", "old_seconds", "seconds", "ratio"]]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        records = table(ROWS)
        pq.write_table(records, place / "in.parquet")
        pa.csv.write_csv(records, place / "in.csv")
        for kind, most in MOST.items():
            seconds = {old: np.inf, here: np.inf}
            contents, reports = {}, {}
            for _ in range(RUNS):
                for who in (old, here):
                    path = place / f"out.{kind}"
                    took, reports[who] = released(who, place / f"in.{kind}", path)
                    seconds[who] = min(seconds[who], took)
                    contents[who] = path.read_bytes()
            ratio = seconds[here] / seconds[old]
            what = f"1,000,000 × 9, {kind} to verified {kind}"
            different = list(differences(reports[old], reports[here]))
            bars += [
                Bar(f"{what}: seconds over those of the old code", ratio, "<=", most),
                Bar(f"{what}: releases that differ", len(set(contents.values())) - 1, "<=", 0),
                Bar(f"{what}: figures that differ", len(different), "<=", 0),
            ]
            rows.append([kind, f"{seconds[old]:.1f}", f"{seconds[here]:.1f}", f"{ratio:.3f}"])
    return bars, {"whole": rows}
