"""Columns of dataframes that are no plain numbers, texts or dates: read, or refused in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.errors import InputError

AGES = np.random.default_rng(0).integers(18, 90, 60)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive", "other"])
def test_intervals_of_cut(tmp_path, role, ordered):
    """Categories of pandas.cut are read by their texts, in their order, whatever their role."""
    own = pd.Series(pd.cut(AGES, [0, 30, 50, 70, 100]))
    own = own if ordered else own.cat.as_unordered()
    frame = pd.DataFrame({"income": AGES % 7, "age": own})
    column = shoal.read(frame)["age"]
    assert column.values.to_pylist() == [str(cell) for cell in own]
    assert column.order == (("(0, 30]", "(30, 50]", "(50, 70]", "(70, 100]") if ordered else None)
    asked = {"quasi_identifiers": ["income"], role: ["age"]}
    if role == "quasi_identifiers":
        asked[role] = ["income", "age"]
    elif role == "sensitive":
        asked["l"] = 2
    result = shoal.anonymize(frame, k=3, method="mdav", **asked)
    asked.pop("other", None)
    assert result.data["age"].dtype == "category"
    for released in (result.data, result.shuffled(), result.save(tmp_path / "out")):
        assert shoal.verify(released, k=3, **asked).ok
    other = shoal.anonymize(frame.astype({"age": str}), k=3, method="mdav", **asked)
    if role != "quasi_identifiers" or not ordered:
        assert result.partition.labels.tolist() == other.partition.labels.tolist()


REFUSED = {
    "interval": (pd.Series(pd.cut(AGES, 4)).astype("interval"), "interval"),
    "period": (pd.Series(pd.period_range("2020-01", periods=60, freq="M")), "period"),
    "category of periods": (
        pd.Series(pd.Categorical(pd.period_range("2020-01", periods=4, freq="M").repeat(15))),
        "period",
    ),
    "timedelta": (pd.Series(pd.to_timedelta(AGES, unit="D")), "duration"),
    "sparse": (pd.Series(pd.arrays.SparseArray(AGES % 4)), "make it dense"),
    "complex": (pd.Series((AGES % 4).astype(complex)), "complex"),
    "lists": (pd.Series([[int(age) % 3] for age in AGES]), "list"),
    "dicts": (pd.Series([{"a": int(age) % 3} for age in AGES]), "struct"),
    "sets": (pd.Series([{int(age) % 3} for age in AGES]), "list"),
    "category of tuples": (pd.Series(pd.Categorical([(int(age) % 3, 1) for age in AGES])), "list"),
    "objects": (pd.Series([object() for _ in AGES]), "not of one plain type"),
    "duration": (pl.Series((AGES % 4).tolist()).cast(pl.Duration("ms")), "duration"),
    "structs": (pl.Series([{"a": int(age) % 3} for age in AGES]), "struct"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive", "other"])
def test_columns_that_no_release_can_hold(name, role):
    """A column of a type that is not supported is refused in words, by its name, in every role."""
    cells, said = REFUSED[name]
    frame = (pl if isinstance(cells, pl.Series) else pd).DataFrame(
        {"income": AGES % 7, "x y": cells}
    )
    asked = {"quasi_identifiers": ["income"], role: ["x y"]}
    if role == "quasi_identifiers":
        asked[role] = ["income", "x y"]
    with pytest.raises(InputError, match="'x y'.*" + said):
        shoal.anonymize(frame, k=3, method="mdav", **asked)
