"""Whole groups of a release, and their columns before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from shoal.backends.once import once
from shoal.errors import in_shape
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.release.aggregate import AVERAGED
from shoal.report.counts import is_numbers, same_cells, starred
from shoal.table.encode_nodes import Coded, CodedColumn
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table, present, some_rows

GENERALIZED = ("generalize", "range")  # aggregators that release nodes of hierarchies, or intervals


@dataclass(frozen=True, eq=False)
class Pair:
    """A quasi-identifier of a chunk before and after, with its groups' `labels` and `aggregator`.

    `weights` are survey weights of the records.
    """

    __repr__ = in_shape

    before: Column
    after: Column
    aggregator: str
    tree: CodedColumn | None
    labels: Integers
    weights: Floats | None

    @property
    def name(self) -> str:
        """The column's name."""
        return self.before.name

    @once
    def there(self) -> Flags:
        """Which cells were not missing."""
        return present(self.before)

    @once
    def stars(self) -> Flags:
        """Which released cells are suppressed."""
        return starred(self.after)

    @once
    def kept(self) -> Flags:
        """Which cells were there and are not suppressed."""
        return self.there & ~self.stars

    @once
    def same(self) -> Flags:
        """Which cells are released as they were."""
        if self.aggregator not in GENERALIZED:
            return self.kept & same_cells(self.before, self.after)
        assert self.tree is not None
        values = self.tree.values
        texts = np.array([*values.texts, ""], dtype=object)[values.indices]
        same: Flags = texts == np.array(self.after.values.to_pylist(), dtype=object)
        return self.kept & same

    @property
    def is_numbers(self) -> bool:
        """Whether the column held numbers or dates, still does, and releases some."""
        return is_numbers(self.before, self.after) and bool(self.kept.any())

    @property
    def has_places(self) -> bool:
        """Whether the column releases numbers, dates or medians of ranks."""
        ranked = self.before.is_ordinal and self.aggregator in AVERAGED
        return self.is_numbers or (ranked and bool(self.kept.any()))

    @property
    def is_whole(self) -> bool:
        """Whether both sides are whole numbers of one unit."""
        same = self.before.values.type == self.after.values.type
        return self.before.is_ordinal or (same and self.before.kind is not Kind.FLOAT)

    def cells(self) -> tuple[Column, Column]:
        """Return the kept cells of both sides; ordinal ones have the order of the original."""
        after = self.after
        if self.before.is_ordinal:
            after = after.replace(order=self.before.order)
        return some_rows(self.before, self.kept), some_rows(after, self.kept)

    def mass(self, rows: Flags) -> float:
        """Return how many records some rows stand for: their number, or the sum of their weights.

        That of weights is exact enough as a float: every figure divides by it once.
        """
        if self.weights is None:
            return int(np.count_nonzero(rows))
        return float(self.weights[rows].sum())


@dataclass(frozen=True, eq=False)
class Chunk:
    """Whole groups of a release, all or some: row i of both tables is the same record.

    `labels` are the groups, `aggregators` those of the columns, `wider` the groups of columns that
    have an own, larger k. `weights` are survey weights, `released_weights` those that are
    released. `originals` is the table before kept columns were rounded: where it is not known, no
    totals are given. `points` are the records as the method saw them, where nobody has measured
    the loss of its groups.
    """

    __repr__ = in_shape

    before: Table
    after: Table
    labels: Integers
    aggregators: Mapping[str, str]
    coded: Coded | None = None
    wider: Mapping[str, Integers] = field(default_factory=dict)
    weights: Floats | None = None
    released_weights: Floats | None = None
    originals: Table | None = None
    points: Floats | None = None

    @once
    def pairs(self) -> tuple[Pair, ...]:
        """The quasi-identifiers before and after."""
        trees = {} if self.coded is None else {one.name: one for one in self.coded.columns}
        return tuple(
            Pair(
                column,
                self.after[column.name],
                self.aggregators[column.name],
                trees.get(column.name),
                self.wider.get(column.name, self.labels),
                self.weights,
            )
            for column in self.before.with_role(Role.QUASI_IDENTIFIER)
        )
