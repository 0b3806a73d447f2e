"""Columns of two numbers release the more frequent one; what rounding costs is told."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from naive.majority import majority, rounding_share
from shoal.errors import RequestError
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.request import FileRequest
from shoal.pipeline.regions.run import release_file
from shoal.release.targets import Targets
from shoal.settings import build
from thorough import spread

ROWS = 300
PAIRS = {
    "zero and one": [0, 1],
    "one and two": [1, 2],
    "far apart": [0, 1000],
    "below zero": [-7, 3],
    "doubles": [0.25, 1.75],
    "whole doubles": [0.0, 1.0],
}


def table(pair, seed=0, rows=ROWS):
    """Two columns of numbers, and one that holds a pair of them."""
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(18, 90, rows).tolist(),
        "income": rng.integers(0, 999, rows).tolist(),
        "flag": [pair[bit] for bit in (rng.random(rows) < 0.4).astype(int)],
    }


def expected(cells, labels, weights=None):
    """The majority of every record's group."""
    cells, labels = np.asarray(cells), np.asarray(labels)
    weights = np.ones(cells.size) if weights is None else np.asarray(weights)
    found = {
        label: majority(cells[labels == label].tolist(), weights[labels == label].tolist())
        for label in set(labels.tolist())
    }
    return [found[label] for label in labels.tolist()]


@pytest.mark.parametrize(
    ("name", "make", "method"),
    spread(product(PAIRS, (pd.DataFrame, pl.DataFrame, pa.table), ("mdav", "ilsmc+")), 16,
           several=True),
)  # fmt: skip
def test_two_numbers_release_the_more_frequent(name, make, method):
    """A group's value is the more frequent of two numbers; a tie is the lesser one."""
    cells = table(PAIRS[name])
    limit = {"max_iterations": 20} if method == "ilsmc+" else {}
    result = shoal.anonymize(make(cells), k=4, method=method, **limit)
    labels = result.partition.labels.tolist()
    released = result.table["flag"].values.to_pylist()
    assert released == expected(cells["flag"], labels)
    assert {column.name: column.released_as for column in result.report.columns} == {
        "age": "mean", "income": "mean", "flag": "majority",
    }  # fmt: skip
    assert result.report.verification["ok"]
    one = next(column for column in result.report.columns if column.name == "flag")
    assert one.rounding_loss == pytest.approx(
        rounding_share(cells["flag"], released, labels), abs=1e-9
    )


def test_the_groups_are_those_of_means():
    """Whether means or majorities are released has no say in the groups."""
    frame = pd.DataFrame(table([0, 1]))
    for method in ("mdav", "fast"):
        usual = shoal.anonymize(frame, k=4, method=method)
        means = shoal.anonymize(frame, k=4, method=method, aggregate="mean")
        assert usual.partition.labels.tolist() == means.partition.labels.tolist()


def test_by_weight_and_with_missing_cells():
    """Survey weights count in a majority; a group with a missing cell releases none."""
    cells = table([0, 10])
    cells["w"] = np.random.default_rng(1).integers(1, 9, ROWS).tolist()
    frame = pd.DataFrame(cells)
    result = shoal.anonymize(frame, k=4, weight="w", method="mdav", weights_as="mean",
                             quasi_identifiers=["age", "income", "flag"])  # fmt: skip
    labels = result.partition.labels.tolist()
    assert result.data.flag.tolist() == expected(cells["flag"], labels, cells["w"])
    cells.pop("w")
    cells["flag"][3] = None
    result = shoal.anonymize(pa.table(cells), k=4, method="mdav")
    released, labels = result.data["flag"].to_pylist(), result.partition.labels
    assert [one is None for one in released] == (labels == labels[3]).tolist()
    assert {one for one in released if one is not None} == {0, 10}


@pytest.mark.parametrize(
    ("asked", "way"),
    [
        ({"aggregate": "mean"}, "mean"),
        ({"aggregate": {"flag": "mean"}}, "mean"),
        ({"aggregate": {"flag": "median"}}, "median"),
        ({"aggregate": {"flag": "range"}}, "range"),
        ({"decimals": {"flag": "none"}}, "mean"),
        ({"decimals": "none"}, "mean"),
        ({"aggregate": {"age": "median"}}, "majority"),
    ],
)
def test_what_was_asked_for_stays(asked, way):
    """What somebody asks of a column of two numbers is released as asked."""
    result = shoal.anonymize(pd.DataFrame(table([0, 1])), k=4, method="mdav", **asked)
    assert {c.name: c.released_as for c in result.report.columns}["flag"] == way


def test_three_numbers_are_averaged():
    """A third number, in one record of all, makes a column one of means again."""
    cells = table([0, 10])
    cells["flag"][7] = 5
    report = shoal.anonymize(pd.DataFrame(cells), k=4, method="mdav").report
    assert report.columns[2].released_as == "mean"


def released_by_regions(folder, cells, ending, **tree):
    """Release a file region by region; return the report and the released column."""
    frame = pd.DataFrame(cells)
    source = folder / f"in.{ending}"
    frame.to_csv(source, index=False) if ending == "csv" else frame.to_parquet(source)
    order = FileRequest(Targets.of(str(folder / "out.csv")), with_page=False, shuffle_seed=1)
    settings = build({"protect": {"k": 4}, "release": {"keep_order": True}, **tree})
    made = release_file(source, settings, Budget(200), order, None)
    return made.report, pd.read_csv(folder / "out.csv")


@pytest.mark.parametrize("ending", spread(["csv", "parquet"], 1))
def test_larger_than_memory(tmp_path, ending):
    """Out of core the whole column decides, and each group releases its majority, too."""
    cells = table([0, 10], rows=1500)
    report, after = released_by_regions(tmp_path, cells, ending)
    assert report.columns[2].released_as == "majority"
    labels = after.groupby(["age", "income", "flag"]).ngroup().tolist()
    assert after.flag.tolist() == expected(cells["flag"], labels)
    assert report.columns[2].rounding_loss == pytest.approx(
        rounding_share(cells["flag"], after.flag.tolist(), labels), rel=1e-6
    )
    assert report.rounding_loss > 0


def test_one_record_decides_out_of_core(tmp_path):
    """A third number far down in a file makes its column one of means, as in memory."""
    cells = table([0, 10], rows=1500)
    cells["flag"][-1] = 5
    report, _ = released_by_regions(tmp_path, cells, "csv")
    assert report.columns[2].released_as == "mean"


@pytest.mark.parametrize("by_regions", [False, True])
def test_a_constant_column_is_told_of_first(tmp_path, by_regions):
    """A column that the release makes constant stands in the first lines, and in the report."""
    rng = np.random.default_rng(0)
    cells = {"age": rng.integers(18, 90, 600), "income": rng.integers(0, 999, 600),
             "rare": [int(row % 97 == 0) for row in range(600)], "same": [3] * 600}  # fmt: skip
    protect = {"k": 20, "column_weights": {"rare": 1e-6}}
    if by_regions:
        report, after = released_by_regions(tmp_path, cells, "csv", protect=protect)
    else:
        result = shoal.anonymize(pd.DataFrame(cells), method="mdav", **protect)
        report, after = result.report, result.data
    assert set(after.rare) == {0}
    assert report.made_constant == ["rare"]
    assert report.constant == ["rare", "same"]
    assert "'rare' has become constant" in report.summary().splitlines()[2]
    assert "become constant" in report.to_html()
    public = report.published()
    told = json.loads(public.to_json())
    assert told["constant"] == ["rare", "same"]
    assert "made_constant" not in told
    assert "rounding_loss" not in told
    assert "one value in the whole release" in public.summary().splitlines()[2]


def test_rounding_is_told():
    """The summary says how much of the loss is due to rounding; unrounded means have none."""
    frame = pd.DataFrame(table([0, 1]))
    result = shoal.anonymize(frame, k=4, method="mdav")
    share = result.report.rounding_loss
    each = [column.rounding_loss for column in result.report.columns]
    assert share == pytest.approx(sum(each) / 3)
    assert f"{share:.2f} points of it by rounding" in result.summary().splitlines()[1]
    plain = shoal.anonymize(frame, k=4, method="mdav", decimals="none")
    assert plain.report.rounding_loss == pytest.approx(0.0, abs=1e-9)
    assert "by rounding" not in plain.summary()


def test_all_of_two_values_and_decimals():
    """Digits are for means: where no column has any, asking for them is refused."""
    frame = pd.DataFrame({"a": [0, 1] * 10, "b": [5, 9] * 10})
    with pytest.raises(RequestError, match="decimals are for means"):
        shoal.anonymize(frame, k=4, method="mdav", decimals=1)
