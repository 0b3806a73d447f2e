"""Swapping: groups of any method take in records with other sensitive values.

A group that breaks a rule swaps records with the groups around it: of all swaps after which the two
break the rules less, the one that costs the least squared error for what it mends.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, jit
from shoal.kernels.pointing import call
from shoal.kernels.rules import (
    CODES,
    COLUMNS,
    DOMINANCE,
    DOMINATED,
    HEAD,
    HEADS,
    NEAR,
    Rules,
    pointers,
)
from shoal.partition import rows_of_groups
from shoal.progress import Reporter

SIZE, MEMBERS = 0, 1  # columns of a group
MANY = 100
AROUND, WIDER, PASSES = 24, 4, 3  # groups that are asked at first, how many times more after that
SWAPS_TRIED = 10**7  # no more in a pass, by estimate: about two seconds
LEAST, LOOKS, LOOKS_A_RECORD = 6, 3 * 10**8, 4_000  # groups asked, and looks at members in a pass
A_CALL = 200  # groups a call, between which the caller reports progress and may stop


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
    apart: Floats, allowed: int,
) -> None:  # fmt: skip
    """Mend the groups from begin to end, as far as swaps can.

    groups, centers, broken IN/OUT; keys, near and apart are work space: the nearest groups, how far
    the members of two groups are from both. What would cost too much is not asked about the rules;
    a group looks at no more members than allowed, but for its last step.
    """
    for group in range(begin, end):
        if broken[group] <= 0.0:
            continue
        steps, work = 0, 0
        while broken[group] > 0.0 and steps < 8 * groups[group, SIZE] and work < allowed:
            steps += 1
            listed = 0
            for other in range(groups.shape[0]):
                if other == group:
                    continue
                at = listed if listed < near.shape[0] else near.shape[0] - 1
                distance, most = 0.0, keys[at] if listed == near.shape[0] else np.inf
                for j in range(centers.shape[1]):
                    away = centers[group, j] - centers[other, j]
                    distance += away * away
                    if distance >= most:
                        break
                if distance >= most:
                    continue
                while at > 0 and keys[at - 1] > distance:
                    keys[at], near[at] = keys[at - 1], near[at - 1]
                    at -= 1
                keys[at], near[at] = distance, other
                listed += 1 if listed < near.shape[0] else 0
            work += groups.shape[0]
            best, mine, yours, theirs = np.inf, -1, -1, -1
            a = groups[group, SIZE]
            for n in range(listed):
                other = near[n]
                b = groups[other, SIZE]
                for i in range(a):
                    x = groups[group, MEMBERS + i]
                    apart[0, i] = _between(points, x, centers, group)
                    apart[1, i] = _between(points, x, centers, other)
                for m in range(b):
                    y = groups[other, MEMBERS + m]
                    apart[2, m] = _between(points, y, centers, group)
                    apart[3, m] = _between(points, y, centers, other)
                work += (a + b) * points.shape[1] // 8
                weight, most = 1.0 / a + 1.0 / b, broken[group] + broken[other]
                for i in range(a):
                    x = groups[group, MEMBERS + i]
                    for m in range(b):
                        y = groups[other, MEMBERS + m]
                        away = apart[1, i] - apart[0, i] + apart[2, m] - apart[3, m]
                        one = apart[0, i] + apart[2, m] + 2.0 * math.sqrt(apart[0, i] * apart[2, m])
                        two = apart[1, i] + apart[3, m] + 2.0 * math.sqrt(apart[1, i] * apart[3, m])
                        if max(away - weight * min(one, two), 0.0) >= best * most:
                            continue
                        work += a
                        after = call(function, rules, groups, group, MEMBERS, a, x, y)
                        mended = broken[group] + broken[other] - after
                        if mended <= NEAR:
                            continue
                        change = away - weight * _between(points, x, points, y)
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
    apart = np.zeros((4, groups.shape[1]))
    for turn in range(PASSES):
        left = int((broken > 0).sum())
        each = left * int(groups[:, SIZE].mean()) ** 3
        around = min(AROUND * WIDER**turn, count - 1)
        if not left or (turn > 0 and each * around > SWAPS_TRIED):
            break
        around = min(around, max(LEAST, LOOKS // each))
        allowed = (LOOKS + LOOKS_A_RECORD * labels.size) // left
        keys, near = np.zeros(around), np.zeros(around, dtype=np.int64)
        for begin in range(0, count, A_CALL):
            report("swapping", turn * count + begin, PASSES * count)
            end = min(count, begin + A_CALL)
            _mend(
                *pointers(rules), points, groups, centers, broken, begin, end, keys, near, apart,
                allowed,
            )  # fmt: skip
    swapped = np.empty_like(labels)
    for group in range(count):
        swapped[groups[group, MEMBERS : MEMBERS + groups[group, SIZE]]] = group
    return swapped


def rows_of(labels: Integers, spare: int = 0) -> Integers:
    """Return a row for every group: its size, its members, and room for `spare` more."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    groups = np.full((sizes.size, MEMBERS + int(sizes.max()) + spare), -1, dtype=np.int64)
    slots = np.arange(labels.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    groups[labels[order], MEMBERS + slots] = order
    groups[:, SIZE] = sizes
    return groups


@jit
def _breaches(function: int, rules: int, groups: Integers, excess: Floats) -> None:
    """Write by how much every group breaks the rules. excess OUT (groups)."""
    for group in range(groups.shape[0]):
        size = groups[group, SIZE]
        excess[group] = call(function, rules, groups, group, MEMBERS, size, -1, -1)


def breaches(rules: Rules, groups: Integers) -> Floats:
    """Return by how much every group breaks the rules; 0 where it keeps them."""
    excess = np.zeros(groups.shape[0])
    _breaches(*pointers(rules), groups, excess)
    return excess


def of_labels(rules: Rules, labels: Integers) -> Floats:
    """Return by how much every group of a grouping breaks the rules."""
    if labels.size > MANY * np.bincount(labels).size:  # few large groups: one after the other
        return np.array([of_members(rules, members) for members in rows_of_groups(labels)])
    return breaches(rules, rows_of(labels))


def of_members(rules: Rules, members: Integers) -> float:
    """Return by how much some records break the rules as one group.

    Many are sorted column by column: `breach` sorts by insertion, and has nothing left to do.
    """
    if members.size <= MANY:
        return _as_one(rules, members)
    columns, dominated = int(rules[COLUMNS]), int(rules[DOMINATED])
    end = HEADS + columns * HEAD
    heads, rest = rules[HEADS:end].reshape(columns, HEAD).copy(), dominated * DOMINANCE
    before = rules[: end + rest].copy()
    broken = 0.0
    try:
        if dominated:
            rules[HEADS : HEADS + rest], rules[COLUMNS] = before[end:], 0
            broken = _as_one(rules, members)
        rules[[COLUMNS, DOMINATED]] = 1, 0
        for head in heads:
            rules[HEADS : HEADS + HEAD] = head
            codes = rules[int(head[CODES]) + members]
            broken += _as_one(rules, members[np.argsort(codes, kind="stable")])
    finally:
        rules[: before.size] = before
    return broken


def _as_one(rules: Rules, members: Integers) -> float:
    row = np.concatenate(([members.size], members)).astype(np.int64)
    return float(breaches(rules, row.reshape(1, -1))[0])
