"""What groups may not break of shares, ranges and combinations, against brute force."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from naive import shares, spelling
from rules_tables import values_of
from shoal.judge.requirement import Requirement
from shoal.methods.enforce.rules import make_rules
from shoal.methods.enforce.swapping import of_members
from shoal.settings import RoleSettings
from shoal.table.assign import assign
from shoal.table.read import read

TABLES = 300


def table_of(columns):
    """A table with sensitive columns."""
    rows = len(next(iter(columns.values())))
    roles = RoleSettings(quasi_identifiers=("q",), sensitive=tuple(columns))
    return assign(read(pa.table({"q": [0.0] * rows, **columns})), roles).table


def rules_of(table, asked, persons=None):
    """The rules of sensitive columns."""
    return make_rules(table, Requirement(**{"k": 2, **asked}), {}, None, [], persons)[0]


def counting(values, reading):
    """What counts of some values: their forms, the missing ones left out or as a value."""
    if reading == "ignored":
        return spelling.known(values)
    return [spelling.form(value) for value in values]


def some_groups(rng, rows, many=6):
    """Groups of random size."""
    for _ in range(many):
        yield rng.choice(rows, int(rng.integers(1, rows + 1)), replace=False)


def test_shares():
    """On 300 tables a group breaks β-likeness or δ-disclosure exactly where the definition says."""
    verdicts = {model: [] for model in ("basic", "enhanced", "delta")}
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        kind = str(rng.choice(["category", "spelled"]))
        values = values_of(kind, rng, int(rng.integers(3, 25)), float(rng.choice([0.0, 0.2])))
        reading = str(rng.choice(["ignored", "value"]))
        number = round(float(rng.uniform(0.2, 2.0)), 2)
        whole, table = counting(values, reading), table_of({"s": pa.array(values, pa.string())})
        if not whole:
            continue
        for model, own in verdicts.items():
            asked = {"delta": number} if model == "delta" else {"beta": number, "beta_kind": model}
            rules = rules_of(table, {**asked, "missing_sensitive": reading})
            for group in some_groups(rng, len(values), 3):
                part = counting([values[i] for i in group], reading)
                if model == "delta":
                    expected = bool(part) and shares.change(part, whole) < number
                else:
                    expected = not part or shares.is_like(part, whole, number, model)
                assert (of_members(rules, group) == 0.0) == expected, (seed, asked)
                own.append(expected)
    assert all(0.1 < np.mean(own) < 0.9 for own in verdicts.values())


def test_ranges():
    """On 300 tables a group keeps (k,e)-anonymity exactly where it has k numbers, e apart."""
    verdicts = []
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        rows, digits = int(rng.integers(3, 25)), int(rng.integers(0, 3))
        values = np.round(rng.random(rows) * 10, digits).tolist()
        values = [None if rng.random() < 0.1 else value for value in values]
        if all(value is None for value in values):
            continue
        e, k = round(float(rng.uniform(1.0, 9.0)), digits), int(rng.integers(2, 5))
        rules = rules_of(table_of({"s": pa.array(values, pa.float64())}), {"k": k, "e": e})
        for group in some_groups(rng, rows):
            part = [values[i] for i in group if values[i] is not None]
            expected = len(set(part)) >= k and shares.width(part) >= shares.width([0, e])
            assert (of_members(rules, group) == 0.0) == expected, (seed, k, e)
            verdicts.append(expected)
    assert 0.1 < np.mean(verdicts) < 0.9


def test_combinations():
    """On 300 tables a group holds l combinations exactly where loops count as many."""
    verdicts = []
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        rows, reading = int(rng.integers(3, 25)), str(rng.choice(["ignored", "value"]))
        one, other = (values_of("spelled", rng, rows, 0.2) for _ in range(2))
        least = int(rng.integers(1, 7))
        columns = {"a": pa.array(one, pa.string()), "b": pa.array(other, pa.string())}
        rules = rules_of(
            table_of(columns), {"l_of": {("a", "b"): least}, "missing_sensitive": reading}
        )
        for group in some_groups(rng, rows):
            pairs = {(spelling.form(one[i]), spelling.form(other[i])) for i in group}
            if reading == "ignored":
                pairs = {pair for pair in pairs if None not in pair}
            expected = len(pairs) >= least
            assert (of_members(rules, group) == 0.0) == expected, (seed, least)
            verdicts.append(expected)
    assert 0.1 < np.mean(verdicts) < 0.9


def test_people_count_once():
    """A person with several records of one value counts once for its share."""
    values = ["flu", "flu", "flu", "gout"]
    persons = np.array([0, 0, 0, 1])
    table = table_of({"s": pa.array(values)})
    rules = rules_of(table, {"beta": 0.1, "beta_kind": "basic"}, persons)
    assert of_members(rules, np.arange(4)) == 0.0
    assert of_members(rules, np.arange(3)) == pytest.approx(0.9)
