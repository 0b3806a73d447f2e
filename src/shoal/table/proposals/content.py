"""Content of a column: what its cells look like, from a sample of them. No cell is kept."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.kernels.arrays import Floats, Integers
from shoal.table.dataframes.opaque import cell_bytes
from shoal.table.proposals import words
from shoal.table.proposals.codes import (
    LONGEST,
    MOSTLY,
    SHORTEST,
    code_length,
    count_codes,
    prefixes_of,
)
from shoal.table.roles import Column, Kind
from shoal.table.table import days_or_numbers, present, some_rows

GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # ageYears, IDPatient
SIGNS = re.compile(r"[\W_]+")
COMPOUND_DATES = ("datum",)  # Aufnahmedatum: German and Dutch write such names as one word


class Meaning(StrEnum):
    """What a name says a column is, as it is called in reasons."""

    EMAIL = "an e-mail address"
    PHONE = "a phone number"
    NATIONAL_ID = "a number of an office, insurance or bank"
    ADDRESS = "an address"
    HOUSEHOLD = "a household"
    SURVEY_WEIGHT = "a survey weight"
    BIRTH = "a date of birth"
    POSTCODE = "a postcode"
    ORIGIN = "origin"
    DIAGNOSIS = "health"
    BELIEF = "belief, opinion or conduct"
    MONEY = "money"
    EVENT = "when or how long something was"
    FAMILY = "a family"
    EDUCATION = "education"
    OCCUPATION = "work"
    UNIT = "a ward or department"
    AGE = "an age"
    SEX = "sex"
    PLACE = "a place"
    BODY = "a measure of the body"
    PERSON_ID = "the number of a person"
    CASE_ID = "the number of a record"
    FREE_TEXT = "free text"
    NAME = "a person's name"


@cache
def _phrases() -> dict[str, Meaning]:
    """Return every phrase of the word lists with its meaning; the first meaning wins."""
    known: dict[str, Meaning] = {}
    for meaning in Meaning:
        for language in getattr(words, meaning.name):
            for phrase in language.split(", "):
                known.setdefault(phrase, meaning)
    return known


@cache
def _listed(name: str) -> frozenset[str]:
    """Return the words of all languages that a list has."""
    return frozenset(word for some in getattr(words, name) for word in some.split(", "))


def plain_words(name: str) -> list[str]:
    """Return the words of a name: small letters without accents, humps and signs apart.

    Numbers at the end of words are left out: diagnosis_2 is a diagnosis.
    """
    humps = HUMP.sub(" ", unicodedata.normalize("NFC", name))
    folded = unicodedata.normalize("NFKD", humps.casefold().translate(GERMAN))
    bare = "".join(sign for sign in folded if not unicodedata.combining(sign))
    parts = (re.sub(r"(?<=[a-z]{3})[0-9]+$", "", part) for part in SIGNS.split(bare))
    return [part for part in parts if part]


def meaning_of(name: str) -> Meaning | None:
    """Return what a name says, None where it says nothing that is known.

    The whole name counts first, then the name without words for people, then its longest phrase
    that is known; a person's name and the number of a person only where nothing else is said:
    hospital_name is none.
    """
    known = _phrases()
    every = plain_words(name)
    people, links = _listed("PEOPLE"), _listed("LINKS")
    rest = [word for word in every if word not in people]
    bare = [word for word in every if word not in links]
    for some in (every, rest, bare, [word for word in rest if word not in links]):
        meaning = known.get(" ".join(some)) or known.get("".join(some))
        if some and meaning is not None:
            return meaning
    for size in range(min(len(every), 4), 0, -1):
        for start in range(len(every) - size + 1):
            meaning = known.get(" ".join(every[start : start + size]))
            whole = meaning in (Meaning.NAME, Meaning.PERSON_ID, Meaning.CASE_ID, Meaning.FREE_TEXT)
            if meaning is not None and not (whole and size == 1):
                return meaning
    return Meaning.EVENT if any(word.endswith(COMPOUND_DATES) for word in every) else None


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


@dataclass(frozen=True, repr=False)
class Content:
    """A column, and what is counted in it as far as a proposal asks.

    `meaning` is what its name or its label says, `sampled` the cells that are looked at one by one.
    """

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


FEW = 10  # different numbers that need no intervals
TAILS = (0.05, 0.95)  # quantiles between which numbers are counted in intervals
INTERVALS = 40  # narrowest ones between them, about
FACTORS = {1: 2, 2: 5, 5: 2}  # each width is a multiple of the one before: 5, 10, 20, 100
YEARS = 3.0  # of dates up to which months are told apart
AGES = "widths:5,10,20,40"


@dataclass(frozen=True)
class TreeProposal:
    """A rule of a hierarchy with its reason.

    `is_needed` tells that without it a run would suppress cells or average codes; of other columns
    it is for whoever wants intervals instead of means.
    """

    rule: str
    reason: str
    is_needed: bool = False


def propose_tree(content: Content) -> TreeProposal | None:
    """Return the hierarchy that fits a column, None where none is known."""
    if content.column.is_ordinal or content.column.doubt or content.different < 2:
        return None
    length = content.code_length or _digits(content)
    if length is not None:
        reason = f"codes of {length} signs: their first ones are kept"
        return TreeProposal(prefixes_of(length), reason, is_needed=True)
    if content.kind in (Kind.DATE, Kind.DATETIME):
        return _calendar(content)
    if content.kind.is_number and content.different > FEW and content.numbers.size:
        if content.meaning is Meaning.AGE and content.numbers[-1] < 150:
            return TreeProposal(AGES, "ages in steps of 5, 10, 20 and 40 years")
        return _widths(content.numbers)
    return None


def _digits(content: Content) -> int | None:
    """Return the length of postcodes that are whole numbers; None of other columns."""
    if content.meaning is not Meaning.POSTCODE or content.kind is not Kind.INTEGER:
        return None
    numbers = content.numbers[content.numbers > 0]
    if numbers.size < content.numbers.size or not numbers.size:
        return None
    lengths = np.floor(np.log10(numbers)).astype(int) + 1
    length = int(np.bincount(lengths).argmax())
    is_one = SHORTEST <= length <= LONGEST and float((lengths == length).mean()) >= MOSTLY
    return length if is_one else None


def _calendar(content: Content) -> TreeProposal:
    """Propose parts of the calendar: fine ones where all dates lie in a few years."""
    low, high = np.quantile(content.numbers, TAILS)
    years = float(high - low) / 365.25
    if years > YEARS:
        return TreeProposal("dates:quarter,year", "dates of many years: quarters, then years")
    return TreeProposal("dates:month,quarter,year", "dates of few years: months first")


def _widths(numbers: Floats) -> TreeProposal | None:
    """Propose round widths: about so many intervals between the tails, and ever wider ones."""
    low, high = np.quantile(numbers, TAILS)
    wide = float(high - low)
    if not wide > 0.0 or not math.isfinite(wide):
        return None
    power = math.floor(math.log10(wide / INTERVALS))
    first = next(step for step in (1, 2, 5, 10) if step * 10.0**power >= wide / INTERVALS)
    if first == 10:
        first, power = 1, power + 1
    whole = bool((numbers == np.rint(numbers)).all())
    if whole and first * 10.0**power <= 1:  # steps of one are the numbers themselves
        first, power = 2, 0
    widths: list[str] = []
    while first * 10.0**power <= wide / 2 or not widths:
        widths.append(_written(first, power))
        first *= FACTORS[first]
        if first == 10:
            first, power = 1, power + 1
    return TreeProposal(f"widths:{','.join(widths)}", f"numbers in round steps from {widths[0]} on")


def _written(digit: int, power: int) -> str:
    """Write digit · 10^power in plain digits."""
    return f"{digit}{'0' * power}" if power >= 0 else f"{digit * 10.0**power:.{-power}f}"
