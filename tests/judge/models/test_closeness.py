"""Distances of t-closeness are costs of transport: a linear program says the same."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from later import Later
from shoal.judge.models.closeness import Equal, Hierarchical, Ordered

TOGETHER = "scikit-learn"  # with SciPy, which one process imports
optimize = Later("scipy.optimize")
DEPTH = 3


def transport(part, whole, cost):
    """The least cost of moving one distribution to the other."""
    values = sorted(whole)
    size, n, m = sum(part.values()), sum(whole.values()), len(values)
    rows = np.zeros((2 * m, m * m))
    for i in range(m):
        rows[i, i * m : (i + 1) * m] = 1
        rows[m + i, i::m] = 1
    have = [part.get(v, 0) / size for v in values]
    wanted = [whole[v] / n for v in values]
    costs = [cost(v, w) for v in values for w in values]
    found = optimize.linprog(costs, A_eq=rows, b_eq=[*have, *wanted], bounds=(0, None))
    assert found.success
    return found.fun


def tables():
    """300 pairs of a class and the whole that it is a part of, as counts of numbers."""
    rng = np.random.default_rng(7)
    for _ in range(300):
        values = rng.integers(0, rng.integers(1, 8), rng.integers(1, 25)).tolist()
        part = values[: int(rng.integers(1, len(values) + 1))]
        yield Counter(part), Counter(values)


def test_equal_distance_is_transport():
    """With all values equally far apart, the distance is the least cost of transport."""
    for part, whole in tables():
        wanted = transport(part, whole, lambda v, w: float(v != w))
        assert Equal(whole)(part) == pytest.approx(wanted, abs=1e-9)


def test_ordered_distance_is_transport():
    """With values in a row, the distance is the least cost of transport along it."""
    for part, whole in tables():
        ranks = {value: rank for rank, value in enumerate(sorted(whole))}
        last = max(1, len(whole) - 1)
        wanted = transport(part, whole, lambda v, w: abs(ranks[v] - ranks[w]) / last)  # noqa: B023
        assert Ordered(whole, lambda value: value)(part) == pytest.approx(wanted, abs=1e-9)


def test_ordered_with_missing_values():
    """Missing values are apart: the greater of their difference and that of the others counts."""
    for part, whole in tables():
        there, every = ({v: c for v, c in counts.items() if v} for counts in (part, whole))
        size, n = sum(part.values()), sum(whole.values())
        apart = abs(part.get(0, 0) / size - whole.get(0, 0) / n)
        among = Ordered(every, lambda value: value)(there) if there else 0.0
        found = Ordered(whole, lambda value: value or None)(part)
        assert found == pytest.approx(max(apart, among), abs=1e-12)


def test_hierarchical_distance_is_transport():
    """With values in a tree, the distance is the least cost of transport by common ancestors."""
    rng = np.random.default_rng(8)
    for part, whole in tables():
        levels = [dict.fromkeys(whole, 0)]
        for _ in range(DEPTH - 1):  # each level merges some nodes of the one below
            merged = rng.integers(0, 3, 9)
            levels.append({v: int(merged[levels[-1][v]] if len(levels) > 1 else v % 3 + 3)
                           for v in whole})  # fmt: skip
        paths = {v: [(i, level[v]) for i, level in enumerate(levels[1:], 1)] for v in whole}
        heights = {node: node[0] for path in paths.values() for node in path}

        def cost(v, w, paths=paths):
            if v == w:
                return 0.0
            common = [a[0] for a, b in zip(paths[v], paths[w], strict=True) if a == b]
            return (common[0] if common else DEPTH) / DEPTH

        wanted = transport(part, whole, cost)
        found = Hierarchical(whole, paths, heights, DEPTH)(part)
        assert found == pytest.approx(wanted, abs=1e-9)


def test_union_is_never_worse():
    """The union of classes is no farther from the whole than the worst of them."""
    rng = np.random.default_rng(9)
    for _, whole in tables():
        values = rng.permutation(list(whole.elements())).tolist()
        cut = len(values) // 2
        if not cut:
            continue
        parts = Counter(values[:cut]), Counter(values[cut:])
        for distance in (Equal(whole), Ordered(whole, lambda v: v or None)):
            assert distance(parts[0] + parts[1]) == 0
            one, two = distance(parts[0]), distance(Counter(values[: cut // 2 + 1]))
            union = distance(parts[0] + Counter(values[: cut // 2 + 1]))
            assert union <= max(one, two) + 1e-12


def test_a_class_without_records_is_apart_from_nothing():
    """Where there is nothing to compare, in a class or in the whole, the distance is 0."""
    whole = {1: 2, 2: 1}
    paths, heights = {1: ["top"], 2: ["top"]}, {"top": 1}
    for distance in (
        Equal(whole),
        Ordered(whole, lambda value: value),
        Hierarchical(whole, paths, heights, 2),
    ):
        assert distance({}) == 0.0
        assert distance({1: 0}) == 0.0
    assert Ordered({}, lambda value: value)({}) == 0.0
    assert Ordered({5: 3}, lambda value: value)({5: 1}) == 0.0
    assert Ordered({None: 3}, lambda value: value)({None: 1}) == 0.0
    assert Hierarchical({1: 2}, {}, {}, 0)({1: 1}) == 0.0


def test_a_tree_without_levels_is_equal_distance():
    """Where nothing but the root is above the values, any two are equally far apart."""
    for part, whole in tables():
        found = Hierarchical(whole, {}, {}, 1)(part)
        assert found == Equal(whole)(part) == Hierarchical(whole, {}, {}, 0)(part)
