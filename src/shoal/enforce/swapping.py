"""Swapping: groups of any method take in records with other sensitive values.

A group that breaks a rule swaps records with the groups around it: of all swaps after which the two
break the rules less, the one that costs the least squared error for what it mends.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.enforce.groups import MEMBERS, SIZE, rows_of
from shoal.kernels.jit import inlined, jit
from shoal.kernels.pointing import call
from shoal.kernels.rules import NEAR, Rules, pointers
from shoal.progress import Reporter

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

AROUND, WIDER, PASSES = 24, 4, 3  # groups that are asked at first, how many times more after that
SWAPS_TRIED = 10**7  # no more in a pass, by estimate: about two seconds
A_CALL = 200  # groups; then whoever called may show progress and stop


@inlined
def _between(points: Floats, i: int, others: Floats, k: int) -> float:
    total = 0.0
    for j in range(points.shape[1]):
        away = points[i, j] - others[k, j]
        total += away * away
    return total


@inlined
def _center(points: Floats, groups: Integers, centers: Floats, group: int) -> None:
    for j in range(points.shape[1]):
        total = 0.0
        for i in range(groups[group, SIZE]):
            total += points[groups[group, MEMBERS + i], j]
        centers[group, j] = total / groups[group, SIZE]


@jit
def _mend(
    function: int, rules: int, points: Floats, groups: Integers, centers: Floats,
    broken: Floats, begin: int, end: int, keys: Floats, near: Integers,
) -> None:  # fmt: skip
    """Mend the groups from begin to end, as far as swaps can.

    groups, centers, broken IN/OUT; keys and near are work space: the nearest groups.
    """
    for group in range(begin, end):
        steps = 0
        while broken[group] > 0.0 and steps < 8 * groups[group, SIZE]:
            steps += 1
            listed = 0
            for other in range(groups.shape[0]):
                if other == group:
                    continue
                distance = _between(centers, group, centers, other)
                at = listed if listed < near.shape[0] else near.shape[0] - 1
                if listed == near.shape[0] and distance >= keys[at]:
                    continue
                while at > 0 and keys[at - 1] > distance:
                    keys[at], near[at] = keys[at - 1], near[at - 1]
                    at -= 1
                keys[at], near[at] = distance, other
                listed += 1 if listed < near.shape[0] else 0
            best, mine, yours, theirs = np.inf, -1, -1, -1
            a = groups[group, SIZE]
            for n in range(listed):
                other = near[n]
                b = groups[other, SIZE]
                for i in range(a):
                    x = groups[group, MEMBERS + i]
                    away = _between(points, x, centers, other) - _between(points, x, centers, group)
                    for m in range(b):
                        y = groups[other, MEMBERS + m]
                        after = call(function, rules, groups, group, MEMBERS, a, x, y)
                        mended = broken[group] + broken[other] - after
                        if mended <= NEAR:
                            continue
                        change = away + _between(points, y, centers, group)
                        change -= _between(points, y, centers, other)
                        change -= (1.0 / a + 1.0 / b) * _between(points, x, points, y)
                        if max(change, 0.0) / mended >= best:
                            continue
                        mended -= call(function, rules, groups, other, MEMBERS, b, y, x)
                        if mended > NEAR and max(change, 0.0) / mended < best:
                            best, mine, yours, theirs = max(change, 0.0) / mended, i, m, other
            if theirs < 0:
                break
            x, y = groups[group, MEMBERS + mine], groups[theirs, MEMBERS + yours]
            groups[group, MEMBERS + mine], groups[theirs, MEMBERS + yours] = y, x
            for turn in range(2):
                changed = group if turn == 0 else theirs
                _center(points, groups, centers, changed)
                size = groups[changed, SIZE]
                broken[changed] = call(function, rules, groups, changed, MEMBERS, size, -1, -1)


def swap_in(
    matrix: Floats, labels: Integers, rules: Rules, broken: Floats, report: Reporter
) -> Integers:
    """Return the grouping after swaps that mend groups which break the rules; sizes stay.

    `broken` is by how much each group breaks them. Some groups may break them still.
    """
    points = np.ascontiguousarray(matrix)
    groups = rows_of(labels)
    centers = np.zeros((groups.shape[0], points.shape[1]))
    np.add.at(centers, labels, points)
    centers /= groups[:, SIZE, None]
    broken = broken.copy()
    count = groups.shape[0]
    for turn in range(PASSES):
        around = min(AROUND * WIDER**turn, count - 1)
        tried = int((broken > 0).sum()) * around * int(groups[:, SIZE].mean()) ** 3
        if not broken.any() or (turn > 0 and tried > SWAPS_TRIED):
            break
        keys, near = np.zeros(around), np.zeros(around, dtype=np.int64)
        for begin in range(0, count, A_CALL):
            report("swapping", turn * count + begin, PASSES * count)
            end = min(count, begin + A_CALL)
            _mend(*pointers(rules), points, groups, centers, broken, begin, end, keys, near)
    swapped = np.empty_like(labels)
    for group in range(count):
        swapped[groups[group, MEMBERS : MEMBERS + groups[group, SIZE]]] = group
    return swapped
