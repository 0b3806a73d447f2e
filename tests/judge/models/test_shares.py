"""β-likeness, δ-disclosure privacy, (k,e)-anonymity and combined l, judged against brute force."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from naive import shares, spelling
from rules_tables import values_of
from shoal.errors import InputError, RequestError
from shoal.judge.limits import limited
from shoal.judge.models.requirement import Requirement
from shoal.judge.verify import verify

TABLES = 300


def judged(columns, groups, **asked):
    """The rulings about sensitive columns in groups of records."""
    sensitive = list(columns)
    table = pa.table({"g": pa.array([f"g{one}" for one in groups]), **columns})
    return verify(table, 1, quasi_identifiers=["g"], sensitive=sensitive, **asked)


def parts_of(values, groups):
    """The values of every group."""
    return [[v for v, own in zip(values, groups, strict=True) if own == one]
            for one in dict.fromkeys(groups)]  # fmt: skip


@pytest.mark.parametrize("reading", ["ignored", "value"])
def test_shares(reading):
    """On 300 releases both models are kept exactly where every class keeps their definition."""
    verdicts = set()
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        values = values_of("spelled", rng, int(rng.integers(2, 25)), float(rng.choice([0.0, 0.2])))
        groups = rng.integers(0, 3, len(values)).tolist()
        beta, kind = round(float(rng.uniform(0.2, 3.0)), 2), str(rng.choice(["basic", "enhanced"]))
        delta = round(float(rng.uniform(0.3, 2.5)), 2)
        forms = [spelling.form(value) for value in values]
        parts = parts_of(forms, groups)
        if reading == "ignored":
            forms = [form for form in forms if form is not None]
            parts = [[form for form in part if form is not None] for part in parts]
        found = judged(
            {"s": pa.array(values, pa.string())}, groups, beta=beta, beta_kind=kind, delta=delta,
            missing_sensitive=reading,
        )  # fmt: skip
        like, change = found.models
        assert like.model == f"{kind} β-likeness"
        assert like.ok == all(not p or shares.is_like(p, forms, beta, kind) for p in parts)
        if forms:
            worst = max(shares.change(part, forms) if part else math.inf for part in parts)
            assert change.ok == (worst < delta)
            assert change.found == pytest.approx(worst)
            verdicts |= {("beta", like.ok), ("delta", change.ok)}
        if kind == "basic":
            gains = [shares.gain(part, forms) for part in parts if part]
            assert like.found == pytest.approx(float(max(gains, default=0)))
    assert len(verdicts) == 4


def test_ranges():
    """On 300 releases (k,e)-anonymity is kept exactly where every class has k numbers e apart."""
    verdicts = set()
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        values = np.round(rng.random(int(rng.integers(2, 25))) * 10, 1).tolist()
        groups = rng.integers(0, 3, len(values)).tolist()
        e, k = round(float(rng.uniform(1, 8)), 1), int(rng.integers(1, 4))
        table = pa.table({"g": pa.array([f"g{one}" for one in groups]), "s": values})
        found = verify(table, k, quasi_identifiers=["g"], sensitive=["s"], e=e)
        different, width = found.models
        parts = parts_of(values, groups)
        assert different.found == min(len(set(part)) for part in parts)
        assert width.ok == all(shares.width(part) >= shares.width([0, e]) for part in parts)
        verdicts.add(width.ok and different.ok)
    assert verdicts == {True, False}


def test_combinations_on_disk_and_in_memory():
    """On 300 releases combinations are counted as loops do, in memory and in temporary files."""
    verdicts = set()
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(2, 25))
        one, other = (values_of("category", rng, rows, 0.1) for _ in range(2))
        groups = rng.integers(0, 3, rows).tolist()
        columns = {"a": pa.array(one, pa.string()), "b": pa.array(other, pa.string())}
        pairs = parts_of(list(zip(one, other, strict=True)), groups)
        fewest = min(len({pair for pair in part if None not in pair}) for part in pairs)
        asked = {"l_of": {("a", "b"): int(rng.integers(1, 6))}}
        found = judged(columns, groups, **asked)
        assert found.models[0].found == fewest
        assert found.ok == (fewest >= asked["l_of"]["a", "b"])
        verdicts.add(found.ok)
        if seed % 30 == 0:
            with limited(entries=2, few=0, batch=4):
                assert judged(columns, groups, **asked).models == found.models
    assert verdicts == {True, False}


def test_at_the_bound():
    """A gain of just β is kept, a change of just δ is not; a certain value is never enhanced."""
    values = pa.array(["a", "b"] * 4)
    half = judged({"s": values}, [0, 0, 0, 0, 1, 1, 1, 1], beta=1, delta=1e-9)
    assert half.ok
    apart = judged({"s": values}, [0, 1] * 4, beta=1, beta_kind="basic")
    assert apart.ok
    assert apart.models[0].found == 1.0
    enhanced = judged({"s": values}, [0, 1] * 4, beta=1)
    assert not enhanced.ok
    assert "more than any β allows" in enhanced.summary()
    lost = judged({"s": values}, [0, 1] * 4, delta=100)
    assert not lost.ok
    assert "too few values, below 100" in lost.summary()


@pytest.mark.parametrize(("asked", "message"), [
    ({"beta": 0}, "beta must be a number above 0"),
    ({"delta": -1}, "delta must be a number above 0"),
    ({"e": 0}, "e must be a number above 0"),
    ({"beta_kind": "basic"}, "say beta too"),
    ({"beta": 1, "beta_kind": "odd"}, "beta_kind must be one of"),
    ({"l_of": {("a",): 2}}, "two or more columns"),
    ({"l_of": {("a", "b"): 0}}, "at least 1"),
    ({"l_of": {("a", "a"): 2}}, "each column once"),
])  # fmt: skip
def test_what_cannot_be_asked(asked, message):
    """Numbers out of range and parts of a model without the rest are refused by name."""
    with pytest.raises(RequestError, match=message):
        Requirement(k=2, **asked)


def test_only_numbers_have_a_range():
    """(k,e)-anonymity of texts is refused, and the message holds no value."""
    with pytest.raises(InputError, match="asked of numbers; 's' holds values that are none"):
        judged({"s": pa.array(["secret", "other"])}, [0, 0], e=1)
