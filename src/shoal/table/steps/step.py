"""Step: one change of a table on the way to its release, as a frozen value that checks itself."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from shoal.errors import RequestError, in_shape, nearest_names, shown
from shoal.table.steps.fields import ColumnName, Columns, taken, types_of

if TYPE_CHECKING:
    from shoal.kernels.arrays import Flags, Integers
    from shoal.table.steps.draws import Draws
    from shoal.table.table import Table


class When(StrEnum):
    """When a step is carried out."""

    BEFORE = "before grouping"  # changes what is grouped
    WITH = "with grouping"  # chosen together with the groups
    AFTER = "after grouping"  # changes kept columns, by the groups or by chance


class Suits(StrEnum):
    """Which columns a step can change."""

    ANY = "any"
    NUMBERS = "numbers"  # and dates
    DATES = "dates"
    TEXTS = "texts"
    CATEGORIES = "categories"  # texts, whole numbers and truth values


@dataclass(frozen=True)
class Context:
    """What a step may know beside the table: k, whose records these are, groups and chance.

    `folder` is where files of hierarchies are looked for; `labels` are the groups and `draws` the
    random numbers of a step after grouping.
    """

    __repr__ = in_shape

    k: int
    person: str | None = None
    folder: Path | None = None
    labels: Integers | None = None
    draws: Draws | None = None

    def people(self, table: Table, rows: Flags) -> int:
        """Return how many people some rows are of; records, where nobody says whose they are."""
        if self.person is None or self.person not in table.names:
            return int(rows.sum())
        import pyarrow as pa
        import pyarrow.compute as pc

        own = table[self.person].values.filter(pa.array(rows))
        return int(pc.count_distinct(own, mode="all").as_py())


@dataclass(frozen=True)
class Step:
    """A step of a release. Fields are its options, as a recipe's `[[steps]]` holds them.

    `kind` is its word in recipes and on the command line, `when` says whether it is carried out
    before the groups are made, together with them, or after; `row_wise`, whether a record's new
    cells follow from its own cells alone, whatever the fields; `suits`, which columns it can
    change.
    """

    kind: ClassVar[str]
    when: ClassVar[When] = When.BEFORE
    row_wise: ClassVar[bool] = False
    suits: ClassVar[Suits] = Suits.ANY

    def __post_init__(self) -> None:
        """Take the values of fields in any form that says them, and check the step."""
        for name, type_ in types_of(type(self)).items():
            place = f"step {self.kind}, {name}"
            object.__setattr__(self, name, taken(getattr(self, name), type_, place))
        self.check()

    def check(self) -> None:
        """Raise RequestError where fields contradict each other, or are out of range."""

    @property
    def changes(self) -> tuple[str, ...]:
        """The columns that it changes, makes or leaves out."""
        raise NotImplementedError

    @property
    def is_row_wise(self) -> bool:
        """Whether a record's new cells follow from its own cells alone, with these fields."""
        return self.row_wise

    def apply(self, table: Table, context: Context) -> Table:
        """Return the table after the step; the given one is not changed."""
        raise NotImplementedError

    def describe(self) -> str:
        """Return in words what the step does; it may be published, and holds no record's value."""
        raise NotImplementedError

    def published(self) -> Step:
        """Return the step as a published recipe has it: without values of the original."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the step as a table of TOML: its kind, and the fields that are not the default."""
        tree: dict[str, Any] = {"kind": self.kind}
        for own in fields(self):
            value = getattr(self, own.name)
            is_default = own.default is not MISSING and value == own.default
            if not is_default and not (own.default_factory is not MISSING and not value):
                tree[own.name] = list(value) if isinstance(value, tuple) else value
        return tree

    @classmethod
    def from_dict(cls, tree: dict[str, Any]) -> Self:
        """Return the step of a table of TOML."""
        known = [own.name for own in fields(cls)]
        for name in tree:
            if name != "kind" and name not in known:
                raise RequestError(
                    f"step {cls.kind}: {shown(name)} is none of its fields"
                    f"{nearest_names(str(name), known)}; they are {', '.join(known)}"
                )
        for own in fields(cls):
            needed = own.default is MISSING and own.default_factory is MISSING
            if needed and own.name not in tree:
                raise RequestError(f"step {cls.kind}: {own.name} is needed and not given")
        return cls(**{name: value for name, value in tree.items() if name != "kind"})

    def fail(self, column: str, why: str) -> RequestError:
        """Return the error of a step that cannot change a column."""
        return RequestError(f"step {self.kind} of {shown(column)}: {why}")


@dataclass(frozen=True)
class ColumnStep(Step):
    """A step that changes one column."""

    column: ColumnName

    @property
    def changes(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)


@dataclass(frozen=True)
class ColumnsStep(Step):
    """A step that changes several columns."""

    columns: Columns

    @property
    def changes(self) -> tuple[str, ...]:
        """The columns."""
        return self.columns
