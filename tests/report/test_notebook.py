"""What notebooks show of results: whole HTML, escaped, small, without a cell of a record."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import shoal

HOSTILE = "<script>alert(1)</script>"
CANARY = 8_642_013
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({
    HOSTILE: RNG.integers(0, 50, 40) * 7 + CANARY, "town": RNG.choice(["QUAIL", "ZEBRA"], 40),
    "ill": RNG.choice(["FLU", "GOUT"], 40),
})  # fmt: skip
ROLES = {"quasi_identifiers": [HOSTILE, "town"]}
VOID = {"br", "img", "hr"}


class Outline(HTMLParser):
    """The text of a page; tags that do not close, or close nothing, are an error."""

    def __init__(self, page):
        super().__init__()
        self.text, self.open, self.tags = [], [], set()
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, _attrs):
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def shown():
    """Everything that a notebook shows, by the name of its class."""
    result = shoal.anonymize(FRAME, 4, method="mdav", **ROLES)
    every = [
        result, result.report, result.report.published(), result.partition, shoal.methods(),
        shoal.measure(FRAME, result.data, sensitive=["ill"], **ROLES),
        shoal.verify(result.data, 4, **ROLES), shoal.verify(FRAME, 4, **ROLES),
        shoal.hierarchy(FRAME, HOSTILE, "widths:10"), shoal.hierarchy(FRAME, "town", "flat"),
        shoal.compare(FRAME, 4, methods=["mdav"], **ROLES),
    ]  # fmt: skip
    return [(type(one).__name__, one._repr_html_()) for one in every]


def test_html_is_whole_and_safe(shown):
    """Tags are balanced, column names are escaped, and no cell of a record is there."""
    for kind, page in shown:
        outline = Outline(page)
        assert "script" not in outline.tags
        text = " ".join(outline.text).replace(",", "")
        assert len(page) < 25_000, kind
        assert not re.search(rf"{str(CANARY)[:4]}\d{{3}}\b", text.replace(".", "_")), kind
        for word in ("QUAIL", "ZEBRA", "FLU", "GOUT"):
            assert word not in text, kind
    assert any(HOSTILE in " ".join(Outline(page).text) for _, page in shown)


def test_the_ground_is_the_notebooks(shown):
    """Neither text nor ground has a color of its own, so that dark notebooks can be read."""
    for _, page in shown:
        assert not re.search(r"(?<![\w-])(color|background)", page)


def texts(shown, kind):
    """The texts of what is shown of a class."""
    return [" ".join(Outline(page).text) for name, page in shown if name == kind]


def test_they_say_what_counts(shown):
    """Verdicts, figures and sizes are those of the objects."""
    assert all("safe as asked" in text for text in texts(shown, "Result"))
    exact, public = texts(shown, "Report")
    assert "do not publish" in exact
    assert "do not publish" not in public
    good, bad = texts(shown, "Verification")
    assert good.startswith("verified: 40 records")
    assert bad.startswith("NOT SAFE: 40 records")
    assert "records of a group groups" in " ".join(texts(shown, "Partition")[0].split())
    (measures,) = texts(shown, "Measures")
    assert "Which risks are left" in measures
    assert "do not publish" in measures
    assert "mdav" in texts(shown, "Methods")[0]
    assert texts(shown, "Hierarchy")[0].startswith("widths:10")
    (compared,) = texts(shown, "Comparison")
    assert "\N{REPLACEMENT CHARACTER}" not in compared
    assert "on the frontier" in compared


def test_plain_forms_are_one_line():
    """Without HTML, too, a report and the list of methods are short."""
    report = shoal.anonymize(FRAME, 4, method="mdav", **ROLES).report
    assert repr(report) == f"<Report: {report.summary().splitlines()[0]}>"
    assert repr(shoal.methods()).startswith(f"<{len(shoal.methods())} methods: mdav, ")
    assert "\n" not in repr(report) + repr(shoal.methods())


def test_many_sizes_are_counted_together():
    """Of groups of many sizes the largest are counted together, and none is lost."""
    labels = np.repeat(np.arange(14), np.arange(2, 16))
    page = shoal.Partition(labels, 2)._repr_html_()
    cells = [int(cell) for cell in re.findall(r"<td[^>]*>(\d+)</td>", page)]
    assert "more than 11" in page
    assert sum(cells[1:20:2]) + cells[-1] == 14


def test_values_without_a_place_are_counted_only(write):
    """Of values that a hierarchy lacks the number is shown, and none of them."""
    path = write("towns.csv", "ZEBRA;*\n")
    made = shoal.hierarchy(FRAME, "town", str(path))
    assert "1 values have no place" in made._repr_html_()
    assert "QUAIL" not in made._repr_html_()
