"""Meaning of a column by its name: compared without case, accents and signs, word by word."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from functools import cache

from shoal.table.proposals import words

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
