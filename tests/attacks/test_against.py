"""Attacks by two releases of the same people: does `verify --against` see what they give away?"""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

import shoal as library
from meeting_tables import QUASI, two_of_means, write
from thorough import spread

ASKED = {"k": 5, "quasi_identifiers": QUASI}


@pytest.mark.parametrize("sensitive", spread([["ill"], None], 1))
@pytest.mark.parametrize("bare", [True, False])
def test_two_releases_of_means(tmp_path, bare, sensitive):
    """Nearly everybody is nearly alone in both classes: does it say fine?"""
    one, other = (write(tmp_path, r, n, bare) for r, n in zip(two_of_means(), "ab", strict=True))
    more = {} if sensitive is None else {"sensitive": sensitive}
    found = library.verify(one, **ASKED, **more, against=other)
    assert not found.ok
    assert "cannot be judged from the releases alone" in " ".join(found.problems)


def test_two_releases_of_means_in_parquet(tmp_path):
    """The same, of Parquet files without anything beside them."""
    paths = []
    for number, result in enumerate(two_of_means()):
        pq.write_table(result.data, tmp_path / f"{number}.parquet")
        paths.append(tmp_path / f"{number}.parquet")
    assert not library.verify(paths[0], **ASKED, sensitive=["ill"], against=paths[1]).ok


def test_means_of_dates(tmp_path):
    """Means of dates are dates."""
    rows = [f"2026-01-{1 + row % 6:02},w{row % 3}\n" for row in range(60)]
    for name, shift in (("a", 0), ("b", 3)):
        (tmp_path / f"{name}.csv").write_text("day,ill\n" + "".join(rows[shift:] + rows[:shift]))
    found = library.verify(
        tmp_path / "a.csv", k=5, quasi_identifiers=["day"], sensitive=["ill"],
        against=tmp_path / "b.csv",
    )  # fmt: skip
    assert not found.ok


GENERALIZED = (
    'age,ill,cost\n"[20,30)",flu,1\n"[20,30)",cancer,2\n"[20,30)",cold,3\n',
    'age,ill,cost\n"[25,35)",cancer,2\n"[25,35)",gout,4\n"[25,35)",asthma,5\n',
)


def test_without_sensitive(tmp_path, shoal):
    """One person is left when both are known; nobody has said which column is sensitive."""
    for name, text in zip("ab", GENERALIZED, strict=True):
        (tmp_path / f"{name}.csv").write_text(text)
    asked = ("verify", tmp_path / "a.csv", "-k", 3, "--quasi", "age", "--against",
             tmp_path / "b.csv")  # fmt: skip
    ran = shoal(*asked, "--json")
    assert ran.code == 3
    assert json.loads(ran.out)["against"]["smallest"] == 1


def test_without_sensitive_where_a_column_was_changed(tmp_path):
    """A column that differs between the releases must not hide what the others tell."""
    (tmp_path / "a.csv").write_text(GENERALIZED[0])
    changed = GENERALIZED[1].replace(",2\n", ",20\n").replace(",4\n", ",1\n")
    (tmp_path / "b.csv").write_text(changed)
    found = library.verify(
        tmp_path / "a.csv", k=3, quasi_identifiers=["age"], against=tmp_path / "b.csv"
    )
    assert not found.ok
    assert found.against.smallest == 1


def test_zeros_that_a_code_begins_with(tmp_path):
    """A mask of 0123 and the code itself are of one person."""
    (tmp_path / "a.csv").write_text("zip,ill\n" + "01**,x\n01**,y\n01**,z\n")
    (tmp_path / "b.csv").write_text(
        "zip,ill\n" + "0123,x\n0123,u\n0123,v\n9***,u\n9***,u\n9***,v\n"
    )
    found = library.verify(
        tmp_path / "a.csv", k=3, quasi_identifiers=["zip"], sensitive=["ill"],
        against=tmp_path / "b.csv",
    )  # fmt: skip
    assert not found.ok
