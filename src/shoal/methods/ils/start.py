"""Start of a search: a random partition, or a given one split to size."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.heuristics.fixed_size import mdav
from shoal.progress import Reporter


def random_start(rows: int, k: int, rng: np.random.Generator) -> Integers:
    """Return a random grouping: groups of k, the left-over records in as many of them."""
    groups = rows // k
    labels = np.empty(rows, dtype=np.int64)
    order = rng.permutation(rows)
    labels[order[: groups * k]] = np.arange(groups * k) // k
    labels[order[groups * k :]] = rng.permutation(groups)[np.arange(rows - groups * k) % groups]
    return labels


def small_groups(matrix: Floats, labels: Integers, k: int) -> Integers:
    """Return the grouping with all groups of more than 4k cut up, which never adds to the loss."""
    return split_groups(matrix, labels, k, 4 * k)


def split_groups(matrix: Floats, labels: Integers, k: int, most: int | None = None) -> Integers:
    """Return the grouping with all groups of more than `most` (None: 2k - 1) records cut up."""
    labels = labels.copy()
    sizes = np.bincount(labels)
    made = sizes.size
    for group in np.flatnonzero(sizes > (2 * k - 1 if most is None else most)):
        rows = np.flatnonzero(labels == group)
        parts = mdav(np.ascontiguousarray(matrix[rows]), k, Reporter(None))
        labels[rows[parts > 0]] = made + parts[parts > 0] - 1
        made += int(parts.max())
    return labels
