"""What every method takes, measured: `shoal.pipeline.plan.estimate` is made of these figures.

    python benchmarks/estimates/measure.py [measure] [check] [METHOD ...]

`measure` runs every method on clustered tables of several sizes, each run in a process of its own,
and writes src/shoal/pipeline/plan/costs.csv; what is there already is not run again. `check` runs
the methods on other tables and prints estimate and truth. A run that would take more than PATIENCE
seconds is left out. On a busy machine the seconds are those of the processor: of the main thread,
and half of those of all others.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

import shoal
from shoal.pipeline.plan.estimate import estimate

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))

from telling import Bar  # noqa: E402

COSTS = REPOSITORY / "src/shoal/pipeline/plan/costs.csv"
HEADER = "method", "records", "columns", "k", "seconds", "megabytes"
PATIENCE = 90.0
MOMENT = 1.0  # seconds: what takes less is told as "about a second"
USUAL = 8, 5  # columns and k
SIZES = 1_000, 8_000, 40_000, 200_000
OTHERS = (3, 5), (24, 5), (8, 3), (8, 20)
OTHERS_AT = 8_000
OTHER_TABLES = (1_500, 5, 4, 50), (20_000, 12, 10, 2_000), (100_000, 6, 8, 5_000)

WORKER = """
import json, resource, sys, time
import numpy as np, pandas as pd, shoal
method, rows, columns, k, seed, mixed, spread = json.loads(sys.argv[1])
def table(rows):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(max(2, rows // spread), columns)) * 4
    matrix = centers[rng.integers(0, len(centers), rows)] + rng.normal(size=(rows, columns))
    frame = pd.DataFrame(matrix, columns=[f"c{j}" for j in range(columns)])
    for j in range(0, columns if mixed else 0, 2):
        frame[f"c{j}"] = pd.cut(frame[f"c{j}"], 12, labels=list("abcdefghijkl")).astype(str)
    return frame
name, _, effort = method.partition(":")
shoal.anonymize(table(60), k=k, method=name, effort="quick")
X = table(rows)
clocks = time.perf_counter, time.process_time, time.thread_time
start = [clock() for clock in clocks]
shoal.anonymize(X, k=k, method=name, effort=effort or "normal")
seconds, used, alone = (clock() - begun for clock, begun in zip(clocks, start))
seconds = min(seconds, alone + (used - alone) / 2)  # on two cores, if others use them too
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


class Subject(NamedTuple):
    """What is measured: a method; with a colon and an effort, where that changes the time."""

    name: str
    mixed: bool
    columns: int | None = None


def subjects():
    """Return all methods, and those that effort matters to once more."""
    known = [m for m in shoal.methods() if m.name != "exact" and not m.recodes]
    every = [Subject(m.name, m.on_nodes, m.columns) for m in known]
    efforts = [
        Subject(f"{m.name}:{effort}", m.on_nodes)
        for m in shoal.methods() if m.in_blocks
        for effort in ("quick", "best")
    ]  # fmt: skip
    return [*every, *efforts]


def measured(subject, rows, columns, k, seed=0, spread=500):
    """Return seconds and megabytes of a run in a process of its own; None if it takes too long."""
    told = json.dumps([subject.name, rows, columns, k, seed, subject.mixed, spread])
    try:
        done = subprocess.run(
            [sys.executable, "-c", WORKER, told], capture_output=True, text=True, check=True,
            timeout=3 * PATIENCE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as error:
        sys.stderr.write(error.stderr.splitlines()[-1] + "\n")
        return None
    return json.loads(done.stdout)


def load():
    """Return what was measured: (method, records, columns, k) -> (seconds, megabytes)."""
    if not COSTS.exists():
        return {}
    with COSTS.open(newline="") as file:
        return {
            (r["method"], int(r["records"]), int(r["columns"]), int(r["k"])):
            (float(r["seconds"]), float(r["megabytes"]))
            for r in csv.DictReader(file)
        }  # fmt: skip


def save(known):
    """Write what was measured, in order."""
    order = {one.name: at for at, one in enumerate(subjects())}
    with COSTS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for key in sorted(known, key=lambda key: (order.get(key[0], 99), key[1:])):
            seconds, megabytes = known[key]
            writer.writerow([*key, f"{seconds:.4g}", f"{megabytes:.4g}"])


def likely(known, subject, rows):
    """Return how long a run will take, by the two before it; 0 where there are none."""
    usual = subject.columns or USUAL[0], USUAL[1]
    before = sorted(
        (n, s) for (name, n, *rest), (s, _) in known.items()
        if name == subject.name and tuple(rest) == usual and n < rows
    )  # fmt: skip
    if len(before) < 2:
        return before[0][1] * (rows / before[0][0]) if before else 0.0
    (n0, s0), (n1, s1) = before[-2:]
    slope = min(2.2, max(1.0, np.log(s1 / s0) / np.log(n1 / n0)))
    return s1 * (rows / n1) ** slope


def measure(chosen):
    """Measure what is not known yet."""
    known = load()
    plan = [(n, *USUAL) for n in SIZES] + [(OTHERS_AT, *other) for other in OTHERS]
    for (rows, wide, k), subject in product(plan, chosen):
        columns = subject.columns or wide
        key = subject.name, rows, columns, k
        if key in known:
            continue
        if likely(known, subject, rows) > PATIENCE:
            continue
        found = measured(subject, rows, columns, k)
        if found is None:
            continue
        known[key] = found
        print(f"{subject.name:12} n = {rows:>7,} d = {columns:>2} k = {k:>2}  "
              f"{found[0]:8.2f} s  {found[1]:8.1f} MB", flush=True)  # fmt: skip
        save(known)


def check(chosen):
    """Compare estimates with runs on other tables; return a bar for each."""
    bars = []
    for subject in chosen:
        for rows, wide, k, spread in OTHER_TABLES:
            columns = subject.columns or wide
            expected = estimate(subject.name, rows, columns, k)
            if expected is None or expected.seconds > PATIENCE:
                continue
            found = measured(subject, rows, columns, k, seed=7, spread=spread)
            if found is None:
                continue
            likely, truth = max(expected.seconds, MOMENT), max(found[0], MOMENT)
            ratio = max(likely / truth, truth / likely)
            room = max(expected.megabytes / max(found[1], 1.0), found[1] / expected.megabytes)
            told = f"{subject.name}, {rows:,} × {columns}, k = {k}"
            bars.append(Bar(f"{told}: time, estimate to truth", ratio, "<=", 2.0))
            bars.append(Bar(f"{told}: memory, estimate to truth", room, "<=", 2.0))
            for bar in bars[-2:]:
                print(bar, flush=True)
    return bars


if __name__ == "__main__":
    named = [word for word in sys.argv[1:] if word not in ("measure", "check")]
    chosen = [one for one in subjects() if not named or one.name in named]
    if "check" not in sys.argv:
        measure(chosen)
    else:
        found = check(chosen)
        sys.exit(any(not bar.met for bar in found))
