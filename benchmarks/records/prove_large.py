"""Raise the bounds of records with large groups, by pairs of records; keep what proves them.

    python benchmarks/records/prove_large.py SECONDS FOLDER TABLE-K [TABLE-K ...]

finds prices of records for each table and k (`census-10`), which docs/records/prices keeps as
TABLE-K.npy, and spends so many seconds of the processor on prices of pairs of records, which prove
far more and are as large as all distances: FOLDER gets them as TABLE-K.npy.
`docs/records/check_bounds.py` computes what either proves, with numpy alone. Bounds are offered to
the records (`keep.py`). Needs the reference tables (SHOAL_DATA).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from keep import DOCS, kept, matrix, offer

from shoal.measures.loss import percent, squared_error, total_squares
from shoal.methods.bounds.large_groups import LargeGroups, weigh
from shoal.methods.bounds.threads import squared_gaps
from shoal.progress import Reporter

MOST = 2_500  # records: above, one step takes more than ten seconds
STEPS = 100_000


def prove(name, k, seconds, folder):
    """Raise the bound of one table and k."""
    begun = time.process_time()
    points = matrix(name)
    labels = np.loadtxt(DOCS / f"labels/{name}-{k}.txt", dtype=np.int64)
    upper = float(squared_error(points, labels).sum())
    large = LargeGroups(squared_gaps(points), k, labels, upper,
                        lambda: time.process_time() - begun > seconds)  # fmt: skip
    large.bound_by_pairs()
    short = large.by_record.astype(np.float32)
    np.save(DOCS / f"prices/{name}-{k}.npy", short)
    large.least = weigh(large.gaps, k, short.astype(np.float64))[0]
    tell(name, k, labels, large, "records", begun)
    if len(points) <= MOST:
        large.raise_bound(STEPS, Reporter(None))
        scale = 2.0 * k * large.unit
        np.save(folder / f"{name}-{k}.npy", large.relaxation.prices * scale)
        tell(name, k, labels, large, "pairs", begun)


def tell(name, k, labels, large, what, begun):
    """Offer a bound to the records, and say how far it is from the groups."""
    bound = percent(large.least, total_squares(matrix(name)))
    offer(name, k, labels, "", bound, runs=0)
    row = kept()[name, k]
    took = time.process_time() - begun
    print(f"{name} k = {k}  {took:7.1f} CPU s  by prices of {what:<7}  bound {bound:.6f}  kept: "
          f"loss {row['loss']}, gap {row['gap_percent']} %", flush=True)  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    kept_in = Path(sys.argv[2])
    for made in (kept_in, DOCS / "prices"):
        made.mkdir(parents=True, exist_ok=True)
    for cell in sys.argv[3:]:
        table, _, size = cell.rpartition("-")
        prove(table, int(size), float(sys.argv[1]), kept_in)
