"""RankSwap and RecordSwap: kept values change places, so that no distribution changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from shoal.errors import RequestError
from shoal.table.steps.step import Columns, ColumnsStep, ColumnStep, Context, Number, Suits, When

if TYPE_CHECKING:
    from shoal.kernels.arrays import Floats, Integers
    from shoal.table.roles import Column
    from shoal.table.table import Table


@dataclass(frozen=True)
class RankSwap(ColumnStep):
    """Swap values of a kept column between records of similar rank.

    Parameters
    ----------
    column : str
        The column, of numbers or dates.
    share : float, default 0.05
        How far apart in rank two records may be, as a share of those that are there.
    within : {"groups", "all"}, default "groups"
        Swap within groups, which keeps what each group holds, or anywhere. In a group every rank
        is near: the share counts only anywhere.

    References
    ----------
    Moore (1996), Controlled data-swapping techniques for masking public use microdata sets.
    """

    kind: ClassVar[str] = "rankswap"
    when: ClassVar[When] = When.AFTER
    suits: ClassVar[Suits] = Suits.NUMBERS
    share: Number = 0.05
    within: Literal["groups", "all"] = "groups"

    def check(self) -> None:
        """Refuse a share that is none."""
        if not 0 < self.share <= 1:
            raise RequestError("step rankswap, share must lie above 0, and at most at 1")

    def apply(self, table: Table, context: Context) -> Table:
        """Return the table with values of the column swapped."""
        from shoal.table.steps.numbers import Numbers
        from shoal.table.steps.texts import with_columns

        assert context.draws is not None
        assert context.labels is not None
        column = table[self.column]
        numbers = Numbers.of(column, self.kind)
        there = np.flatnonzero(~numbers.gone)
        labels = context.labels[there] if self.within == "groups" else np.zeros_like(there)
        order = np.lexsort((numbers.values.astype(np.float64), labels))
        partners = self._partners(labels[order], context.draws.uniforms(there.size))
        source = np.arange(table.rows)
        source[there[order]] = there[order[partners]]
        return with_columns(table, {self.column: taken_from(column, source)})

    def _partners(self, labels: Integers, chance: Floats) -> Integers:
        """Return with whom each rank swaps: the first free one at a random distance, or itself."""
        ends = np.searchsorted(labels, labels, "right")
        sizes = np.bincount(labels)[labels]
        reach = sizes - 1 if self.within == "groups" else np.ceil(float(self.share) * sizes)
        partners = np.arange(labels.size)
        free = np.ones(labels.size, dtype=bool)
        for rank in range(labels.size):
            if not free[rank]:
                continue
            last = min(rank + int(reach[rank]), int(ends[rank]) - 1)
            wanted = rank + 1 + int(chance[rank] * (last - rank))
            others = np.flatnonzero(free[rank + 1 : last + 1]) + rank + 1
            if others.size:
                other = others[np.abs(others - wanted).argmin()]
                partners[rank], partners[other] = other, rank
                free[[rank, other]] = False
        return partners

    def describe(self) -> str:
        """Return where values are swapped."""
        where = "within groups" if self.within == "groups" else f"within {100 * self.share:g} %"
        return f"{self.column}: values are swapped between records of similar rank, {where}"


@dataclass(frozen=True)
class RecordSwap(ColumnsStep):
    """Swap kept columns, together, between similar records of different groups.

    Parameters
    ----------
    columns : sequence of str
        The kept columns that change places together.
    share : float, default 0.1
        The share of the records that are swapped, nearly.
    match : sequence of str, optional
        Columns that two records must agree in.

    Notes
    -----
    Similar are records that follow each other in the released quasi-identifiers, along their first
    principal component; texts count by their order.

    References
    ----------
    Dalenius and Reiss (1982), Data-swapping: a technique for disclosure control.
    """

    kind: ClassVar[str] = "recordswap"
    when: ClassVar[When] = When.AFTER
    share: Number = 0.1
    match: Columns | None = None

    def check(self) -> None:
        """Refuse a share that is none, and columns that are to agree and to change."""
        if not 0 < self.share <= 1:
            raise RequestError("step recordswap, share must lie above 0, and at most at 1")
        if set(self.match or ()) & set(self.columns):
            raise RequestError("step recordswap: a column is to be swapped and to match")

    def apply(self, table: Table, context: Context) -> Table:
        """Return the table with the columns of some records swapped."""
        from shoal.table.steps.texts import with_columns

        assert context.draws is not None
        assert context.labels is not None
        strata = _codes([table[name] for name in self.match or ()], table.rows)
        picked = np.flatnonzero(context.draws.of("who").uniforms(table.rows) < self.share)
        along = _along(table)
        tied = context.draws.of("ties").order(table.rows)
        order = picked[np.lexsort((tied[picked], along[picked], strata[picked]))]
        source = np.arange(table.rows)
        waiting = -1
        for row in order.tolist():
            apart = waiting >= 0 and context.labels[waiting] != context.labels[row]
            if apart and strata[waiting] == strata[row]:
                source[waiting], source[row] = row, waiting
                waiting = -1
            else:
                waiting = row
        return with_columns(table, {n: taken_from(table[n], source) for n in self.columns})

    def describe(self) -> str:
        """Return which columns are swapped, of how many records."""
        match = f" that agree in {', '.join(self.match)}" if self.match else ""
        return (
            f"{', '.join(self.columns)}: swapped between similar records{match}, "
            f"about {100 * self.share:g} % of them"
        )


def taken_from(column: Column, source: Integers) -> Column:
    """Return a column whose cells are those of other rows."""
    import pyarrow as pa

    index = pa.array(source)
    return column.replace(values=column.values.take(index), cells=None, quoted=None, rounded=True)


def _codes(columns: list[Column], rows: int) -> Integers:
    """Return the number of every record's combination of cells."""
    codes: Any = np.zeros(rows, dtype=np.int64)
    for column in columns:
        encoded = column.values.dictionary_encode()
        own = np.asarray(encoded.indices.fill_null(len(encoded.dictionary))).astype(np.int64)
        codes = np.unique(codes * (own.max(initial=0) + 1) + own, return_inverse=True)[1]
        codes = codes.reshape(-1)
    return codes  # type: ignore[no-any-return]


def _along(table: Table) -> Floats:
    """Return where records lie along the first principal component of the quasi-identifiers."""
    from shoal.table.roles import Role

    points = np.stack([_ranks(c) for c in table.with_role(Role.QUASI_IDENTIFIER)], axis=1)
    points = points - points.mean(axis=0)
    scale = points.std(axis=0)
    points = points / np.where(scale > 0, scale, 1.0)
    _, vectors = np.linalg.eigh(points.T @ points)
    axis = vectors[:, -1]
    axis = axis * np.sign(axis[np.abs(axis).argmax()])  # of the two directions always the same
    along: Floats = points @ axis
    return along


def _ranks(column: Column) -> Floats:
    """Return the cells as ranks of their distinct values; missing ones come first."""
    from shoal.table.hierarchy.values import distinct_values

    ranks: Floats = distinct_values(column).indices.astype(np.float64)
    return ranks
