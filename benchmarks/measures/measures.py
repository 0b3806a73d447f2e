"""What releases cost and which risks are left, on the reference tables: `make measures`.

    python benchmarks/measures/measures.py [linkage] [frontier]

Needs tarragona.csv and census.csv in the folder SHOAL_DATA. Prints every bar, writes
docs/measures/ and fails where a bar is missed. A part that is not asked for stays on the page as it
was measured last.
"""

from __future__ import annotations

import sys
from pathlib import Path

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


PARTS = {part.__name__: part for part in (linkage, frontier)}


if __name__ == "__main__":
    sys.exit(run(DOCS, PARTS, page.write))
