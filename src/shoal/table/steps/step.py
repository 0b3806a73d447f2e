"""Step: one change of a table on the way to its release, as a frozen value that checks itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from shoal.errors import RequestError, nearest_names, shown

if TYPE_CHECKING:
    from shoal.kernels.arrays import Flags, Integers
    from shoal.table.steps.draws import Draws
    from shoal.table.table import Table

ColumnName = Annotated[str, "column"]  # a form offers the columns that there are
RuleText = Annotated[str, "rule"]  # a hierarchy: a rule, or a file
Columns = tuple[str, ...]
Values = Mapping[str, str]
Number = int | float
Threshold = int | float | str  # a number, or a date as text


def types_of(cls: Any) -> dict[str, Any]:
    """Return the types of a step's fields, by name, in their order."""
    from dataclasses import fields

    hints = get_type_hints(cls)
    return {own.name: hints[own.name] for own in fields(cls)}


def taken(value: Any, type_: Any, place: str) -> Any:
    """Return a value as a field of a type holds it; raise RequestError if it is none.

    Texts stand for numbers (`-1`, `1%`) and lists of names (`a,b`), so that a word of the command
    line, a value of TOML and one of Python come to the same.
    """
    options = get_args(type_) if get_origin(type_) in (UnionType, Union) else (type_,)
    if value is None and NoneType in options:
        return None
    plain = tuple(one for one in options if one is not NoneType)
    if get_origin(plain[0]) is Literal:
        return _choice(value, get_args(plain[0]), place)
    if plain[0] == Columns:
        return _names(value, place)
    if get_origin(plain[0]) is get_origin(Values):
        return _values(value, place)
    if plain == (str,):
        return _text(value, place)
    if plain == (bool,):
        return _flag(value, place)
    if plain == (int,):
        return _whole(value, place)
    return _number(value, place, str in plain)


def _choice(value: Any, choices: tuple[Any, ...], place: str) -> Any:
    if value not in choices:
        raise RequestError(f"{place} must be {', '.join(choices[:-1])} or {choices[-1]}")
    return value


def _names(value: Any, place: str) -> tuple[str, ...]:
    if isinstance(value, str):
        import csv

        names = next(csv.reader([value], strict=True), [])
    else:
        names = list(value) if isinstance(value, list | tuple) else []
    if not names or not all(isinstance(name, str) and name for name in names):
        raise RequestError(f"{place} must be names of columns")
    if len(set(names)) < len(names):
        raise RequestError(f"{place} names a column twice")
    return tuple(names)


def _values(value: Any, place: str) -> dict[str, str]:
    if not isinstance(value, Mapping) or not value:
        raise RequestError(f"{place} must be a table: of each value what becomes of it")
    if not all(isinstance(one, str) for one in value.values()):
        raise RequestError(f"{place}: what becomes of a value must be a text")
    return {str(key): one for key, one in value.items()}


def _text(value: Any, place: str) -> str:
    """Return a text; a date is one as it is written."""
    value = value.isoformat() if hasattr(value, "isoformat") else value
    if not isinstance(value, str) or not value:
        raise RequestError(f"{place} must be a text")
    return value


def _flag(value: Any, place: str) -> bool:
    words = {"yes": True, "true": True, "no": False, "false": False}
    if isinstance(value, str) and value in words:
        return words[value]
    if not isinstance(value, bool):
        raise RequestError(f"{place} must be yes or no")
    return value


def _whole(value: Any, place: str) -> int:
    import operator

    try:
        if isinstance(value, bool):
            raise TypeError
        return int(value) if isinstance(value, str) else operator.index(value)
    except (TypeError, ValueError):
        raise RequestError(f"{place} must be a whole number") from None


def _number(value: Any, place: str, or_text: bool) -> int | float | str:
    """Return a number of any type as Python's own; a text is read as one, `1%` as a share."""
    if isinstance(value, str):
        digits = value.strip().removesuffix("%")
        try:
            number = int(digits) if digits.lstrip("+-").isdecimal() else float(digits)
        except ValueError:
            if or_text and value:
                return value
            raise RequestError(f"{place} must be a number") from None
        number = number / 100 if digits != value.strip() else number
    elif isinstance(value, bool) or not hasattr(value, "__float__"):
        if or_text and hasattr(value, "isoformat"):
            return str(value.isoformat())
        raise RequestError(f"{place} must be a number")
    else:
        number = int(value) if hasattr(value, "__index__") else float(value)
    if not math.isfinite(number):
        raise RequestError(f"{place} must be a number, and finite")
    return number


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


@dataclass(frozen=True, repr=False)
class Context:
    """What a step may know beside the table: k, whose records these are, groups and chance.

    `folder` is where files of hierarchies are looked for; `labels` are the groups and `draws` the
    random numbers of a step after grouping.
    """

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
