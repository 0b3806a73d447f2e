"""The page of engines, made of csv files alone: what was measured, and a plan for 10^9 records."""

from __future__ import annotations

import platform
import textwrap

import shoal
from shoal.pipeline.regions.budget import WORKER, budget_for
from shoal.table.files.many_files import CHUNK
from shoal.table.memory import read_memory
from telling import read, table, wrapped, write_page

GOAL, WORKERS, CORES = 10**9, 64, 2


def engines(rows):
    """Return a table of engines."""
    return table(
        ["engine", "records", "seconds", "loss"],
        [[r["engine"], f"{int(r['records']):,}", r["seconds"], f"{float(r['loss']):.4f}"]
         for r in rows],
    )  # fmt: skip


def write(folder):
    """Write docs/cluster/README.md."""
    opening = (
        "Files of Parquet in, a folder of Parquet files with a manifest out, by an engine; the "
        "[guide](guide.md) says how. Clustered records of eight columns, k = 10, eight input "
        "files, two cores: Dask has two workers of one thread, Spark two cores; both start their "
        f"cluster within the time told. Made by `make cluster` with shoal {shoal.__version__}, "
        f"Python {platform.python_version()}; the csv files beside this page hold every number."
    )
    told = {}
    if rows := read(folder, "same"):
        told["same"] = [
            "## The same groups",
            wrapped(
                "A million records by each engine, with one seed: the files are the same, byte by "
                "byte (`--keep-order`; else their rows are shuffled anew each time). "
                "`benchmarks/cluster/cluster.py same` writes this part."
            ),
            engines(rows),
        ]
    if rows := read(folder, "killed"):
        told["killed"] = [
            "## A worker killed",
            wrapped(
                "A million records by a Dask cluster of two workers, one of which is killed "
                "(SIGKILL) while regions are grouped: the files are the same. "
                "`benchmarks/cluster/cluster.py killed` writes this part."
            ),
            table(["what", "seconds"], [[r["what"], r["seconds"]] for r in rows]),
        ]
    if rows := read(folder, "overhead"):
        told["overhead"] = [
            "## Dask beside threads",
            wrapped(
                "Five million records on one machine, two threads of one process or two workers. "
                "Dask also groups the release once more in its own way, to verify it. "
                "`benchmarks/cluster/cluster.py overhead` writes this part."
            ),
            engines(rows),
        ]
        told["plan"] = plan(folder, rows)
    write_page(folder, "Engines", opening, told, {})


def plan(folder, rows):
    """Return a plan for a thousand million records, from what was measured."""
    records = int(rows[0]["records"])
    stages = [
        (r["stage"], int(r["tasks"]), float(r["task_seconds"])) for r in read(folder, "stages")
    ]
    volumes = {r["what"]: float(r["bytes"]) for r in read(folder, "volumes")}
    per = GOAL / records
    stages = [
        (name, count, took * (CORES if name.startswith("counting") else 1))
        for name, count, took in stages
    ]
    total = sum(took for _, _, took in stages) * per
    shuffled = sum(volumes[one] for one in ("piece", "moved", "rows")) * per
    gb, wall = 1e9, total / WORKERS
    lines = [
        [name, f"{took * 1e6 / records:.2f}", f"{took * per / 3600:.1f}"]
        for name, _, took in stages
    ]
    regions = -(-GOAL // budget_for(read_memory(WORKER), 8, 64.0).records)
    chunks = GOAL // CHUNK
    points = [
        f"**Regions**: {regions:,} of {GOAL // regions:,} records, a task each, for workers that "
        f"give a task {WORKER}; here, with regions of {records // 16:,}, a worker held at most "
        f"{volumes['worker_peak_gb']:.1f} GB. Give each worker one core and 4 GB.",
        "**Shuffle**: records are written and read three times (to regions, to other regions, to "
        f"the buckets of the release): {volumes['piece'] / records:.0f}, "
        f"{volumes['moved'] / records:.0f} and {volumes['rows'] / records:.0f} bytes a record as "
        f"measured, together {shuffled / gb:,.0f} GB each way; at most two of the three lie on the "
        f"storage at once. The release itself has {volumes['release'] * per / gb:,.0f} GB. A "
        f"region is read from one batch of each of {chunks:,} files, so a shuffle is "
        f"{regions * chunks:,} reads of {volumes['piece'] * per / regions / chunks / 1e3:.0f} kB: "
        "on a mounted file system no matter, on an object storage 16 at a time, and three "
        "requests each.",
        "**Rounds**: one move to other regions and one mending; regions of so many records have so "
        "little border that a second gains next to nothing.",
        f"**Time and cost**: {total / 3600:.0f} CPU hours, {wall / 60:.0f} minutes with {WORKERS} "
        "workers of one core that never wait for the storage; the last check, which reads the "
        "release by streaming on one core, comes on top. At 0.05 $ a core and hour, an assumption, "
        f"the cores cost {total / 3600 * 0.05:,.2f} $ at work. About {regions:,} tasks a stage "
        f"over {WORKERS} workers leave some idle for the last sixteenth of a stage.",
    ]
    return [
        "## A plan for 10^9 records",
        wrapped(
            f"What the workers took for {records:,} records, by stage (the engine's own counting "
            "is its seconds times two workers), and what a thousand million would take at the same "
            "rates: every stage looks at each record a fixed number of times, and blocks do not "
            "grow. Nobody has run it: these are extrapolations from one machine, whose workers "
            "read from a local disk."
        ),
        table(["stage", "µs a record", "CPU hours for 10^9"], lines),
        "\n".join(textwrap.fill(f"- {point}", 100, subsequent_indent="  ",
                                break_on_hyphens=False, break_long_words=False)
                  for point in points),
    ]  # fmt: skip
