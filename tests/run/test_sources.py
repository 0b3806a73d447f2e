"""The same data and seed give the same groups, whether from csv, Parquet or a dataframe."""

from __future__ import annotations

import datetime as dt
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from thorough import spread

ROWS = 60
KINDS = ("number", "decimal", "word", "flag", "day")


def cells(seed=0):
    """Quasi-identifiers with many ties, and sensitive columns of all kinds."""
    rng = np.random.default_rng(seed)
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 12, ROWS)]
    return {
        "a": rng.integers(0, 4, ROWS).tolist(),
        "b": rng.integers(0, 4, ROWS).tolist(),
        "number": rng.integers(-2, 13, ROWS).tolist(),
        "decimal": (rng.integers(0, 30, ROWS) / 2).tolist(),
        "word": [f"w{one}" for one in rng.integers(0, 12, ROWS)],
        "flag": (rng.random(ROWS) < 0.5).tolist(),
        "day": days,
    }


def sources(folder, columns):
    """The same table from everywhere; categories with levels of any order, and unused ones."""
    frame = pd.DataFrame(columns)
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet")
    some = frame.copy()
    for kind in KINDS:
        levels = sorted(set(columns[kind]), reverse=True)
        unused = {"number": 99, "decimal": 99.5, "word": "none", "day": dt.date(1999, 1, 1)}
        levels += [unused[kind]] if kind in unused else []
        some[kind] = pd.Categorical(columns[kind], categories=levels)
    words = pl.DataFrame(columns).with_columns(pl.col("word").cast(pl.Categorical))
    return {
        "csv": folder / "t.csv",
        "parquet": folder / "t.parquet",
        "pandas": frame,
        "categories": some,
        "polars": pl.DataFrame(columns),
        "polars categories": words,
        "arrow": words.to_arrow(),
    }


def labels(data, **asked):
    """The groups of a table with one or more sensitive columns."""
    return shoal.anonymize(data, k=3, quasi_identifiers=["a", "b"], **asked).partition.labels


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", spread(["mdav", "fast", "ilsmc+", "kaim", "k-member", "kaim+"], 3)
)
def test_one_table_from_everywhere(tmp_path, method):
    """Groups with l and t are the same whatever the sensitive values came from."""
    limit = {"max_iterations": 10} if method in ("ilsmc+", "kaim+") else {}
    asked = {"sensitive": KINDS, "l": 2, "t": 0.6, "method": method, **limit}
    every = {name: labels(data, **asked) for name, data in sources(tmp_path, cells()).items()}
    for name, found in every.items():
        assert found.tolist() == every["csv"].tolist(), name


@pytest.mark.parametrize(
    ("kind", "asked"),
    spread(product(KINDS, ({"l": 2}, {"t": 0.5}, {"alpha": 0.7})), 3, several=True),
)
def test_one_column_from_everywhere(tmp_path, kind, asked):
    """One sensitive column of any kind, asked for l, t or alpha alone."""
    columns = {name: cells(1)[name] for name in ("a", "b", kind)}
    every = {
        name: labels(data, sensitive=[kind], method="mdav", **asked)
        for name, data in sources(tmp_path, cells(1) | columns).items()
        if name in ("csv", "parquet", "categories", "polars")
        for data in [_only(data, columns, tmp_path)]
    }
    for name, found in every.items():
        assert found.tolist() == every["csv"].tolist(), name


def _only(data, columns, folder):
    """Some columns of a source."""
    names = list(columns)
    if not hasattr(data, "suffix"):
        return data[names]
    frame = pd.read_parquet(folder / "t.parquet")[names]
    path = folder / f"some{data.suffix}"
    frame.to_csv(path, index=False) if data.suffix == ".csv" else frame.to_parquet(path)
    return path
