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

from telling import asked, measure

DOCS = REPOSITORY / "docs/search"
PARTS = {part.__name__: part for part in (table6, pairs, speed, growth, curves)}


def main():
    """Measure the parts that are asked for; the exit code says whether every bar is met."""
    DOCS.mkdir(parents=True, exist_ok=True)
    missed = sum(measure(DOCS, name, PARTS[name]) for name in asked(PARTS))
    page.write(DOCS, list(PARTS))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
