"""What a report says, figure by figure."""

from __future__ import annotations

import datetime as dt
import json
from types import SimpleNamespace

import pyarrow as pa
import pytest

import shoal
from shoal.report.guarantees import Protection, guarantee
from shoal.report.report import Report

DAYS = [dt.date(2024, 1, day) for day in (1, 3, 5, 11, 13, 15)]
TIMES = [dt.datetime(2024, 1, 1, hour) for hour in (0, 1, 2, 12, 13, 14)]


def columns_of(**cells):
    """What a report of groups of three says of every column."""
    found = shoal.anonymize(pa.table(cells), k=3, quasi_identifiers=list(cells), method="mdav")
    return {column.name: column for column in found.report.columns}


def test_means_and_variances_of_dates_and_times():
    """Means of dates are dates, of times times; variances of both are in square days."""
    found = columns_of(d=DAYS, t=TIMES)
    assert found["d"].mean_before == found["d"].mean_after == "2024-01-08"
    assert found["t"].mean_before == found["t"].mean_after == "2024-01-01T07:00:00"
    assert found["d"].variance_before == pytest.approx(166 / 5)
    assert found["d"].variance_after == pytest.approx(150 / 5)
    assert found["t"].variance_before == pytest.approx(220 / 5 / 24**2)
    assert found["t"].variance_after == pytest.approx(216 / 5 / 24**2)
    assert found["d"].information_loss == pytest.approx(100 * 16 / 166)
    assert found["t"].information_loss == pytest.approx(100 * 4 / 220)


def test_counts_of_cells():
    """Cells that stayed, that changed, that became * and that were missing are counted."""
    found = columns_of(a=[1.0, 2.0, 3.0, 8.0, 8.0, 8.0], b=[5, 5, 5, 1, 1, None])
    a, b = found["a"], found["b"]
    assert (a.unchanged, a.generalized, a.suppressed, a.missing) == (4, 2, 0, 0)
    assert (b.unchanged, b.generalized, b.suppressed, b.missing) == (3, 0, 2, 1)
    assert a.information_loss == pytest.approx(100 * 2 / 56)


def test_what_missing_cells_cost():
    """Missing cells, their records, and the cells that became * beside them are counted."""
    cells = {"a": [1.0, 2.0, 3.0, 8.0, 8.0, 8.0], "b": [5, 5, 5, 1, 1, None]}
    options = {"k": 3, "quasi_identifiers": ["a", "b"], "method": "mdav"}
    told = shoal.anonymize(pa.table(cells), **options).report.missing
    assert (told["cells"], told["records"], told["deleted"]) == (1, 1, 0)
    assert (told["suppressed"], told["suppressed_beside_missing"]) == (2, 2)
    assert told["suppressed_everywhere"] == 0
    assert "every quasi-identifier" not in told["text"]
    whole = shoal.anonymize(pa.table({**cells, "b": [5, 5, 5, 1, 1, 1]}), **options).report.missing
    assert (whole["cells"], whole["suppressed_beside_missing"]) == (0, 0)


@pytest.mark.parametrize("way", ["mode", "medoid"])
def test_cells_that_became_another_cell(way):
    """Of modes and medoids the loss is the share of cells that changed, * included."""
    cells = {"a": [1.0, 1.0, 2.0, 8.0, 8.0, None], "b": [1, 1, 1, 9, 9, 9]}
    report = shoal.anonymize(
        pa.table(cells), k=3, quasi_identifiers=["a", "b"], method="mdav", aggregate=way
    ).report
    a, b = report.columns
    assert (a.unchanged, a.generalized, a.suppressed, a.missing) == (2, 1, 2, 1)
    assert a.information_loss == pytest.approx(100 * 3 / 6)
    assert b.information_loss == 0


@pytest.mark.parametrize(
    ("options", "word"),
    [({"method": "kaim"}, "generalized"), ({"method": "mdav", "aggregate": "mode"}, "changed")],
)
def test_what_became_of_texts_is_told(options, word):
    """Of texts it is told how many cells were kept, and how many generalized or changed."""
    cells = {"a": ["p", "p", "q", "q", "q", "p"], "b": ["x", "x", "y", "z", "z", "z"]}
    report = shoal.anonymize(pa.table(cells), k=3, quasi_identifiers=["a", "b"], **options).report
    text = str(report)
    for column in report.columns:
        assert f"{column.unchanged:,} cells kept, {column.generalized:,} {word}" in text
        assert column.unchanged + column.generalized + column.suppressed == 6


def test_the_limits_of_what_is_released():
    """Values that are those of records are told of where there are any, and only there."""
    said = {
        (values, records): guarantee(Protection(5, 6, values=values, records=records))
        for values in (False, True) for records in (False, True)
    }  # fmt: skip
    for (values, records), lines in said.items():
        text = "\n".join(lines["does_not_cover"])
        assert ("end in values of records" in text) is values
        assert ("is a value of one of the group's" in text) is records
        assert "knows 4 or more of a group's 6 or more members" in text
        assert "at least 5 records" in lines["covers"][0]


@pytest.mark.parametrize(
    ("ways", "costs", "words"),
    [
        (("mean",), None, "the variation (SSE/SST)"),
        (("generalize", "range"), {}, "what the cells said (ILoss)"),
        (("generalize", "mean"), {}, "what the cells said (mean of the columns)"),
    ],
)
def test_what_the_loss_is_a_share_of(ways, costs, words):
    """Of numbers it is the variation, of trees what cells said, of both a mean."""
    columns = [SimpleNamespace(released_as=way) for way in ways]
    assert Report.loss_of(SimpleNamespace(columns=columns, costs=costs, is_public=False)) == words


def test_a_report_in_json():
    """JSON holds what was asked and what was found: groups, sizes, records and columns."""
    table = pa.table({"a": [1, 1, 2, 9, 9, 8, 9], "s": list("xyzxyzx")})
    found = shoal.anonymize(table, k=3, quasi_identifiers=["a"], sensitive=["s"], method="mdav")
    told = json.loads(found.report.to_json())
    assert told["groups"] == {
        "count": 2, "smallest": 3, "largest": 4, "without_spread": 0, "sizes": {"3": 1, "4": 1},
    }  # fmt: skip
    assert (told["input"]["records"], told["input"]["columns"]) == (7, 2)
    assert told["release"] == {"columns": ["a", "s"], "records": 7}
    assert found.report.group_span() == "3 to 4"
    assert "NOT verified" not in str(found.report)


def test_names_in_json_are_as_they_are():
    """Names of other scripts stand in JSON as they are written."""
    table = pa.table({"größe": [1, 1, 2, 2]})
    assert '"größe"' in shoal.anonymize(table, k=2, quasi_identifiers=["größe"]).report.to_json()
