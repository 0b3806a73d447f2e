"""The walk with categories and missing cells, as stewards use it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import shoal as library

WORDS = "city,n,s\n" + "".join(f"{['Köln', 'Łódź', '東京'][i % 3]},{i},x\n" for i in range(12))
MIXED = ("-k", 2, "--quasi", "city,n", "--sensitive", "s")


def test_words_of_any_alphabet(shoal, write, tmp_path):
    """Texts that are not ASCII are released and verified, as csv and as Parquet."""
    for name in ("r.csv", "r.csv.gz", "r.parquet", "-"):
        target = name if name == "-" else tmp_path / name
        ran = shoal("anonymize", write("t.csv", WORDS), *MIXED, "--force", "-o", target)
        assert ran.code == 0, ran.err
    assert {"Köln", "東京"} <= set(library.read(tmp_path / "r.parquet")["city"].values.to_pylist())


def test_suppressed_cells_are_in_no_figure():
    """No mean, variance, loss or histogram changes with a cell that is released as *."""

    def report(value):
        ages = [*np.repeat([20.5, 31.5, 45.5, 60.5], 5).tolist(), value, *[None] * 4]
        words = np.repeat(["a", "b", "c", "d", "e"], 5).tolist()
        found = library.anonymize(
            pa.table({"age": ages, "w": words}), k=5, aggregate={"age": "mean"},
            column_weights={"w": 100.0},
        )  # fmt: skip
        (age, _) = found.report.columns
        assert (age.suppressed, age.missing) == (1, 4)
        return age

    assert report(77.9) == report(3.25)


def test_deleted_records_count_as_lost():
    """Half of the records deleted is half of everything lost, by any method."""
    frame = pd.DataFrame({"x": [1.0, 1.0, 5.0, 5.0, *[np.nan] * 4]})
    for method in ("mdav", "kaim"):
        found = library.anonymize(frame, k=2, method=method, incomplete="delete")
        assert len(found.data) == 4
        assert found.report.information_loss_released == pytest.approx(50.0)
        assert found.report.missing["deleted"] == 4
        assert "4 incomplete records were deleted" in found.report.summary()
        assert found.report.summary().startswith("4 records in 2 groups")


def test_given_groups_and_deleting():
    """Groups that are given cannot lose records."""
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan, 4.0], "g": [0, 0, 1, 1]})
    with pytest.raises(library.RequestError, match="none can be deleted"):
        library.anonymize(frame, k=2, group="g", incomplete="delete")


def test_decimals_round_means_only():
    """Decimals for a column that is not averaged are refused, not ignored."""
    frame = pd.DataFrame({"x": [1.25, 2.5, 3.5, 4.5], "w": ["a", "a", "b", "b"]})
    with pytest.raises(library.RequestError, match="'x' is released as generalize"):
        library.anonymize(frame, k=2, decimals={"x": 0}, numbers="interval")
    with pytest.raises(library.RequestError, match="no column is released so"):
        library.anonymize(frame, k=2, decimals=0, numbers="interval")
    found = library.anonymize(frame, k=2, decimals={"x": 0})
    assert set(found.data["x"]) == {2.0, 4.0}


def test_limits_of_a_search_on_texts(shoal, write, tmp_path):
    """A limit given to auto on texts is kept, the report says how, and the recipe repeats it."""
    ran = shoal("anonymize", write("t.csv", WORDS), *MIXED, "--time-limit", 0.5, "--no-report",
                "-o", f"{tmp_path}/a/")  # fmt: skip
    assert ran.code == 0
    assert "auto chose kaim+" in ran.err
    assert "generalized as little as possible (ILoss)" in ran.err
    assert "search: loss" in ran.err
    ran = shoal("run", tmp_path / "a.private" / "run.toml", "--no-report", "-o", f"{tmp_path}/b/")
    assert ran.code == 0, ran.err
    reports = [
        json.loads((tmp_path / f"{one}.private" / "report.json").read_text()) for one in "ab"
    ]
    assert reports[0]["information_loss"] == reports[1]["information_loss"]


def test_starts_of_auto_on_texts(shoal, write, tmp_path):
    """auto takes the words for kaim's starts where it chooses kaim, and no others."""
    table = write("t.csv", WORDS)
    assert shoal("anonymize", table, *MIXED, "--start", "farthest", "-o", "-").code == 0
    ran = shoal("anonymize", table, *MIXED, "--start", "mdav", "-o", "-")
    assert (ran.code, ran.out) == (2, "")
    assert "start of kaim+ must be one of random, farthest, common, top-down" in ran.err
    ran = shoal("anonymize", table, *MIXED, "--method", "kaim", "--start", "random", "--runs", 3,
                "-o", "-")  # fmt: skip
    assert "runs is for methods that search; kaim does not" in ran.err


def test_a_changed_hierarchy_stops_a_recipe(shoal, write, tmp_path):
    """A recipe promises the same groups: it knows the hierarchies it was made with."""
    tree = write("city.csv", "Köln;Europe;*\nŁódź;Europe;*\n東京;Asia;*\n")
    ran = shoal("anonymize", write("t.csv", WORDS), *MIXED, "--hierarchy", f"city={tree}",
                "--no-report", "-o", f"{tmp_path}/a/")  # fmt: skip
    assert ran.code == 0
    recipe = tmp_path / "a.private" / "run.toml"
    assert shoal("run", recipe, "--no-report", "-o", f"{tmp_path}/b/").code == 0
    tree.write_text("Köln;West;*\nŁódź;East;*\n東京;East;*\n", encoding="utf-8")
    ran = shoal("run", recipe, "--no-report", "-o", f"{tmp_path}/c/")
    assert ran.code == 2
    assert "a hierarchy has changed since the recipe was written" in ran.err


def test_grouping_alone_by_trees():
    """microaggregate and auto group texts; weights of unknown columns are refused at any size."""
    table = pa.table({"w": ["a", "a", "b", "b"], "x": [1, 2, 8, 9]})
    found = library.microaggregate(table, 2, method="auto")
    assert (found.method, found.labels.tolist()) == ("kaim+", [0, 0, 1, 1])
    with pytest.raises(library.RequestError, match="a weight is given for 'z'"):
        library.microaggregate(table, 3, method="kaim", column_weights={"z": 2.0})
    with pytest.raises(library.InputError, match="text, which this method cannot group"):
        library.microaggregate_columns(table, 2)


def test_records_that_say_nothing_are_counted():
    """A record that is * in every quasi-identifier is kept, counted and said."""
    table = pa.table({"a": ["x", "y", None, None], "b": ["p", "q", None, None]})
    found = library.anonymize(table, k=4, quasi_identifiers=["a", "b"])
    assert found.report.missing["suppressed_everywhere"] == 4
    assert "4 records are * in every quasi-identifier" in found.report.summary()


def test_cancel_while_columns_are_coded_and_checked():
    """A callback hears of every stage, and stops the run in each."""
    rng = np.random.default_rng(0)
    table = pa.table({f"c{j}": rng.integers(0, 50, 60) for j in range(4)})
    looks = []
    library.anonymize(table, k=3, method="kaim", callback=looks.append)
    stages = list(dict.fromkeys(look.stage for look in looks))
    assert stages == ["reading", "coding", "grouping", "releasing", "checking", "measuring"]
    for stage in stages:
        with pytest.raises(library.Canceled, match=f"while {stage}"):
            library.anonymize(
                table, k=3, method="kaim", callback=lambda look, stage=stage: look.stage == stage
            )
