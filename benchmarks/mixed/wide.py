"""Many different texts and many columns: seconds and memory, each run in a process of its own.

    python benchmarks/mixed/wide.py table method [records]

Makes up the table `texts` or `columns`, all or the first records of it, releases it and prints its
seconds, its loss and the peak of memory in bytes.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from itertools import product

import numpy as np
import pyarrow as pa
import runs  # noqa: F401 - it knows where `telling` is

import shoal
from telling import Bar

GIGABYTES = 2
FEW = 300  # records: enough to compile everything
METHODS = {"mdav": {}, "auto": {}}


def texts():
    """Return 20,000 records: a column of 5,000 different texts, and three with few values."""
    rng = np.random.default_rng(0)
    rows, different = 20_000, 5_000
    known = np.concatenate((np.arange(different), rng.integers(0, different, rows - different)))
    town = rng.permutation(known)
    return pa.table(
        {
            "town": [f"town {i:04}" for i in town],
            "region": [f"region {i}" for i in np.where(rng.random(rows) < 0.8, town % 12, 0)],
            "sex": rng.choice(["f", "m"], rows),
            "age": rng.integers(18, 90, rows),
        }
    )


def columns():
    """Return 2,000 records of 300 columns: floats, whole numbers and texts, some cells missing.

    Three hidden numbers of a record are behind all of its cells.
    """
    rng = np.random.default_rng(0)
    rows, width = 2_000, 300
    hidden = rng.normal(size=(rows, 3))
    made = {}
    for j in range(width):
        values = hidden @ rng.normal(size=3) + rng.normal(size=rows)
        absent = rng.random(rows) < (0.02 if j % 10 == 0 else 0.0)
        if j % 3 == 0:
            cells = np.round(values, 3)
        elif j % 3 == 1:
            cells = np.round(10 * values).astype(np.int64)
        else:
            steps = np.clip(np.round(2 * values), -6, 6).astype(np.int64)
            cells = np.array([f"value {i}" for i in steps])
        made[f"column {j}"] = pa.array(cells, mask=absent)
    return pa.table(made)


TABLES = {"texts": (texts, 10), "columns": (columns, 5)}  # how it is made, k


def child(*arguments):
    """Run a process; return what it says and the seconds from its start to its end."""
    begun = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(ran.stdout), time.perf_counter() - begun


def wide():
    """Seconds and memory of two methods, compiled."""
    bars, rows = [], []
    for name, method in product(TABLES, METHODS):
        child(name, method, str(FEW))
        found, seconds = child(name, method)
        gigabytes = found["peak"] / 1e9
        print(f"      {name:<8} {method:<6} {seconds:6.1f} s; {gigabytes:.3f} GB; "
              f"ILoss {found['loss']:.4f} %", flush=True)  # fmt: skip
        what = f"{name}, {found['records']:,} × {found['columns']}, {method}: peak memory, GB"
        bars.append(Bar(what, gigabytes, "<", GIGABYTES))
        rows.append([name, found["records"], found["columns"], found["k"], method,
                     f"{seconds:.2f}", f"{gigabytes:.3f}", f"{found['loss']:.6f}"])  # fmt: skip
    head = ["table", "records", "columns", "k", "method", "seconds", "gigabytes", "loss"]
    return bars, {"wide": [head, *rows]}


def main():
    """Make one run and say what it took."""
    name, method, *few = sys.argv[1:]
    make, k = TABLES[name]
    table = make()
    if few:
        table = table.slice(0, int(few[0]))
    asked = {"quasi_identifiers": table.column_names, "aggregate": "generalize", **METHODS[method]}
    report = shoal.anonymize(table, k=k, method=method, **asked).report
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak *= 1 if sys.platform == "darwin" else 1024  # Linux counts in KiB
    found = {"records": table.num_rows, "columns": table.num_columns, "k": k, "peak": peak}
    print(json.dumps({**found, "loss": report.information_loss_released}))


if __name__ == "__main__":
    main()
