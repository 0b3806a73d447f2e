"""The risk of tables as they are: adult beside ARX, and large tables in seconds: `make risk`.

    python benchmarks/risk/risk.py [adult] [large]

Needs adult.csv in the folder SHOAL_DATA. Prints every bar, writes docs/risk/ and fails where a bar
is missed. Seconds are those of the processor: all of it runs in one thread. A part that is not
asked for stays on the page as it was measured last.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
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


def people(rows):
    """Return records of eight columns as a census has them, with survey weights."""
    rng = np.random.default_rng(0)
    age = np.clip(rng.normal(45, 20, rows), 0, 100).astype(np.int64)
    region = rng.choice(40, rows, p=np.arange(40, 0, -1) / 820)
    return pa.table({
        "age": age,
        "sex": rng.choice(["f", "m"], rows),
        "region": np.char.mod("r%02d", region),
        "education": (age // 20 + rng.integers(0, 6, rows)) % 12,
        "marital": rng.choice(["s", "m", "d", "w"], rows, p=[0.4, 0.4, 0.15, 0.05]),
        "job": np.minimum(rng.geometric(0.05, rows), 90),
        "income": np.round(rng.lognormal(10, 0.6, rows), -3).astype(np.int64),
        "children": np.minimum(rng.poisson(1.2, rows), 8),
        "w": rng.choice([5.0, 10.0, 20.0], rows),
    })  # fmt: skip


def large():
    """Take the seconds of large tables, with sets of a few columns and with all of them."""
    shoal.risk(people(2_000), weight="w")  # compiles
    rows, seconds = [["records", "sets of columns", "seconds"]], []
    for count, size in ((1_000_000, 3), (1_000_000, 8), (50_000, 8)):
        table = people(count)
        start = time.process_time()
        found = shoal.risk(table, weight="w", size=size)
        seconds.append(time.process_time() - start)
        assert len(found.quasi_identifiers) == 8
        rows.append([f"{count:,}", f"up to {size}", f"{seconds[-1]:.1f}"])
    return [
        Bar("1,000,000 × 8 records, everything, sets of up to 3: seconds", seconds[0], "<", 20),
        Bar("50,000 × 8 records, all minimal sample uniques: seconds", seconds[2], "<", 60),
    ], {"large": rows}


PARTS = {part.__name__: part for part in (adult, large)}


if __name__ == "__main__":
    sys.exit(run(DOCS, PARTS, page.write))
