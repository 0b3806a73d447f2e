"""The verdict of a release: decided in one place, in every report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import shoal as library
from shoal.report.fields import verdict_of, verdict_text
from shoal.report.html.document import short
from shoal.report.reload import load_report


def measures(share):
    """Measures in which kept columns single out a share of the records."""
    return {"risk": {"kept_linkage": {"value": share}}}


@pytest.mark.parametrize(
    ("ok", "found", "verdict"),
    [
        (True, None, "safe"),
        (True, {"risk": {}}, "safe"),
        (True, measures(5.0), "safe"),
        (True, measures(5.01), "safe, but"),
        (False, measures(50.0), "not safe"),
        (False, None, "not safe"),
    ],
)
def test_three_states(ok, found, verdict):
    """Not verified is not safe; above 5 % there is a but."""
    assert verdict_of({"ok": ok}, found) == verdict
    words = verdict_text(verdict, found)
    assert words.startswith("not safe" if not ok else "safe as asked")
    assert ("single out" in words) == (verdict == "safe, but")


@pytest.fixture(scope="module")
def result():
    """A release with a kept column that singles out many, and a sensitive one that does too."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {"x": rng.integers(0, 90, 100), "o": rng.integers(0, 9, 100), "s": np.arange(100)}
    )
    return library.anonymize(
        data, k=4, quasi_identifiers=["x"], sensitive=["s"], other=["o"], method="mdav"
    )


def test_in_the_report(result, tmp_path):
    """A report says it in JSON, text and page, and decides it anew when it is read."""
    report = result.report
    assert report.verdict == report.to_dict()["verdict"] == "safe, but"
    assert "but kept columns single out" in report.summary().splitlines()[2]
    assert 'class="answer but"' in report.to_html()
    assert "<strong>safe as asked, but kept" in short(report)
    assert replace(report, verdict="safe").verdict == "safe, but"
    result.save(tmp_path)
    assert load_report(tmp_path)[0].verdict == "safe, but"
    assert replace(report, verification={"ok": False, "k": 1}).verdict == "not safe"


def test_sensitive_columns_never_change_it(result):
    """All sensitive values differ: a figure of its own, no part of the verdict."""
    alone = library.anonymize(
        result.data, k=4, quasi_identifiers=["x"], sensitive=["s"], drop=["o"], method="mdav"
    ).report
    assert alone.measures["risk"]["sensitive_uniques"]["value"] == 100
    assert "kept_linkage" not in alone.measures["risk"]
    assert alone.verdict == "safe"


def test_what_is_in_the_file(result):
    """Every column is listed: grouped, kept or dropped."""
    text = result.report.summary()
    for line in ("grouped (quasi-identifiers): x", "sensitive, kept as they are: s",
                 "other, kept as they are: o"):  # fmt: skip
        assert line in text
    assert "Grouped (quasi-identifiers)" in result.report.to_html()
