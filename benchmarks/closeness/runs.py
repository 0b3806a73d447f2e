"""What the parts share: the tables, what is asked of them, and one run, judged from its release."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import shoal
from shoal.table.read import read

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))  # for `telling`, which others have too

from reference import adult, folder, trees  # noqa: E402

CENSUS = "AFNLWGT", "TAXINC", "POTHVAL", "INTVAL", "PEARNVAL"
ADULT = "age", "workclass", "education", "marital-status", "race", "sex", "native-country"
WITHOUT = "none"  # the way without t
FIELDS = (
    "table", "records", "quasi_identifiers", "sensitive", "distance", "method", "k", "t", "way",
    "loss", "groups", "smallest", "median", "largest", "worst_t", "seconds", "how",
)  # fmt: skip


class Case(NamedTuple):
    """A table, its quasi-identifiers, one sensitive column and how its values are apart."""

    name: str
    table: object
    quasi: tuple
    sensitive: str
    distance: str
    hierarchies: dict
    aggregate: str | None = None


def of_census(sensitive):
    """Return the census table with one sensitive column."""
    return Case("census", read(folder() / "census.csv"), CENSUS, sensitive, "ordered", {})


def of_adult(sensitive, distance, step):
    """Return every so many records of the adult table with one sensitive column."""
    table = adult()
    some = table.take(np.arange(0, table.rows, step))
    named = [*ADULT, sensitive] if distance == "hierarchical" else ADULT
    return Case("adult", some, ADULT, sensitive, distance, trees(named), "generalize")


def run(case, method, k, t, way, **more):
    """Return a row of FIELDS: a release and what `shoal.verify` finds in it. No t: `way` is none.

    Fails where the release does not keep t.
    """
    kept = {case.sensitive: case.hierarchies.get(case.sensitive)}
    options = {} if t is None else {"t": t, "enforce": way}
    rest = [name for name in case.table.names if name not in (*case.quasi, case.sensitive)]
    start = time.process_time()
    found = shoal.anonymize(
        case.table, k=k, method=method, quasi_identifiers=case.quasi, drop=rest,
        sensitive=[case.sensitive], hierarchies=case.hierarchies, aggregate=case.aggregate,
        **options, **more,
    )  # fmt: skip
    seconds = time.process_time() - start
    judged = shoal.verify(
        found.data, k=k, quasi_identifiers=case.quasi, sensitive=[case.sensitive],
        t=1.0 if t is None else t,
        hierarchies={name: tree for name, tree in kept.items() if tree},
    )  # fmt: skip
    if not judged.ok:
        sys.exit(f"{case.name}, {case.sensitive}, t = {t}, {way}: the release does not keep it")
    sizes = np.bincount(found.partition.labels)
    loss = found.report.information_loss_released
    print(f"      {case.name} {case.sensitive:<15} {case.distance:<12} {method:<7} k = {k:<2} "
          f"t = {t or '':<4} {way:<7} {loss:8.4f} %  {sizes.size:>6,} groups {seconds:6.1f} s",
          flush=True)  # fmt: skip
    return dict(zip(FIELDS, (
        case.name, case.table.rows, " ".join(case.quasi), case.sensitive, case.distance, method, k,
        "" if t is None else t, way, f"{loss:.6f}", sizes.size, sizes.min(),
        f"{np.median(sizes):g}", sizes.max(), f"{worst(judged):.6f}", f"{seconds:.2f}",
        found.partition.enforced,
    ), strict=True))  # fmt: skip


def worst(judged):
    """Return the greatest distance of a class from the whole that the judge found."""
    return max(one.found for one in judged.models if one.distance is not None)
