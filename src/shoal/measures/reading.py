"""Sides of a column: reads original and released cells into comparable form."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.cell_texts import cover, span
from shoal.measures.sides import Numbers, Pairs, Side, Words
from shoal.table.encode_nodes import CodedColumn
from shoal.table.hierarchy.values import Axis, distinct_values
from shoal.table.roles import STAR, TICKS, Column, Kind
from shoal.table.table import as_integers, days_or_numbers, present, some_rows
from shoal.table.texts import texts_of

DAY = 86_400.0  # seconds
BEYOND_ALL = Fraction(10) ** 300  # an end that no number reaches
FAR = 300  # binary orders of magnitude from which numbers are scaled


def both_sides(
    before: Column, after: Column, tree: CodedColumn | None, pairs: Pairs | None
) -> Side:
    """Return what a column was and what is released of it.

    `tree` is the hierarchy of the column, where one was given; `pairs` are the rows of both that
    are the same record's, None where unknown: they show what an unknown word covers.
    """
    numeric = before.has_places and not (before.kind is Kind.BOOLEAN and not after.kind.is_numeric)
    if numeric and after.kind.is_numeric:
        return _numbers(before, after)
    if numeric:
        intervals = _intervals(before, after, tree)
        if intervals is not None:
            return intervals
    return words_of(before, after, tree, pairs)


def _numbers(before: Column, after: Column) -> Numbers:
    """Numbers that stayed numbers."""
    first, second = present(before), present(after)
    old, new, base, unit = _on_one_scale(before, after, first, second)
    b, a = np.full(first.size, np.nan), np.full(second.size, np.nan)
    b[first], a[second] = old, new
    lost = np.where(second, 0.0, 1.0)
    return Numbers(
        before.name, b, a, a, base, unit, _step(before, unit), True, lost, lost,
        _is_magnitude(before, b, base), before.kind_name,
    )  # fmt: skip


def _on_one_scale(
    before: Column, after: Column, first: Flags, second: Flags
) -> tuple[Floats, Floats, float, float]:
    """Return the cells that are there of both columns, and base and unit of their scale."""
    old, new = some_rows(before, first), some_rows(after, second)
    same = before.values.type == after.values.type and before.order == after.order
    if same and before.kind is not Kind.FLOAT:
        whole = [as_integers(column) for column in (old, new)]
        low = min((int(part.min()) for part in whole if part is not None and part.size), default=0)
        scaled = [np.zeros(0) if part is None else _counted(part, low) for part in whole]
        return scaled[0], scaled[1], float(low), _unit(before)
    old_floats, new_floats = days_or_numbers(old), days_or_numbers(new)
    unit = _scale(old_floats, new_floats)
    return old_floats / unit, new_floats / unit, 0.0, unit


def _counted(whole: npt.NDArray[Any], low: int) -> Floats:
    """Return whole numbers as floats, counted exactly from the least."""
    if whole.dtype == object or abs(low) > 2**62:
        whole = whole.astype(object)
    counted: Floats = (whole - low).astype(np.float64)
    return counted


def _scale(*parts: Floats) -> float:
    """Return what to divide numbers by so that their squares fit: 1 for most."""
    size = max((float(np.abs(part).max()) for part in parts if part.size), default=1.0)
    exponent = int(np.frexp(size)[1]) if size else 0
    return float(np.ldexp(1.0, exponent - 1)) if abs(exponent) > FAR else 1.0


def _unit(column: Column) -> float:
    """Return one step of whole numbers in the column's own unit; times count in days."""
    if column.kind is Kind.DECIMAL:
        return float(10.0**-column.values.type.scale)
    if column.kind is Kind.DATETIME:
        return 1.0 / (DAY * TICKS[column.values.type.unit])
    return 1.0


def _step(column: Column, unit: float) -> float:
    """Return one step of the column's last digit on the scale; 0 where it is unknown."""
    if column.is_ordinal or column.kind in (Kind.INTEGER, Kind.DATE, Kind.BOOLEAN):
        return 1.0 / unit
    if column.kind is Kind.DECIMAL:
        digits = column.values.type.scale if column.written is None else column.written.decimals
        return float(10.0 ** -max(digits, 0)) / unit
    return 0.0


def _is_magnitude(column: Column, before: Floats, base: float) -> bool:
    """Tell whether the column holds sizes: numbers of which none is below 0."""
    there = before[~np.isnan(before)]
    if not column.kind.is_number or not there.size:
        return False
    return bool(there.min() + base >= 0.0)


def _intervals(before: Column, after: Column, tree: CodedColumn | None) -> Numbers | None:
    """Numbers released as texts: [a,b], words of a tree, *. None where a text is neither."""
    first = present(before)
    old = some_rows(before, first)
    numbers = days_or_numbers(old)
    axis = Axis("rank" if before.is_ordinal else
                "number" if before.kind.is_number else str(before.kind))  # fmt: skip
    encoded = after.values.dictionary_encode()
    forms: list[str] = encoded.dictionary.to_pylist()
    ranks = {text: Fraction(rank) for rank, text in enumerate(before.order or ())}
    step = _step(before, 1.0)
    least, most = (numbers.min(), numbers.max()) if numbers.size else (0.0, 0.0)
    ends = np.full((len(forms) + 1, 2), np.nan)
    is_exact = tree is None
    for at, form in enumerate(forms):
        if form == STAR:
            continue
        own_span = span(form, axis, ranks) or _below(form, tree)
        if own_span is None:
            return None
        low, high, mark = own_span
        high = high - Fraction(step) if mark == ")" else high
        ends[at, 0] = least if low <= -BEYOND_ALL else float(low)
        ends[at, 1] = most if high >= BEYOND_ALL else float(high)
        is_exact = is_exact and not mark
    unit = _scale(numbers, ends[~np.isnan(ends)])
    numbers, ends, step = numbers / unit, ends / unit, step / unit
    least, most = least / unit, most / unit
    wide, whole = ends[:, 1] - ends[:, 0], most - least
    losses = np.where(
        wide == 0, 0.0, (np.minimum(wide, whole) + step) / (whole + step if whole + step else 1.0)
    )
    widths = np.minimum(wide, whole) / whole if whole else np.zeros(wide.size)
    losses, widths = (
        np.where(np.isnan(part), 1.0, np.minimum(part, 1.0)) for part in (losses, widths)
    )
    if tree is not None:
        losses, widths = _by_tree(forms, tree, losses, widths)
    losses[-1] = widths[-1] = 1.0
    codes = np.asarray(encoded.indices.fill_null(len(forms)))
    b = np.full(first.size, np.nan)
    b[first] = numbers
    return Numbers(
        before.name, b, ends[codes, 0], ends[codes, 1], 0.0, unit, step, is_exact,
        losses[codes], widths[codes], _is_magnitude(before, b, 0.0), before.kind_name,
    )  # fmt: skip


def _below(form: str, tree: CodedColumn | None) -> tuple[Fraction, Fraction, str] | None:
    """Return the least and the greatest value below a word of a tree."""
    inside = _covered_by_tree(form, tree)
    if tree is None or inside is None:
        return None
    try:
        numbers = [tree.values.axis.number(tree.values.values[i]) for i in inside.tolist()]
    except (InputError, ValueError):
        return None
    return (min(numbers), max(numbers), "") if numbers else None


def _by_tree(
    forms: Sequence[str], tree: CodedColumn, losses: Floats, widths: Floats
) -> tuple[Floats, Floats]:
    """Return ILoss and NCP of the words of a tree; of other forms what they were."""
    below = tree.tree.values_below
    leaves = set(tree.values.texts)
    for at, form in enumerate(forms):
        node = tree.tree.nodes.get(form)
        if node is None:
            continue
        leaf = form in leaves and tree.tree.ends[node] == node + 1
        losses[at] = 0.0 if leaf else tree.losses[node]
        if not tree.by_range:
            widths[at] = (below[node] - 1.0) / max(int(below[0]) - 1, 1)
    return losses, widths


def words_of(
    before: Column,
    after: Column,
    tree: CodedColumn | None,
    pairs: Pairs | None,
    strict: bool = False,
) -> Words:
    """Categories, released as themselves, as words of a tree, masks or *.

    A word of unknown meaning covers everything, or, where `strict`, nothing.
    """
    known = distinct_values(before.replace(order=None))
    encoded = after.values.dictionary_encode()
    texts = texts_of(after, encoded.dictionary)
    place = {value: code for code, value in enumerate(known.texts)}
    codes = np.asarray(encoded.indices.fill_null(len(texts)))
    if STAR in texts and STAR not in place:
        codes = np.where(codes == texts.index(STAR), len(texts), codes)
    unread: list[int] = []
    covers: list[Integers] = []
    for form, text in enumerate(texts):
        covered = _covered_by_tree(text, tree)
        if covered is None:
            covered = cover(text, known.texts, place)
        if covered is None:
            unread.append(form)
            covered = np.zeros(0, dtype=np.int64)
        covers.append(covered)
    if unread and pairs is not None:
        was, released = known.indices[pairs[0]], codes[pairs[1]]
        every = [np.bincount(part, minlength=len(texts) + 1) for part in (released, codes)]
        wide = len(known.texts) + 1
        seen = np.unique(released * wide + was + 1)  # form by form, its values in order
        starts = np.searchsorted(seen, np.arange(len(texts) + 1) * wide + 1)
        ends = np.searchsorted(seen, np.arange(1, len(texts) + 2) * wide)
        for form in [form for form in unread if every[0][form] == every[1][form]]:
            covers[form] = seen[starts[form] : ends[form]] % wide - 1
        unread = [form for form in unread if every[0][form] < every[1][form]]
    for form in unread:
        covers[form] = np.arange(0 if strict else len(known.texts))
    losses, widths = _flat(covers, len(known.texts))
    if tree is not None:
        losses, widths = _by_tree(texts, tree, losses, widths)
    after_codes = np.where(codes == len(texts), -1, codes).astype(np.int64)
    return Words(
        before.name, tuple(known.texts), known.indices, tuple(texts), after_codes, tuple(covers),
        np.array([place.get(text, -1) for text in texts], dtype=np.int64),
        losses[codes], widths[codes], not unread,
    )  # fmt: skip


def _covered_by_tree(text: str, tree: CodedColumn | None) -> Integers | None:
    """Return the values below a word of a tree; None where it is none."""
    node = None if tree is None else tree.tree.nodes.get(text)
    if tree is None or node is None:
        return None
    inside = (tree.nodes >= node) & (tree.nodes < tree.tree.ends[node])
    return np.flatnonzero(inside).astype(np.int64)


def _flat(covers: Sequence[Integers], values: int) -> tuple[Floats, Floats]:
    """Return ILoss and NCP of forms, and of what says nothing, in a tree of one level."""
    sizes = np.array([covered.size for covered in covers] + [values], dtype=np.float64)
    losses = np.where(sizes <= 1, 0.0, sizes / max(values, 1))
    widths = np.maximum(sizes - 1.0, 0.0) / max(values - 1, 1)
    losses[-1] = widths[-1] = 1.0
    return losses, widths
