"""The integer programme of local suppression, in HiGHS."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.bounds.highs import OPTIONS
from shoal.methods.cells.masks import NONE, Patterns


def best_masks(patterns: Patterns) -> Integers:
    """Return the masks that cost least, by proof.

    Every record has one mask; a pattern that is used, y = 1, has at least k records:
    sum x(i, m) >= k y, and x(i, m) <= y.
    """
    solver, (rows, masks) = _programme(patterns)
    solver.run()
    values: Floats = np.array(solver.getSolution().col_value)[: rows.size]
    found = np.empty(patterns.rows, dtype=np.int64)
    found[rows[values > 0.5]] = masks[values > 0.5]
    return found


def _programme(patterns: Patterns) -> tuple[Any, tuple[Integers, Integers]]:
    """Return the programme, and the record and mask of each of its first variables."""
    import highspy

    rows, masks = np.nonzero(patterns.ids != NONE)
    used, of = np.unique(patterns.ids[rows, masks], return_inverse=True)
    count, many = rows.size, used.size
    solver: Any = highspy.Highs()
    for name, value in OPTIONS.items():
        solver.setOptionValue(name, value)
    every = np.arange(count, dtype=np.int32)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = count + many, patterns.rows + many + count
    model.col_cost_ = np.concatenate((patterns.costs[masks], np.zeros(many)))
    model.col_lower_, model.col_upper_ = np.zeros(count + many), np.ones(count + many)
    open_ended = np.full(many + count, np.inf)
    model.row_lower_ = np.concatenate((np.ones(patterns.rows), np.zeros(many + count)))
    model.row_upper_ = np.concatenate((np.ones(patterns.rows), open_ended))
    # x: its record once, one more in its pattern, -1 in x <= y; y: -k and 1 for every x of it
    by = np.argsort(of, kind="stable").astype(np.int32)
    sizes = np.bincount(of, minlength=many)
    firsts = np.cumsum(sizes) - sizes
    x_rows = np.stack([rows, patterns.rows + of, patterns.rows + many + every], axis=1).ravel()
    x_values = np.tile([1.0, 1.0, -1.0], count)
    y_rows = np.insert(patterns.rows + many + by, firsts, patterns.rows + np.arange(many))
    y_values = np.insert(np.ones(count), firsts, -float(patterns.k))
    starts = np.concatenate((3 * np.arange(count), 3 * count + firsts + np.arange(many)))
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.append(starts, 4 * count + many).astype(np.int32)
    model.a_matrix_.index_ = np.concatenate((x_rows, y_rows)).astype(np.int32)
    model.a_matrix_.value_ = np.concatenate((x_values, y_values))
    model.integrality_ = [highspy.HighsVarType.kInteger] * (count + many)
    solver.passModel(model)
    return solver, (rows, masks)
