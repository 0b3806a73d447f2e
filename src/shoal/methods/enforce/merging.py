"""Merging: a group that breaks a rule is joined to its nearest, until none does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.rules import Rules
from shoal.methods.enforce.groups import of_labels, of_members
from shoal.partition import canonical_labels, rows_of_groups
from shoal.progress import Reporter


def merge(matrix: Floats, labels: Integers, rules: Rules, report: Reporter) -> Integers:
    """Return groups that keep the rules, made of whole groups that came in.

    Requires that all records together keep the rules.
    """
    broken = of_labels(rules, labels)
    return joined(matrix, labels, broken, lambda rows: of_members(rules, rows), report)


def merge_to(matrix: Floats, labels: Integers, k: int, report: Reporter) -> Integers:
    """Return groups of at least k records, made of whole groups that came in."""
    lacking = np.maximum(0, k - np.bincount(labels)).astype(np.float64)
    return joined(matrix, labels, lacking, lambda rows: max(0.0, float(k - rows.size)), report)


def joined(
    matrix: Floats,
    labels: Integers,
    broken: Floats,
    measure: Callable[[Integers], float],
    report: Reporter,
) -> Integers:
    """Return groups none of which is broken, made of whole groups that came in.

    The group that is broken most is joined to the one that this adds least squared error to (its
    nearest by Ward's distance), again and again. `measure` says by how much some records as one
    group are broken; all of them together must not be.
    """
    if not broken.any():
        return labels
    broken = broken.copy()
    members = rows_of_groups(labels)
    sizes = np.array([rows.size for rows in members], dtype=np.float64)
    centers = np.array([matrix[rows].mean(axis=0) for rows in members])
    squares = (centers * centers).sum(axis=1)
    first = int((broken > 0).sum())
    while True:
        worst = int(broken.argmax())
        report("merging", first - int((broken > 0).sum()), first)
        if broken[worst] <= 0.0:
            break
        weights = sizes * sizes[worst] / np.maximum(sizes + sizes[worst], 1.0)
        costs = weights * (
            squares - 2.0 * np.einsum("ij,j->i", centers, centers[worst]) + squares[worst]
        )
        costs[sizes == 0] = np.inf
        costs[worst] = np.inf
        other = int(costs.argmin())
        if not np.isfinite(costs[other]):
            break
        members[other] = np.concatenate((members[other], members[worst]))
        members[worst] = members[worst][:0]
        sizes[other], sizes[worst] = sizes[other] + sizes[worst], 0.0
        centers[other] = matrix[members[other]].mean(axis=0)
        squares[other] = (centers[other] * centers[other]).sum()
        broken[other], broken[worst] = measure(members[other]), 0.0
        there = sizes > 0
        if 2 * int(there.sum()) < sizes.size:  # the others have joined some group
            members = [rows for rows in members if rows.size]
            sizes, centers, squares, broken = (
                numbers[there] for numbers in (sizes, centers, squares, broken)
            )
    merged = np.empty_like(labels)
    for group, rows in enumerate(members):
        merged[rows] = group
    return canonical_labels(merged)
