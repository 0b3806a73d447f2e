"""Attacks on sensitive values that a model makes fail, and releases that break one: refused.

Each attack succeeds on a release that keeps k alone, and fails on one that keeps the model; then
one sensitive value of the good release is changed, and verify must refuse it.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import shoal as library

ROWS, K = 120, 3
ROLES = {"quasi_identifiers": ["age", "stay"], "sensitive": ["ill", "cost"]}
MODELS = {
    "basic": {"beta": {"ill": 1.0}, "beta_kind": "basic"},
    "enhanced": {"beta": {"ill": 2.0}},
    "delta": {"delta": {"ill": 1.5}},
    "range": {"e": {"cost": 30}},
    "combined": {"l_of": {("ill", "cost"): 3}},
}


def patients():
    """People whose illness and cost follow their age, so that nearby records are alike."""
    rng = np.random.default_rng(4)
    age = np.sort(rng.integers(20, 90, ROWS))
    words = np.array(["flu", "gout", "ague"])
    ill = words[np.minimum(age // 30, 2)]
    ill = np.where(rng.random(ROWS) < 0.2, rng.choice(words, ROWS), ill)
    return {
        "age": age.tolist(),
        "stay": rng.integers(1, 9, ROWS).tolist(),
        "ill": ill.tolist(),
        "cost": (age // 10 * 10).tolist(),
    }


def classes(data):
    """The records of every class."""
    found = {}
    for i, key in enumerate(zip(data["age"], data["stay"], strict=True)):
        found.setdefault(key, []).append(i)
    return list(found.values())


def gained(data):
    """By how much the belief in a value grows at most, for whoever finds a class."""
    whole = Counter(data["ill"])
    return max(
        count / len(rows) / (whole[value] / ROWS) - 1
        for rows in classes(data)
        for value, count in Counter(data["ill"][i] for i in rows).items()
    )


def sure(data):
    """How sure whoever finds a class can be of an illness, at most."""
    return max(
        max(Counter(data["ill"][i] for i in rows).values()) / len(rows) for rows in classes(data)
    )


def ruled_out(data):
    """In how many classes some illness of the table can be ruled out."""
    kinds = len(set(data["ill"]))
    return sum(len({data["ill"][i] for i in rows}) < kinds for rows in classes(data))


def guessed_to_within(data):
    """How narrow the costs of a class are, at least."""
    return min(
        max(data["cost"][i] for i in rows) - min(data["cost"][i] for i in rows)
        for rows in classes(data)
    )


def combinations(data):
    """How few combinations of illness and cost a class holds."""
    return min(len({(data["ill"][i], data["cost"][i]) for i in rows}) for rows in classes(data))


ATTACKS = {
    "basic": lambda data: gained(data) > 1.0,
    "enhanced": lambda data: sure(data) == 1.0,
    "delta": lambda data: ruled_out(data) > 0,
    "range": lambda data: guessed_to_within(data) < 30,
    "combined": lambda data: combinations(data) < 3,
}


@pytest.fixture(scope="module")
def releases():
    """A release that keeps k alone, and one for each model."""
    data = patients()
    made = {"k": library.anonymize(data, K, method="mdav", **ROLES).data}
    for name, asked in MODELS.items():
        made[name] = library.anonymize(data, K, method="mdav", **ROLES, **asked).data
    return made


@pytest.mark.parametrize("model", MODELS)
def test_the_model_makes_its_attack_fail(model, releases):
    """What works on a release with k alone fails on one that keeps the model."""
    assert ATTACKS[model](releases["k"])
    assert not ATTACKS[model](releases[model])


@pytest.mark.parametrize("model", MODELS)
def test_verify_accepts_it_and_refuses_the_other(model, releases):
    """The judge, which shares no code with the methods, tells the two releases apart."""
    assert library.verify(releases[model], K, **ROLES, **MODELS[model]).ok
    refused = library.verify(releases["k"], K, **ROLES, **MODELS[model])
    assert not refused.ok
    assert not any(word in str(refused) for word in ("flu", "gout", "ague"))


@pytest.mark.parametrize("model", MODELS)
def test_a_mutant_is_refused(model, releases):
    """A good release in which one class is given a single sensitive value is not verified."""
    data = {name: list(values) for name, values in releases[model].items()}
    rows = min(classes(data), key=len)
    for i in rows:
        data["ill"][i], data["cost"][i] = data["ill"][rows[0]], data["cost"][rows[0]]
    assert not library.verify(data, K, **ROLES, **MODELS[model]).ok


def test_what_cannot_be_met_is_said():
    """A range or so many combinations that all records together lack end with a PrivacyError."""
    data = patients()
    with pytest.raises(library.PrivacyError, match=r"\(k,e\)-anonymity, range of 'cost'"):
        library.anonymize(data, K, method="mdav", **ROLES, e={"cost": 1000})
    with pytest.raises(library.PrivacyError, match="l-diversity of combinations of 'ill,cost'"):
        library.anonymize(data, K, method="mdav", **ROLES, l_of={("ill", "cost"): 500})
    with pytest.raises(library.RequestError, match="asked of numbers; 'ill' holds none"):
        library.anonymize(data, K, method="mdav", **ROLES, e=10)


def test_people_are_counted(tmp_path):
    """Where people have several records, each counts once, and the judge counts people too."""
    data = {name: [value for value in values for _ in "ab"] for name, values in patients().items()}
    data["who"] = [i // 2 for i in range(2 * ROWS)]
    asked = {"beta": {"ill": 1.0}, "l_of": {("ill", "cost"): 2}, "e": {"cost": 10}}
    roles = {**ROLES, "identifiers": ["who"], "person": "who"}
    result = library.anonymize(data, K, method="mdav", **roles, **asked)
    assert any("by people: enhanced β-likeness" in note for note in result.report.notes)
    assert any("by people: distinct l-diversity of comb" in note for note in result.report.notes)
    result.pack(tmp_path / "pack")
    assert library.check_pack(tmp_path / "pack").ok


def test_a_pack_promises_and_keeps_it(tmp_path):
    """The certificate claims every model, and a check of the pack verifies each anew."""
    asked = {
        "beta": {"ill": 2.0}, "beta_kind": "basic", "delta": {"ill": 2.0}, "e": {"cost": 20},
        "l_of": {("ill", "cost"): 2},
    }  # fmt: skip
    library.anonymize(patients(), K, method="mdav", **ROLES, **asked).pack(tmp_path / "pack")
    checked = library.check_pack(tmp_path / "pack")
    assert checked.ok
    for model in ("basic β-likeness", "δ-disclosure privacy", "(k,e)-anonymity, range", "combinat"):
        assert any(model in line for line in checked.done)
    text = (tmp_path / "pack" / "report.html").read_text(encoding="utf-8")
    assert "--beta-kind basic --l-of" in text.replace("&#x27;", "").replace("'", "")
    assert f"{math.exp(2):.4g} times" in text
