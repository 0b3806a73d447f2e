"""Candidate records of each released record, where missing cells and `*` match others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.judge.models.matching import candidates
from shoal.kernels.arrays import Integers
from shoal.table.roles import Column


def candidates_of(columns: Sequence[Column], classes: Integers, reading: str) -> Integers:
    """Return of every class how many released records match it.

    `classes` numbers the classes of the records from 0 on; `reading` is what a missing cell or `*`
    matches, see `shoal.judge.models.matching`.
    """
    firsts = np.unique(classes, return_index=True)[1]
    sizes = np.bincount(classes).tolist()
    cells = [column.values.take(firsts).to_pylist() for column in columns]
    keys = list(zip(*cells, strict=True))
    matching = candidates(dict(zip(keys, sizes, strict=True)), reading)
    return np.array([matching[key] for key in keys], dtype=np.int64)
