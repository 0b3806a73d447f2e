"""KAIM beside k-member, figures 4 to 8 of its paper on all of the adult table: `make kaim`.

    python benchmarks/kaim/kaim.py [alone] [fig4] [fig5] [fig6] [fig7] [fig8]

Needs adult.csv and adult_hierarchies/ in the folder SHOAL_DATA. Prints every bar, writes docs/kaim/
and fails where a bar is missed. A part that is not asked for stays on the page as it was measured
last; the ratio of the losses is computed from all figures that are there.
"""

from __future__ import annotations

import sys
from functools import partial

import page
from alone import alone
from figures import fig4, fig5, fig6, fig7, fig8, ratio
from runs import REPOSITORY

from telling import run

DOCS = REPOSITORY / "docs/kaim"
# `alone` is the first: Linux counts the memory of whoever starts a process as the process's own
PARTS = {part.__name__: part for part in (alone, fig4, fig5, fig6, fig7, fig8)}


if __name__ == "__main__":
    always = {"ratio": partial(ratio, partial(page.read, DOCS))}
    sys.exit(run(DOCS, PARTS, page.write, always))
