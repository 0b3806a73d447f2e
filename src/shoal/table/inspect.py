"""Inspection of a table: kinds, missing cells, distinct values, likely roles."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import asdict, dataclass

import numpy as np
import pyarrow as pa

from shoal.errors import Json, shown
from shoal.hints import Message, option, said, spoken
from shoal.table.assign import distinct, identifier_reason
from shoal.table.dialects.writing_notes import writing_note
from shoal.table.integer_codes import question
from shoal.table.roles import Column, Kind, Role
from shoal.table.similar_names import names_alike, similar_name_notes
from shoal.table.table import Table, as_floats, present, some_rows
from shoal.table.texts import texts_of


@dataclass(frozen=True)
class ColumnView:
    """One column in counts; `suspected` is a role to think about, with its reason.

    `alike` are other columns whose names differ in case, spaces or Unicode form alone.
    `codes` asks whether its numbers are codes of categories, and says what to do then. `written`
    says how its cells were taken, where its kind does not tell it.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    suspected: str
    reason: str
    warning: str | None = None
    near_duplicates: int = 0
    alike: tuple[str, ...] = ()
    codes: str | None = None
    written: str | None = None


@dataclass(frozen=True)
class Inspection:
    """A table in counts. It holds no cell."""

    records: int
    columns: tuple[ColumnView, ...]

    def summary(self) -> str:
        """Return the columns as lines of text."""
        width = max(6, *(len(_name(c)) for c in self.columns))
        lines = [f"  {'column':<{width}}  {'kind':<8}  missing  distinct  role?"]
        for c in self.columns:
            lines.append(
                f"  {_name(c):<{width}}  {c.kind:<8}  {c.missing:>7}  {c.distinct:>8}  "
                f"{c.suspected}: {c.reason}"
            )
        lines.extend(f"  {_name(c)}: {said(c.warning)}" for c in self.columns if c.warning)
        lines.extend(f"  {_name(c)}: {said(c.written)}" for c in self.columns if c.written)
        lines.extend(f"  {_name(c)}: {said(c.codes)}" for c in self.columns if c.codes)
        lines.extend(
            f"  {_name(c)}: {c.near_duplicates} of its values differ from another only in case, "
            "spaces or invisible signs"
            for c in self.columns
            if c.near_duplicates
        )
        lines.extend(f"  {note}" for note in similar_name_notes(c.name for c in self.columns))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Json]:
        """Return plain values for JSON."""
        plain: dict[str, Json] = spoken(asdict(self))
        return plain


def _name(column: ColumnView) -> str:
    return shown(column.name, 30)[1:-1]


def inspect(table: Table) -> Inspection:
    """Return the inspection of every column of a table."""
    alike = {
        name: tuple(other for other in same if other != name)
        for same in names_alike(table.names)
        for name in same
    }
    views = (_look(column, table, alike.get(column.name, ())) for column in table.columns)
    return Inspection(table.rows, tuple(views))


def _look(column: Column, table: Table, alike: tuple[str, ...]) -> ColumnView:
    different = distinct(column)
    suspected, reason = _suspect(column, different)
    return ColumnView(
        column.name,
        column.kind_name,
        column.missing,
        different,
        str(suspected),
        reason,
        _message(column.doubt),
        near_duplicates(column),
        alike,
        _message(question(column, different, table.rows, table.source.kind)),
        _message(writing_note(column) or _whole_floats(column)),
    )


def _message(text: str | None) -> Message | None:
    return None if text is None else Message(text)


def _whole_floats(column: Column) -> str | None:
    """Return what to know of floats that are whole numbers with missing cells, as pandas has."""
    if column.kind is not Kind.FLOAT or column.written is not None or not column.missing:
        return None
    numbers = as_floats(some_rows(column, present(column)))
    if not np.array_equal(numbers, np.rint(numbers)):
        return None
    how = option("decimals", {column.name: 0})
    return f"whole numbers as floats; say {how} for means that are whole, too"


def first_rows(table: Table, many: int) -> list[dict[str, str | None]]:
    """Return the first records as they were read, each cell as text; missing ones are None."""
    columns = [_texts(column, many) for column in table.columns]
    return [dict(zip(table.names, row, strict=True)) for row in zip(*columns, strict=True)]


def _texts(column: Column, many: int) -> list[str | None]:
    """Return cells as they stand in a csv file, or values as they are written."""
    values = column.values.slice(0, many)
    if column.kind is Kind.UNKNOWN:
        return [None if value is None else str(value) for value in values.to_pylist()]
    there = pa.array(present(column.replace(values=values)))
    if column.cells is not None:
        texts = column.cells.slice(0, many).filter(there).to_pylist()
    else:
        texts = texts_of(column, values.filter(there))
    every = iter(texts)
    return [next(every) if known else None for known in there.to_pylist()]


def near_duplicates(column: Column) -> int:
    """Count the values that equal another one but for case, spaces and invisible signs."""
    if column.kind is not Kind.TEXT:
        return 0
    values = [value for value in column.values.unique().to_pylist() if value is not None]
    plain = Counter(_bare(value) for value in values)
    return sum(count for count in plain.values() if count > 1)


def _bare(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in normal if not c.isspace() and unicodedata.category(c) != "Cf")


def _suspect(column: Column, different: int) -> tuple[Role, str]:
    unique = identifier_reason(column)
    if not len(column.values):
        return Role.OTHER, "there are no records"
    if not column.kind.is_grouped and different:
        return Role.OTHER, "its cells cannot be grouped"
    if different == 0:
        return Role.OTHER, "every cell is missing"
    if different == 1:
        return Role.OTHER, "every record has the same value"
    if unique and column.kind is Kind.TEXT:
        return Role.IDENTIFIER, unique
    if unique and column.kind is Kind.INTEGER:
        return Role.IDENTIFIER, f"{unique}: a running number?"
    if column.is_ordinal:
        return Role.QUASI_IDENTIFIER, f"{different} ordered categories, perhaps known elsewhere"
    if column.kind is Kind.TEXT:
        return Role.QUASI_IDENTIFIER, f"{different} categories, perhaps known elsewhere"
    return Role.QUASI_IDENTIFIER, "perhaps known elsewhere"
