"""Kind of a csv column, decided from the facts of its cells by strict rules.

A column has a kind when every cell that is not missing fits it. Where most cells look like
numbers, dates or booleans and some do not, the column stays text and has a fault, which becomes
its doubt: it may be passed on as it is, but not be grouped before its type is declared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import InputError, shown
from shoal.hints import COLUMN, Message, marked, option
from shoal.kernels.arrays import Flags
from shoal.table.csv_text.cells import Cells
from shoal.table.csv_text.distinct import (
    ANY_MOMENT,
    DATE,
    DATETIME,
    FIXED,
    FOREIGN_DATE,
    FOREIGN_NUMBER,
    INTEGER,
    POINT_ZERO,
    TRUE_FALSE,
    ZERO_LED,
    Distinct,
)
from shoal.table.csv_text.facts import (
    ANY_ZONE,
    BEYOND_INTEGER,
    CODE,
    INFINITE,
    MISFIT,
    NO_DAY,
    VANISHED,
    Facts,
)
from shoal.table.dialects.notation import local_time, shared_zone
from shoal.table.roles import Column, Kind, Written

MAX_DIGITS = 38
DECLARE = f"say what it is with {option('types')}"
MEND = f"; mend them, or {DECLARE}"
AS_TEXT = f"say {option('types', {COLUMN: 'text'})}"
DECLARED = ("number", "text", "date", "boolean")


@dataclass(frozen=True)
class Fault:
    """A fault of some cells, and advice; without flags it is one of the whole column."""

    what: str
    flags: Callable[[Distinct], Flags] | None
    advice: str = ""

    def message(self, count: int, cells: int, places: str) -> Message:
        """Return a message on the flagged cells: five places and a count, never a value."""
        if self.flags is None:
            return Message(self.what)
        return Message(f"{self.what}: {count} of {cells} cells ({places}){self.advice}")


@dataclass(frozen=True)
class Verdict:
    """The kind of a column, its format, and its fault where it may be meant as another kind."""

    kind: Kind
    written: Written = field(default_factory=Written)
    fault: Fault | None = None


def decide(name: str, facts: Facts, declared: str | None) -> Verdict:
    """Return what a column is."""
    if declared == "text" or not facts.present:
        return Verdict(Kind.TEXT)
    if declared is not None:
        return _declared(name, facts, declared)
    for attempt in (_boolean, _number, _date):
        verdict = attempt(facts)
        if verdict is not None:
            return verdict
    return Verdict(Kind.TEXT, fault=_doubt(facts))


def _every(cells: Distinct) -> Flags:
    return cells.every()


def _no_numbers(cells: Distinct) -> Flags:
    return ~cells.numbers


def _doubted(what: str, flags: Callable[[Distinct], Flags], advice: str = MEND) -> Verdict:
    return Verdict(Kind.TEXT, fault=Fault(what, flags, advice))


def _boolean(facts: Facts) -> Verdict | None:
    if not facts.words or len(facts.words) > 2:
        return None
    words = _trimmed(facts.words)
    for false, true in (("false", "true"), ("False", "True"), ("FALSE", "TRUE")):
        if words <= {false, true}:
            return Verdict(Kind.BOOLEAN, Written(words=(false, true)))
    return None


def _trimmed(words: frozenset[str]) -> set[str]:
    return {word.strip(" \t") for word in words}


def _number(facts: Facts) -> Verdict | None:
    if facts.numbers < facts.present:
        return None
    if BEYOND_INTEGER not in facts.marks:
        if INTEGER not in facts.broken:
            return Verdict(Kind.INTEGER)
        if POINT_ZERO not in facts.broken:
            return Verdict(Kind.INTEGER, Written(decimals=1))
    decimals = facts.decimals or 0
    if FIXED not in facts.broken:
        if facts.whole + decimals > MAX_DIGITS:
            return _doubted(
                f"numbers of over {MAX_DIGITS} digits",
                lambda cells: cells.digits()[0] + decimals > MAX_DIGITS,
            )
        digits = facts.significant.rounded(decimals, facts.whole)
        return Verdict(Kind.DECIMAL, Written(decimals=decimals, digits=digits))
    if INFINITE in facts.marks:
        return _doubted("too large for a number", lambda cells: ~np.isfinite(cells.floats))
    if VANISHED in facts.marks:
        return _doubted("too small for a number", Distinct.vanished)
    digits = facts.significant.rounded(decimals)
    return Verdict(Kind.FLOAT, Written(decimals=decimals, digits=digits))


def _date(facts: Facts) -> Verdict | None:
    if DATE not in facts.broken:
        return _of_calendar(facts, Kind.DATE, "%Y-%m-%d")
    if DATETIME in facts.broken:
        return None
    if len(facts.forms) > 1:
        return _doubted("date and time written in different ways", _every)
    ((length, separator),) = facts.forms
    pattern = f"%Y-%m-%d{separator}%H:%M" + (":%S" if length > 16 else "")
    if len(facts.zones) > 1 and (ANY_ZONE not in facts.marks or "" in facts.zones):
        return Verdict(Kind.TEXT, fault=_zones(facts, pattern, length))
    pattern += f".{length - 20}" if length > 20 else ""
    return _of_calendar(facts, Kind.DATETIME, pattern, shared_zone(facts.zones))


def _zones(facts: Facts, pattern: str, length: int) -> Fault:
    """Return the fault of times of several zones, and the format that takes them."""
    how = option("date_format", {COLUMN: f"{pattern}%z"})
    advice = f"; to read them as UTC say {how}, or {DECLARE}"
    if "" in facts.zones or length > 19:
        advice = f"; write all in one zone, or {DECLARE}"
    return Fault("times of several zones", _every, advice)


def _of_calendar(facts: Facts, kind: Kind, pattern: str, zone: str = "") -> Verdict:
    if NO_DAY in facts.marks:
        times = kind is Kind.DATETIME
        return _doubted("not dates of the calendar", lambda cells: cells.calendar(times=times)[1])
    return Verdict(kind, Written(pattern=pattern, zone=zone))


def _doubt(facts: Facts) -> Fault | None:
    """Return why a text column may be meant as another kind."""
    if facts.words:
        lower = {word.lower() for word in _trimmed(facts.words)}
        if lower & {"true", "false"}:
            others = lower - {"true", "false"}
            flags = (lambda cells: ~cells.matches(TRUE_FALSE)) if others else _every
            return Fault("true and false in different words", flags, f"; {DECLARE}")
    if facts.numbers and CODE not in facts.broken:
        return None  # codes with leading zeros: text, as it should be
    if (facts.numbers + facts.special) / facts.present > 0.5:
        advice = (
            f"; mend them, declare what stands for missing with {option('missing')}, their "
            f"notation with {option('decimal')} and {option('thousands')}, or {DECLARE}"
        )
        return Fault("not numbers", _no_numbers, advice)
    if ANY_MOMENT not in facts.broken:
        advice = f"; write 2026-12-31T23:59:59, or {DECLARE}"
        return Fault("times in a form of their own", _every, advice)
    if FOREIGN_DATE not in facts.broken:
        how = option("date_format", {COLUMN: "%d.%m.%Y"})
        advice = f"; say {how} or as they are meant (years of four digits)"
        return Fault("ambiguous dates", _every, f"{advice}, or {DECLARE}")
    if FOREIGN_NUMBER not in facts.broken and ZERO_LED not in facts.marks:
        how = f"{option('decimal')} and {option('thousands')}"
        advice = f"; say {how}, write 1234.5, or {DECLARE}"
        return Fault("numbers in a notation of their own", _no_numbers, advice)
    if facts.dates / facts.present > 0.5:
        how = f"declare what stands for missing with {option('missing')}"
        advice = f"; mend them, {how}, or {DECLARE}"
        return Fault("not dates", lambda cells: ~cells.matches(DATE), advice)
    return None


def _declared(name: str, facts: Facts, declared: str) -> Verdict:
    """Take a column as its declared type; what does not fit is a fault, an error to its reader."""
    attempts = {
        "number": (_number, "not numbers", f"{option('decimal')}, {option('thousands')}"),
        "date": (_date, "not ISO dates", option("date_format")),
        "boolean": (_boolean, "not true or false", ""),
    }
    if declared not in attempts:
        raise InputError(
            f"there is no type {shown(declared)} for column {shown(name)}; "
            f"say {', '.join(DECLARED)}"
        )
    attempt, what, options = attempts[declared]
    if MISFIT in facts.marks:
        how = f"their notation with {options}, " if options else ""
        missing = f"say what stands for missing with {option('missing')}"
        advice = f"; mend them, {missing}, {how}or {AS_TEXT}"
        return _doubted(what, lambda cells: ~cells.fitting(), advice)
    different = Fault(f"its cells are written in different ways; mend them, or {AS_TEXT}", None)
    return attempt(facts) or Verdict(Kind.TEXT, fault=different)


INTERVAL = r"^\[[0-9+-][^\[\]]*,[0-9+-][^\[\]]*\]$"
VALUE = r"^(\*|[+-]?[0-9.]+([eE][+-]?[0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)$"
Where = Callable[[list[int]], str]


def misfit(name: str, doubt: str) -> InputError:
    """Return the error of a column that is not what it was declared to be."""
    return InputError(f"column {shown(name)}: {marked(doubt)}")


def doubt_of(parts: Sequence[Cells], verdict: Verdict, where: Where) -> str | None:
    """Return the fault of a column in words, None where it has none."""
    if verdict.fault is None:
        return None
    rows: list[int] = []
    start = 0
    for cells in parts:
        if verdict.fault.flags is not None:
            distinct = cells.distinct
            rows += [start + row for row in distinct.rows_where(verdict.fault.flags(distinct))]
        start += len(cells)
    return verdict.fault.message(len(rows), start, where(rows))


def column_of(name: str, cells: Cells, verdict: Verdict, doubt: str | None) -> Column:
    """Return the column with its values; each cell must be what the verdict says."""
    values = values_of(cells, verdict)
    return Column(
        name, verdict.kind, values, written=verdict.written, cells=cells.cells, doubt=doubt
    )


def values_of(cells: Cells, verdict: Verdict) -> Any:
    """Return the values of cells; each must be what the verdict says."""
    if verdict.kind is Kind.TEXT:
        return released_texts(cells)
    plain = cells.plain
    values = None if plain is None else plain.values(verdict.kind, verdict.written.decimals)
    return cells.distinct.spread(_values(cells.distinct, verdict)) if values is None else values


def released_texts(cells: Cells) -> Any:
    """Return texts; where all are intervals, numbers or `*` of a notation, in plain notation."""
    if cells.notation.is_plain or not cells.records:
        return cells.texts()
    distinct = cells.distinct
    intervals = distinct.matches(INTERVAL)
    if not intervals.any() or not np.all(intervals | distinct.matches(VALUE)):
        return cells.texts()
    return distinct.spread(distinct.present)


def _values(cells: Distinct, verdict: Verdict) -> Any:
    written = verdict.written
    match verdict.kind:
        case Kind.INTEGER:
            return cells.integers
        case Kind.DECIMAL:
            return cells.present.cast(pa.decimal128(MAX_DIGITS, written.decimals))
        case Kind.FLOAT:
            return pa.array(cells.floats)
        case Kind.BOOLEAN:
            words = cells.present.to_pylist()
            return pa.array([word == written.words[1] for word in words], type=pa.bool_())
        case Kind.DATE:
            return pa.array(cells.calendar(times=False)[0], type=pa.date32())
        case _:
            moments = cells.calendar(times=True)[0]
            local = [local_time(one, written.zone) for one in moments if isinstance(one, datetime)]
            return pa.array(local, type=pa.timestamp("us"))
