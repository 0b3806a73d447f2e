"""Forms of texts: what is one value in several spellings, three times written, once meant."""

from __future__ import annotations

import random
import sys
import unicodedata
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest

import shoal as library
from naive import spelling
from shoal.judge.values import plain_value
from shoal.table.hierarchy.values import distinct_values
from shoal.table.read import read
from shoal.table.spelling import form_of, forms_of, spelled

SIGNS = "aAbBßẞéE\u0301\u0300 \u00a0\u200b\u200d\u00ad\ufeff\ufe0f\u3164ﬁＡ１1.0e+-*\u0661İı\t\x1f"


def said(form):
    """A form, numbers as fractions."""
    return Fraction(form) if isinstance(form, Decimal) else form


def test_three_times_the_same(thorough):
    """Groups are made, judged and counted by hand with the same forms, on random texts."""
    rng = random.Random(0)
    for _ in range(20_000 if thorough else 6_000):
        text = "".join(rng.choice(SIGNS) for _ in range(rng.randint(0, 6)))
        by_hand = spelling.form(text)
        ours = form_of(text)
        assert said(None if ours in ("", "*") else ours) == by_hand, ascii(text)
        assert said(plain_value(text, ())) == by_hand, ascii(text)


def test_every_sign_of_unicode(thorough):
    """No sign takes the judge and the groups apart, and a form is its own form."""
    for place in range(0, sys.maxunicode, 3 if thorough else 7):
        sign = chr(place)
        if unicodedata.category(sign) in ("Cs", "Co", "Cn"):
            continue
        ours = form_of(f"x{sign}Y")
        assert plain_value(f"x{sign}Y", ()) == ours, hex(place)
        assert form_of(ours) == ours


@pytest.mark.parametrize("words", [
    ("1", "1.0", " 1", "1e0", "+1", "01", "１"), ("Weiß", "WEISS"), ("I\u0307x", "i\u0307X"),
    ("e\u200b\u0301", "É"), ("ﬀ", "FF"), ("Å", "\u212b", "A\u030a"),
])  # fmt: skip
def test_spellings_of_one_value(words):
    """What differs in case, form, spaces and signs that cannot be seen is one value."""
    assert len({form_of(word) for word in words}) == 1


@pytest.mark.parametrize("words", [
    ("HIV", "HCV"), ("1", "1.01"), ("a-b", "ab"), ("о", "o"), ("x", "x2"), ("1,0", "1.0", "1_0"),
])  # fmt: skip
def test_other_values(words):
    """Other letters are another value, those that look alike too."""
    assert len({form_of(word) for word in words}) == len(words)


def test_forms_of_a_column():
    """Forms are numbered by their first values; what says nothing is -1, words for it too."""
    column = read(pa.table({"s": ["b", " A", "a", None, "n/A ", "*", "\u200b", "B"]}))["s"]
    values = distinct_values(column)
    forms = dict(zip(values.texts, forms_of(column, values, ["N/A"]).tolist(), strict=True))
    assert forms[" A"] == forms["a"] != forms["b"] == forms["B"]
    assert {forms["n/A "], forms["*"], forms["\u200b"]} == {-1}
    assert spelled(values.texts, forms_of(column, values, ()))
    plain = read(pa.table({"s": ["a", "b", "*", None]}))["s"]
    values = distinct_values(plain)
    assert not spelled(values.texts, forms_of(plain, values, ()))


def test_a_word_for_missing_among_numbers(tmp_path):
    """-9 means missing, so that -9.0 does, for the groups and for the judge."""
    cells = ["-9", "-9.0", "4", "7"] * 6
    lines = "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))
    (tmp_path / "in.csv").write_text("x,s\n" + lines)
    asked = {"k": 3, "quasi_identifiers": ["x"], "sensitive": ["s"], "missing": ["", "-9"]}
    found = library.anonymize(tmp_path / "in.csv", **asked, l=2, method="mdav")
    for form in ("csv", "parquet"):
        path = found.save(tmp_path / form, format=form, report=False)
        if form == "csv":
            assert library.verify(path, **asked, l=2).ok
    with pytest.raises(library.PrivacyError, match=r"3 is asked.* 2 \("):
        library.anonymize(tmp_path / "in.csv", **asked, l=3, method="mdav")
