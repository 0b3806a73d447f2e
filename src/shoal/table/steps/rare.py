"""Rare and Drop: rare categories are merged, columns are left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import RequestError, listed
from shoal.table.steps.step import ColumnsStep, ColumnStep, Context, Suits

if TYPE_CHECKING:
    from shoal.table.table import Table


@dataclass(frozen=True)
class Rare(ColumnStep):
    """Merge the categories of a column that few records have.

    Parameters
    ----------
    column : str
        The column, of texts, whole numbers or truth values.
    least : int, optional
        How many records a category has that stays, at least; by default k.
    label : str, default "other"
        What the merged categories become. Where they have fewer than `least` records together,
        the next rarest is merged, too.
    """

    kind: ClassVar[str] = "rare"
    suits: ClassVar[Suits] = Suits.CATEGORIES
    least: int | None = None
    label: str = "other"

    def check(self) -> None:
        """Refuse a least number of records below 2."""
        if self.least is not None and self.least < 2:
            raise RequestError("step rare, least must be at least 2")

    def apply(self, table: Table, context: Context) -> Table:
        """Return the table with rare categories merged."""
        from shoal.table.roles import Kind
        from shoal.table.steps.texts import texts_in, with_columns, with_texts

        column, least = table[self.column], self.least or context.k
        if column.kind not in (Kind.TEXT, Kind.INTEGER, Kind.BOOLEAN):
            raise self.fail(self.column, f"it is {column.kind_name}, which has no categories")
        own = texts_in(column)
        kept = own.texts.index(self.label) if self.label in own.texts else None
        order = sorted(range(len(own.texts)), key=lambda i: (own.counts[i], own.texts[i]))
        merged = [i for i in order if own.counts[i] < least and i != kept]
        if not merged:
            return table
        together = sum(int(own.counts[i]) for i in {*merged, *([] if kept is None else [kept])})
        for i in order:
            if together >= least:
                break
            if i not in merged and i != kept:
                merged.append(i)
                together += int(own.counts[i])
        gone = set(merged)
        texts = [self.label if i in gone else text for i, text in enumerate(own.texts)]
        return with_columns(table, {self.column: with_texts(column, own, texts)})

    def describe(self) -> str:
        """Return which categories are merged, by their size."""
        least = "k" if self.least is None else str(self.least)
        return f"{self.column}: categories of fewer than {least} records become '{self.label}'"


@dataclass(frozen=True)
class Drop(ColumnsStep):
    """Leave columns out.

    Parameters
    ----------
    columns : sequence of str
        Their names.
    """

    kind: ClassVar[str] = "drop"
    row_wise: ClassVar[bool] = True

    def apply(self, table: Table, _context: Context) -> Table:
        """Return the table without the columns."""
        for name in self.columns:
            _ = table[name]
        left = tuple(one for one in table.columns if one.name not in self.columns)
        if not left:
            raise RequestError("step drop leaves no column")
        return replace(table, columns=left)

    def describe(self) -> str:
        """Return which columns are left out."""
        return f"{listed(self.columns)} left out"
