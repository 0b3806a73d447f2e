"""Proposals: missing words and formats are proposed on evidence, and nothing else is."""

from __future__ import annotations

import pytest

from shoal.table.dialects.propose import propose


def proposed(write, sign=";", **columns):
    """Propose the options of a file with these columns."""
    rows = [sign.join(columns), *(sign.join(row) for row in zip(*columns.values(), strict=True))]
    return propose(write("t.csv", "\n".join(rows) + "\n"))


AGES = [str(age) for age in range(30, 42)]
TEXTS = ["x", "y", "z"] * 4


@pytest.mark.parametrize(
    "word",
    ["NA", "N/A", "n.a.", "NaN", "null", ".", "?", "-", "k.A.", "unknown", "Unknown",
     "keine Angabe", "<NA>", "#N/A", "missing"],
)  # fmt: skip
@pytest.mark.parametrize("often", [1, 6])
def test_words_among_numbers(write, word, often):
    """A known word is proposed where all other cells are numbers, however often it stands there."""
    found = proposed(write, a=[word] * often + AGES[often:], t=TEXTS)
    assert found.options == {"missing": ["", word]}
    assert f"{word} in 'a'" in found.findings[-1]


@pytest.mark.parametrize(
    ("code", "cells", "is_missing"),
    [
        ("9999", AGES, True),
        ("999", AGES, True),
        ("-1", AGES, True),
        ("-9", AGES, True),
        ("-9999", ["-3", "4", "5", "9", "-2", "8", "0", "2", "11", "-4", "6", "7"], True),
        ("99", [str(40 + 5 * i) for i in range(12)], False),  # an age, perhaps
        ("-1", ["-3", "4", "5", "9", "-2", "8", "0", "2", "11", "-4", "6", "7"], False),
        ("99", ["1", "2"] * 6, False),  # too few values show no range
        ("9999.0", [f"{age}.0" for age in AGES], True),
    ],
)
def test_codes_beyond_the_range(write, code, cells, is_missing):
    """A code is proposed if it is repeated and lies beyond all other numbers of its column."""
    twice = [code, code, *cells[2:]]
    assert proposed(write, a=twice, t=TEXTS).options.get("missing") == (
        ["", code] if is_missing else None
    )
    once = [code, *cells[1:]]
    assert "missing" not in proposed(write, a=once, t=TEXTS).options


def test_codes_that_are_values_elsewhere(write):
    """A code that another column has as a value is not proposed, and that is said."""
    found = proposed(write, a=["-1", "-1", *AGES[2:]], b=["-1", "-2", *AGES[2:]])
    assert "missing" not in found.options
    assert "-1 seems to stand for missing in 'a', and for itself in 'b'" in found.findings[0]


def test_words_that_stand_among_texts_too(write):
    """A word that is proposed for numbers and stands among texts is said to be missing there."""
    found = proposed(write, a=["NA", *AGES[1:]], t=["NA", *TEXTS[1:]])
    assert found.options == {"missing": ["", "NA"]}
    assert any("NA stands in 't', too" in finding for finding in found.findings)


def test_unknown_words_are_not_shown(write):
    """An odd cell among numbers that is no known word is told without being shown."""
    found = proposed(write, a=["Meier", "Meier", *AGES[2:]], t=TEXTS)
    assert not found.options
    assert "'a': cells among the numbers" in found.findings[0]
    assert "Meier" not in " ".join(found.findings)
    assert proposed(write, t=["NA", *TEXTS[1:]], a=AGES).options == {}


@pytest.mark.parametrize(
    ("cells", "wanted", "words"),
    [
        (["20.01.42", "01.02.43"], {}, "two digits"),
        (["01/02/1999", "03/04/2000"], {}, "day or the month first"),
        (["01/02/1999", "13/04/2000"], {"date_format": "%d/%m/%Y"}, ""),
        (["01/02/1999", "01/14/2000"], {"date_format": "%m/%d/%Y"}, ""),
        (["1999/02/01", "2000/12/31"], {"date_format": "%Y/%m/%d"}, ""),
        (["2000-12-31T10:00:00Z", "2000-12-31T11:00:00Z"], {}, ""),
        (["2000-12-31 10:00", "2000-12-31 11:00"], {}, ""),
        (["2000-12-31T10:00Z", "2000-12-31T11:00+01:00"],
         {"date_format": "%Y-%m-%dT%H:%M%z"}, ""),
        (["31.12.2000 10:00+0100", "1.1.2001 09:00+0100"],
         {"date_format": "%d.%m.%Y %H:%M%z"}, ""),
        (["31.12.2000 10:00", "1.1.2001 09:00:00"], {}, ""),
    ],
)  # fmt: skip
def test_formats_of_dates(write, cells, wanted, words):
    """One order of day, month and year is proposed; what leaves several open is said."""
    found = proposed(write, d=cells, t=["x", "y"])
    assert found.options == wanted
    assert words in " ".join(found.findings)


def test_formats_are_by_column_where_others_are_plain(write):
    """A format of some columns is not proposed for those with ISO dates."""
    found = proposed(write, d=["31.12.2000", "01.01.2001"], e=["2000-12-31", "2001-01-01"])
    assert found.options == {"date_format": {"d": "%d.%m.%Y"}}


def test_points_between_thousands_or_before_decimals(write):
    """1.234 is a decimal unless the file has decimal commas; where it may be 1234, that is said."""
    found = proposed(write, a=["1.234", "2.500"], t=["x", "y"])
    assert not found.options
    assert "decimal=',' and thousands='.'" in found.findings[0]
    found = proposed(write, a=["1.234", "2.500"], b=["1,5", "2,25"])
    assert found.options == {"decimal": ",", "thousands": "."}
    assert not proposed(write, sign=",", a=["1.234", "2.500"], t=["x", "y"]).findings
    assert proposed(write, a=["1.234.567", "2.500"], t=["x", "y"]).options == {
        "decimal": ",", "thousands": ".",
    }  # fmt: skip
