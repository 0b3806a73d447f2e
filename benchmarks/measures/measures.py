"""What releases cost and which risks are left, on the reference tables: `make measures`.

    python benchmarks/measures/measures.py [linkage] [frontier] [million]

Needs tarragona.csv and census.csv in the folder SHOAL_DATA. Prints every bar, writes
docs/measures/ and fails where a bar is missed. A part that is not asked for stays on the page as it
was measured last.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

import shoal

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))  # for `telling`, which others have too

import page  # noqa: E402

from telling import Bar, run  # noqa: E402

DOCS = REPOSITORY / "docs/measures"
KEYS = ("sse_sst", "distance_linkage", "rank_linkage", "block_linkage", "interval_disclosure",
        "known_members")  # fmt: skip


def linkage():
    """Attack releases of columns grouped together and each on its own, k = 3."""
    rows = [["table", "release", "smallest class", *KEYS]]
    bars = []
    for name in ("tarragona", "census"):
        table = shoal.datasets.load(name)
        alone = shoal.measure(table, shoal.microaggregate_columns(table, 3).data)
        found = {"each column on its own": alone}
        for method in ("mdav", "ilsmc+"):
            made = shoal.anonymize(table, k=3, method=method)
            found[f"all columns together, {method}"] = shoal.measure(table, made.data)
        rows += [
            [name, what, one.k, *(f"{one[key].value:.6g}" for key in KEYS)]
            for what, one in found.items()
        ]
        if name == "tarragona":
            together = found["all columns together, mdav"]
            bars = [
                Bar("tarragona, each column on its own: linked by distance, %",
                    alone["distance_linkage"].value, ">", 99),
                Bar("tarragona, each column on its own: smallest class", alone.k, "<=", 1),
                Bar("tarragona, mdav: linked by distance, %",
                    together["distance_linkage"].value, "<", 100 / 3),
            ]  # fmt: skip
    return bars, {"linkage": rows}


def frontier():
    """Measure what is lost and what is linked as k grows, on census."""
    keys = ("sse_sst", "correlations", "propensity", "regression", "distance_linkage",
            "interval_disclosure")  # fmt: skip
    table = shoal.datasets.load("census")
    rows = [["method", "k", *keys]]
    for method in ("mdav", "ilsmc+"):
        for k in (2, 3, 5, 10, 20, 40):
            made = shoal.anonymize(table, k=k, method=method)
            found = shoal.measure(table, made.data)
            rows.append([method, k, *(f"{found[key].value:.6g}" for key in keys)])
    return [], {"frontier": rows}


def large(rows, k=10):
    """Return clustered records of eight columns with a sensitive one, and groups of k as means."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(50, 8)) * 4
    matrix = np.round(centers[rng.integers(0, 50, rows)] + rng.normal(size=(rows, 8)), 3)
    order = np.lexsort((matrix[:, 1], np.round(matrix[:, 0] * 3)))
    labels = np.empty(rows, dtype=np.int64)
    labels[order] = np.minimum(np.arange(rows) // k, rows // k - 1)
    sizes = np.bincount(labels)
    means = [np.round(np.bincount(labels, column) / sizes, 3)[labels] for column in matrix.T]
    secret = pa.array(rng.integers(0, 8, rows)).cast(pa.string())
    names = [f"x{j}" for j in range(8)]
    return (
        pa.table({**dict(zip(names, matrix.T, strict=True)), "s": secret}),
        pa.table({**dict(zip(names, means, strict=True)), "s": secret}),
    )


def million():
    """Measure a million records from two csv files."""
    original, release = large(1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.csv" for name in ("original", "release")]
        for path, table in zip(paths, (original, release), strict=True):
            pc.write_csv(table, path)
        start = time.perf_counter()
        tables = [shoal.read(path) for path in paths]
        reading = time.perf_counter() - start
        start = time.perf_counter()
        names = [f"x{j}" for j in range(8)]
        found = shoal.measure(*tables, quasi_identifiers=names, sensitive=["s"], rows="same")
        seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    rows = [["what", "value", "low", "high", "sample"]]
    for one in (*found.utility.values(), *found.risk.values()):
        low, high = one.interval or ("", "")
        rows.append([one.title, f"{one.value:.6g}", low, high, one.sampled or ""])
    rows += [["seconds", f"{seconds:.1f}", "", "", ""],
             ["seconds to read both files", f"{reading:.1f}", "", "", ""],
             ["peak memory, GB", f"{peak:.2f}", "", "", ""]]  # fmt: skip
    bar = Bar("1,000,000 × 8 records, every measure: seconds", seconds, "<", 60)
    return [bar], {"million": rows}


PARTS = {part.__name__: part for part in (linkage, frontier, million)}


if __name__ == "__main__":
    sys.exit(run(DOCS, PARTS, page.write))
