"""KAIM beside k-member, figures 4 to 8 of its paper on all of the adult table: `make kaim`.

    python benchmarks/kaim/kaim.py [--full] [--kept] [fig4] [fig5] [fig6] [fig7] [fig8]

With `--full` figures 4 to 7 have 20 repeats, which takes hours; every run is kept in runs.csv as it
ends, so that what was cut short goes on. With `--kept` the figures are made of the kept runs alone.
Needs adult.csv and adult_hierarchies/ in the folder SHOAL_DATA. Prints every bar, writes docs/kaim/
and fails where a bar is missed. A part that is not asked for stays on the page as it was measured
last; the ratio of the losses is computed from all figures that are there.
"""

from __future__ import annotations

import sys
from functools import partial

import page
from figures import fig4, fig5, fig6, fig7, fig8, ratio
from store import DOCS

from telling import run

PARTS = {part.__name__: part for part in (fig4, fig5, fig6, fig7, fig8)}


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word not in ("--full", "--kept")]
    always = {"ratio": partial(ratio, partial(page.read, DOCS))}
    sys.exit(run(DOCS, PARTS, page.write, always))
