"""The duals that prove bounds of small k: kept in docs/records/duals, and checked.

    python benchmarks/records/duals.py [FOLDER]

prices all groups of every table and k that has a file there, TABLE-K.npz, and prints what its duals
and the prices of its cuts prove: any prove a bound, a wrong file can only prove less. It fails
where that is above a loss that was found, or 0.002 % below the bound of the records, but for those
that the integer programme has proven optimal. With FOLDER, the one that `prove.py` keeps, duals
that prove more are taken over from there first. Needs the reference tables (SHOAL_DATA).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from keep import DOCS, kept, matrix

from shoal.measures.loss import percent, total_squares
from shoal.methods.bounds.cuts import Cuts
from shoal.methods.bounds.generation import Generation
from shoal.methods.bounds.threads import Gaps, squared_gaps

KEPT = DOCS / "duals"
BRANCHES = 1_000_000  # of a root
BELOW = 2e-5  # a share of the bound; the integer programme may add a little


def proven(file):
    """Return what the duals in a file prove, as a loss in percent."""
    name, _, k = file.stem.rpartition("-")
    points, there = matrix(name), np.load(file)
    labels = np.loadtxt(DOCS / f"labels/{file.stem}.txt", dtype=np.int64)
    g = Generation.scaled(Gaps(squared_gaps(points)), int(k), labels, threads=1)
    unit = float(there["unit"]) / g.unit
    g.cuts = Cuts(*(there[part].astype(np.int64) for part in ("cuts", "shares", "parts")))
    g.duals, g.prices = unit * there["duals"], unit * there["prices"]
    g.prove(BRANCHES)
    return percent(g.least, total_squares(points))


def take_over(folder):
    """Keep the duals of a folder that prove more, without columns and without idle cuts."""
    KEPT.mkdir(exist_ok=True)
    for file in sorted(folder.glob("*-*.npz")):
        own = KEPT / file.name
        if own.is_file() and proven(own) >= proven(file):
            continue
        there = np.load(file)
        paid = np.flatnonzero(there["prices"] < 0.0)
        np.savez_compressed(
            own, duals=there["duals"], prices=there["prices"][paid], unit=there["unit"],
            cuts=there["cuts"][paid].astype(np.int16), shares=there["shares"][paid].astype(np.int8),
            parts=there["parts"][paid].astype(np.int8),
        )  # fmt: skip


def check():
    """Print what every file proves; return how many prove what cannot be, or too little."""
    wrong = 0
    for file in sorted(KEPT.glob("*-*.npz")):
        name, _, k = file.stem.rpartition("-")
        row, bound = kept()[name, int(k)], proven(file)
        loss, told = float(row["loss"]), float(row["bound"])
        whole = told == loss  # by the integer programme
        bad = bound > loss + 1e-6 or (bound < told * (1.0 - BELOW) and not whole)
        wrong += bad
        print(f"{'MISS' if bad else 'ok  '}  {file.stem}: no grouping below {bound:.6f} by the "
              f"duals; the records say {told:.6f}", flush=True)  # fmt: skip
    return wrong


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    if len(sys.argv) == 2:
        take_over(Path(sys.argv[1]))
    sys.exit(check())
