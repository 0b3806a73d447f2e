"""Small tables for the tests of the search: ties, duplicates, outliers, constant columns."""

from __future__ import annotations

import numpy as np

KINDS = ("normal", "ties", "duplicates", "outlier", "constant", "mixed")


def table(seed, kinds=KINDS, rows=40):
    """A random matrix (n 4..rows, d 1..5) and k 2..6, of one of the kinds or of several."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, min(6, rows // 2) + 1))
    matrix = rng.normal(size=(int(rng.integers(2 * k, rows + 1)), int(rng.integers(1, 6))))
    kind = kinds[seed % len(kinds)]
    parts = {kind} if kind != "mixed" else set(rng.permutation(KINDS[1:-1])[:2].tolist())
    if "ties" in parts:
        matrix = np.round(matrix * rng.choice([0.7, 2.0]))
    if "duplicates" in parts:
        matrix = matrix[rng.integers(0, max(2, len(matrix) // 3), len(matrix))]
    if "outlier" in parts:
        matrix[rng.integers(len(matrix))] += rng.choice([30.0, 1000.0])
    if "constant" in parts:
        matrix[:, rng.integers(matrix.shape[1])] = 4.2
    return matrix, k


def random_groups(rows, k, seed):
    """Labels of groups of at least k, at random: from one group of all to as many as there can be.

    One in four times it is one group of all.
    """
    rng = np.random.default_rng(seed)
    count = 1 if rng.random() < 0.25 else int(rng.integers(1, rows // k + 1))
    labels = np.append(np.repeat(np.arange(count), k), rng.integers(0, count, rows - count * k))
    return rng.permutation(labels)
