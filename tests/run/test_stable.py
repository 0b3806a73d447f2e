"""A stable series: standardization, hierarchies and boundaries of the release before."""

from __future__ import annotations

import numpy as np
import pytest

from report_leaves import leaves
from series_tables import random_series
from shoal.errors import RequestError
from shoal.pipeline.anonymize import anonymize_with
from shoal.report.drift import drift_chart, drift_charts
from shoal.report.html.document import series
from shoal.report.public.keys import kind_of
from shoal.settings import build


def released(table, folder, number, method="mdav", tree=None, **series):
    """Release a table under the ledger of a folder, note it there, and return the result."""
    settings = build({
        "roles": {"quasi_identifiers": ["age", "pay"], "sensitive": ["ill"], "person": "id"},
        "protect": {"k": 3, "method": method},
        "series": {"ledger": str(folder / "s.ledger"), **series},
        "hierarchies": {} if tree is None else {"age": tree},
    })  # fmt: skip
    result = anonymize_with(table, settings, measured=False)
    classes = result.partition.labels.tolist()
    entry = result.pending.entry(f"{number}.csv", str(number), ["age", "pay"], classes)
    result.pending.ledger.with_entry(entry).write()
    return result


def spread(table, times):
    """Return a table whose pay is so many times what it was."""
    return {**table, "pay": [times * one for one in table["pay"]]}


def lost_of_pay(table, result):
    """Return the share of the squared deviations of pay that is within groups."""
    pay, labels = np.array(table["pay"], dtype=float), result.partition.labels
    means = np.bincount(labels, pay) / np.bincount(labels)
    return ((pay - means[labels]) ** 2).sum() / ((pay - pay.mean()) ** 2).sum()


def test_distances_are_those_of_the_release_before(tmp_path):
    """A column that spreads wider than before counts as much more as it is wider, and is noted."""
    first, second, _ = random_series(3, people=36, each=28)
    released(first, tmp_path, 0)
    with pytest.raises(RequestError, match="same unit"):
        released(spread(second, 1000), tmp_path, 1, stable=True)
    result = released(spread(second, 20), tmp_path, 1, stable=True)
    (tmp_path / "other").mkdir()
    alone = released(spread(second, 20), tmp_path / "other", 0)
    assert lost_of_pay(second, result) < 0.05 < lost_of_pay(second, alone)
    notes = " ".join(result.report.notes)
    assert "boundaries are those of release 1" in notes
    assert "drift of 'pay' since release 1" in notes
    assert not any("drift" in note for note in result.report.public_notes)


def test_boundaries_are_those_of_the_release_before(tmp_path):
    """Quantiles of the first release are the intervals of the next ones, whatever their data."""
    first, second, third = random_series(4, people=36, each=28)
    released(first, tmp_path, 0, "kaim", "quantiles:4,2")
    older = {**second, "age": [one + 30 for one in second["age"]]}
    cuts = released(older, tmp_path, 1, "kaim", "quantiles:4,2", stable=True).settings.hierarchies
    assert cuts["age"].startswith("cuts:")
    again = released(third, tmp_path, 2, "kaim", "quantiles:4,2", stable=True)
    assert again.settings.hierarchies["age"] == cuts["age"]
    free = released(third, tmp_path, 3, "kaim", "quantiles:4,2")
    assert free.settings.hierarchies["age"] == "quantiles:4,2"


@pytest.mark.parametrize("tree", ["widths:7", "balanced"])
def test_other_hierarchies_are_refused(tmp_path, tree):
    """A stable release has the hierarchy of the one before, and none that follows the data."""
    first, second, _ = random_series(5, people=36, each=28)
    released(first, tmp_path, 0, "kaim", "widths:5,10")
    with pytest.raises(RequestError, match="stable"):
        released(second, tmp_path, 1, "kaim", tree, stable=True)


def test_means_that_are_published_make_a_chart(tmp_path):
    """From the second stable release on the report has a chart of each column's published means."""
    first, second, third = random_series(6, people=420, each=320)
    assert released(first, tmp_path, 0, stable=True).report.series.get("drift") is None
    released(second, tmp_path, 1, stable=True)
    report = released(third, tmp_path, 2, stable=True).report
    for one in (report, report.published()):
        (age, *_) = one.series["drift"]
        assert age["column"] == "age"
        assert age["releases"] == [1, 2, 3]
        charts = drift_charts(one)
        values = charts["drift age"]["data"]["values"]
        assert [value["release"] for value in values] == [1, 2, 3]
        assert all(value["from"] < value["to"] for value in values)
        page = series(one, dict.fromkeys(charts, "<svg></svg>"))
        assert page.count("<svg>") == len(charts)
        assert "boundaries are those of the release before" in page
        assert all(kind_of(list(path)) for path in leaves(one.to_dict()))
    assert "drift age" in report.charts()
    assert "withheld" not in report.published().series


def test_the_drift_of_dates_is_drawn_in_days():
    """Means of dates are days since 1970, and a chart shows them as dates."""
    drift = {"column": "day", "kind": "date", "releases": [1, 2], "means": [0.0, 100.0],
             "steps": [10.0, 10.0]}  # fmt: skip
    spec = drift_chart(drift)
    assert spec["encoding"]["y"]["type"] == "temporal"
    assert spec["data"]["values"][0]["to"].startswith("1970-01-11")
