"""What a report says, figure by figure."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import shoal

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


def test_names_in_json_are_as_they_are():
    """Names of other scripts stand in JSON as they are written."""
    table = pa.table({"größe": [1, 1, 2, 2]})
    assert '"größe"' in shoal.anonymize(table, k=2, quasi_identifiers=["größe"]).report.to_json()
