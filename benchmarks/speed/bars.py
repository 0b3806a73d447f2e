"""Every bar in seconds or as a ratio, measured here and now: `make bars`.

Times are the best of several runs; this says what the machine can do, not what it did while it
was busy with something else. Set SHOAL_BASELINE to a folder with a `mdav.py` (a function
`mdav(matrix, k)` that returns labels and the number of groups) to measure against it too.
"""

from __future__ import annotations

import importlib.util
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from plain_mdav import mdav as plain_mdav
from pyarrow import csv

import shoal
from shoal.measures.loss import information_loss
from shoal.methods.heuristics.optimal import optimal_1d
from shoal.release.write import csv_bytes
from shoal.table.encode import encode

HERE = Path(__file__).parent
PACKAGE = Path(shoal.__file__).parent
missed = 0


def say(name, value, bar, unit, *, at_least=False):
    """Print one bar and remember whether it was met."""
    global missed  # noqa: PLW0603
    met = value >= bar if at_least else value <= bar
    missed += not met
    sign = ">=" if at_least else "<="
    print(f"{'ok  ' if met else 'MISS'}  {name:<62} {value:8.3f} {unit} (bar {sign} {bar})")


def best(run, times=3):
    """Return the least seconds of several runs."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def command(*arguments, **environment):
    """Run a command and return its seconds."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        check=True,
        capture_output=True,
        env={**os.environ, **environment},
    )
    return time.perf_counter() - start


def start_up():
    """What a newcomer waits for before anything happens."""
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import shoal"],
        check=True,
        capture_output=True,
        text=True,
    )
    line = next(line for line in ran.stderr.splitlines() if re.search(r"\| shoal$", line))
    say("import shoal (-X importtime)", int(line.split("|")[1]) / 1e6, 0.3, "s")
    say("shoal --help", best(lambda: command("-m", "shoal", "--help")), 0.6, "s")


def main_job():
    """The README's main job, kernels uncompiled and compiled, in a copy of the package."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "shoal"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        job = ("-m", "shoal", "run", f"{copy}/datasets/patients.toml", "-o", f"{folder}/out/",
               "--force")  # fmt: skip
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        say("main job, kernels uncompiled", command(*job, PYTHONPATH=folder), 15, "s")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        say("main job, kernels uncompiled, CPU", after.ru_utime - before.ru_utime, 10, "s")
        say("main job, compiled", best(lambda: command(*job, PYTHONPATH=folder)), 3, "s")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(PACKAGE, f"{folder}/shoal", ignore=shutil.ignore_patterns("__pycache__"))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command("-m", "shoal", "warmup", PYTHONPATH=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        say("shoal warmup, nothing compiled, CPU", after.ru_utime - before.ru_utime, 45, "s")


def mdav():
    """Mdav on 20,000 × 8 normal data, k = 10, beside others in the same process."""
    matrix = np.random.default_rng(0).normal(size=(20_000, 8))

    def ours():
        return shoal.microaggregate(matrix, 10, standardize=False)

    ours()
    seconds = best(ours)
    print(f"      mdav 20,000 × 8, k = 10: {seconds:.3f} s, loss {ours().information_loss:.4f}")
    plain = best(lambda: plain_mdav(matrix, 10), 1)
    say("mdav: NumPy's time over ours", plain / seconds, 1, "×", at_least=True)
    folder = os.environ.get("SHOAL_BASELINE")
    if folder:
        spec = importlib.util.spec_from_file_location("baseline_mdav", Path(folder) / "mdav.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.mdav(matrix[:200], 10)
        baseline = best(lambda: module.mdav(matrix, 10))
        say("mdav: the baseline's time over ours", baseline / best(ours), 3, "×", at_least=True)
        same(matrix, ours().labels, module.mdav(matrix, 10)[0])
        if os.environ.get("SHOAL_DATA"):
            eia = encode(shoal.datasets.load("eia")).matrix
            ours_on_eia = partial(shoal.microaggregate, eia, 3, standardize=False)
            ours_on_eia()
            baseline = best(lambda: module.mdav(eia, 3), 7)
            ratio = baseline / best(ours_on_eia, 7)
            say("mdav on eia, k = 3: the baseline's time over ours", ratio, 3, "×", at_least=True)
            same(eia, ours_on_eia().labels, module.mdav(eia, 3)[0])
    else:
        print("      (no baseline: SHOAL_BASELINE is not set)")


def same(matrix, ours, others):
    """Both groupings lose the same."""
    gap = abs(information_loss(matrix, ours) - information_loss(matrix, others))
    say("  difference of the two losses", gap, 1e-9, " ")


def clustered(rows, columns=8, clusters=50):
    """Records around seeded centers."""
    rng = np.random.default_rng(1)
    centers = 3 * rng.normal(size=(clusters, columns))
    return centers[rng.integers(0, clusters, rows)] + 0.5 * rng.normal(size=(rows, columns))


def growth():
    """How the time of mdav grows from 20,000 to 200,000 clustered records."""
    seconds = []
    for rows in (20_000, 200_000):
        matrix = clustered(rows)
        seconds.append(best(partial(shoal.microaggregate, matrix, 10, standardize=False), 2))
        print(f"      mdav {rows:,} × 8 clustered, k = 10: {seconds[-1]:.3f} s")
    say("mdav: exponent of its time", float(np.log10(seconds[1] / seconds[0])), 1.8, " ")


def other_methods():
    """One optimal column of a million; GSMS with little memory; fewer distances with more k."""
    column = np.random.default_rng(2).normal(size=(1_000_000, 1))
    for k in (3, 1000, 400_000):
        seconds = best(partial(optimal_1d, column[:, 0], k), 2)
        say(f"optimal-1d, a million values, k = {k}", seconds, 3, "s")
    seconds = best(partial(shoal.microaggregate, column, 10, method="optimal-1d"), 1)
    print(f"      the same from array to Partition, k = 10: {seconds:.2f} s")
    matrix = clustered(50_000)
    tracemalloc.start()
    seconds = best(partial(shoal.microaggregate, matrix, 10, method="gsms-nn"), 1)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    print(f"      gsms-nn 50,000 × 8, k = 10: {seconds:.1f} s")
    say("gsms-nn 50,000 × 8, k = 10: peak memory", peak, 300, "MB")


def page():
    """The HTML report of a table with many columns."""
    matrix = np.random.default_rng(0).normal(size=(2_000, 13))
    report = shoal.anonymize(matrix, k=5).report
    say("HTML report, 13 columns", best(report.to_html), 3, "s")
    say("HTML report, 13 columns", len(report.to_html().encode()) / 1e6, 1, "MB")


def csv_files():
    """Read and write 500,000 × 10 cells as csv, in CPU seconds beside Arrow's own reader."""
    rows, draw = 500_000, np.random.default_rng(0)
    days = np.datetime64("2000-01-01") + draw.integers(0, 20_000, (2, rows))
    columns = {
        "id": np.arange(rows),
        "age": _some_missing(draw.integers(0, 100, rows), draw),
        "income": np.round(draw.lognormal(10, 1, rows), 2),
        "x": np.round(draw.normal(size=rows), 6),
        "y": _some_missing(np.round(100 * draw.normal(size=rows), 1), draw),
        "town": _some_missing(np.array([f"town {i}" for i in draw.integers(0, 300, rows)]), draw),
        "code": [f"n{i:x}" for i in draw.integers(0, 2**40, rows).tolist()],
        "birth": pa.array(days[0]).cast(pa.date32()),
        "visit": _some_missing(days[1], draw),
        "sex": np.array(["female", "male"])[draw.integers(0, 2, rows)],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        arrow = pa.table(columns)
        csv.write_csv(arrow, path, csv.WriteOptions(quoting_style="none"))
        table, order = shoal.read(path), draw.permutation(rows)
        arrow_reads, reads, arrow_writes, writes = cpu(
            lambda: csv.read_csv(path),
            lambda: shoal.read(path),
            lambda: csv.write_csv(arrow, Path(folder) / "u.csv"),
            lambda: csv_bytes(table, order),
        )
    say("csv 500,000 × 10: CPU to read over Arrow's", reads / arrow_reads, 3, "×")
    say("csv 500,000 × 10: CPU to read and write over Arrow's",
        (reads + writes) / (arrow_reads + arrow_writes), 3, "×")  # fmt: skip


def _some_missing(values, draw):
    return pa.array(values, mask=draw.random(len(values)) < 0.03)


def cpu(*tasks, times=10):
    """Return the least CPU seconds of each task in several runs, in turns, of all threads."""
    seconds = [[] for _ in tasks]
    for _ in range(times):
        for own, task in zip(seconds, tasks, strict=True):
            start = time.process_time()
            task()
            own.append(time.process_time() - start)
    return [min(own) for own in seconds]


def comparison():
    """Ten methods and three k on census; needs the reference tables."""
    if not os.environ.get("SHOAL_DATA"):
        print("      SHOAL_DATA is not set: compare on census was not measured")
        return
    data = shoal.datasets.load("census")
    start = time.perf_counter()
    found = shoal.compare(data, k=[3, 5, 10])
    say("compare: census, ten methods, k = 3, 5, 10", time.perf_counter() - start, 120, "s")
    done = sum(point.information_loss is not None for point in found.points)
    say("compare: runs that came to an end", done, 30, "", at_least=True)


def memory():
    """Peak memory of mdav against the matrix itself: O(n·d)."""
    for rows in (20_000, 80_000):
        matrix = np.random.default_rng(0).normal(size=(rows, 8))
        tracemalloc.start()
        shoal.microaggregate(matrix, rows // 20)
        peak = tracemalloc.get_traced_memory()[1] / matrix.nbytes
        tracemalloc.stop()
        say(f"mdav {rows:,} × 8: peak memory over the matrix", peak, 12, "×")


if __name__ == "__main__":
    start_up()
    main_job()
    page()
    mdav()
    growth()
    other_methods()
    memory()
    csv_files()
    comparison()
    sys.exit(1 if missed else 0)
