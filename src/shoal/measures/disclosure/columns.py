"""What each column does to the classes: without it, and one level coarser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.measures.compared import joined


class Classes(NamedTuple):
    """How many records are alone in their class, and how many in classes of fewer than k."""

    unique: int
    below: int


def counted(labels: Integers, k: int) -> Classes:
    """Return the counts of a grouping."""
    sizes = np.bincount(labels)
    return Classes(int((sizes == 1).sum()), int(sizes[sizes < k].sum()))


def classes_of_others(codes: Sequence[Integers]) -> Iterator[Integers]:
    """Yield of every column the classes by all others; those to both sides of it are joined."""
    rows = codes[0].size
    after = [np.zeros(rows, dtype=np.int64)]
    for one in reversed(codes[1:]):
        after.append(joined(after[-1], one))
    before = np.zeros(rows, dtype=np.int64)
    for one in codes:
        yield joined(before, after.pop())
        before = joined(before, one)
