"""What groups may not break, in its fast form: against the models by brute force."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from naive import spelling
from rules_tables import (
    KINDS,
    MODELS,
    asked_of,
    distance,
    dominated,
    draw_asked,
    keeps,
    rules_of,
    values_of,
)
from shoal.kernels.rules import ROOM, reordered
from shoal.methods.enforce.swapping import of_members
from thorough import is_thorough, spread

CASES = [(kind, model) for kind in KINDS for model in MODELS]


def broken(rules, members, leaving=-1, entering=-1):
    """`breach` as it is compiled, by its address."""
    from shoal.kernels.jit import jit
    from shoal.kernels.pointing import call
    from shoal.kernels.rules import pointers
    from shoal.methods.enforce.swapping import MEMBERS

    if not hasattr(broken, "kernel"):

        @jit
        def kernel(function, rules, groups, size, leaving, entering):
            return call(function, rules, groups, 0, MEMBERS, size, leaving, entering)

        broken.kernel = kernel
    row = np.array([[len(members), *members]], dtype=np.int64)
    return float(broken.kernel(*pointers(rules), row, len(members), leaving, entering))


def some_rows(rng, rows):
    """A group of random size."""
    size = int(rng.integers(1, min(rows, 14) + 1))
    return rng.choice(rows, size, replace=False).tolist()


@pytest.mark.parametrize(("kind", "model"), CASES)
def test_zero_exactly_where_the_models_hold(kind, model, tmp_path):
    """On hundreds of groups a model, 0 means kept and more means broken, a record moved too."""
    verdicts = set()
    for seed in range(40 if is_thorough() else 10):
        rng = np.random.default_rng([seed, CASES.index((kind, model))])
        rows = int(rng.integers(3, 40))
        values = values_of(kind, rng, rows, float(rng.choice([0.0, 0.0, 0.3])))
        asked = draw_asked(rng, model, kind, values)
        rules = rules_of({"s": (kind, values)}, asked, tmp_path)
        for _ in range(10):
            group = some_rows(rng, rows)
            others = [row for row in range(rows) if row not in group]
            leaving = int(rng.choice(group)) if len(group) > 1 and rng.random() < 0.5 else -1
            entering = int(rng.choice(others)) if others and rng.random() < 0.5 else -1
            after = [row for row in group if row != leaving] + [entering] * (entering >= 0)
            expected = keeps(kind, asked, [values[i] for i in after], values)
            found = broken(rules, group, leaving, entering)
            assert (found == 0.0) == expected, (seed, asked, found)
            assert found >= 0.0
            assert broken(rules, after) == pytest.approx(found, abs=1e-12)
            verdicts.add(expected)
    assert verdicts == {True, False}


@pytest.mark.parametrize("kind", spread(KINDS, 2))
@pytest.mark.slow
def test_amount_of_t(kind, tmp_path):
    """For t-closeness it is how much the distance is above t, to the last digit of t."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(2, 40))
        values = values_of(kind, rng, rows, float(rng.choice([0.0, 0.3])))
        group = some_rows(rng, rows)
        if kind == "spelled":  # how far values are apart; and forms, if that is more, on its own
            values = [spelling.form(value) for value in values]
            values = [value if value is None else str(value) for value in values]
        exact = float(distance(kind, [values[i] for i in group], values))
        for t in (0.0, 0.1, exact, math.nextafter(exact, 0.0), math.nextafter(exact, 1.0), 1.0):
            found = broken(rules_of({"s": (kind, values)}, {"t": t}, tmp_path), group)
            assert found == pytest.approx(max(0.0, exact - t), abs=1e-15)
            assert (found == 0.0) == (exact <= t)


def test_a_share_is_compared_to_the_last_digit(tmp_path):
    """One of three is within an alpha of 1/3, and not within one that is a little less."""
    values = ["flu", "gout", "ague"]
    for alpha, kept in ((1 / 3, True), (math.nextafter(1 / 3, 0.0), False), (0.33333333333, False)):
        rules = rules_of({"s": ("category", values)}, {"alpha": alpha}, tmp_path)
        assert (broken(rules, [0, 1, 2]) == 0.0) == kept


@pytest.mark.parametrize(("c", "first", "rest"), [
    (0.1, 1, 10), (0.3, 3, 10), (0.7, 7, 10), (1.1, 11, 10), (3.3, 33, 10), (2.0, 4, 2),
])  # fmt: skip
def test_recursive_at_its_bound(c, first, rest, tmp_path):
    """r1 = c (rl + … + rm) is not below it, however c is rounded; with a little more c it is."""
    values = ["flu"] * first + [f"v{i}" for i in range(rest)]
    for more, kept in ((0.0, False), (0.01, True)):
        asked = {"l": 2, "l_kind": "recursive", "c": round(c + more, 2)}
        rules = rules_of({"s": ("category", values)}, asked, tmp_path)
        assert (broken(rules, list(range(first + rest))) == 0.0) == kept


def test_dominance(tmp_path):
    """0 where the p % rule holds by exact arithmetic, missing cells, zeros and signs included."""
    verdicts = set()
    for seed in range(100):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(3, 30))
        numbers = np.round(rng.lognormal(0, 1.5, rows) * rng.choice([-1, 1], rows), 1).tolist()
        numbers = [None if rng.random() < 0.1 else v for v in numbers]
        numbers = [0.0 if rng.random() < 0.2 else v for v in numbers]
        p = float(rng.choice([1, 10, 37.5, 100, 300]))
        rules = rules_of({}, {"dominance": p}, tmp_path, numbers)
        for _ in range(4):
            group = some_rows(rng, rows)
            expected = not dominated([numbers[i] for i in group], p)
            assert (broken(rules, group) == 0.0) == expected
            verdicts.add(expected)
    assert verdicts == {True, False}


@pytest.mark.parametrize("numbers", [
    [1.7e308, 1.6e308, 1.5e308, 1.4e308], [2**62 + 1, 2**62, 2**61, 2**61 + 3], [5e-324] * 4,
])  # fmt: skip
def test_dominance_of_extreme_numbers(numbers, tmp_path):
    """Numbers at the ends of floats and beyond their 53 bits neither overflow nor vanish."""
    for p in (1, 150, 160, 180, 250, 1000):
        rules = rules_of({}, {"dominance": p}, tmp_path, numbers)
        for group in ([0, 1, 2, 3], [0, 1, 2], [0, 1], [3]):
            expected = not dominated([numbers[i] for i in group], p)
            assert (broken(rules, group) == 0.0) == expected


def test_several_columns(tmp_path):
    """With several columns, each with its own numbers, all must be kept."""
    verdicts = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(4, 40))
        kinds = rng.choice(KINDS, int(rng.integers(2, 4))).tolist()
        columns = {f"s{j}": (kind, values_of(kind, rng, rows, 0.1))
                   for j, kind in enumerate(kinds)}  # fmt: skip
        numbers = rng.lognormal(0, 1, rows).round(2).tolist()
        asked = {
            "l": 2,
            "t": {"s0": 0.4, "s1": 0.3},
            "alpha": {"s1": 0.7},
            "dominance": 5.0,
        }
        rules = rules_of(columns, asked, tmp_path, numbers)
        for _ in range(6):
            group = some_rows(rng, rows)
            expected = not dominated([numbers[i] for i in group], 5.0) and all(
                keeps(kind, asked_of(asked, name), [values[i] for i in group], values)
                for name, (kind, values) in columns.items()
            )
            assert (broken(rules, group) == 0.0) == expected
            verdicts.add(expected)
    assert verdicts == {True, False}


def test_its_room_is_left_as_it_was(tmp_path):
    """Asked again, after any other group, it says the same; nothing but its room is written."""
    rng = np.random.default_rng(5)
    rows = 40
    columns = {kind: (kind, values_of(kind, rng, rows, 0.1)) for kind in KINDS}
    asked = {"l": 3, "l_kind": "recursive", "c": 2.0, "t": 0.2, "alpha": 0.4}
    rules = rules_of(columns, asked, tmp_path)
    before = rules.copy()
    groups = [some_rows(rng, rows) for _ in range(50)]
    first = [broken(rules, group) for group in groups]
    assert [broken(rules, group) for group in reversed(groups)] == first[::-1]
    room = int(rules[ROOM])
    assert np.array_equal(rules[:room], before[:room])
    assert not rules[room + 2 * rows + 4 :].any()


def test_many_records_as_one_group(tmp_path):
    """Hundreds are judged column by column, and the amounts are those of all columns at once."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = 400
        columns = {kind: (kind, values_of(kind, rng, rows, 0.1)) for kind in KINDS[: seed % 5]}
        numbers = rng.lognormal(0, 3, rows).tolist()
        asked = {"l": 3, "t": 0.02, "alpha": 0.3} if columns else {}
        asked |= {"dominance": 90} if seed % 2 or not columns else {}
        rules = rules_of(columns, asked, tmp_path, numbers if "dominance" in asked else None)
        before = rules[: int(rules[ROOM])].copy()
        for size in (100, 101, 399, 400):
            group = rng.choice(rows, size, replace=False)
            assert of_members(rules, group) == pytest.approx(broken(rules, group.tolist()))
            assert np.array_equal(rules[: before.size], before)


def test_reordered(tmp_path):
    """The rules of records in another order are those of the other numbers."""
    rng = np.random.default_rng(6)
    rows = 30
    columns = {kind: (kind, values_of(kind, rng, rows, 0.1)) for kind in KINDS}
    numbers = rng.lognormal(0, 1, rows).tolist()
    rules = rules_of(columns, {"l": 2, "t": 0.2, "dominance": 20}, tmp_path, numbers)
    order = rng.permutation(rows)
    other = reordered(rules, order)
    for _ in range(30):
        group = some_rows(rng, rows)
        assert broken(other, group) == pytest.approx(broken(rules, order[group].tolist()))


def test_large_groups(tmp_path):
    """Of a table of thousands, all records together keep t = 0, and a half of them does not."""
    rng = np.random.default_rng(7)
    rows = 6000
    for kind in KINDS:
        values = rng.permutation(rows).tolist() if kind == "number" else values_of(kind, rng, rows)
        rules = rules_of({"s": (kind, values)}, {"t": 0.0}, tmp_path)
        assert of_members(rules, np.arange(rows)) == 0.0
        assert of_members(rules, np.argsort(values)[: rows // 2]) > 0.0


def said(folder):
    """The amounts of many groups, as one text."""
    found = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(4, 30))
        columns = {kind: (kind, values_of(kind, rng, rows, 0.1)) for kind in KINDS}
        numbers = rng.lognormal(0, 1, rows).round(2).tolist()
        asked = [
            {"l": 2, "t": 0.1, "alpha": 0.5, "dominance": 20},
            {"l": 2, "l_kind": "recursive", "c": 1.5, "t": 0.2},
            {"l": 2.5, "l_kind": "entropy", "t": 0.3, "alpha": 0.6},
        ][seed % 3]
        rules = rules_of(columns, asked, folder, numbers)
        found += [f"{broken(rules, some_rows(rng, rows), 1, 2):.12f}" for _ in range(10)]
    return "\n".join(found)


@pytest.mark.slow
def test_interpreted(tmp_path):
    """With the compiler off it says the same of the same groups."""
    here = Path(__file__)
    code = (
        "import importlib.util, pathlib, sys\n"
        f"sys.path.insert(0, {str(here.parent.parent)!r})\n"
        f"spec = importlib.util.spec_from_file_location('twin', {str(here)!r})\n"
        "twin = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(twin)\n"
        f"print(twin.said(pathlib.Path({str(tmp_path)!r})))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == said(tmp_path)
    assert "0.000000000000" in ran.stdout
