"""What a guarantee leaves open is said by name, in every report and every form of it."""

from __future__ import annotations

import html
import json
import re

import pyarrow as pa
import pytest

import shoal
from shoal.judge.requirement import Requirement
from shoal.report.guarantees import Protection, guarantee

NAMES = ("Minimality", "Downcoding", "Model inference", "Composition")
NUMBERS = {"a": [1, 2, 3, 7, 8, 9], "b": [2, 4, 6, 1, 3, 5], "s": list("xyxyxy")}
TEXTS = {"a": ["p", "p", None, "q", "q", "p"], "b": [1, 2, 3, 7, 8, 9], "s": list("xyxyxy")}
GROUPED = {**NUMBERS, "group": [0, 0, 0, 1, 1, 1]}
PATHS = {
    "numbers": (NUMBERS, {"method": "mdav"}),
    "search": (NUMBERS, {"method": "ilsmc+", "max_iterations": 5}),
    "auto": (NUMBERS, {"effort": "quick"}),
    "mixed": (TEXTS, {"method": "kaim"}),
    "mixed search": (TEXTS, {"method": "kaim+", "max_iterations": 5}),
    "modes": (TEXTS, {"method": "mdav", "aggregate": "mode"}),
    "refine": (GROUPED, {"group": "group"}),
    "refine a mixed table": ({**TEXTS, "group": [0, 0, 0, 1, 1, 1]}, {"group": "group"}),
}


def report_of(path):
    cells, options = PATHS[path]
    return shoal.anonymize(
        pa.table(cells), k=2, quasi_identifiers=["a", "b"], sensitive=["s"], **options
    ).report


@pytest.mark.parametrize("path", PATHS)
def test_every_report_names_its_limits(path):
    """Minimality, downcoding, model inference and composition are in text, JSON and HTML."""
    report = report_of(path)
    lines = json.loads(report.to_json())["guarantee"]["does_not_cover"]
    text, page = str(report), report.to_html()
    section = page[page.index("What it does not cover") :]
    for name in NAMES:
        (line,) = [line for line in lines if line.startswith(f"{name}: ")]
        assert f"  - {line}\n" in f"{text}\n"
        assert f"<li><strong>{name}:</strong>" in section
        words = html.unescape(re.sub(r"<[^>]+>", "", section))
        assert line in words
        assert line.count(".") <= 2, "one or two sentences"
    assert "verifying one against the other counts them" in text


def test_the_written_report_names_its_limits(tmp_path):
    """The files of a release say it too: what reads the file back adds, and takes nothing away."""
    cells, options = PATHS["mixed"]
    found = shoal.anonymize(
        pa.table(cells), k=2, quasi_identifiers=["a", "b"], sensitive=["s"], **options
    )
    found.save(tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    lines = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["guarantee"]
    for name in NAMES:
        assert f"<strong>{name}:</strong>" in page
        assert sum(line.startswith(f"{name}: ") for line in lines["does_not_cover"]) == 1


def test_what_minimality_says_of_sensitive_values():
    """Groups that depend on sensitive values are said to; those made without a look say so."""

    def minimality(**more):
        lines = guarantee(Protection(2, 2, **more))["does_not_cover"]
        return next(line for line in lines if line.startswith("Minimality"))

    by_values = minimality(requirement=Requirement(k=2, l=2), sensitive=["s"])
    assert "without a look at sensitive values" in minimality()
    assert "depend on the sensitive values themselves" in by_values
    assert "came with the data" in minimality(given=True)
    assert "without a look" not in minimality(given=True) + by_values
    refined = report_of("refine").guarantee["does_not_cover"]
    assert any("came with the data" in line for line in refined)
