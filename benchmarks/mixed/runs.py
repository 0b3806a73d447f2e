"""What the parts share: the adult table, the sample, and how a run is described."""

from __future__ import annotations

import os
import sys
import tomllib
from functools import cache
from pathlib import Path

import numpy as np

import shoal
from shoal.table.assign import with_roles
from shoal.table.read import read
from shoal.table.roles import Role

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))  # for `telling`, which others have too
RECIPE = REPOSITORY / "src/shoal/datasets/patients.toml"
NAMES = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip


def folder():
    """Return the folder of the reference tables."""
    named = os.environ.get("SHOAL_DATA")
    if not named:
        sys.exit("mixed: SHOAL_DATA must name a folder with adult.csv and adult_hierarchies/")
    return Path(named)


@cache
def adult_table():
    """Return the adult table with its 8 quasi-identifiers."""
    table = read(folder() / "adult.csv")
    return with_roles(table, dict.fromkeys(NAMES, Role.QUASI_IDENTIFIER))


def adult_trees():
    """Return where the hierarchies of the adult table are."""
    return {name: str(folder() / f"adult_hierarchies/{name}.csv") for name in NAMES}


def tables():
    """Return every tenth record of adult and the sample: the data and what a run says of it."""
    whole = adult_table()
    some = whole.taken(np.arange(0, whole.rows, 10))
    said = tomllib.loads(RECIPE.read_text(encoding="utf-8"))
    return {
        "adult": (some, {"quasi_identifiers": NAMES, "hierarchies": adult_trees()}),
        "sample": (
            shoal.datasets.load_patients(),
            {**said["roles"], "hierarchies": said["hierarchies"]},
        ),
    }
