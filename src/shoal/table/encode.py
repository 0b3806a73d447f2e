"""Table -> Encoded: the matrix of numbers that a method sees.

Values are brought near zero before anything is squared: whole numbers are shifted exactly by
their smallest, floats are scaled exactly by a power of two. Columns around 1e16, at 1e308 or at
1e-320 lose nothing on the way. Sums are correctly rounded, so no order of the records matters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError, RequestError, check_known, check_weights, shown
from shoal.executor import Threads
from shoal.hints import option
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.exact_sum import exact_sum
from shoal.table.dataframes.opaque import cell_bytes
from shoal.table.embed_texts import Texts
from shoal.table.encode_nodes import Coded, code
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import (
    Table,
    as_floats,
    as_integers,
    check_readable,
    missing_cells,
    some_rows,
)


@dataclass(frozen=True, repr=False)
class Encoded:
    """One row a record; one column a quasi-identifier that is complete and numeric.

    A text has one for every edge of its tree, and what misses cells one more: `mixed` tells whether
    there are such. Numbers come first, then texts, then what tells missing cells.
    """

    matrix: Floats
    names: tuple[str, ...]
    mixed: bool = False


def encode(
    table: Table,
    *,
    standardize: bool = True,
    weights: Mapping[str, float] | None = None,
    coded: Coded | None = None,
    hierarchies: Mapping[str, str] | None = None,
    k: int = 2,
    survey: Floats | None = None,
    threads: int | None = 1,
) -> Encoded:
    """Return the quasi-identifiers as a matrix: the one distance of records, for all methods.

    The squared distance of two rows is the sum over columns of squared standardized differences of
    numbers and of lengths of paths between texts (`embed_texts.py`), in the trees of the `coded`
    table or of `hierarchies`. A missing cell is the mean of the others, and k/2 from all of them in
    one more coordinate: a group of k releases `*` for all where one cell is missing (of 1, k/2 and
    k, k/2 lost least on adult and on the sample, with gaps of 0 to 15 %). A weight says how many
    times a column's squared distances count; 1 where none is given. `survey` (n) says how many a
    record stands for, in means and deviations. Numbers are standardized by so many `threads`.
    """
    columns = table.with_role(Role.QUASI_IDENTIFIER)
    if not columns:
        raise RequestError(f"{table.source.name}: no column is a quasi-identifier")
    for column in columns:
        check_readable(column, table)
    names = tuple(column.name for column in columns)
    check_weights(weights or {}, names)
    check_known(hierarchies or {}, names, "a hierarchy")
    scale = {name: math.sqrt((weights or {}).get(name, 1.0)) for name in names}
    numbers = [column for column in columns if column.has_places]
    words = [column.name for column in columns if not column.has_places]
    if coded is None and words:
        rules = {name: tree for name, tree in (hierarchies or {}).items() if name in words}
        coded = code(table.only(lambda column: column.name in words), rules)
    trees = {} if coded is None else {column.name: column for column in coded.columns}
    gone = {column.name: missing_cells(column) for column in columns}
    holed = [name for name in names if gone[name].any() and not gone[name].all()]
    there = [some_rows(column, ~gone[column.name]) for column in numbers]
    shift = None if standardize else _shift(there, bool(words))
    unit = math.ldexp(1.0, shift or 0)
    scales = [scale[name] * unit for name in words]
    texts = Texts([trees[name] for name in words], scales, survey=survey)

    first, last = len(numbers), len(numbers) + texts.width
    matrix = np.zeros((table.rows, max(1, last + len(holed))))  # texts that agree have no edges
    spread = dict.fromkeys(names, unit)

    def write(j: int) -> None:
        column = there[j]
        if len(column.values):
            own = None if survey is None else survey[~gone[column.name]]
            part, spread[column.name] = _numbers(column, shift, own)
            if gone[column.name].any():
                part = part - _mean(part, own)
            by = scale[column.name]
            matrix[~gone[column.name], j] = part if by == 1.0 else part * by

    for _ in Threads(threads).map(write, range(first)):
        pass
    texts.write(matrix[:, first:last])
    for j, name in enumerate(holed, last):
        matrix[gone[name], j] = math.sqrt(k / 2) * spread[name] * scale[name]
    return Encoded(matrix, names, bool(words or holed))


def _numbers(column: Column, shift: int | None, survey: Floats | None) -> tuple[Floats, float]:
    """Return numbers standardized, or all multiplied by 2**shift, and their deviation."""
    if shift is None:
        return standardized(near_zero(column), survey), 1.0
    part = _scaled(column, shift)
    centered = part - _mean(part, survey)
    deviation = math.sqrt(_mean(centered * centered, survey))
    return part, deviation or math.ldexp(1.0, shift)


def _mean(values: Floats, survey: Floats | None) -> float:
    """Return the mean of numbers of moderate size, each counted by its weight, if there is one."""
    if survey is None:
        return exact_sum(values) / values.size
    return exact_sum(values * survey) / exact_sum(survey)


def check_numeric(column: Column, table: Table) -> None:
    """Raise an InputError for what a method that takes numbers one by one cannot group."""
    check_readable(column, table)
    where = f"{table.source.name}, quasi-identifier {shown(column.name)}"
    rows = column.missing_rows()
    if rows:
        raise InputError(
            f"{where}: {len(rows)} missing cells ({table.source.where(rows)}), which this method "
            f"cannot group; {OTHERWISE}"
        )
    if not column.has_places:
        raise InputError(
            f"{where}: text, which this method cannot group; {OTHERWISE}, or, if its cells are "
            f"numbers, say {option('types', {column.name: 'number'})}, or, if they have an order, "
            f"say {option('orders')}"
        )


DIGITS = 15  # decimals of so many digits are different floats, and come back from them
OTHERWISE = (
    f"use {option('method', 'auto')} or {option('method', 'kaim')}, or leave the column out with "
    f"{option('drop')}"
)


def near_zero(column: Column) -> Floats:
    """Return the values shifted and scaled to [0, 1], exactly as far as floats can hold it."""
    whole = _in_steps(column)
    if whole is not None:
        return _unit(whole[0])
    values = np.asarray(column.values).astype(np.float64)
    values = _unit(values)
    return _unit(values - values.min())


def _unit(values: Floats) -> Floats:
    """Scale by a power of two, which is exact, so that the largest magnitude is below 1."""
    exponent = math.frexp(float(np.abs(values).max()))[1]
    return np.ldexp(values, -exponent)


def _shift(columns: list[Column], beside_texts: bool) -> int:
    """Return the power of two that brings all columns to where squares neither vanish nor overflow.

    It is one for all: no ratio changes. Texts have distances of about 1.
    """
    sizes = [float(np.abs(as_floats(c)).max()) for c in columns if len(c.values)]
    exponent = max([math.frexp(size)[1] for size in sizes], default=0)
    if beside_texts:
        exponent = max(exponent, 0)
    return -exponent if not -500 < exponent < 500 else 0


def _scaled(column: Column, shift: int) -> Floats:
    """Return the values shifted near zero and multiplied by a power of two.

    A shift changes no distance, and without it large values would drown small differences.
    """
    steps = _in_steps(column)
    if steps is None:
        scaled = np.ldexp(as_floats(column), shift)
        shifted: Floats = scaled - scaled.min()
        return shifted
    return np.ldexp(steps[0] / steps[1], shift)


def _in_steps(column: Column) -> tuple[Floats, float] | None:
    """Return values counted exactly from the smallest in steps, and how many of them make 1.

    None for floats that are no decimals of few digits: those have no step. Others have that of a
    file which writes them with a fixed point, so that both are grouped alike.
    """
    if column.kind is Kind.FLOAT:
        return _short_decimals(np.asarray(column.values).astype(np.float64))
    whole = as_integers(column)
    if whole is None:
        return None
    unit = 10.0**column.values.type.scale if column.kind is Kind.DECIMAL else 1.0
    return _steps(whole), unit


def _short_decimals(values: Floats) -> tuple[Floats, float] | None:
    """Return floats as steps of a power of ten, if each is the one nearest to such a decimal."""
    if values.size == 0 or not float(np.abs(values).max()) < 10.0**DIGITS:
        return None
    for digits in range(DIGITS):
        unit = 10.0**digits
        whole = np.rint(values * unit)
        if not float(np.abs(whole).max()) < 10.0**DIGITS:
            return None
        if np.array_equal(whole / unit, values):
            return _steps(whole.astype(np.int64)), unit
    return None


def _steps(whole: npt.NDArray[Any]) -> Floats:
    """Return whole numbers as floats, counted exactly from the smallest."""
    low, high = int(whole.min()), int(whole.max())
    if high - low >= 2**63:
        whole = whole.astype(object)
    steps: Floats = (whole - low).astype(np.float64)
    return steps


def standardized(values: Floats, survey: Floats | None = None) -> Floats:
    """Return (x - mean) / deviation; zeros for a constant column."""
    centered = values - _mean(values, survey)
    deviation = math.sqrt(_mean(centered * centered, survey))
    if values.min() == values.max() or deviation == 0.0:
        return np.zeros_like(values)
    scaled: Floats = centered / deviation
    return scaled


def canonical_order(table: Table) -> Integers:
    """Return the rows in an order that depends on what they hold, not on where they stood.

    Quasi-identifiers first, then what else is released, then the identifiers, all by their values,
    wherever they came from: a csv file, Parquet or a dataframe. Cells of a csv file that write one
    value in several ways come last. Records that still tie are equal in every cell.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    ranks = {role: rank for rank, role in enumerate(RANKED)}
    columns = sorted(table.columns, key=lambda column: (ranks[column.role], column.name))
    keys = {f"{i}": _sortable(column) for i, column in enumerate(columns)}
    for i, column in enumerate(columns):
        if column.cells is not None and column.role is not Role.QUASI_IDENTIFIER:
            keys[f"cells {i}"] = column.cells
    order: Any = pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys])
    return np.asarray(order).astype(np.int64)


RANKED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER, Role.IDENTIFIER)


def _sortable(column: Column) -> Any:
    if column.kind is Kind.FLOAT:  # Arrow does not sort half floats
        return column.values.cast("double")
    return cell_bytes(column.values) if column.kind is Kind.UNKNOWN else column.values
