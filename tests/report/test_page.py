"""The words and figures of the page, with charts that need no drawing."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pyarrow as pa
import pytest

import shoal
from shoal.report.html import document as pages

NUMBERS = {"a": [1, 2, 3, 7, 8, 9], "b": [2, 4, 6, 1, 3, 5], "s": list("xyxyxy")}
TEXTS = {"a": ["p", "p", None, "q", "q", "p"], "b": [1, 2, 3, 7, 8, 9], "s": list("xyxyxy")}


def report_of(cells, **options):
    """The report of groups of two or three."""
    table = pa.table(cells)
    return shoal.anonymize(
        table, k=2, quasi_identifiers=["a", "b"], sensitive=["s"], **options
    ).report


@pytest.fixture
def words(monkeypatch):
    """Give the text of a report's page; its charts are one sign each."""
    monkeypatch.setattr(pages, "draw", lambda specs: ["<svg>#</svg>"] * len(specs))

    def text(report):
        body = re.sub(r"(?s)<style>.*</style>", "", pages.page(report))
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())

    return text


def test_a_page_of_numbers(words):
    """Means and variances are shown of numbers, and nothing that only generalizing has."""
    report = report_of(NUMBERS, method="mdav")
    text = words(report)
    assert "replaced by its mean." in text
    assert f"{report.information_loss_released:.2f} % lost of the variation (SSE/SST)" in text
    assert f", {report.rounding_loss:.2f} points of it by rounding; NCP" in text
    assert "mean before mean after variance before variance after a integer" in text
    assert "5 5 " in text, "the mean of a before and after"
    for word in ("released as hierarchy", "Other measures", "Missing values",
                 "How the groups were found", "not verified", "searches of"):  # fmt: skip
        assert word not in text
    assert "2 quasi-identifiers" in text
    assert "The outermost bars also count" in text
    assert "shoal run run.toml --input FILE -o again/" in text
    assert "shoal verify release.csv -k 2 --quasi a,b" in text
    assert "not written to a file" in text


def test_a_page_of_texts(words):
    """Generalized columns have their cells counted, the measures of the literature, no means."""
    report = report_of(TEXTS, method="kaim")
    text = words(report)
    for word in ("released as hierarchy as it was generalized suppressed (*) missing before",
                 "Other measures of the generalized columns", "sum of squared class sizes",
                 "Missing values 1 cells of 1 records", "closest common generalization",
                 "How the cells of each quasi-identifier are released"):  # fmt: skip
        assert word in text, word
    assert ("mean before" in text) == any(c.mean_before is not None for c in report.columns)
    whole = replace(report, missing={**report.missing, "cells": 0, "deleted": 0})
    assert "Missing values" not in words(whole)
    assert "Missing values" in words(replace(whole, missing={**report.missing, "cells": 0,
                                                             "deleted": 1}))  # fmt: skip


def test_a_page_that_was_not_verified(words):
    """A release that was not verified says so, and promises nothing."""
    report = report_of(NUMBERS, method="mdav")
    text = words(replace(report, verification={**report.verification, "ok": False}))
    assert "This release was not verified." in text
    assert "in this release is shared by" not in text


def test_how_a_search_went(words):
    """A search is told with its losses; several runs are counted, one is not."""
    report = report_of(NUMBERS, method="ilsmc+", max_iterations=5)
    for runs, told in ((1, "in 5 iterations and"), (2, "in 2 searches of 5 iterations and")):
        text = words(replace(report, search={**report.search, "runs": runs, "iterations": 5}))
        assert told in text
        assert "at the first local optimum" in text
        assert "are summed over all groupings" in text
    text = words(report_of(TEXTS, method="kaim+", max_iterations=5))
    assert "at the first local optimum" not in text
    assert "may add to the loss at first" in text
