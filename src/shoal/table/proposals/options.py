"""Proposals of all columns as options of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from shoal.table.dialects.dialect import How
from shoal.table.proposals.proposal import ColumnProposal
from shoal.table.proposals.roles import DROP, HOUSEHOLD, PERSON, RECORDS, WEIGHT
from shoal.table.roles import Role


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
