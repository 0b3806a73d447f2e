"""t-closeness by merging, by swapping and by slices, at equal t: `make closeness`.

    python benchmarks/closeness/closeness.py [census] [adult] [trees] [whole]

Needs census.csv, adult.csv and adult_hierarchies/ in the folder SHOAL_DATA. Prints every bar,
writes docs/closeness/ and fails where a bar is missed. A part that is not asked for stays on the
page as it was measured last.
"""

from __future__ import annotations

import sys

import page
from runs import REPOSITORY
from ways import adult, census, trees, whole

from telling import run

DOCS = REPOSITORY / "docs/closeness"
PARTS = {part.__name__: part for part in (census, adult, trees, whole)}


if __name__ == "__main__":
    sys.exit(run(DOCS, PARTS, page.write))
