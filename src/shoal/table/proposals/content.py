"""Content of a column: what its cells look like, from a sample of them. No cell is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.table.dataframes.opaque import cell_bytes
from shoal.table.proposals.codes import code_length, count_codes
from shoal.table.proposals.meanings import Meaning, meaning_of
from shoal.table.roles import Column, Kind
from shoal.table.table import days_or_numbers, present, some_rows

SAMPLE = 20_000  # records whose cells are looked at; all are counted
NEARLY_ALL = 0.9  # of the cells look so
NAMES, NAMED = 30, 0.05  # different names there are at least, and as a share of the cells
WORDS, LETTERS = 5.0, 30.0  # of a cell, on average, from which on it is free text
POINTED = 0.2  # of ICD-10 codes have a point, where no name speaks for them
CODED = 10  # different codes that speak for ICD-10


class Look(StrEnum):
    """What cells look like, in the words of a reason."""

    EMAIL = "e-mail addresses"
    PHONE = "phone numbers"
    LINK = "addresses of the internet"
    ACCOUNT = "bank accounts"
    PERSON = "names of people"
    ICD10 = "ICD-10 codes"
    FREE_TEXT = "free text"


PATTERNS = {
    Look.EMAIL: (r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$",),
    Look.LINK: (r"^(https?://.*|[0-9]{1,3}(\.[0-9]{1,3}){3})$",),
    Look.ACCOUNT: (r"^[A-Z]{2}[0-9]{2}[ A-Z0-9]{11,32}$",),
    Look.PHONE: (r"^[+0(][0-9 ()/.-]{6,20}$", r"^([^0-9]*[0-9]){7,15}[^0-9]*$", r"[ +()/-]"),
}
NAME = r"^\p{Lu}[\p{L}'’-]+(,? \p{Lu}[\p{L}.'’-]*){1,3}$"
ICD10 = r"^[A-TV-Z][0-9][0-9AB](\.?[0-9A-TV-Z-]{1,4})?[+*!†]?$"


@dataclass(frozen=True)
class Content:
    """A column, and what is counted in it as far as a proposal asks.

    `meaning` is what its name or its label says, `sampled` the cells that are looked at one by one.
    """

    __repr__ = in_shape

    column: Column
    meaning: Meaning | None
    rows: int
    sampled: Column = field(repr=False)

    @property
    def kind(self) -> Kind:
        """The kind of the column."""
        return self.column.kind

    @cached_property
    def present(self) -> int:
        """How many cells are there."""
        return self.rows - self.column.missing

    @cached_property
    def _counts(self) -> Integers:
        """How many records have each value."""
        import pyarrow.compute as pc

        values = self.column.values
        if self.kind is Kind.UNKNOWN:
            values = cell_bytes(values)
        there = values.filter(pc.invert(values.is_null(nan_is_null=True)))
        return np.asarray(there.value_counts().field("counts")).astype(np.int64)

    @property
    def different(self) -> int:
        """How many different values there are."""
        return int(self._counts.size)

    @property
    def unique(self) -> float:
        """The share of the records whose value no other has."""
        return float((self._counts == 1).sum()) / max(self.rows, 1)

    @cached_property
    def code_length(self) -> int | None:
        """The length of the codes that the cells are; None where they are none."""
        return code_length(count_codes(self.column), self.present)

    @cached_property
    def numbers(self) -> Floats:
        """The sampled numbers, days where they are dates, in order; none of texts."""
        if not self.kind.is_numeric or not self.kind.is_grouped or self.column.is_ordinal:
            return np.zeros(0)
        numbers = days_or_numbers(self.sampled)
        return np.sort(numbers[np.isfinite(numbers)])

    @cached_property
    def look(self) -> Look | None:
        """What nearly all sampled cells look like; None where they look like nothing known."""
        if self.kind is not Kind.TEXT or not len(self.sampled.values):
            return None
        for look, patterns in PATTERNS.items():
            if self._share(*patterns) >= NEARLY_ALL:
                return look
        many = self.different > max(NAMES, NAMED * self.present)
        if many and self._share(NAME) >= NEARLY_ALL:
            return Look.PERSON
        if self._share(ICD10) >= NEARLY_ALL and (
            self.meaning is Meaning.DIAGNOSIS
            or (self.different >= CODED and self._share(r"\.") >= POINTED)
        ):
            return Look.ICD10
        return Look.FREE_TEXT if self._is_prose() else None

    def _share(self, *patterns: str) -> float:
        """Return the share of sampled cells that all patterns match."""
        import pyarrow.compute as pc

        flags = pa.array(np.ones(len(self.sampled.values), dtype=bool))
        for pattern in patterns:
            flags = pc.and_(flags, pc.match_substring_regex(self.sampled.values, pattern))
        return float(pc.mean(flags).as_py())

    def _is_prose(self) -> bool:
        """Tell whether cells hold several words each, and mostly different ones."""
        import pyarrow.compute as pc

        words = pc.mean(pc.count_substring(self.sampled.values, " ")).as_py() + 1
        letters = pc.mean(pc.utf8_length(self.sampled.values)).as_py()
        return words >= WORDS and letters >= LETTERS and 2 * self.different > self.present


def content_of(column: Column, rows: int) -> Content:
    """Return the content of a column; of long ones evenly spaced cells are looked at."""
    some: Any = column
    if rows > SAMPLE:
        at = pa.array(np.linspace(0, rows - 1, SAMPLE).astype(np.int64))
        some = column.replace(values=column.values.take(at), cells=None, quoted=None)
    if some.kind.is_grouped:
        some = some_rows(some, present(some))
    meaning = meaning_of(column.name)
    if meaning is None and column.variable is not None:  # v17 in an SPSS file is called "Age"
        meaning = meaning_of(column.variable.label)
    return Content(column, meaning, rows, some)
