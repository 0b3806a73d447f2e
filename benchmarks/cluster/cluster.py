"""Engines: threads, Dask and Spark side by side, with real clusters: `make cluster`.

    python benchmarks/cluster/cluster.py [same] [killed] [overhead]

Records are clustered: 50 centers, eight columns, k = 10, eight files of
Parquet. `same` releases a million by each engine, `killed` kills a Dask worker in mid-run, and
`overhead` compares Dask with threads on five million and notes what every stage took, how much was
shuffled, and how much memory a worker held: `page.py` makes the plan for 10^9 records of that.
Kernels are compiled before. Prints every bar, writes docs/cluster/ and fails where one is missed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

REPOSITORY = Path(__file__).parents[2]
sys.path += [str(REPOSITORY / "benchmarks"), str(REPOSITORY / "tests")]

import page  # noqa: E402

from backends.cluster import Cluster  # noqa: E402
from telling import Bar, run  # noqa: E402

DOCS = REPOSITORY / "docs/cluster"
K, FILES, WIDTH, PIECE = 10, 8, 8, 1_000_000
NAMES = [f"x{j}" for j in range(WIDTH)]
SAME, LARGE = 1_000_000, 5_000_000
TASK = re.compile(r"^\S+ (?P<what>.*): \d+ of (?P<count>\d+), (?P<seconds>[\d.]+) s on ")


def write_input(folder, rows):
    """Write files of records, drawn a million at a time."""
    folder.mkdir()
    whole = folder / "whole"
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(50, WIDTH)) * 4
    with pq.ParquetWriter(whole, pa.schema([(name, pa.float64()) for name in NAMES])) as writer:
        for start in range(0, rows, PIECE):
            some = min(PIECE, rows - start)
            found = centers[rng.integers(0, 50, some)] + rng.normal(size=(some, WIDTH))
            writer.write_table(pa.table(dict(zip(NAMES, found.T, strict=True))))
    with pq.ParquetFile(whole) as file:
        size = rows // FILES
        for number, batch in enumerate(file.iter_batches(size)):
            pq.write_table(pa.Table.from_batches([batch]), folder / f"{number:03d}.parquet")
    whole.unlink()
    return f"{folder}/*.parquet"


class Watch(threading.Thread):
    """Looks at the folder of a run and at its processes, twice a second."""

    def __init__(self, folder, process):
        super().__init__(daemon=True)
        self.folder, self.process = folder, process
        self.bytes, self.peak = defaultdict(int), 0.0

    def run(self):
        """Look until the process is gone."""
        while self.process.poll() is None:
            now = defaultdict(int)
            for path in self.folder.glob(".*.shoal-work/*/*"):
                try:
                    now[re.split(r"[-.]", path.name)[0]] += path.stat().st_size
                except OSError:
                    continue
            for name, size in now.items():
                self.bytes[name] = max(self.bytes[name], size)
            self._memory()
            time.sleep(0.5)

    def _memory(self):
        try:
            for child in psutil.Process(self.process.pid).children(recursive=True):
                self.peak = max(self.peak, child.memory_info().rss / 1e9)
        except psutil.Error:
            pass


def released(pattern, output, *more):
    """Release files in a process of its own; return what it took and left."""
    shutil.rmtree(output, ignore_errors=True)
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", "anonymize", pattern, "-k", str(K), "-o", str(output),
         "--no-report", "--verbose", "--json", *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    watch = Watch(output.parent, process)
    watch.start()
    said, told = process.communicate()
    seconds = time.perf_counter() - start
    if process.returncode:
        sys.exit(f"shoal anonymize ended with {process.returncode}: {told[-300:]}")
    watch.join()
    stages = defaultdict(lambda: [0, 0.0])
    for line in told.splitlines():
        if found := TASK.match(line):
            stages[found["what"]][0] = int(found["count"])
            stages[found["what"]][1] += float(found["seconds"])
    parts = json.loads((output / "manifest.json").read_text())["parts"]
    return {
        "seconds": seconds, "report": json.loads(said), "stages": stages, "bytes": watch.bytes,
        "peak": watch.peak, "hashes": [part["sha256"] for part in parts],
        "written": sum(part["bytes"] for part in parts),
    }  # fmt: skip


def same():
    """Release a million records by each engine, and compare the files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pattern = write_input(folder / "in", SAME)
        found = {
            engine: released(pattern, folder / engine, "--engine", engine, "--keep-order")
            for engine in ("threads", "dask", "spark")
        }
    different = {tuple(one["hashes"]) for one in found.values()}
    losses = {one["report"]["information_loss"] for one in found.values()}
    bars = [
        Bar("1,000,000 × 8: different releases by threads, dask, spark", len(different), "<=", 1),
        Bar("1,000,000 × 8: different losses", len(losses), "<=", 1),
    ]
    rows = [["engine", "records", "seconds", "loss"]]
    rows += [
        [engine, SAME, f"{one['seconds']:.1f}", one["report"]["information_loss"]]
        for engine, one in found.items()
    ]
    return bars, {"same": rows}


def killed():
    """Kill one of two Dask workers while a million records are grouped."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pattern = write_input(folder / "in", SAME)
        quiet = released(pattern, folder / "quiet", "--engine", "dask", "--keep-order")
        (folder / "dask").mkdir()
        with Cluster(folder / "dask") as cluster:

            def kill():
                while not any(folder.glob(".loud.*/*/grouped-0-3.json")):
                    time.sleep(0.01)
                cluster.workers[0].kill()

            thread = threading.Thread(target=kill)
            thread.start()
            more = ("--engine", "dask", "--scheduler", cluster.address, "--keep-order")
            loud = released(pattern, folder / "loud", *more)
            thread.join()
            gone = cluster.workers[0].wait()
    different = {tuple(quiet["hashes"]), tuple(loud["hashes"])}
    bars = [
        Bar("1,000,000 × 8: different releases with a worker killed", len(different), "<=", 1),
        Bar("the worker was killed (signal 9)", -gone, ">=", 9),
    ]
    rows = [["what", "seconds"], ["two workers", f"{quiet['seconds']:.1f}"],
            ["one of two killed in mid-run", f"{loud['seconds']:.1f}"]]  # fmt: skip
    return bars, {"killed": rows}


def overhead():
    """Compare Dask with threads on five million records."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pattern = write_input(folder / "in", LARGE)
        threads = released(pattern, folder / "threads", "--engine", "threads", "--keep-order")
        dask = released(pattern, folder / "dask", "--engine", "dask", "--keep-order")
    ratio = dask["seconds"] / threads["seconds"]
    different = {tuple(threads["hashes"]), tuple(dask["hashes"])}
    what = "5,000,000 × 8"
    bars = [
        Bar(f"{what}: seconds of dask over those of threads", ratio, "<", 1.3),
        Bar(f"{what}: different releases", len(different), "<=", 1),
    ]
    rows = [["engine", "records", "seconds", "loss"]]
    rows += [
        [engine, LARGE, f"{one['seconds']:.1f}", one["report"]["information_loss"]]
        for engine, one in (("threads", threads), ("dask", dask))
    ]
    stages = [["stage", "tasks", "task_seconds"]]
    stages += [[name, count, f"{took:.1f}"] for name, (count, took) in dask["stages"].items()]
    wanted = ("piece", "moved", "rows")
    volumes = [["what", "bytes"], *([one, dask["bytes"][one]] for one in wanted)]
    volumes += [["release", dask["written"]], ["worker_peak_gb", f"{dask['peak']:.2f}"]]
    return bars, {"overhead": rows, "stages": stages, "volumes": volumes}


PARTS = {part.__name__: part for part in (same, killed, overhead)}


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    sys.exit(run(DOCS, PARTS, page.write))
