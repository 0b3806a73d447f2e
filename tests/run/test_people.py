"""People with several records: who is counted, what l, t and alpha count, and what is refused."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as library
from naive import judging, spelling
from rules_tables import keeps
from shoal.errors import InputError, PrivacyError, RequestError
from shoal.table.survey import Survey
from thorough import examples

WORDS = ["flu", "Flu ", "gout", "cold", None]


def visits(seed=0, people=40, rows=90, words=WORDS):
    """Records of people who come several times, within homes and regions."""
    rng = np.random.default_rng(seed)
    who = np.concatenate([np.arange(people), rng.integers(0, people // 3, rows - people)])
    return pd.DataFrame(
        {
            "who": [f"p{number}" for number in who],
            "home": [f"h{number // 2}" for number in who],
            "region": [str(number // 2 % 2) for number in who],
            "age": rng.integers(18, 90, rows),
            "income": rng.normal(3e4, 9e3, rows).round(2),
            "illness": rng.choice(np.array(words, dtype=object), rows),
        }
    )


ROLES = {"quasi_identifiers": ["age", "income"], "sensitive": ["illness"]}


def values_of(data, rows, form):
    """The values of some records, each person's once; their forms, or as they stand."""
    cells = [None if pd.isna(v) else v for v in data.illness.iloc[list(rows)]]
    values = [spelling.form(v) for v in cells] if form else cells
    return spelling.by_people(data.who.iloc[list(rows)].tolist(), values)


ASKED = [
    {"l": 2}, {"l": 1.8, "l_kind": "entropy"}, {"l": 2, "l_kind": "recursive", "c": 3.0},
    {"alpha": 0.7}, {"t": 0.35}, {"l": 2, "t": 0.5, "alpha": 0.8},
    {"l": 2, "missing_sensitive": "value", "alpha": 0.8},
]  # fmt: skip


@given(
    st.integers(0, 10**6), st.integers(2, 6), st.sampled_from(["auto", "mdav"]),
    st.sampled_from(ASKED), st.booleans(), st.booleans(),
)  # fmt: skip
@examples(25)
def test_people_are_counted(seed, k, method, asked, homes, strata):
    """Every class is of k people, each with all records, and keeps what is asked by people."""
    data = visits(seed)
    more = {"household": "home"} if homes else {"drop": ["home"]}
    more |= {"by": ["region"]} if strata else {}
    more.setdefault("drop", [])
    if not strata:
        more["drop"] = [*more["drop"], "region"]
    options = {**ROLES, **more, **asked, "person": "who", "method": method, "effort": "quick"}
    try:
        result = library.anonymize(data, k=k, **options)
    except PrivacyError as error:
        assert "cannot be met" in str(error)  # noqa: PT017
        return
    whole = range(len(data))
    keys = result.data[["age", "income"]].astype(str).agg("|".join, axis=1).tolist()
    for rows in judging.classes(keys):
        own = data.iloc[rows]
        assert own.who.nunique() >= k
        assert not homes or own.home.nunique() >= k
        assert len(own) == data.who.isin(own.who).sum()
        without_t = {name: value for name, value in asked.items() if name != "t"}
        assert keeps("category", without_t, values_of(data, rows, True), [])
        for form in (True, False) if "t" in asked else ():
            part, every = (values_of(data, some, form) for some in (rows, whole))
            assert float(judging.equal_distance(part, every)) <= asked["t"]
    assert "who" not in result.data.columns


def test_what_is_said():
    """The verdict and the guarantee say people; how many there are, only a note."""
    data = visits(1).drop(columns=["home", "region"])
    report = library.anonymize(data, k=3, **ROLES, person="who", alpha=0.9).report
    assert "shared by at least 3 people" in report.summary()
    assert any("at least 3 people" in line for line in report.guarantee["covers"])
    assert any("each person and value" in line for line in report.guarantee["covers"])
    assert "counts people: 40 people in 90 records" in report.notes
    assert any(note.startswith("by people: (α,k)-anonymity of 'illness'") for note in report.notes)
    assert any("differ in case" in note and "'illness'" in note for note in report.notes)
    assert any("add no diversity" in note for note in report.notes)


def test_repeating_identifiers_are_a_question():
    """Both ways out are named; either is taken; an identifier of records asks nothing."""
    data = visits(2).drop(columns=["home", "region"])
    with pytest.raises(RequestError, match=r"person='who'.*count='records'"):
        library.anonymize(data, k=3, **ROLES, identifiers=["who"])
    found = library.anonymize(data, k=3, **ROLES, identifiers=["who"], count="records")
    assert any("counts records, not people: 'who' repeats" in note for note in found.report.notes)
    assert found.settings.protect.count == "records"
    library.anonymize(data, k=3, **ROLES, identifiers=["who"], person="who")
    numbered = data.assign(visit=range(len(data)))
    found = library.anonymize(numbered, k=3, **ROLES, identifiers=["who", "visit"])
    assert not any("repeat" in note for note in found.report.notes)
    alone = data.drop_duplicates("who")
    found = library.anonymize(alone, k=3, **ROLES, identifiers=["who"])
    assert not any("repeat" in note for note in found.report.notes)
    gaps = alone.assign(who=[None if i % 3 else w for i, w in enumerate(alone.who)])
    library.anonymize(gaps, k=3, **ROLES, identifiers=["who"])
    with pytest.raises(RequestError, match="person="):
        library.preview(data, k=3, sample=60, **ROLES, identifiers=["who"])
    with pytest.raises(RequestError, match="person="):
        library.compare(data, k=[3], methods=["mdav"], **ROLES, identifiers=["who"])


def test_bad_requests(tmp_path):
    """What cannot be said together, or of such columns, is refused with its reason."""
    data = visits(3)
    every = {**ROLES, "drop": ["region"], "k": 3}
    for more, said in (
        ({"person": "nobody"}, "nobody"),
        ({"person": "home", "household": "home"}, "different columns"),
        ({"person": "who", "count": "records"}, "take one"),
        ({"person": "age"}, "is a person"),
        ({"person": "who", "k_of": {"age": 5}, "household": "home"}, "k_of counts records"),
        ({"person": "who", "household": "home", "method": "kaim"}, "one by one"),
        ({"count": "rows"}, "people"),
        ({"missing_sensitive": "own", "l": 2}, "ignored"),
        ({"person": "who", "household": "home", "k": 41}, "households < k"),
    ):
        with pytest.raises(RequestError, match=said):
            library.anonymize(data, **{**every, **more})
    gaps = data.assign(who=[None, *data.who[1:]])
    with pytest.raises(InputError, match=r"person 'who': 1 missing cells"):
        library.anonymize(gaps, **every, person="who", household="home")
    moved = data.assign(home=[f"h{i}" for i in range(len(data))])
    with pytest.raises(InputError, match="people lie in more than one household"):
        library.anonymize(moved, **every, person="who", household="home")
    split = data.assign(region=[str(i % 2) for i in range(len(data))])
    with pytest.raises(InputError, match="people lie in more than one stratum"):
        library.anonymize(split, k=3, **ROLES, person="who", by=["region"], drop=["home"])
    data.to_csv(tmp_path / "in.csv", index=False)
    with pytest.raises(RequestError, match="a count of people"):
        library.anonymize_file(
            tmp_path / "in.csv", tmp_path / "out/", **every, person="who", engine="threads"
        )


def test_a_release_of_too_few_people_never_leaves(monkeypatch):
    """Should groups be made of records one by one, the judge counts people and stops it."""
    import shoal.pipeline.series_groups as walked

    found = walked.find_groups
    data = visits(4).drop(columns=["home", "region"])

    def careless(table, plan, coded, conditions, report, threads):
        alone = replace(conditions, constraints=None, survey=Survey())
        return found(table, plan, coded, alone, report, threads)

    monkeypatch.setattr(walked, "find_groups", careless)
    with pytest.raises(PrivacyError, match=r"a class has \d people"):
        library.anonymize(data, k=5, **ROLES, person="who", method="mdav")

    def groups_of_people(table, plan, coded, conditions, report, threads):
        kept = replace(conditions, constraints=None)
        return found(table, plan, coded, kept, report, threads)

    monkeypatch.setattr(walked, "find_groups", groups_of_people)
    with pytest.raises(PrivacyError, match="by people"):
        library.anonymize(data, k=2, **ROLES, person="who", method="mdav", alpha=0.5)


def test_from_file_to_file(tmp_path, shoal):
    """The command, its recipe and a pack count people; the recipe repeats the run."""
    data = visits(5).drop(columns=["home", "region"])
    data.to_csv(tmp_path / "in.csv", index=False)
    common = ("anonymize", tmp_path / "in.csv", "-k", 4, "--quasi", "age,income", "--sensitive",
              "illness", "--person", "who", "--l", 2, "--alpha", 0.8,
              "--method", "mdav")  # fmt: skip
    ran = shoal(*common, "--keep-order", "-o", f"{tmp_path}/out/")
    assert ran.code == 0, ran.err
    assert "at least 4 people" in ran.err + ran.out
    released = pd.read_csv(tmp_path / "out" / "release.csv")
    people = pd.DataFrame({"key": released.age.astype(str) + "|" + released.income.astype(str),
                           "who": data.who})  # fmt: skip
    assert people.groupby("key").who.nunique().min() >= 4
    recipe = tomllib.loads((tmp_path / "out.private" / "run.toml").read_text())
    assert recipe["roles"]["person"] == "who"
    assert (recipe["protect"]["count"], recipe["protect"]["missing_sensitive"]) == (
        "people", "ignored",
    )  # fmt: skip
    ran = shoal("run", tmp_path / "out.private" / "run.toml", "-o", f"{tmp_path}/again/")
    assert ran.code == 0, ran.err
    again = pd.read_csv(tmp_path / "again" / "release.csv")
    assert again.equals(released)
    assert shoal(*common, "--pack", tmp_path / "pack").code == 0
    assert shoal("certificate", "check", tmp_path / "pack").code == 0
