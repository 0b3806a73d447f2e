"""What the page's charts count."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.measures.histogram import evenly
from shoal.table.read import read
from shoal.web.charts import charts_of, counted_values

DRAWS = True  # charts


@given(
    st.lists(st.tuples(st.floats(-5, 15), st.floats(0, 8)), min_size=1, max_size=20),
    st.integers(1, 9),
)
def test_spans_are_spread_evenly(spans, bins):
    """Every span counts once, in proportion to what of it lies in a bin; slow twin: many points."""
    edges = np.linspace(0.0, 10.0, bins + 1)
    ends = np.array([(low, low + wide) for low, wide in spans])
    share = evenly(ends, edges)
    assert np.allclose(share.sum(axis=0), 1.0)
    for at, (low, high) in enumerate(np.clip(ends, 0.0, 10.0)):
        points = np.linspace(low, high, 2001) if high > low else np.array([low])
        naive = np.histogram(points, edges)[0] / points.size
        assert np.allclose(share[:, at], naive, atol=2 / points.size * 3 + 1e-3)


def test_columns_before_and_after():
    """Numbers that became intervals are a histogram of both; texts stand side by side."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 300), "job": rng.choice(list("abc"), 300)})
    result = shoal.anonymize(frame, k=5, method="kaim")
    charts = charts_of(result.report, read(frame), result.table)
    ages, jobs = (chart["spec"] for chart in charts[:2])
    totals = {when: sum(v["records"] for v in ages["data"]["values"] if v["when"] == when)
              for when in ("before", "after")}  # fmt: skip
    assert totals["before"] <= 300
    assert abs(totals["after"] - 300) <= 20  # each bin is rounded
    spans = [v for v in ages["data"]["values"] if v["when"] == "interval"]
    assert spans
    assert all(20 <= v["from"] < v["to"] <= 59 for v in spans)
    assert all(v["records"] >= 5 for v in spans)
    assert {v["value"] for v in jobs["data"]["values"] if v["when"] == "before"} == set("abc")
    assert sum(v["records"] for v in jobs["data"]["values"] if v["when"] == "after") == 300
    assert {chart["group"] for chart in charts} >= {"columns", "groups", "loss", "attacks"}


def test_words_of_a_hierarchy_are_spans(tmp_path):
    """Numbers that a file of a hierarchy makes words of stand on the axis of the numbers."""
    lines = [f"{age};{age // 10}0s;{'young' if age < 40 else 'old'};*" for age in range(20, 60)]
    (tmp_path / "age.csv").write_text("\n".join(lines) + "\n")
    frame = pd.DataFrame({"age": np.random.default_rng(0).integers(20, 60, 200)})
    rules = {"age": str(tmp_path / "age.csv")}
    result = shoal.anonymize(frame, k=20, method="kaim", hierarchies=rules)
    spec = charts_of(result.report, read(frame), result.table, result.settings.hierarchies)[0]
    values = spec["spec"]["data"]["values"]
    assert {one["when"] for one in values} == {"before", "after", "interval"}
    spans = {(one["from"], one["to"]) for one in values if one["when"] == "interval"}
    assert spans <= {(20, 29), (30, 39), (40, 49), (50, 59), (20, 39), (40, 59)}


def test_rare_values_are_counted_together():
    """Values with fewer records than asked for, or beyond the most frequent, are one bar."""
    column = read(pd.DataFrame({"x": [*"aaaabbbccd", None]}))["x"]
    assert counted_values(column, 9, 2, "…") == {"labels": ["a", "b", "c", "…"],
                                                 "counts": [4, 3, 2, 1]}  # fmt: skip
    assert counted_values(column, 1, 1, "…") == {"labels": ["a", "…"], "counts": [4, 6]}
