"""Inspection of a table: kinds, missing cells, distinct values; roles and hierarchies that fit."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import numpy as np

from shoal.errors import Json, in_html, shown
from shoal.hints import Message, option, said, spoken
from shoal.table.dialects.writing_notes import writing_note
from shoal.table.integer_codes import question
from shoal.table.proposals.content import SAMPLE
from shoal.table.proposals.proposal import (
    ColumnProposal,
    Proposed,
    Reading,
    interval_rules,
    options_of,
    propose_column,
    with_person,
)
from shoal.table.roles import Column, Kind
from shoal.table.similar_names import names_alike, similar_name_notes
from shoal.table.table import Table, as_floats, present, some_rows


@dataclass(frozen=True)
class ColumnView:
    """One column in counts; `suspected` is a role to think about, or drop, with its reason.

    `use` is what a survey makes of it: weight, person or household. `hierarchy` is the rule of a
    hierarchy that fits, with its reason, `order` the known scale that its words are from.
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
    use: str | None = None
    hierarchy: str | None = None
    hierarchy_reason: str | None = None
    order: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Inspection:
    """A table in counts, and what is proposed for a run. It holds no cell.

    `options` are arguments of `shoal.anonymize`, for `shoal.anonymize(data, k=5, **seen.options)`;
    `intervals` are hierarchies of numbers and dates, for a release of intervals instead of means.
    `looked_at` is how many records the looks of cells are from, all others are counted. `reading`
    are the options with which the file was read, of which `proposed_reading` were proposed for the
    reasons in `findings`.
    """

    records: int
    columns: tuple[ColumnView, ...]
    options: Proposed = field(default_factory=Proposed)
    intervals: Mapping[str, str] = field(default_factory=dict)
    looked_at: int = 0
    reading: Reading = field(default_factory=Reading)
    proposed_reading: tuple[str, ...] = ()
    findings: tuple[Message, ...] = ()

    def summary(self) -> str:
        """Return the columns as lines of text."""
        width = max(6, *(len(_name(c)) for c in self.columns))
        lines = [f"  {'column':<{width}}  {'kind':<8}  missing  distinct  role?"]
        for c in self.columns:
            lines.append(
                f"  {_name(c):<{width}}  {c.kind:<8}  {c.missing:>7}  {c.distinct:>8}  "
                f"{c.suspected}: {c.reason}"
            )
        lines.extend(f"  {line}" for line in self._remarks())
        return "\n".join(lines)

    def _remarks(self) -> list[str]:
        """Return what else is to be said of columns."""
        trees: dict[tuple[str, str], list[str]] = {}
        for c in self.columns:
            if c.hierarchy is not None and c.hierarchy_reason is not None:
                trees.setdefault((c.hierarchy, c.hierarchy_reason), []).append(_name(c))
        lines = [f"{_few(own)}: fits {rule} ({why})" for (rule, why), own in trees.items()]
        lines += [f"{_name(c)}: its words are a scale, from {c.order[0]} to {c.order[-1]}"
                  for c in self.columns if c.order]  # fmt: skip
        for key in ("warning", "written", "codes"):
            texts = ((c, getattr(c, key)) for c in self.columns)
            lines += [f"{_name(c)}: {said(text)}" for c, text in texts if text]
        lines += [
            f"{_name(c)}: {c.near_duplicates} of its values differ from another only in case, "
            "spaces or invisible signs"
            for c in self.columns
            if c.near_duplicates
        ]
        lines += similar_name_notes(c.name for c in self.columns)
        if self.looked_at < self.records:
            lines.append(
                f"cells were looked at in {self.looked_at:,} of the records; all are counted"
            )
        return lines

    def __str__(self) -> str:
        return f"{self.records:,} records\n\n{self.summary()}"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [("column", "kind", "missing", "distinct", "role", "why")]
        rows += [
            (c.name, c.kind, c.missing, c.distinct, c.suspected, c.reason) for c in self.columns
        ]
        return in_html(f"{self.records:,} records", self._remarks(), rows)

    def to_dict(self) -> dict[str, Json]:
        """Return plain values for JSON."""
        plain: dict[str, Json] = spoken(asdict(self))
        return plain


def _name(column: ColumnView) -> str:
    return shown(column.name, 30)[1:-1]


def _few(names: list[str]) -> str:
    """Return up to three names, the rest counted."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if names[3:] else "")


def inspect(table: Table) -> Inspection:
    """Return the inspection of every column of a table, and what is proposed for a run."""
    alike = {
        name: tuple(other for other in same if other != name)
        for same in names_alike(table.names)
        for name in same
    }
    proposals = with_person([propose_column(column, table.rows) for column in table.columns])
    views = (
        _look(column, table, alike.get(column.name, ()), proposal)
        for column, proposal in zip(table.columns, proposals, strict=True)
    )
    return Inspection(
        table.rows, tuple(views), options_of(proposals, table.source.kind),
        interval_rules(proposals), min(table.rows, SAMPLE),
    )  # fmt: skip


def _look(
    column: Column, table: Table, alike: tuple[str, ...], proposal: ColumnProposal
) -> ColumnView:
    different, tree = proposal.different, proposal.tree
    return ColumnView(
        column.name,
        column.kind_name,
        proposal.missing,
        different,
        str(proposal.role.role),
        proposal.role.reason,
        _message(column.doubt),
        near_duplicates(column),
        alike,
        _message(question(column, different, table.rows, table.source.kind)),
        _message(writing_note(column) or _whole_floats(column)),
        proposal.role.use,
        None if tree is None else tree.rule,
        None if tree is None else tree.reason,
        proposal.order,
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


def near_duplicates(column: Column) -> int:
    """Count the values that equal another one but for case, spaces and invisible signs."""
    if column.kind is not Kind.TEXT:
        return 0
    values = [value for value in column.values.unique().to_pylist() if value is not None]
    plain = Counter(_bare(value) for value in values)
    return sum(count for count in plain.values() if count > 1)


def _bare(text: str) -> str:
    """Return a text without case, spaces and invisible signs."""
    if text.isascii():
        return "".join(text.split()).lower()
    normal = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in normal if not c.isspace() and unicodedata.category(c) != "Cf")
