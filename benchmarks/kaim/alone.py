"""Seconds and memory of one run in a process of its own.

    python benchmarks/kaim/alone.py method start [records]

Groups all or so many random records of the adult table, 8 quasi-identifiers, k = 10; a record with
a missing cell is not deleted. Prints its seconds, its loss and the peak of memory in bytes.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

from runs import ALL, WIDTH, Data, coded

from shoal.methods.problem import Nodes, Problem
from shoal.methods.solve import solve
from shoal.progress import Reporter
from telling import Bar

K = 10
SECONDS, GIGABYTES = 45, 2
FEW = 200  # records: enough to compile everything
RUNS = (
    ("kaim", "kaim", "common"),
    ("kaim, random starts", "kaim", "random"),
    ("k-member", "k-member", "farthest"),
)


def child(*arguments):
    """Run a process; return what it says and the seconds from its start to its end."""
    begun = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, __file__, *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(ran.stdout), time.perf_counter() - begun


def alone():
    """Seconds and memory on all records, compiled."""
    bars, rows = [], []
    for name, method, start in RUNS:
        child(method, start, str(FEW))
        found, seconds = child(method, start)
        records, gigabytes = found["records"], found["peak"] / 1e9
        print(f"      {name:<20} {seconds:5.1f} s, {found['grouping']:5.1f} s of it grouping; "
              f"{gigabytes:.3f} GB; loss {found['loss']:.4f} %", flush=True)  # fmt: skip
        what = f"{name}, {records:,} records, k = {K}"
        bars.append(Bar(f"{what}: seconds", seconds, "<", SECONDS))
        bars.append(Bar(f"{what}: peak memory, GB", gigabytes, "<", GIGABYTES))
        rows.append([name, records, WIDTH, K, f"{seconds:.2f}", f"{found['grouping']:.2f}",
                     f"{gigabytes:.3f}", f"{found['loss']:.6f}"])  # fmt: skip
    head = ["method", "records", "quasi_identifiers", "k", "seconds", "grouping_seconds",
            "gigabytes", "loss"]  # fmt: skip
    return bars, {"alone": [head, *rows]}


def main():
    """Make one run and say what it took."""
    method, start, *few = sys.argv[1:]
    some = coded(Data(records=int(few[0])) if few else ALL, WIDTH)
    begun = time.perf_counter()
    partition = solve(Problem(Nodes(some), K, start=start), method, Reporter(None))
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak *= 1 if sys.platform == "darwin" else 1024  # Linux counts in KiB
    found = {"records": some.rows, "grouping": seconds, "peak": peak}
    print(json.dumps({**found, "loss": partition.information_loss}))


if __name__ == "__main__":
    main()
