"""What was settled of how a csv column is written, where its kind alone does not tell it."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.errors import listed
from shoal.table.roles import Column, Kind


def counted(digits: int) -> str:
    """Return a number of digits in words."""
    return f"{digits} digit{'' if digits == 1 else 's'}"


def writing_note(column: Column) -> str | None:
    """Return what to know of how a column's cells were taken, None where that is nothing."""
    written = column.written
    if written is None:
        return None
    if column.kind is Kind.INTEGER and written.decimals:
        return "whole numbers, written as 19.0 is; their means are whole, too"
    if written.digits is not None:
        return (
            "numbers of 16 or 17 digits, as programs write floats; means are rounded to "
            f"{counted(written.digits)} after the point, as many as they have at 15 digits"
        )
    if written.zone:
        return f"times written with {written.zone}, or read so"
    return None


def writing_notes(columns: Iterable[Column]) -> list[str]:
    """Return a note for all columns of which the same is to be known."""
    names: dict[str, list[str]] = {}
    for column in columns:
        if note := writing_note(column):
            names.setdefault(note, []).append(column.name)
    return [f"{listed(every)}: {note}" for note, every in names.items()]
