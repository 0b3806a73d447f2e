"""Large tables: seconds, memory and loss of `fast` by size, beside a plain mdav: `make scale`.

    SHOAL_BASELINE=FOLDER SHOAL_OLD=FOLDER python benchmarks/scale/scale.py [sizes] [baseline]
        [workers] [threads] [mixed] [files] [verifying] [whole]

Records are clustered (50 centers, eight columns, seed 0), k = 10; kernels are compiled before.
Every size runs in a process of its own, whose peak memory is told. `baseline` compares with the
mdav.py of a folder, in one process; `files.py` has the parts about files, which need 20 GB of disk
in the temporary folder; `whole` releases files beside an older version. Prints every bar, writes
docs/scale/ and fails where one is missed.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import shoal

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))  # for `telling`, which others have too

import files  # noqa: E402
import page  # noqa: E402
import threads as side_by_side  # noqa: E402
import whole  # noqa: E402

from telling import Bar, run  # noqa: E402

DOCS = REPOSITORY / "docs/scale"
K = 10
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
SLOW = {"mdav": 100_000, "ilsmc+": 10_000}  # as far as others go


def records(rows, width=8, seed=0):
    """Return clustered records, standardized."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(50, width)) * 4
    matrix = centers[rng.integers(0, 50, rows)]
    matrix += rng.normal(size=(rows, width))
    matrix -= matrix.mean(axis=0)
    matrix /= matrix.std(axis=0)
    return matrix


def one(method, rows, threads=None):
    """Group so many records in this process, once compiled; return what it took."""
    shoal.microaggregate(records(5_000), K, method=method, threads=threads)
    matrix = records(rows)
    start, before = time.perf_counter(), time.process_time()
    found = shoal.microaggregate(matrix, K, method=method, threads=threads)
    return {
        "method": method, "records": rows, "seconds": round(time.perf_counter() - start, 3),
        "cpu": round(time.process_time() - before, 3),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 3),
        "loss": found.information_loss, "smallest": int(found.sizes.min()),
    }  # fmt: skip


def apart(method, rows):
    """Do it in a process of its own."""
    ran = subprocess.run(
        [sys.executable, __file__, "--one", method, str(rows)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    found = json.loads(ran.stdout)
    print(f"      {method} {rows:,}: {found['seconds']} s, {found['peak_gb']} GB, "
          f"loss {found['loss']:.4f}", flush=True)  # fmt: skip
    return found


def sizes():
    """Measure every size."""
    found = [apart("fast", rows) for rows in SIZES]
    found += [
        apart(method, rows) for method, most in SLOW.items() for rows in SIZES if rows <= most
    ]
    by = {row["records"]: row for row in found if row["method"] == "fast"}
    large = [rows for rows in SIZES if rows >= 100_000]
    slope = np.polyfit(np.log(large), np.log([by[rows]["seconds"] for rows in large]), 1)[0]
    million = by[1_000_000]
    bars = [
        Bar("1,000,000 × 8, k = 10: seconds", million["seconds"], "<", 45),
        Bar("1,000,000 × 8, k = 10: peak memory, GB", million["peak_gb"], "<", 3),
        Bar("loss at 1,000,000 over that at 100,000", million["loss"] / by[100_000]["loss"],
            "<=", 1),
        Bar("exponent of time over n, 10^5 to 10^7", float(slope), "<", 1.15),
    ]  # fmt: skip
    head = list(found[0])
    return bars, {"sizes": [head, *([row[key] for key in head] for row in found)]}


def baseline():
    """Compare with a plain mdav in this process, one after the other, twice."""
    folder = os.environ.get("SHOAL_BASELINE")
    if not folder:
        sys.exit("SHOAL_BASELINE must name a folder with mdav.py")
    sys.path.append(folder)
    import mdav as plain

    matrix = records(100_000)
    plain.mdav(records(2_000), K)
    shoal.microaggregate(records(5_000), K, method="fast")
    seconds = {"mdav.py": np.inf, "fast": np.inf}
    for _ in range(2):
        start = time.perf_counter()
        theirs = plain.mdav(matrix, K)
        seconds["mdav.py"] = min(seconds["mdav.py"], time.perf_counter() - start)
        start = time.perf_counter()
        ours = shoal.microaggregate(matrix, K, method="fast")
        seconds["fast"] = min(seconds["fast"], time.perf_counter() - start)
    labels = theirs[0] if isinstance(theirs, tuple) else theirs
    sizes_ = np.bincount(labels)
    means = np.stack([np.bincount(labels, column) / sizes_ for column in matrix.T], axis=1)
    lost = 100.0 * ((matrix - means[labels]) ** 2).sum() / (matrix**2).sum()
    bars = [
        Bar("100,000 × 8: times faster than mdav.py", seconds["mdav.py"] / seconds["fast"],
            ">=", 6),
        Bar("100,000 × 8: loss of fast over that of mdav.py", ours.information_loss / lost,
            "<=", 0.95),
    ]  # fmt: skip
    rows = [["who", "seconds", "loss"], ["mdav.py", f"{seconds['mdav.py']:.2f}", lost],
            ["fast", f"{seconds['fast']:.2f}", ours.information_loss]]  # fmt: skip
    return bars, {"baseline": rows}


def workers():
    """Count the different results of one, two and four threads."""
    from shoal.backends.executor import Threads
    from shoal.methods.blocks import Blocks, group_in_blocks
    from shoal.progress import Reporter

    matrix = records(100_000)
    every = {
        count: group_in_blocks(matrix, K, Blocks(), 0, Reporter(None), Threads(count))
        for count in (1, 2, 4)
    }
    different = {labels.tobytes() for labels in every.values()}
    bar = Bar("different groups by 1, 2, 4 threads", len(different), "<=", 1)
    return [bar], {}


def threads():
    """Measure what one thread does alone, and what a second one is worth."""
    return side_by_side.measured(records)


PARTS = {
    part.__name__: part
    for part in (
        sizes,
        baseline,
        workers,
        threads,
        files.mixed,
        files.files,
        files.verifying,
        whole.whole,
    )
}


def main():
    """Measure the parts that are asked for, or one size in a process of its own."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(sys.argv[2], int(sys.argv[3]))))
        return 0
    return run(DOCS, PARTS, page.write)


if __name__ == "__main__":
    sys.exit(main())
