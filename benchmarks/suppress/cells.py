"""How far the suppressed cells are from the fewest: 5,000 records of adult, seven columns.

    SHOAL_DATA=… python benchmarks/suppress/cells.py [quick|normal|best …]

The table is the first 5,000 of a drawn order; k = 5, every cell counts the same.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "benchmarks")]

from reference import NAMES, adult  # noqa: E402
from shoal.methods.problem import Nodes, Problem  # noqa: E402
from shoal.methods.solve import solve  # noqa: E402
from shoal.progress import Reporter  # noqa: E402
from shoal.table.encode_nodes import code  # noqa: E402

ROWS, K = 5_000, 5
COLUMNS = NAMES[:7]


def sample():
    """The records as nodes of flat trees."""
    table = adult().only(lambda column: column.name in COLUMNS)
    rows = np.sort(np.random.default_rng(0).permutation(table.rows)[:ROWS])
    return Nodes(code(table.take(rows), dict.fromkeys(COLUMNS, "flat")))


def main(efforts):
    """Print what is suppressed by every effort, and the bound."""
    nodes = sample()
    print(f"adult, {ROWS:,} records, {len(COLUMNS)} columns, k = {K}")
    print("effort   suppressed %  at least %  above the bound %  seconds")
    for effort in efforts:
        start = time.perf_counter()
        made = solve(Problem(nodes, K, effort=effort), "local-suppression", Reporter(None))
        loss, least = made.information_loss, made.bound.information_loss
        seconds, above = time.perf_counter() - start, 100 * (loss / least - 1)
        print(f"{effort:8} {loss:12.3f} {least:11.3f} {above:18.2f} {seconds:8.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["quick", "normal"])
