"""Recode, Level and Prefix: texts become other texts, fewer of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from shoal.errors import RequestError
from shoal.hints import option
from shoal.table.steps.step import ColumnStep, Context, RuleText, Step, Suits, Values

if TYPE_CHECKING:
    from shoal.table.table import Table

HIDDEN = "hidden"  # in the place of values in a published recipe


def hides_values(step: Step) -> bool:
    """Tell whether a step is one of a published recipe, without what it recodes."""
    if isinstance(step, Level):
        return step.hierarchy == HIDDEN
    return isinstance(step, Recode) and f"{HIDDEN} 1" in step.values


@dataclass(frozen=True)
class Recode(ColumnStep):
    """Replace values of a column by others.

    Parameters
    ----------
    column : str
        The column; numbers are recoded as they are written, and become texts.
    values : mapping of str to str
        What becomes of each value.
    rest : {"refuse", "keep", "missing"} or str, default "refuse"
        What becomes of values that are not listed: an error, themselves, a missing cell.
    """

    kind: ClassVar[str] = "recode"
    row_wise: ClassVar[bool] = True
    values: Values
    rest: Literal["refuse", "keep", "missing"] = "refuse"

    def apply(self, table: Table, _context: Context) -> Table:
        """Return the table with the column's values replaced."""
        import numpy as np

        from shoal.table.steps.texts import texts_in, with_columns, with_texts

        column = table[self.column]
        if not column.kind.is_grouped:
            raise self.fail(self.column, f"cells of kind {column.kind_name} cannot be recoded")
        own = texts_in(column)
        unlisted = [text not in self.values for text in own.texts]
        if any(unlisted) and self.rest == "refuse":
            rows = int(own.counts[np.array(unlisted)].sum())
            raise self.fail(
                self.column,
                f"{sum(unlisted)} of its values, in {rows} records, are not listed; list them, or "
                "say rest keep or rest missing",
            )
        if self.rest == "missing":
            out = np.flatnonzero(unlisted)
            own = replace(own, indices=np.where(np.isin(own.indices, out), -1, own.indices))
        texts = [self.values.get(text, text) for text in own.texts]
        return with_columns(table, {self.column: with_texts(column, own, texts)})

    def describe(self) -> str:
        """Return how many values become how many; not which."""
        after = len(set(self.values.values()))
        rest = {"refuse": "", "keep": ", others stay", "missing": ", others become missing"}
        return f"{self.column}: {len(self.values)} values become {after}{rest[self.rest]}"

    def published(self) -> Step:
        """Return the step with the number of its values alone: they may not be in the release."""
        hidden = {f"{HIDDEN} {place}": new for place, new in enumerate(self.values.values(), 1)}
        return replace(self, values=hidden)


@dataclass(frozen=True)
class Level(ColumnStep):
    """Replace values of a column by what a hierarchy has above them, at one level for all.

    Parameters
    ----------
    column : str
        The column.
    hierarchy : str
        A FILE.csv, or a rule such as "widths:5,10" or "prefixes:3,2", as in `hierarchies`.
    level : int, default 1
        The level: 1 is right above the values.
    """

    kind: ClassVar[str] = "level"
    hierarchy: RuleText
    level: int = 1

    def check(self) -> None:
        """Refuse levels below 1."""
        if self.level < 1:
            raise RequestError("step level, level must be at least 1: 0 are the values themselves")

    @property
    def is_row_wise(self) -> bool:
        """Whether a value's label depends on no other value; quantiles and balanced trees do."""
        return self.hierarchy.partition(":")[0] not in ("quantiles", "balanced")

    def apply(self, table: Table, context: Context) -> Table:
        """Return the table with the column at the level of its hierarchy."""
        from shoal.table.encode_nodes import code
        from shoal.table.levels import level_nodes
        from shoal.table.roles import Role
        from shoal.table.steps.texts import texts_in, with_columns, with_texts

        column = table[self.column]
        if not column.kind.is_grouped:
            raise self.fail(self.column, f"cells of kind {column.kind_name} have no hierarchy")
        alone = column.replace(role=Role.QUASI_IDENTIFIER, order=None)
        only = replace(table, columns=(alone,))
        (coded,) = code(only, {self.column: self.hierarchy}, context.folder).columns
        nodes = level_nodes(coded)
        if self.level >= nodes.shape[0] and coded.values.texts:
            raise self.fail(self.column, f"the hierarchy has levels up to {nodes.shape[0] - 1}")
        own = texts_in(column)
        labels = coded.tree.labels
        texts = [labels[node] for node in nodes[self.level][:-1]] if own.texts else []
        return with_columns(table, {self.column: with_texts(column, own, texts)})

    def describe(self) -> str:
        """Return at which level of which hierarchy the column is."""
        rule = self.hierarchy if ":" in self.hierarchy else "a hierarchy"
        return f"{self.column} is recoded to level {self.level} of {rule}"

    def published(self) -> Step:
        """Return the step without the name of a file of its hierarchy, which lists values."""
        is_rule = ":" in self.hierarchy or self.hierarchy in ("dates", "balanced", "flat")
        return self if is_rule else replace(self, hierarchy=HIDDEN)


@dataclass(frozen=True)
class Prefix(ColumnStep):
    """Keep the first signs of texts: of postal codes, statistical areas, classifications.

    Parameters
    ----------
    column : str
        The column, of texts.
    length : int
        How many signs stay.
    """

    kind: ClassVar[str] = "prefix"
    row_wise: ClassVar[bool] = True
    suits: ClassVar[Suits] = Suits.TEXTS
    length: int

    def check(self) -> None:
        """Refuse a length below 1."""
        if self.length < 1:
            raise RequestError("step prefix, length must be at least 1")

    def apply(self, table: Table, _context: Context) -> Table:
        """Return the table with the column's texts cut."""
        from shoal.table.roles import Kind
        from shoal.table.steps.texts import texts_in, with_columns, with_texts

        column = table[self.column]
        if column.kind is not Kind.TEXT:
            raise self.fail(
                self.column,
                f"it is {column.kind_name}, and numbers lose leading zeros; say "
                f"{option('types', {self.column: 'text'})}",
            )
        own = texts_in(column)
        texts = [text[: self.length] for text in own.texts]
        return with_columns(table, {self.column: with_texts(column, own, texts)})

    def describe(self) -> str:
        """Return how many signs stay."""
        return f"{self.column} is cut to its first {self.length} signs"
