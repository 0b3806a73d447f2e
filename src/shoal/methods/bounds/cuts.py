"""Subset-row cuts on three records: of all groups with two of them one can be chosen.

Where the programme halves three groups that share their records pair by pair (outliers, mostly) it
costs less than any grouping; such a triple of records is found and the halves are forbidden.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.bounds.columns import NOBODY

VIOLATED = 1.02  # by less it is not worth a row
A_RECORD = 3  # cuts a round


def violated(members: Integers, values: Floats, most: int) -> Integers:
    """Return triples of records that a fractional solution breaks, (cuts, 3), the worst first.

    members (columns, width) and values of the columns. Ties go to the lowest rows.
    """
    together: dict[tuple[int, ...], float] = defaultdict(float)
    near: dict[int, set[int]] = defaultdict(set)
    for group, value in _fractional(members, values):
        for one, other in combinations(group, 2):
            together[one, other] += value
            near[one].add(other)
            near[other].add(one)
        for triple in combinations(group, 3):
            together[triple] += value
    excess: dict[tuple[int, int, int], float] = {}
    for one, others in near.items():
        for two, three in combinations(sorted(others), 2):
            a, b, c = sorted((one, two, three))
            pairs = together.get((a, b), 0.0) + together.get((b, c), 0.0)
            pairs += together.get((a, c), 0.0)
            if pairs > VIOLATED:
                twice = pairs - 2.0 * together.get((a, b, c), 0.0)
                if twice > VIOLATED:
                    excess[a, b, c] = twice
    used: Counter[int] = Counter()
    chosen: list[tuple[int, int, int]] = []
    for triple, _ in sorted(excess.items(), key=lambda one: (-round(one[1], 9), one[0])):
        if len(chosen) < most and max(used[row] for row in triple) < A_RECORD:
            used.update(triple)
            chosen.append(triple)
    return np.array(chosen, dtype=np.int64).reshape(-1, 3)


def _fractional(members: Integers, values: Floats) -> list[tuple[list[int], float]]:
    which = np.flatnonzero((values > 1e-6) & (values < 1.0 - 1e-6))
    return [
        (members[column][members[column] != NOBODY].tolist(), float(values[column]))
        for column in which
    ]
