"""The worked example of Xiao and Tao 2007: hospital records at two dates.

The tables (the microdata of both dates, the two 2-diverse releases, and the 2-invariant second
release with two counterfeits) were written down from memory of the paper, and could not be compared
with a copy of it: names, ages and incomes may differ in places. What is asserted follows from the
tables as they stand here, whatever the paper prints.
"""

from __future__ import annotations

from naive.series import possible
from series_tables import release_all

FIRST = {
    "Bob": (21, 12, "dyspepsia"), "Alice": (22, 14, "bronchitis"), "Andy": (24, 18, "flu"),
    "David": (23, 25, "gastritis"), "Gary": (41, 20, "flu"), "Helen": (36, 27, "gastritis"),
    "Jane": (37, 33, "dyspepsia"), "Ken": (40, 35, "flu"), "Linda": (43, 26, "gastritis"),
    "Paul": (52, 33, "dyspepsia"), "Steve": (56, 34, "gastritis"),
}  # fmt: skip
GONE = ("Alice", "Andy", "Helen", "Ken", "Paul")
CAME = {
    "Emily": (25, 21, "flu"), "Mary": (46, 30, "gastritis"), "Ray": (54, 31, "dyspepsia"),
    "Tom": (60, 44, "gastritis"), "Vince": (65, 36, "flu"),
}  # fmt: skip
SECOND = {name: row for name, row in (FIRST | CAME).items() if name not in GONE}

# the two 2-diverse releases of the paper's introduction (tables 2a and 2b)
PRINTED = (
    [("Bob", "Alice"), ("Andy", "David"), ("Gary", "Helen"), ("Jane", "Ken", "Linda"),
     ("Paul", "Steve")],
    [("Bob", "David"), ("Emily", "Jane", "Linda"), ("Gary", "Mary", "Ray"),
     ("Steve", "Tom", "Vince")],
)  # fmt: skip

# the 2-invariant second release (table 3), with two counterfeits: c1 and c2 are nobody
FALSE = {"c1": "bronchitis", "c2": "flu"}
INVARIANT = [
    ("Bob", "c1"), ("David", "Emily"), ("Jane", "c2", "Linda"), ("Gary", "Mary"),
    ("Ray", "Steve"), ("Tom", "Vince"),
]  # fmt: skip


def test_the_printed_counterfeits_keep_two_diseases():
    """With two counterfeits in the second release two diseases or more are left for everybody."""
    ill = {name: row[2] for name, row in (FIRST | CAME).items()} | FALSE
    every = [*PRINTED[0], *INVARIANT]
    left = possible([(people, [ill[name] for name in people]) for people in every])
    assert all(len(values) >= 2 for values in left.values())
    assert left["Bob"] == {"dyspepsia", "bronchitis"}
    assert {name for people in INVARIANT for name in people} - set(FALSE) == set(SECOND)
    signatures = {}
    for people in every:
        values = frozenset(ill[name] for name in people)
        for name in people:
            assert signatures.setdefault(name, values) == values  # m-invariance


def test_the_printed_releases_give_bob_away():
    """Of two releases that are 2-diverse each, the attacker learns that Bob has dyspepsia."""
    rows = FIRST | CAME
    classes = [
        (people, [rows[name][2] for name in people]) for release in PRINTED for people in release
    ]
    assert possible(classes)["Bob"] == {"dyspepsia"}


def test_a_ledger_keeps_two_diseases_for_everybody(tmp_path):
    """Under a ledger at least two diseases stay possible for everybody at both dates."""
    tables = [
        {
            "id": list(rows), "age": [age for age, _, _ in rows.values()],
            "pay": [pay for _, pay, _ in rows.values()], "ill": [ill for *_, ill in rows.values()],
        }
        for rows in (FIRST, SECOND)
    ]  # fmt: skip
    releases, refused = release_all(tables, tmp_path / "hospital.ledger", k=2)
    left = possible([(people, values) for one in releases for people, values, _ in one])
    assert refused == 0
    assert all(len(values) >= 2 for values in left.values())
    assert len(left) >= len(FIRST)
