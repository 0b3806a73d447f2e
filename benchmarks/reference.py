"""The adult table, which several benchmarks use."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

from shoal.table.read import read

NAMES = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip


def folder():
    """Return the folder of the reference tables."""
    named = os.environ.get("SHOAL_DATA")
    if not named:
        sys.exit("SHOAL_DATA must name a folder with adult.csv and adult_hierarchies/")
    return Path(named)


@cache
def adult():
    """Return the whole table."""
    return read(folder() / "adult.csv")


def trees(names=NAMES):
    """Return where the hierarchies of some quasi-identifiers are."""
    return {name: str(folder() / f"adult_hierarchies/{name}.csv") for name in names}
