"""Both sides of a column: what the originals were, and what the release says of them.

A released number is an interval, most often of one point; a released word covers some of the
original's values; `*` and a missing cell say nothing and cover everything. Numbers are shifted and
scaled so that no difference drowns or overflows: in the column's own unit a value is
(base + scaled) * unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError
from shoal.measures.forms import cover, span
from shoal.table.code import CodedColumn
from shoal.table.hierarchy.axis import Axis
from shoal.table.hierarchy.values import distinct_values
from shoal.table.roles import STAR, TICKS, Column, Kind
from shoal.table.table import as_floats, as_integers, missing_cells, some_rows

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

DAY = 86_400.0  # seconds
BEYOND_ALL = Fraction(10) ** 300  # an end that no number reaches
FAR = 300  # binary orders of magnitude from which numbers are scaled


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers, dates or ranks: originals, and the ends of what is released.

    Not-a-number is a missing original, or a released cell that says nothing. `said` tells whether
    the others are single numbers (means, medians), none an interval; `closed` which released
    intervals name their ends as [a,b] does. `losses` and `widths` are ILoss and NCP of every
    released cell, `step` is one step of the column's last digit, 0 where it has none.
    """

    name: str
    before: Floats
    low: Floats
    high: Floats
    base: float
    unit: float
    step: float
    said: bool
    closed: Flags
    losses: Floats
    widths: Floats
    magnitudes: bool
    kind: str

    @property
    def after(self) -> Floats:
        """The released numbers, the middle of an interval; not-a-number where nothing is said."""
        middle: Floats = self.low + (self.high - self.low) / 2
        return middle

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the originals (n - 1), scaled; 0 for a constant."""
        return deviation(self.before[~np.isnan(self.before)])

    def own(self, value: float) -> float:
        """Return a scaled value in the column's own unit."""
        return (self.base + float(value)) * self.unit

    @property
    def shown(self) -> Numbers:
        """The column without originals whose release says nothing; row i of both is one person.

        A figure of all originals beside one of all released numbers would give those away.
        """
        return replace(self, before=np.where(np.isnan(self.low), np.nan, self.before))

    def taken(self, before: Integers, after: Integers) -> Numbers:
        """Return some originals and some released records."""
        return replace(
            self,
            before=self.before[before],
            low=self.low[after],
            high=self.high[after],
            closed=self.closed[after],
            losses=self.losses[after],
            widths=self.widths[after],
        )


@dataclass(frozen=True, eq=False)
class Words:
    """A column of categories: codes of originals in `values`, of released cells in `forms`.

    -1 is a missing original, or a released cell that says nothing; `covers` lists the values that
    each form covers, `own` is the value that a form is itself (-1: none). `read` tells whether
    somebody knows what every form covers.
    """

    name: str
    values: tuple[str, ...]
    before: Integers
    forms: tuple[str, ...]
    after: Integers
    covers: tuple[Integers, ...]
    own: Integers
    losses: Floats
    widths: Floats
    read: bool = True

    @cached_property
    def links(self) -> tuple[Integers, Integers]:
        """Form and value of everything that is covered, in the order of the values."""
        forms = np.repeat(np.arange(len(self.covers)), [covered.size for covered in self.covers])
        values = np.concatenate([*self.covers, np.zeros(0, dtype=np.int64)]).astype(np.int64)
        order = np.argsort(values, kind="stable")
        return forms[order].astype(np.int64), values[order]

    def spread(self, counts: Floats) -> Floats:
        """Spread counts of forms evenly over the values they cover.

        The last count is that of cells that say nothing, which are as the originals are.
        """
        forms, values = self.links
        sizes = np.array([max(covered.size, 1) for covered in self.covers], dtype=np.float64)
        shape = (len(self.values), *counts.shape[1:])
        found = np.zeros(shape)
        weights = counts[:-1] / sizes.reshape(-1, *([1] * (counts.ndim - 1)))
        np.add.at(found, values, weights[forms])
        known = np.bincount(self.before[self.before >= 0], minlength=len(self.values))
        shares = known / max(int(known.sum()), 1)
        spread: Floats = found + np.multiply.outer(shares, counts[-1])
        return spread

    def fits(self, before: Integers, after: Integers) -> Flags:
        """Return which originals (rows) are covered by which released cells (columns).

        What says nothing covers everything; a missing original is covered by nothing else.
        """
        forms, values = self.links
        wanted, back = np.unique(before, return_inverse=True)
        table = np.zeros((wanted.size, len(self.forms) + 1), dtype=bool)
        starts, ends = (np.searchsorted(values, wanted, side) for side in ("left", "right"))
        for row in range(wanted.size):
            table[row, forms[starts[row] : ends[row]]] = True
        table[:, -1] = True
        found: Flags = table[back.reshape(-1)[:, None], after[None, :]]
        return found

    def taken(self, before: Integers, after: Integers) -> Words:
        """Return some originals and some released records."""
        return replace(
            self,
            before=self.before[before],
            after=self.after[after],
            losses=self.losses[after],
            widths=self.widths[after],
        )


Side = Numbers | Words
Pairs = tuple[Integers, Integers]


def deviation(values: Floats) -> float:
    """Return the standard deviation with divisor n - 1; exactly 0 where all values are equal."""
    if values.size < 2 or values.min() == values.max():
        return 0.0
    centered = values - values.mean()
    return float(np.sqrt((centered * centered).sum() / (values.size - 1)))


def both_sides(
    before: Column, after: Column, tree: CodedColumn | None, pairs: Pairs | None
) -> Side:
    """Return what a column was and what is released of it.

    `tree` is the hierarchy of the column, where one was given; `pairs` are the rows of both that
    are the same record's, None where nobody knows: of these it is seen what an unknown word covers.
    """
    numeric = before.has_places and not (before.kind is Kind.BOOLEAN and not after.kind.is_numeric)
    if numeric and after.kind.is_numeric:
        return _numbers(before, after)
    if numeric:
        found = _intervals(before, after, tree)
        if found is not None:
            return found
    return _words(before, after, tree, pairs)


def _numbers(before: Column, after: Column) -> Numbers:
    """Numbers that stayed numbers."""
    first, second = _present(before), _present(after)
    old, new, base, unit = _on_one_scale(before, after, first, second)
    b, a = np.full(first.size, np.nan), np.full(second.size, np.nan)
    b[first], a[second] = old, new
    nothing = np.zeros(a.size)
    lost = np.where(second, 0.0, 1.0)
    return Numbers(
        before.name, b, a, a, base, unit, _step(before, unit), True, nothing.astype(bool),
        lost, lost, _is_magnitude(before, b, base), before.kind_name,
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
        scaled = [
            np.zeros(0) if part is None else (part.astype(object) - low).astype(np.float64)
            if part.dtype == object or abs(low) > 2**62
            else (part - low).astype(np.float64)
            for part in whole
        ]  # fmt: skip
        return scaled[0], scaled[1], float(low), _unit(before)
    old_floats, new_floats = _floats(old), _floats(new)
    unit = _scale(old_floats, new_floats)
    return old_floats / unit, new_floats / unit, 0.0, unit


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


def _floats(column: Column) -> Floats:
    values = as_floats(column)
    if column.kind is Kind.DATETIME:
        values = values / (DAY * TICKS[column.values.type.unit])
    return values


def _step(column: Column, unit: float) -> float:
    """Return one step of the column's last digit on the scale; 0 where nobody knows it."""
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


def _present(column: Column) -> Flags:
    return ~missing_cells(column)


def _intervals(before: Column, after: Column, tree: CodedColumn | None) -> Numbers | None:
    """Numbers released as texts: [a,b], words of a tree, *. None where a text is neither."""
    first = _present(before)
    old = some_rows(before, first)
    numbers = _floats(old)
    axis = Axis("rank" if before.is_ordinal else
                "number" if before.kind.is_number else str(before.kind))  # fmt: skip
    encoded = after.values.dictionary_encode()
    forms: list[str] = encoded.dictionary.to_pylist()
    ranks = {text: Fraction(rank) for rank, text in enumerate(before.order or ())}
    step = _step(before, 1.0)
    least, most = (numbers.min(), numbers.max()) if numbers.size else (0.0, 0.0)
    ends = np.full((len(forms) + 1, 2), np.nan)
    closed = np.zeros(len(forms) + 1, dtype=bool)
    said = tree is None
    for at, form in enumerate(forms):
        if form == STAR:
            continue
        found = span(form, axis, ranks) or _below(form, tree)
        if found is None:
            return None
        low, high, mark = found
        high = high - Fraction(step) if mark == ")" else high
        ends[at, 0] = least if low <= -BEYOND_ALL else float(low)
        ends[at, 1] = most if high >= BEYOND_ALL else float(high)
        closed[at] = mark == "]"
        said = said and not mark
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
        before.name, b, ends[codes, 0], ends[codes, 1], 0.0, unit, step, said, closed[codes],
        losses[codes], widths[codes], _is_magnitude(before, b, 0.0), before.kind_name,
    )  # fmt: skip


def _below(form: str, tree: CodedColumn | None) -> tuple[Fraction, Fraction, str] | None:
    """Return the least and the greatest value below a word of a tree."""
    node = None if tree is None else tree.tree.nodes.get(form)
    if tree is None or node is None:
        return None
    inside = (tree.nodes >= node) & (tree.nodes < tree.tree.ends[node])
    values = [tree.values.values[i] for i in np.flatnonzero(inside)]
    try:
        numbers = [tree.values.axis.number(value) for value in values]
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


def _words(before: Column, after: Column, tree: CodedColumn | None, pairs: Pairs | None) -> Words:
    """Categories, released as themselves, as words of a tree, masks or *."""
    from shoal.table.texts import texts_of

    known = distinct_values(before.having(order=None))
    encoded = after.values.dictionary_encode()
    texts = texts_of(after, encoded.dictionary)
    place = {value: code for code, value in enumerate(known.texts)}
    codes = np.asarray(encoded.indices.fill_null(len(texts)))
    if STAR in texts and STAR not in place:
        codes = np.where(codes == texts.index(STAR), len(texts), codes)
    unread: list[int] = []
    covers: list[Integers] = []
    for form, text in enumerate(texts):
        found = _covered_by_tree(text, tree)
        if found is None:
            found = cover(text, known.texts, place)
        if found is None:
            unread.append(form)
            found = np.zeros(0, dtype=np.int64)
        covers.append(found)
    if unread and pairs is not None:
        was, said = known.indices[pairs[0]], codes[pairs[1]]
        every = [np.bincount(part, minlength=len(texts) + 1) for part in (said, codes)]
        wide = len(known.texts) + 1
        seen = np.unique(said * wide + was + 1)  # form by form, its values in order
        starts = np.searchsorted(seen, np.arange(len(texts) + 1) * wide + 1)
        ends = np.searchsorted(seen, np.arange(1, len(texts) + 2) * wide)
        for form in [form for form in unread if every[0][form] == every[1][form]]:
            covers[form] = seen[starts[form] : ends[form]] % wide - 1
        unread = [form for form in unread if every[0][form] < every[1][form]]
    for form in unread:
        covers[form] = np.arange(len(known.texts))
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
