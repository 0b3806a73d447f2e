"""Texts that a spreadsheet would run: written as texts, numbers untouched, nothing lost."""

from __future__ import annotations

import csv
import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as library
from shoal.errors import RequestError
from shoal.release.prepare import as_text, is_formula

TRIGGERS = [
    "=1+1", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1", "'=1", "=\n1+1",
    "\r\n=1", "＝1+1", "－2+3",
]  # fmt: skip
PLAIN = [
    "-5",
    "+5",
    "-5.25",
    "-1,5",
    "-1e-5",
    "5%",
    "-5%",
    "-",
    "+",
    "=",
    "",
    "a=b",
    "x",
    "'x",
    "*",
]


@pytest.mark.parametrize("text", TRIGGERS)
def test_formulas_become_texts(text):
    """Each trigger gets an apostrophe."""
    assert as_text(text) == f"'{text}"


@pytest.mark.parametrize("text", PLAIN)
def test_others_stay(text):
    """Numbers, lone signs and plain texts stay what they are."""
    assert as_text(text) == text


SIGNS = "'=+-@\t\r\n＝ab1"


@given(st.text(alphabet=SIGNS, max_size=6), st.text(alphabet=SIGNS, max_size=6))
def test_no_two_texts_become_one(one, other):
    """Different texts stay different, and what a spreadsheet would run never begins a cell."""
    assert (as_text(one) == as_text(other)) == (one == other)
    written = as_text(one)
    signs, number = "=+-@\t\r\n＝＋－＠", one.lstrip("+-").isdigit() and one.count("+-") == 0
    assert len(written) < 2 or written[0] not in signs or number


def table():
    """Texts like formulas among quasi-identifiers, sensitive and other columns."""
    rows = 12
    return pd.DataFrame(
        {
            "job": ["=1+1", "=1+1", "=1+1", "clerk", "clerk", "clerk"] * 2,
            "pay": [-5, -5, -4, 3, 3, 2] * 2,
            "ill": ["@x", "flu", "-2+3"] * 4,
            "note": [f"+{i}+1" if i % 2 else "-7" for i in range(rows)],
        }
    )


@pytest.mark.parametrize("source", ["frame", "csv"])
@pytest.mark.parametrize("how", ["save", "pack"])
def test_files_are_safe_and_verified(tmp_path, source, how):
    """The written csv has no cell that runs, loses nothing, and every check of it passes."""
    data = table()
    if source == "csv":
        data.to_csv(tmp_path / "t.csv", index=False)
        data = tmp_path / "t.csv"
    asked = {"quasi_identifiers": ["job", "pay"], "sensitive": ["ill"], "other": ["note"]}
    result = library.anonymize(data, k=3, method="kaim", **asked)
    folder = tmp_path / "out"
    if how == "save":
        result.save(folder, spreadsheet_safe=True, keep_order=True)
    else:
        result.pack(folder, spreadsheet_safe=True, keep_order=True)
        assert library.check_pack(folder).ok
    rows = list(csv.DictReader(io.StringIO((folder / "release.csv").read_text())))
    assert [row["note"] for row in rows] == [as_text(text) for text in table()["note"]]
    assert [row["ill"] for row in rows] == [as_text(text) for text in table()["ill"]]
    assert "-7" in {row["note"] for row in rows}
    assert not any(is_formula(row[name]) for row in rows for name in ("job", "ill", "note")
                   if not row[name].startswith("'"))  # fmt: skip
    assert library.verify(folder / "release.csv", k=3, quasi_identifiers=["job", "pay"]).ok
    assert "apostrophe" in (folder / "report.json").read_text()
    assert "spreadsheet_safe = true" in (tmp_path / "out.private" / "run.toml").read_text()
    assert "=1+1" in set(result.data["job"] if source == "frame" else table()["job"])


def test_parquet_and_default_are_as_they_were(tmp_path):
    """Without the option, and in Parquet, texts are what they were."""
    result = library.anonymize(table(), k=3, method="kaim", quasi_identifiers=["pay"],
                               sensitive=["ill"], other=["job", "note"])  # fmt: skip
    result.save(tmp_path / "a")
    assert "'@x" not in (tmp_path / "a" / "release.csv").read_text()
    result.save(tmp_path / "b", format="parquet", spreadsheet_safe=True)
    assert "'@x" not in set(pd.read_parquet(tmp_path / "b" / "release.parquet")["ill"])


def test_headers_and_trees_that_would_not_fit_are_refused(tmp_path, shoal):
    """A header that runs, and texts of a hierarchy that would change, are errors in words."""
    data = table().rename(columns={"pay": "=pay"})
    asked = {"quasi_identifiers": ["=pay"], "sensitive": ["ill"], "drop": ["job", "note"]}
    result = library.anonymize(data, k=3, method="mdav", **asked)
    with pytest.raises(RequestError, match="header of '=pay'"):
        result.save(tmp_path / "a", spreadsheet_safe=True)
    assert not (tmp_path / "a").exists()
    (tmp_path / "ill.csv").write_text("@x;*\nflu;*\n-2+3;*\n")
    result = library.anonymize(
        table(), k=3, t=0.9, quasi_identifiers=["pay"], sensitive=["ill"], drop=["job", "note"],
        hierarchies={"ill": str(tmp_path / "ill.csv")},
    )  # fmt: skip
    with pytest.raises(RequestError, match="hierarchy or order"):
        result.save(tmp_path / "b", spreadsheet_safe=True)


def test_the_command(tmp_path, shoal):
    """`--spreadsheet-safe` does the same, in memory and region by region."""
    path = tmp_path / "t.csv"
    table().to_csv(path, index=False)
    said = ("anonymize", path, "-k", "3", "--quasi", "pay", "--sensitive", "ill", "--drop",
            "job", "--other", "note", "--spreadsheet-safe", "--method", "mdav")  # fmt: skip
    for more in ((), ("--decimals", "0")):
        ran = shoal(*said, *more, "-o", tmp_path / f"o{len(more)}.csv", "--no-report")
        assert ran.code == 0, ran.err
        assert "'@x" in (tmp_path / f"o{len(more)}.csv").read_text()
    ran = shoal(*said, "-o", "-")
    assert "'@x" in ran.out
