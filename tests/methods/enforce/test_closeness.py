"""t-closeness by construction beside merging, on the reference tables."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import shoal as library
from thorough import spread

pytestmark = pytest.mark.reference

DATA = Path(os.environ.get("SHOAL_DATA", ""))
CENSUS = ["AFNLWGT", "TAXINC", "POTHVAL", "INTVAL", "PEARNVAL"]
ADULT = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]


def lost(table, quasi, sensitive, t, way, **options):
    """Return the loss of a release that was judged to be t-close."""
    rest = [name for name in table.names if name not in (*quasi, sensitive)]
    found = library.anonymize(table, k=5, t=t, enforce=way, quasi_identifiers=quasi,
                              sensitive=[sensitive], drop=rest, **options)  # fmt: skip
    judged = library.verify(found.data, k=5, t=t, quasi_identifiers=quasi, sensitive=[sensitive])
    assert judged.ok
    return found.report.information_loss_released


@pytest.mark.parametrize("t", spread([0.1, 0.2], 1))
def test_slices_lose_less_than_merging_on_census(t):
    """At equal t slices lose less than merging on a third of census, and both are t-close."""
    table = library.read(DATA / "census.csv")
    some = table.take(np.arange(0, table.rows, 3))
    slices, merge = (
        lost(some, CENSUS, "FEDTAX", t, way, method="mdav") for way in ("slices", "merge")
    )
    assert slices < merge


def of_adult(sensitive, t, *ways):
    """Return what ways lose on every sixtieth record of adult."""
    table = library.read(DATA / "adult.csv")
    some = table.take(np.arange(0, table.rows, 60))
    trees = {name: str(DATA / "adult_hierarchies" / f"{name}.csv") for name in ADULT}
    return [lost(some, ADULT, sensitive, t, way, method="kaim", hierarchies=trees) for way in ways]


@pytest.mark.slow
@pytest.mark.parametrize("t", spread([0.1, 0.2], 1))
def test_slices_lose_less_than_merging_on_adult(t):
    """At equal t slices lose less than merging on adult, and both are t-close."""
    slices, merge = of_adult("occupation", t, "slices", "merge")
    assert slices < merge


@pytest.mark.parametrize("t", spread([0.1, 0.2], 1))
def test_auto_loses_less_than_merging_where_few_groups_break_t(t):
    """Where most groups are t-close as they are, and slices may lose more, auto loses less."""
    auto, merge = of_adult("hours-per-week", t, "auto", "merge")
    assert auto < merge
