"""Charts of what is generalized: intervals as spans, texts as categories."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import shoal as library
from thorough import is_thorough, spread

DRAWS = True  # charts

K = 4


@pytest.fixture(scope="module")
def data():
    """Numbers, dates, texts with a prefix and a sensitive number."""
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 900, 120)
    return pd.DataFrame({
        "age": rng.integers(18, 90, 120), "day": days.astype("datetime64[s]"),
        "town": rng.choice(["aa", "ab", "ba", "bb"], 120), "s": rng.integers(0, 9, 120),
    })  # fmt: skip


@pytest.fixture(scope="module")
def result(data):
    """A release whose columns are all generalized."""
    return library.anonymize(
        data, k=K, quasi_identifiers=["age", "day", "town"], sensitive=["s"], method="kaim",
        hierarchies={"town": "prefixes:1", "age": "widths:5,20"},
    )  # fmt: skip


def values(chart):
    """The numbers that a chart draws."""
    return chart.spec["data"]["values"]


def released(result, name):
    """How many records a column has that are not suppressed."""
    cells = [str(cell) for cell in result.data[name] if cell is not None and cell == cell]
    return [cell for cell in cells if cell != "*"]


def test_intervals_are_spread_over_bins(result):
    """A column of intervals is drawn in bins that hold all its records, each along its span."""
    drawn = values(result.plot.column("age"))
    cells = released(result, "age")
    assert sum(one["records"] for one in drawn) == pytest.approx(len(cells))
    first, last = drawn[0]["from"], drawn[-1]["to"]
    ends = [float(end) for cell in cells for end in cell.strip("[])").split(",")]
    assert first <= min(ends)
    assert last >= max(ends)
    low = sum(one["records"] for one in drawn if one["to"] <= (first + last) / 2)
    assert 0 < low < len(cells)


def test_dates_and_texts(result):
    """Dates are drawn as dates, categories by how many records have each."""
    spec = result.plot.column("day").spec
    assert spec["encoding"]["x"]["type"] == "temporal"
    assert sum(one["records"] for one in values(result.plot.column("day"))) == pytest.approx(
        len(released(result, "day"))
    )
    towns = {one["value"]: one["records"] for one in values(result.plot.column("town"))}
    assert towns == pd.Series(released(result, "town")).value_counts().to_dict()
    assert min(towns.values()) >= K


@pytest.mark.parametrize("names", [("age", "day"), ("age", "town"), ("town", "day")])
def test_pairs(result, names):
    """Two columns of any kind: a point for each combination, with its records, none below k."""
    drawn = values(result.plot.pair(*names))
    pairs = result.data[list(names)].astype(str)
    whole = pairs[~pairs.isin(["*", "None", "nan"]).any(axis=1)]
    counts = whole.groupby(list(names)).size()
    assert sorted(one["records"] for one in drawn) == sorted(counts.tolist())
    assert min(one["records"] for one in drawn) >= K
    for one in drawn:
        for axis in "xy":
            if f"{axis}_low" in one:
                assert one[f"{axis}_low"] < one[axis] < one[f"{axis}_high"]


def test_rare_categories_are_one():
    """Of many texts the most frequent are drawn, and all others as one; no record is lost."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"t": [f"v{i}" for i in np.repeat(np.arange(50), 4)],
                         "n": rng.integers(0, 3, 200)})  # fmt: skip
    result = library.anonymize(data, k=2, quasi_identifiers=["t"], sensitive=["n"], method="kaim")
    drawn = values(result.plot.column("t"))
    assert len(drawn) <= 30
    assert sum(one["records"] for one in drawn) == len(released(result, "t"))
    assert drawn[-1]["value"] == "all others"


@pytest.mark.slow
@pytest.mark.parametrize("kind", spread(["csv", "parquet"], 1))
def test_the_command_draws_the_same(result, tmp_path, shoal, kind):
    """From the files of a release the command draws what Python draws, and as a picture too."""
    result.save(tmp_path / "out", format=kind)
    charts = [("column", "age"), ("column", "day"), ("column", "town"), ("pair", "age,day"),
              ("pair", "age,town"), ("pair", "town,day")]  # fmt: skip
    for what, names in charts:
        out = tmp_path / f"{what}-{names}.json"
        ran = shoal("plot", what, tmp_path / "out", "--name", names, "-o", out)
        assert ran.code == 0, ran.err
        own = values(getattr(result.plot, what)(*names.split(",")))
        drawn = json.loads(out.read_text())["data"]["values"]
        order = lambda one: json.dumps(one, sort_keys=True)  # noqa: E731
        assert sorted(drawn, key=order) == sorted(json.loads(json.dumps(own)), key=order)
        if what == "pair" and "town" in names and not is_thorough():
            continue
        picture = tmp_path / f"{what}-{names}.svg"
        assert shoal("plot", what, tmp_path / "out", "--name", names, "-o", picture).code == 0
        assert picture.read_text().startswith("<svg")
