"""What the parts share: the adult table, the sample, and how a run is described."""

from __future__ import annotations

import sys
import tomllib
from functools import cache
from pathlib import Path

import numpy as np

import shoal
from shoal.table.assign import with_roles
from shoal.table.roles import Role

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))  # for `telling`, which others have too
RECIPE = REPOSITORY / "src/shoal/datasets/patients.toml"

from reference import NAMES, adult, trees  # noqa: E402


@cache
def adult_table():
    """Return the adult table with its 8 quasi-identifiers."""
    return with_roles(adult(), dict.fromkeys(NAMES, Role.QUASI_IDENTIFIER))


def tables():
    """Return every tenth record of adult and the sample: the data and what a run says of it."""
    whole = adult_table()
    some = whole.take(np.arange(0, whole.rows, 10))
    said = tomllib.loads(RECIPE.read_text(encoding="utf-8"))
    return {
        "adult": (
            some,
            {"quasi_identifiers": NAMES, "hierarchies": trees(), "keep_unique": ["fnlwgt"]},
        ),
        "sample": (
            shoal.datasets.load_patients(),
            {**said["roles"], "hierarchies": said["hierarchies"], "keep_unique": ["cost"]},
        ),
    }
