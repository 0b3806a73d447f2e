"""Tables with texts, trees and missing cells: `kaim+` beside other methods: `make mixed`.

    python benchmarks/mixed/mixed.py [wide] [efforts] [domain] [limits] [sample] [methods] [bounds]
        [earlier]

`efforts`, `domain`, `limits`, `methods` and `bounds` need adult.csv and adult_hierarchies/ in the
folder SHOAL_DATA. `earlier` runs where SHOAL_OLD names a folder with an earlier version. Prints
every bar, writes docs/mixed/ and fails where a bar is missed. A part that is not asked for stays on
the page as it was measured last.
"""

from __future__ import annotations

import os
import sys

import page
from bounds import bounds
from domain import domain
from earlier import earlier
from efforts import efforts
from limits import limits
from runs import REPOSITORY
from wide import wide

from methods import methods
from sample import sample
from telling import run

DOCS = REPOSITORY / "docs/mixed"
# `wide` is the first: Linux counts the memory of whoever starts a process as the process's own
PARTS = {part.__name__: part for part in (wide, efforts, domain, limits, sample, methods, bounds)}
if os.environ.get("SHOAL_OLD"):
    PARTS["earlier"] = earlier


if __name__ == "__main__":
    sys.exit(run(DOCS, PARTS, page.write))
