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
from pathlib import Path

import numpy as np
from plain_mdav import mdav as plain_mdav

import shoal

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
        say("main job, kernels uncompiled, CPU", after.ru_utime - before.ru_utime, 15, "s")
        say("main job, compiled", best(lambda: command(*job, PYTHONPATH=folder)), 3, "s")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(PACKAGE, f"{folder}/shoal", ignore=shutil.ignore_patterns("__pycache__"))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command("-m", "shoal", "warmup", PYTHONPATH=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        say("shoal warmup, nothing compiled, CPU", after.ru_utime - before.ru_utime, 60, "s")


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
        say("mdav: the baseline's time over ours", baseline / best(ours), 1, "×", at_least=True)
    else:
        print("      (no baseline: SHOAL_BASELINE is not set)")


def page():
    """The HTML report of a table with many columns."""
    matrix = np.random.default_rng(0).normal(size=(2_000, 13))
    report = shoal.anonymize(matrix, k=5).report
    say("HTML report, 13 columns", best(report.to_html), 3, "s")
    say("HTML report, 13 columns", len(report.to_html().encode()) / 1e6, 1, "MB")


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
    memory()
    sys.exit(1 if missed else 0)
