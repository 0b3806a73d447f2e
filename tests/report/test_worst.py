"""The head of a report: the worst figures, with their columns, and one loss to compare by."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.measures.result import figure_text
from shoal.report.html.document import page
from shoal.report.worst import worst_of, worst_utility


@pytest.fixture(scope="module")
def report():
    """Of numbers that differ in how much they lose, and dates."""
    rng = np.random.default_rng(4)
    near, days = rng.normal(size=200), rng.integers(18_000, 20_000, 200)
    table = {
        "near": near, "linked": near + 0.1 * rng.normal(size=200), "far": rng.normal(size=200),
        "day": pa.array(days.astype("datetime64[D]")), "kept": (near > 0).astype(int),
    }  # fmt: skip
    quasi = ["near", "linked", "far", "day"]
    return shoal.anonymize(
        pa.table(table), k=5, quasi_identifiers=quasi, other=["kept"], method="mdav"
    ).report


def test_the_worst_has_its_name():
    """The least of what should be high and the most of what should be low is the worst."""
    assert worst_of("regression", {"a": 99.0, "b": 60.0}) == ("b", 60.0)
    assert worst_of("correlations", {"a × b": 0.1, "a × c": 0.4}) == ("a × c", 0.4)
    assert worst_of("regression", {}) is None
    assert worst_of("kept_linkage", {"a": 3.0}) is None
    some = {"utility": {"regression": {"value": 95.0, "unit": "percent", "by": {"a": 99, "b": 60}}}}
    assert worst_utility(some) == ["R² kept by a regression of 'b': 60.0 %"]
    still = {"means": {"value": 1e-6, "unit": "number", "by": {"a": 1e-6}}}
    assert worst_utility({"utility": still}) == [], "nothing was lost"
    assert worst_utility(some, public=True) == worst_utility(None) == []


def test_the_head_shows_the_worst_with_its_column(report):
    """Terminal and page name the column or pair of the worst figure, not the mean of all."""
    utility = report.measures["utility"]
    for key in ("variances", "correlations", "regression"):
        by = utility[key]["by"]
        name = (max if key == "correlations" else min)(by, key=by.get)
        text = figure_text(by[name], utility[key]["unit"])
        lines = [line for line in report.summary().splitlines() if line.startswith("at worst: ")]
        assert any(f"'{name}'" in line and text in line for line in lines), (key, lines)
        assert any(f"{name}" in part and text in part for part in page(report).split("<li>"))


def test_one_loss_stands_beside_that_of_the_method(report):
    """The head has the method's own loss by its name, and NCP; a public one has no exact figure."""
    ncp = figure_text(report.measures["utility"]["ncp"]["value"], "percent")
    assert f"of the variation (SSE/SST); NCP {ncp}, to compare methods by" in report.summary()
    assert f"NCP {ncp}" in page(report)
    public = report.published()
    assert "NCP" not in public.summary()
    assert "ncp" not in public.measures["utility"]
    assert "to compare methods by" not in page(public)
    gaps = public.measures["utility"]["distributions"]["by"]
    name = max(gaps, key=gaps.get)
    losses = {column.name: column.loss["value"] for column in public.columns}
    most = max(losses, key=losses.get)
    assert f"at worst: loss of '{most}': at most {losses[most]:g} %" in public.summary()
    assert f"loss of &#x27;{most}&#x27;: at most {losses[most]:g} %" in page(public)
    assert f"at worst: distribution of '{name}': gap of at most {gaps[name]:g}" in public.summary()


def test_dates_are_dates(report):
    """Quantiles of dates are told as dates, not as days since 1970."""
    own = next(c for c in report.measures["columns"] if c["name"] == "day")
    wanted = np.datetime64(round(own["quantiles_before"][2]), "D")
    assert f'<td class="n">{wanted}</td>' in page(report)
    assert "since 1970" not in page(report)


def test_small_figures_are_not_written_as_nothing():
    """A figure that four decimals do not show has its first digit."""
    assert figure_text(0.0000152, "number") == "0.00002"
    assert figure_text(0.12345, "number") == "0.1235"
    assert figure_text(1e-12, "number") == figure_text(0, "number") == "0"


def test_totals_say_why_they_drift():
    """What is said below totals is about the columns that are there: means, or rounded ones."""
    table = pa.table({"a": ["x", "y"] * 10, "c": [float(i % 7) for i in range(20)]})
    kept = shoal.anonymize(table, k=2, quasi_identifiers=["a"], other=["c"], round={"c": 4}).report
    assert "Kept columns were rounded" in page(kept)
    assert "Means keep totals" not in page(kept)
