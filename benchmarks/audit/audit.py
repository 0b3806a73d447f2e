"""What whoever knows a method can tell from its releases, on toy tables: `make audit`.

    python benchmarks/audit/audit.py [minimality] [downcoding]

The auditor and the toy tables are those of the tests. Prints every bar, writes docs/audit/ and
fails where a bar is missed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
sys.path += [str(REPOSITORY / "benchmarks"), str(REPOSITORY / "tests")]

import page  # noqa: E402

import auditor  # noqa: E402
from audited import (  # noqa: E402
    ASKED,
    GENERALIZING,
    METHODS,
    NUMBERS,
    PEOPLE,
    RANGES,
    RECORDS,
    SENSITIVE,
    below,
    generalizing,
    releasing,
    usable,
    within,
    write_tree,
)
from naive.minimal import PAIRS, SIX, lowest, naive_minimal  # noqa: E402
from telling import Bar, run  # noqa: E402

DOCS = REPOSITORY / "docs/audit"
WHERE = {"any number ill": ("pairs",), "3 of 6 ill": ("pairs", "texts")}  # else all


def minimality():
    """Release every possible world by every method, for k alone and for more."""
    head = ["asked", "method", "people", "sensitive", *auditor.Minimality._fields]
    naive = auditor.minimality(naive_minimal, SIX, *SENSITIVE["2 of 6 ill"], secrets=("ill",))
    rows = [["at most half ill", page.NAIVE, "2 and 4", "2 of 6 ill", *numbers(naive)]]
    bars = [Bar("the naive rule is found: worst posterior", float(naive.by_method), ">=", 1)]
    gains = {}
    for what, options in ASKED.items():
        for method in METHODS:
            for name, people in PEOPLE.items():
                for sensitive, (values, counts) in SENSITIVE.items():
                    if not usable(method, people) or name not in WHERE.get(sensitive, PEOPLE):
                        continue
                    release = releasing(method, **options)
                    found = auditor.minimality(release, people, values, counts, ("ill",))
                    rows.append([what, method, name, sensitive, *numbers(found)])
                    gains[what] = max(gains.get(what, 0), float(found.gain))
    bars.append(Bar("k alone: the most that knowing the method adds", gains["k = 2"], "<=", 0))
    return bars, {"minimality": [head, *rows]}


def downcoding():
    """Release every table over a small domain by every method that generalizes."""
    head = ["domain", "method", "records", *auditor.Downcoding._fields]
    rows, first, worst = [], 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        tree = write_tree(Path(folder) / "tree.csv")
        runs = [
            *(("tree", page.NAIVE, size, lambda table: lowest(table, 2), PAIRS) for size in (4, 6)),
            *((domain, name, size, generalizing(tree, **options), records)
              for domain, size, records in (("tree", 4, PAIRS), ("tree", 6, PAIRS),
                                            ("tree and sign", 4, RECORDS))
              for name, options in GENERALIZING.items()),
            *(("ranges", name, size, generalizing(**options), NUMBERS)
              for size in (4, 6) for name, options in RANGES.items()),
        ]  # fmt: skip
        for domain, name, size, release, records in runs:
            covered = within if domain == "ranges" else below
            found = auditor.downcoding(release, auditor.tables(records, size), covered)
            rows.append([domain, name, size, *numbers(found)])
            if name == page.NAIVE:
                first = max(first, float(found.one))
            else:
                worst = max(worst, float(found.one))
    bars = [
        Bar("the naive rule is found: cells of one original", first, ">", 0),
        Bar("our methods: cells of which one original is left", worst, "<=", 0),
    ]
    return bars, {"downcoding": [head, *rows]}


def numbers(found):
    """Return what an audit found as cells: fractions with six digits, counts as they are."""
    return [cell if isinstance(cell, int) else f"{float(cell):.6g}" for cell in found]


PARTS = {part.__name__: part for part in (minimality, downcoding)}


if __name__ == "__main__":
    sys.exit(run(DOCS, PARTS, page.write))
