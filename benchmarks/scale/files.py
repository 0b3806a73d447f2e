"""Parts of `make scale` about files: larger than the memory allowed, and a hundred million rows."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.append(str(Path(__file__).parents[1]))  # for `telling`, which others have too

from telling import Bar

K, WIDTH, PIECE = 10, 8, 1_000_000
NAMES = [f"x{j}" for j in range(WIDTH)]
FILE = 10_000_000
VERIFIED = 100_000_000


def ran(*command, repository=None):
    """Run a command of shoal; return seconds, the peak memory of its process, and what it said.

    `repository` is the folder of another version, where it is not this one that runs.
    """
    start = time.perf_counter()
    other = {} if repository is None else {"PYTHONPATH": str(Path(repository) / "src")}
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", *map(str, command)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **other},
    )  # fmt: skip
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"shoal {command[0]} ended with {process.returncode}")
    return time.perf_counter() - start, used.ru_maxrss / 1e6, json.loads(said)


def write_records(path, rows):
    """Write clustered records, as those in memory but for their scale, a million at a time."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(50, WIDTH)) * 4
    with pq.ParquetWriter(path, pa.schema([(name, pa.float64()) for name in NAMES])) as writer:
        for start in range(0, rows, PIECE):
            some = min(PIECE, rows - start)
            found = centers[rng.integers(0, 50, some)] + rng.normal(size=(some, WIDTH))
            writer.write_table(pa.table(dict(zip(NAMES, found.T, strict=True))))


def files():
    """Release ten million records from Parquet in 4 GB, and verify the file by streaming.

    Where `SHOAL_OLD` names a folder with the older version's repository, it does the same after.
    """
    old = os.environ.get("SHOAL_OLD")
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "in.parquet", Path(folder) / "out.parquet"
        write_records(source, FILE)
        command = ["anonymize", source, "-k", K, "--memory", "4GB", "--seed", 1, "--json", "-o"]
        seconds, peak, report = ran(*command, output)
        took, held, verified = ran("verify", output, "-k", K, "--quasi", ",".join(NAMES), "--json")
        left = [path.name for path in Path(folder).iterdir() if path.name.startswith(".")]
        before = ran(*command, Path(folder) / "old.parquet", repository=old) if old else None
    what = "10,000,000 × 8 from Parquet, --memory 4GB"
    bars = [
        Bar(f"{what}: peak memory, GB", peak, "<=", 1.5),
        Bar(f"{what}: smallest class by streaming verify", verified["k"], ">=", K),
        Bar(f"{what}: records verified", verified["records"], ">=", FILE),
        Bar(f"{what}: temporary files left", len(left), "<=", 0),
    ]
    rows = [
        ["what", "records", "seconds", "peak_gb", "loss"],
        ["shoal anonymize --memory 4GB", FILE, f"{seconds:.1f}", f"{peak:.2f}",
         report["information_loss"]],
        ["shoal verify", FILE, f"{took:.1f}", f"{held:.2f}", ""],
    ]  # fmt: skip
    if before:
        bars.append(
            Bar(f"{what}: seconds over those of the old code", seconds / before[0], "<=", 0.5)
        )
        rows.append(["shoal anonymize --memory 4GB, older version", FILE, f"{before[0]:.1f}",
                     f"{before[1]:.2f}", before[2]["information_loss"]])  # fmt: skip
    return bars, {"files": rows}


def write_classes(path, rows):
    """Write rows in classes of ten, each class scattered over the file."""
    rng = np.random.default_rng(0)
    count = rows // K
    with pq.ParquetWriter(
        path, pa.schema([(name, pa.float64()) for name in NAMES]), compression="zstd"
    ) as writer:
        places = rng.permutation(rows) % count  # which class each row is of
        for start in range(0, rows, PIECE):
            own = places[start : start + PIECE].astype(np.float64)
            writer.write_table(
                pa.table({name: np.sin(own * (j + 1)) for j, name in enumerate(NAMES)})
            )


def verifying():
    """Verify a hundred million rows in ten million classes by streaming."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.parquet"
        subprocess.run([sys.executable, __file__, str(path), str(VERIFIED)], check=True)
        size = path.stat().st_size / 1e9
        seconds, peak, verified = ran("verify", path, "-k", K, "--quasi", ",".join(NAMES), "--json")
    what = "100,000,000 × 8: shoal verify"
    bars = [
        Bar(f"{what}, peak memory, GB", peak, "<", 1.5),
        Bar(f"{what}, records", verified["records"], ">=", VERIFIED),
        Bar(f"{what}, classes", verified["classes"], ">=", VERIFIED // K),
    ]
    rows = [
        ["records", "classes", "file_gb", "seconds", "peak_gb"],
        [VERIFIED, verified["classes"], f"{size:.2f}", f"{seconds:.1f}", f"{peak:.2f}"],
    ]
    return bars, {"verifying": rows}


def mixed_records(rows=200_000):
    """Return ten columns, four of numbers and six of words, of which every cell may be missing."""
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 60, rows)

    def holed(values):
        return pa.array(values, mask=rng.random(rows) < 0.03)

    def words(letter, numbers):
        return holed(np.char.add(letter, numbers.astype(str)))

    return pa.table({
        "age": holed(18 + groups + rng.integers(0, 12, rows)),
        "income": holed(np.round(rng.lognormal(10, 0.6, rows) + 500 * groups).astype(np.int64)),
        "hours": holed(rng.integers(5, 70, rows)),
        "weight": holed(np.round(rng.normal(75, 14, rows), 1)),
        "job": words("j", (groups // 3 + rng.integers(0, 4, rows)) % 24),
        "region": words("r", groups % 16),
        "sex": holed(rng.choice(["f", "m"], rows)),
        "school": words("s", rng.integers(0, 9, rows)),
        "status": words("m", rng.integers(0, 5, rows)),
        "zip": words("", 10000 + 97 * (groups * 7 + rng.integers(0, 5, rows))),
    })  # fmt: skip


def mixed():
    """Release 200,000 records of ten mixed columns with missing cells, in memory."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "in.parquet", Path(folder) / "out.parquet"
        pq.write_table(mixed_records(), source)
        seconds, peak, report = ran(
            "anonymize", source, "-k", K, "--hierarchy", "zip=prefixes:4,3,2", "-o", output,
            "--json",
        )  # fmt: skip
    what = "200,000 × 10 mixed columns, 3 % missing"
    bars = [
        Bar(f"{what}: seconds", seconds, "<=", 60),
        Bar(f"{what}: peak memory, GB", peak, "<", 4),
        Bar(f"{what}: smallest class", report["verification"]["k"], ">=", K),
    ]
    rows = [
        ["records", "columns", "method", "seconds", "peak_gb", "iloss"],
        [200_000, 10, report["method"], f"{seconds:.1f}", f"{peak:.2f}",
         report["information_loss"]],
    ]  # fmt: skip
    return bars, {"mixed": rows}


if __name__ == "__main__":
    write_classes(Path(sys.argv[1]), int(sys.argv[2]))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, "GB to write it")
