"""Proposal of a column: role, hierarchy, order and reading, each with its reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

from shoal.table.dialects.dialect import How
from shoal.table.integer_codes import may_be_codes
from shoal.table.proposals.content import Content, Meaning, TreeProposal, content_of, propose_tree
from shoal.table.proposals.roles import (
    DROP,
    HOUSEHOLD,
    PERSON,
    RECORDS,
    WEIGHT,
    RoleProposal,
    propose_role,
)
from shoal.table.roles import Column, Kind, Role

FEWEST = 3  # different words that show a scale
SCALES = (
    "none, mild, moderate, severe, very severe",
    "never, rarely, sometimes, often, always",
    "very low, low, medium, high, very high",
    "low, moderate, high",
    "poor, fair, good, very good, excellent",
    "very bad, bad, fair, good, very good",
    "strongly disagree, disagree, neutral, agree, strongly agree",
    "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
    "small, medium, large",
    "primary, secondary, tertiary",
    "keine, leicht, mittel, schwer, sehr schwer",
    "keine, leicht, mäßig, stark, sehr stark",
    "nie, selten, manchmal, oft, immer",
    "sehr niedrig, niedrig, mittel, hoch, sehr hoch",
    "gering, mittel, hoch",
    "sehr schlecht, schlecht, mittelmäßig, gut, sehr gut",
    "klein, mittel, groß",
    "aucun, léger, modéré, sévère, très sévère",
    "jamais, rarement, parfois, souvent, toujours",
    "très faible, faible, moyen, élevé, très élevé",
    "bas, moyen, haut",
    "très mauvais, mauvais, moyen, bon, très bon",
    "petit, moyen, grand",
    "ninguno, leve, moderado, grave, muy grave",
    "ninguno, leve, moderado, severo, muy severo",
    "nunca, rara vez, a veces, a menudo, siempre",
    "muy bajo, bajo, medio, alto, muy alto",
    "muy malo, malo, regular, bueno, muy bueno",
    "geen, licht, matig, ernstig, zeer ernstig",
    "nooit, zelden, soms, vaak, altijd",
    "zeer laag, laag, gemiddeld, hoog, zeer hoog",
    "laag, midden, hoog",
    "zeer slecht, slecht, matig, goed, zeer goed",
    "nessuno, lieve, moderato, grave, molto grave",
    "mai, raramente, a volte, spesso, sempre",
    "molto basso, basso, medio, alto, molto alto",
    "pessimo, scarso, sufficiente, buono, ottimo",
)
SPELLINGS: tuple[Callable[[str], str], ...] = (str.lower, str.capitalize, str.title, str.upper)
WORDS = 12  # different words that a scale has at most
CATEGORIES = (
    Meaning.SEX, Meaning.PLACE, Meaning.ORIGIN, Meaning.OCCUPATION, Meaning.UNIT, Meaning.DIAGNOSIS,
    Meaning.BELIEF,
)  # fmt: skip


@dataclass(frozen=True)
class ColumnProposal:
    """What is proposed for a column.

    `order` is a known scale that holds its words; `is_codes` tells that its whole numbers are codes
    of categories, `is_text` that it can only be read as text.
    """

    name: str
    role: RoleProposal
    different: int
    missing: int
    present: int
    tree: TreeProposal | None = None
    order: tuple[str, ...] | None = None
    is_codes: bool = False
    is_text: bool = False

    @property
    def repeats(self) -> bool:
        """Whether records share values."""
        return self.different < self.present


def propose_column(column: Column, rows: int) -> ColumnProposal:
    """Return what is proposed for a column of a table with so many records."""
    content = content_of(column, rows)
    role = propose_role(content)
    counts = content.different, rows - content.present, content.present
    if role.role != Role.QUASI_IDENTIFIER:
        return ColumnProposal(column.name, role, *counts)
    coded = content.meaning in CATEGORIES and may_be_codes(column, content.different, rows)
    tree = None if coded else propose_tree(content)
    order = _order(content)
    return ColumnProposal(column.name, role, *counts, tree, order, coded, bool(column.doubt))


def _order(content: Content) -> tuple[str, ...] | None:
    """Return the known scale that the words of a column are from."""
    if content.kind is not Kind.TEXT or content.column.is_ordinal or content.different > WORDS:
        return None
    return scale_of([one for one in content.column.values.unique().to_pylist() if one is not None])


def with_person(proposals: Sequence[ColumnProposal]) -> list[ColumnProposal]:
    """Return the proposals with one that says whose record each is, where every identifier repeats.

    A run refuses such a table unless it is said what to count.
    """
    naming = [one for one in proposals if one.role.role == Role.IDENTIFIER]
    if any(one.role.use or not one.repeats for one in naming):
        return list(proposals)
    whole = [one.name for one in naming if not one.missing]
    first = (whole or [one.name for one in naming])[:1]
    return [_as_person(one) if one.name in first else one for one in proposals]


def _as_person(one: ColumnProposal) -> ColumnProposal:
    """Return a proposal that a column says whose record each is; with gaps, records count."""
    why, use = "it repeats, and nothing else says whose record each is", PERSON
    if one.missing:
        why, use = "it repeats and is missing in places, so that records count, not people", RECORDS
    return replace(one, role=replace(one.role, reason=f"{one.role.reason}; {why}", use=use))


@cache
def _scales() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(scale.split(", ")) for scale in SCALES)


def scale_of(values: Collection[str]) -> tuple[str, ...] | None:
    """Return the scale, spelled as the values are, that holds all of them; None where none does.

    Its words are those of this file, whether or not a record has them.
    """
    known = set(values)
    if len(known) < FEWEST:
        return None
    for scale in _scales():
        for spelled in SPELLINGS:
            words = tuple(map(spelled, scale))
            if known.issubset(words):
                return words
    return None


class Reading(How, total=False):
    """Options of reading a file."""

    delimiter: str | None
    missing: Sequence[str]
    types: Mapping[str, str]


class Proposed(Reading, total=False):
    """Options of `shoal.anonymize` that are proposed: roles, survey, hierarchies, and reading."""

    identifiers: list[str]
    quasi_identifiers: list[str]
    sensitive: list[str]
    other: list[str]
    drop: list[str]
    weight: str
    person: str
    household: str
    count: str
    hierarchies: dict[str, str]
    orders: Mapping[str, Sequence[str]]
    aggregate: dict[str, str]


LISTS = {
    Role.IDENTIFIER: "identifiers",
    Role.QUASI_IDENTIFIER: "quasi_identifiers",
    Role.SENSITIVE: "sensitive",
    Role.OTHER: "other",
    DROP: "drop",
}


def options_of(proposals: Sequence[ColumnProposal], source: str) -> Proposed:
    """Return the proposals as arguments of `shoal.anonymize`; `source` is the kind of the data.

    Every column is named; there are none where nothing is left to group.
    """
    named: dict[str, Any] = {key: [] for key in LISTS.values()}
    for one in proposals:
        role = one.role.role
        if one.is_text and source != "csv":  # what only a csv file can be read as
            role = DROP
        if one.role.use != WEIGHT:
            named[LISTS[role]].append(one.name)
    if not named["quasi_identifiers"]:
        return {}
    options = {key: names for key, names in named.items() if names}
    every = {**options, **_survey(proposals), **_by_column(proposals, source)}
    return cast(Proposed, every)


def _survey(proposals: Sequence[ColumnProposal]) -> dict[str, str]:
    """Return the columns of a survey, the first of each kind; households count before people.

    Records count where every identifier repeats, and none can say whose each is.
    """
    used: dict[str, str] = {}
    for one in proposals:
        if one.role.use is not None:
            used.setdefault(one.role.use, one.name)
    if HOUSEHOLD in used:
        used.pop(PERSON, None)
    if used.pop(RECORDS, None):
        used["count"] = RECORDS
    return used


def _by_column(proposals: Sequence[ColumnProposal], source: str) -> dict[str, Any]:
    """Return hierarchies, orders, kinds and aggregators, by column."""
    coded = [one.name for one in proposals if one.is_codes]
    texts = [one.name for one in proposals if one.is_text and source == "csv"]
    needed = {one.name: one.tree.rule for one in proposals if one.tree and one.tree.is_needed}
    parts: dict[str, dict[str, Any]] = {
        "hierarchies": needed,
        "orders": {one.name: list(one.order) for one in proposals if one.order},
        "types": dict.fromkeys([*texts, *(coded if source == "csv" else [])], "text"),
        "aggregate": {} if source == "csv" else dict.fromkeys(coded, "mode"),
    }
    return {name: values for name, values in parts.items() if values}


def interval_rules(proposals: Sequence[ColumnProposal]) -> dict[str, str]:
    """Return the hierarchies of numbers and dates, for whoever wants intervals, not means."""
    return {one.name: one.tree.rule for one in proposals if one.tree and not one.tree.is_needed}
