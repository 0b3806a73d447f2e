"""The risk of tables as they are: adult beside ARX: `make risk`.

    python benchmarks/risk/risk.py [adult] [large]

Needs adult.csv in the folder SHOAL_DATA. Prints every bar, writes docs/risk/ and fails where a bar
is missed. Seconds are those of the processor: all of it runs in one thread. A part that is not
asked for stays on the page as it was measured last.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa

import shoal

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))  # for `telling`, which others have too

import page  # noqa: E402

from telling import Bar, run  # noqa: E402

DOCS = REPOSITORY / "docs/risk"
TRAINING = 32_561  # records of adult, of which ARX has those without a missing cell
PRINTED = {"average": 64.65751607983555, "sample_uniques": 51.42895033485844}
QUASI = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex",
         "native-country", "salary-class")  # fmt: skip


def adult():
    """Hold average risk and uniqueness of adult against what ARX prints."""
    table = shoal.datasets.load("adult")
    parts = {name: table[name].values.slice(0, TRAINING) for name in QUASI}
    found = shoal.risk(pa.table(parts).drop_null(), quasi_identifiers=QUASI)
    rows = [["what", "ours, percent", "ARX, percent"]]
    rows += [[found[key].title, repr(found[key].value), repr(PRINTED[key])] for key in PRINTED]
    gaps = [abs(found[key].value - printed) for key, printed in PRINTED.items()]
    return [Bar("adult, average risk and uniqueness: percent off ARX", max(gaps), "<", 1e-9)], {
        "beside_arx": rows
    }


PARTS = {part.__name__: part for part in (adult,)}


if __name__ == "__main__":
    sys.exit(run(DOCS, PARTS, page.write))
