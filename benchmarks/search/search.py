"""The iterated local search beside the 2020 thesis and a prototype: `make search`.

    python benchmarks/search/search.py [table6] [pairs] [speed] [growth] [curves]

Needs the reference tables (SHOAL_DATA) and, for `speed`, a folder with a prototype `ilsmc.py`
(SHOAL_BASELINE). Prints every bar, writes docs/search/ and fails where a bar is missed. A part that
is not asked for stays on the page as it was measured last.
"""

from __future__ import annotations

import sys

import page
from losses import curves, table6
from runs import REPOSITORY
from seconds import growth, speed
from work import pairs

from telling import run

DOCS = REPOSITORY / "docs/search"
PARTS = {part.__name__: part for part in (table6, pairs, speed, growth, curves)}


if __name__ == "__main__":
    sys.exit(run(DOCS, PARTS, lambda folder: page.write(folder, list(PARTS))))
