"""The walk from data to a verified release, in Python."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import naive
import shoal
from shoal.partition import Partition
from shoal.pipeline import group as strata
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.plan.recipe import source_of
from shoal.settings import load

QUASI = ["age", "admission_date", "length_of_stay", "income"]


def repeat(settings, recipe, data):
    """Run a recipe again, as the command line does."""
    return anonymize_with(source_of(settings, recipe, data), settings, folder=recipe.parent)


@pytest.fixture(scope="module")
def patients():
    return shoal.datasets.load_patients()


@pytest.fixture(scope="module")
def result(patients):
    return shoal.anonymize(
        patients, k=5, drop=["postcode", "sex", "weight"], max_iterations=1000, keep_unique=["cost"]
    )


def test_the_sample(result):
    """The sample is released: identifiers and dropped columns gone, groups of five or more."""
    assert result.table.names == [*QUASI, "diagnosis", "cost"]
    assert result.partition.sizes.min() >= 5
    assert result.report.verification["ok"]
    assert result.report.verification["k"] >= 5
    assert isinstance(result.data, shoal.Table)


@pytest.mark.parametrize(
    "method", ["mdav", pytest.param("mdav-nn3", marks=pytest.mark.slow), "hilbert"]
)
def test_the_whole_sample_by_any_method(patients, method):
    """Postcodes, sexes and missing weights are grouped by methods that take a matrix."""
    found = shoal.anonymize(
        patients, k=5, method=method, hierarchies={"postcode": "prefixes:4,3,2"}, drop=["cost"]
    )
    assert found.report.verification["k"] >= 5
    assert (found.report.method, found.report.missing["cells"]) == (method, 90 + 25 + 54)
    released = {column.name: column.released_as for column in found.report.columns}
    assert {name for name, way in released.items() if way == "generalize"} == {"postcode", "sex"}
    assert found.report.information_loss_released < 60


def test_text_is_generalized_by_methods_for_numbers():
    """Beside means of numbers, texts become their common ancestor."""
    frame = pd.DataFrame({"city": ["a", "b"] * 4, "age": [1, 2] * 4})
    found = shoal.anonymize(frame, k=2, method="mdav")
    assert set(zip(found.data["city"], found.data["age"], strict=True)) == {("a", 1), ("b", 2)}


def test_released_means_from_scratch(result, patients):
    """Every released cell is the exact mean of its group, rounded half to even."""
    for name in ("age", "length_of_stay", "income"):
        before = patients[name].values.to_pylist()
        after = result.table[name].values.to_pylist()
        for rows in result.partition.members():
            expected = naive.rounded_mean([str(before[row]) for row in rows], 0)
            assert {str(after[row]) for row in rows} == {expected}


def test_report(result):
    """The report's numbers are those of the data, and its JSON holds no record value."""
    report = result.report
    losses = [column.information_loss for column in report.columns]
    assert report.information_loss_released == pytest.approx(np.mean(losses))
    assert report.information_loss_released == pytest.approx(report.information_loss, abs=0.1)
    tree = json.loads(report.to_json())
    assert tree["schema"] == "shoal-report/1"
    assert tree["method"] == "ilsmc+"
    assert tree["search"]["loss_end"] == pytest.approx(report.information_loss, abs=1e-9)
    assert sum(int(s) * c for s, c in tree["groups"]["sizes"].items()) == 2000
    before, after = tree["correlations"]["before"], tree["correlations"]["after"]
    assert np.array(before) == pytest.approx(np.array(before).T)
    assert np.abs(np.array(before) - np.array(after)).max() < 0.1
    for column in tree["columns"]:
        assert column["variance_after"] <= column["variance_before"] * 1.001
    assert "does not cover" in str(report)
    assert "verified" in result.summary()
    assert "verified" in str(result)
    assert repr(result).startswith(f"<Result: 2,000 records in {result.partition.groups} groups")


def test_report_statistics_equal_numpys():
    """Means, variances, correlations and losses equal an independent computation."""
    rng = np.random.default_rng(0)
    before = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3)) + 5
    result = shoal.anonymize(before, k=4)
    after = np.asarray(result.data)
    report = result.report
    assert [c.mean_before for c in report.columns] == pytest.approx(before.mean(0))
    assert [c.variance_before for c in report.columns] == pytest.approx(before.var(0, ddof=1))
    assert [c.variance_after for c in report.columns] == pytest.approx(after.var(0, ddof=1))
    assert np.array(report.correlations["before"]) == pytest.approx(np.corrcoef(before.T))
    assert np.array(report.correlations["after"]) == pytest.approx(np.corrcoef(after.T))
    lost = 100 * ((before - after) ** 2).sum(0) / ((before - before.mean(0)) ** 2).sum(0)
    assert [c.information_loss for c in report.columns] == pytest.approx(lost)
    assert report.information_loss == pytest.approx(lost.mean())


def test_report_of_odd_columns():
    """Constant, huge and single-valued columns make a report without NaN or infinity."""
    matrix = np.column_stack([np.full(6, 3.0), np.linspace(-1.0, 1.0, 6) * 1.5e308, np.arange(6.0)])
    report = shoal.anonymize(matrix, k=3).report
    tree = json.loads(report.to_json())
    assert tree["correlations"]["before"][0] == [None, None, None]
    assert tree["columns"][0]["information_loss"] == 0.0
    assert tree["columns"][1]["variance_before"] is None
    assert tree["columns"][1]["mean_before"] == pytest.approx(0.0, abs=1e295)


def test_row_order_of_the_input_does_not_matter():
    """The same records in another order form the same groups, also where many are equal."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 4, 90),
            "b": rng.integers(0, 3, 90),
            "s": rng.integers(0, 5, 90),
            "who": [f"p{i}" for i in range(90)],
        }
    )
    roles = {"quasi_identifiers": ["a", "b"], "sensitive": ["s"], "identifiers": ["who"]}
    groups = set()
    for seed in range(6):
        mixed = frame.sample(frac=1, random_state=seed)
        found = shoal.anonymize(mixed, k=4, **roles).partition
        who = mixed["who"].to_numpy()
        groups.add(frozenset(frozenset(who[rows].tolist()) for rows in found.members()))
    assert len(groups) == 1


def test_recipe_repeats_the_run(result, tmp_path):
    """run.toml gives the same groups in another row order, and holds no data."""
    result.save(tmp_path / "out")
    recipe = tmp_path / "out.private" / "run.toml"
    settings = load(recipe)
    assert settings.input.sha256 == result.report.input["sha256"]
    again = repeat(settings, recipe, None)
    assert np.array_equal(again.partition.labels, result.partition.labels)
    first = (tmp_path / "out" / "release.csv").read_text().splitlines()
    second = again.save(tmp_path / "again").read_text().splitlines()
    assert first != second
    assert sorted(first) == sorted(second)


def test_recipe_notices_another_input(write, tmp_path):
    """A changed input stops a recipe; named on purpose, it is used."""
    path = write("t.csv", "a\n1\n2\n3\n4\n")
    shoal.anonymize(path, k=2).save(tmp_path / "out")
    recipe = tmp_path / "out.private" / "run.toml"
    write("t.csv", "a\n1\n2\n3\n5\n")
    with pytest.raises(shoal.RequestError, match="input has changed"):
        repeat(load(recipe), recipe, None)
    assert repeat(load(recipe), recipe, path).report.input["records"] == 4


def test_recipe_of_a_narrowed_table(write, tmp_path):
    """A recipe made from a Table reads the file as the Table was read, and adds no column to it."""
    path = write("t.csv", "a,b,secret\n1,NA,x\n2,5,y\n3,6,x\n4,7,y\n")
    table = shoal.read(path, missing=["NA"], types={"secret": "text"})
    narrow = table.only(lambda column: column.name != "secret")
    first = shoal.anonymize(narrow, k=2, quasi_identifiers=["a"], other=["b"], keep_unique=["b"])
    first.save(tmp_path / "out")
    recipe = tmp_path / "out.private" / "run.toml"
    settings = load(recipe)
    assert settings.input.missing == ("NA",)
    assert settings.input.types == {"secret": "text"}
    again = repeat(settings, recipe, None)
    assert again.table.names == first.table.names == ["a", "b"]
    assert again.partition == first.partition


def test_reading_options_of_what_is_read_already(write, tmp_path):
    """Options of csv are refused where they would do nothing."""
    table = shoal.read(write("t.csv", "a\n1\n2\n"))
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "t.parquet")
    for data in (table, tmp_path / "t.parquet"):
        for options in ({"types": {"a": "text"}}, {"missing": ["NA"]}, {"delimiter": ";"}):
            with pytest.raises(shoal.RequestError, match="for csv files only"):
                shoal.anonymize(data, k=2, **options)


def test_unique_column_with_not_a_number():
    """A float column that is unique but for NaN stops the run; one that repeats does not."""
    import polars as pl

    nan = float("nan")
    frame = pl.DataFrame({"a": [1, 2] * 5, "id": [*map(float, range(9)), nan]})
    with pytest.raises(shoal.RequestError, match="'id': no two records share a value"):
        shoal.anonymize(frame, k=2, quasi_identifiers=["a"])
    frame = pl.DataFrame({"a": [1, 2] * 5, "id": [0.0, 0.0, 1.0, 1.0, 2, 3, 4, 5, nan, nan]})
    assert shoal.anonymize(frame, k=2, quasi_identifiers=["a"]).partition.groups


def test_table_speaks_arrow(patients):
    """Any library that reads Arrow streams reads a Table, and so does the judge."""
    found = pa.table(patients)
    assert found.num_rows == 2000
    assert found.column_names == patients.names
    assert not shoal.verify(patients, k=2, quasi_identifiers=["age", "income"]).ok
    frame = pd.DataFrame({"source": [1, 1], "columns": [2, 2]})
    assert shoal.verify(frame, k=2, quasi_identifiers=["source"]).ok


def test_a_method_that_breaks_k_is_caught(monkeypatch):
    """If groups are too small, whatever the method says, nothing is released."""
    honest = strata.solve

    def faulty(problem, _method, report):
        return honest(replace(problem, k=2, effort="normal"), "mdav", report)

    monkeypatch.setattr(strata, "solve", faulty)
    with pytest.raises(shoal.PrivacyError, match="not safe: 50 classes with 100 records"):
        shoal.anonymize(np.random.default_rng(0).normal(size=(100, 2)), k=5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be at least 2, not 0"),
        ({"k": -1}, "k must be at least 2"),
        ({"k": 2.5}, "k must be a whole number"),
        ({"k": "x"}, "k must be a whole number"),
        ({"k": 1}, "k = 1 gives no protection"),
        ({"k": 9}, "n = 8 records < k = 9"),
        ({"k": 2, "seed": -1}, "seed must be"),
        ({"k": 2, "seed": 0.5}, "seed must be a whole number"),
        ({"k": 2, "seed": "a"}, "seed must be a whole number"),
        ({"k": 2, "method": "mdavv"}, "no method 'mdavv'; did you mean 'mdav'"),
        ({"k": 2, "method": 3}, "method must be"),
        ({"k": 2, "aggregate": "max"}, "aggregate must be 'mean', 'median', 'mode'"),
        ({"k": 2, "decimals": -1}, "decimals must lie"),
        ({"k": 2, "decimals": 1.5}, "decimals must be"),
        ({"k": 2, "quasi_identifiers": ["z"]}, "no column 'z'"),
        ({"k": 2, "quasi_identifiers": []}, "names no column"),
        ({"k": 2, "decimals": {"z": 1}}, "decimals are given for 'z', which is no quasi-id"),
    ],
)
def test_wrong_arguments(options, message):
    """Every argument is checked, and the message names it."""
    frame = pd.DataFrame({"a": range(8), "b": [1, 2] * 4})
    with pytest.raises(shoal.RequestError, match=message):
        shoal.anonymize(frame, **options)


def test_sensitive_column_without_a_value(write):
    """A sensitive column in which every cell is missing is a mistake, unless it is meant."""
    path = write("t.csv", "a,s\n1,\n2,\n")
    roles = {"quasi_identifiers": ["a"], "sensitive": ["s"]}
    with pytest.raises(shoal.RequestError, match="every cell of sensitive column 's' is missing"):
        shoal.anonymize(path, k=2, **roles)
    assert shoal.anonymize(path, k=2, allow_empty=True, **roles).partition.groups == 1


def test_k1_on_purpose():
    """k = 1 is possible for those who insist."""
    assert shoal.anonymize(np.arange(4.0)[:, None], k=1, allow_k1=True).partition.groups == 4


@pytest.mark.parametrize("argument", ["start", "max_iterations", "time_limit"])
def test_search_arguments_need_a_search(argument):
    """What only a search can use is refused by methods that do not search."""
    with pytest.raises(shoal.RequestError, match=f"{argument} is for methods that search"):
        shoal.microaggregate(np.zeros((4, 1)), 2, **{argument: 1})


def test_notes_name_what_to_look_at():
    """Unnamed columns and unique quasi-identifiers are noted."""
    frame = pd.DataFrame({"a": range(8), "b": [1, 2] * 4})
    notes = shoal.anonymize(frame, k=2, quasi_identifiers=["a"]).report.notes
    assert notes[0] == "no role was given to b: released as they are"
    assert "own value in a" in notes[1]


def test_partition_checks_itself():
    """A partition with a record left out or a group too small cannot be made."""
    for labels, k, message in (
        ([0, 0, 1], 2, "group 1 has 1 records, k is 2"),
        ([0, 0, -1], 1, "no group"),
        ([0, 0, 2, 2], 1, "group 1 has 0 records"),
        ([], 1, "must be a vector"),
        ([[0]], 1, "must be a vector"),
    ):
        with pytest.raises(ValueError, match=message):
            Partition(np.array(labels), k)
    with pytest.raises(ValueError, match="every record once"):
        Partition.from_groups([[0, 1], [1, 2]], 3, 1, "x")
    partition = Partition(np.array([0, 1, 0, 1]), 2)
    assert partition == Partition([0, 1, 0, 1], 2)
    assert partition != Partition([0, 0, 1, 1], 2)
    assert partition != "a"
    with pytest.raises(ValueError, match="read-only"):
        partition.labels[0] = 1
