"""The iterated local search beside the 2020 thesis: `make search`.

    python benchmarks/search/search.py [--full] [--kept] [table3] [table4] [table5] [table6]
        [table7] [descents] [pairs] [near] [growth] [curves]

Needs the reference tables (SHOAL_DATA). Prints every bar, writes docs/search/ and fails where a bar
is missed. A part that is not asked for stays on the page as it was measured last. Restarts and long
searches are kept as they are made (restarts.csv, runs.csv) and never made twice: what was cut short
goes on. With `--full` there are as many as in the thesis, which takes hours; with `--kept` no more
are made.
"""

from __future__ import annotations

import sys

import page
from losses import curves, near, table4, table6, table7
from runs import DOCS
from seconds import growth
from times import table3, table5
from work import descents, pairs

from telling import run

PAPER = table3, table4, table5, table6, table7, descents, pairs  # what `make papers` makes
PARTS = {part.__name__: part for part in (*PAPER, near, growth, curves)}


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word not in ("--full", "--kept")]
    sys.exit(run(DOCS, PARTS, page.write))
