"""How much longer equal records and huge groups take than random data of the same size.

    python benchmarks/speed/ties.py [ROWS]

prints the seconds of CPU of GSMS and of the refinements on random data, on data of three kinds of
records and from two huge groups, and their ratios.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from shoal.methods.heuristics.candidates import gsms
from shoal.methods.heuristics.refine.refinements import HOW
from shoal.progress import Reporter

K = 5
QUIET = Reporter(None)


def seconds(run: Callable[[], Any]) -> float:
    """Return the seconds of CPU that a call takes."""
    begin = time.process_time()
    run()
    return time.process_time() - begin


def main() -> None:
    """Print the table."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(rows, 3))
    few = rng.normal(size=(3, 3))[rng.integers(0, 3, rows)]
    tens = np.arange(rows, dtype=np.int64) // 10
    halves = np.arange(rows, dtype=np.int64) // (rows // 2 + rows % 2)
    some = plain[:200]
    gsms(some, K, QUIET)
    for how in ("decompose", "iterative"):
        HOW[how](some, tens[:200], K, QUIET)
    usual = seconds(partial(gsms, plain, K, QUIET))
    ties = seconds(partial(gsms, few, K, QUIET))
    print(f"{rows:,} records, k = {K}")
    print(f"gsms-nn    random {usual:7.2f} s, three kinds {ties:7.2f} s ({ties / usual:.2f} x)")
    for how in ("decompose", "iterative"):
        usual = seconds(partial(HOW[how], plain, tens, K, QUIET))
        ties = seconds(partial(HOW[how], few, tens, K, QUIET))
        huge = seconds(partial(HOW[how], plain, halves, K, QUIET))
        print(
            f"{how:10} random {usual:7.2f} s, three kinds {ties:7.2f} s ({ties / usual:.2f} x), "
            f"two groups {huge:7.2f} s ({huge / usual:.2f} x)"
        )


if __name__ == "__main__":
    main()
