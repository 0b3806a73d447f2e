"""Tables with texts, trees and missing cells: `kaim+` beside other methods: `make mixed`.

    python benchmarks/mixed/mixed.py [efforts] [domain] [limits] [sample] [methods] [bounds]

`efforts`, `domain`, `limits`, `methods` and `bounds` need adult.csv and adult_hierarchies/ in the
folder SHOAL_DATA. Prints every bar, writes docs/mixed/ and fails where a bar is missed. A part that
is not asked for stays on the page as it was measured last.
"""

from __future__ import annotations

import sys

import page
from bounds import bounds
from domain import domain
from efforts import efforts
from limits import limits
from runs import REPOSITORY

from methods import methods
from sample import sample
from telling import run

DOCS = REPOSITORY / "docs/mixed"
PARTS = {part.__name__: part for part in (efforts, domain, limits, sample, methods, bounds)}


if __name__ == "__main__":
    sys.exit(run(DOCS, PARTS, page.write))
