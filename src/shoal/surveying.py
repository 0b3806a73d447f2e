"""What a request says of a survey: roles, strata, households and people of a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.errors import RequestError, listed, shown
from shoal.request import trees_of
from shoal.settings import Settings
from shoal.table.assign import all_quasi_identifiers
from shoal.table.code import code, needs_trees
from shoal.table.encode import encode
from shoal.table.roles import Column, Role
from shoal.table.survey import (
    Survey,
    check_strata,
    merge_strata,
    read_survey,
    small_strata,
    survey_roles,
)
from shoal.table.table import Table

Repeats = Callable[[Column], bool | None]


def repeating(column: Column) -> bool | None:
    """Tell whether two records have one value of a column; None if none has any."""
    import pyarrow.compute as pc

    present = column.values.filter(pc.invert(column.values.is_null(nan_is_null=True)))
    if not len(present):
        return None
    try:
        return int(pc.count_distinct(present).as_py()) < len(present)
    except NotImplementedError:  # lists and the like: nobody counts by them
        return None


def with_survey(settings: Settings, table: Table) -> Settings:
    """Return the settings with the roles of columns of weights, strata, households, people."""
    roles = settings.roles
    named = survey_roles(table, roles.weight, roles.by, roles.household, roles.person)
    if not named:
        return settings
    keys = {
        Role.IDENTIFIER: "identifiers",
        Role.QUASI_IDENTIFIER: "quasi_identifiers",
        Role.SENSITIVE: "sensitive",
        Role.OTHER: "other",
    }
    lists = {role: list(getattr(roles, key)) for role, key in keys.items()}
    if not roles.any_given:
        rest = table.only(lambda c: c.name not in named and c.name not in roles.drop)
        if not rest.columns:
            raise RequestError(f"{table.source.name}: no column is left to group")
        rest = rest if rest.roles_given else all_quasi_identifiers(rest)
        lists = {role: rest.schema.having(role) for role in keys}
    for name, own in named.items():
        for role, names in lists.items():
            if name in names and role is not own:
                whole = "person" if name == roles.person else "household"
                what = {Role.IDENTIFIER: whole, Role.OTHER: "weight"}.get(own, "stratum")
                raise RequestError(f"column {shown(name)} is a {what}; it cannot be {role}, too")
        if name not in lists[own]:
            lists[own].append(name)
    return settings.having(roles={keys[role]: names for role, names in lists.items()})


def check_people(table: Table, settings: Settings, repeats: Repeats = repeating) -> None:
    """Stop where every identifier repeats and nobody said what is to be counted.

    Groups of k records may be of fewer people then. `repeats` tells whether two records have one
    value of a column, None where it has none.
    """
    roles = settings.roles
    if roles.person or roles.household or settings.protect.count == "records":
        return
    again, alone = _repeating(table, repeats)
    if again and not alone:
        name = shown(again[0])
        raise RequestError(
            f"{table.source.name}: {listed(again)} {_verb(again)}, "
            "and no identifier is different for every record: people have several records, and k "
            f"of these may be of fewer people; say --person {name} (person={name}) to count "
            'people, or --count records (count="records") if every record is a person\'s own'
        )


def said_of_people(table: Table, settings: Settings, repeats: Repeats = repeating) -> list[str]:
    """Say that every identifier repeats where records are counted all the same."""
    roles = settings.roles
    if roles.person or roles.household:
        return []
    again, alone = _repeating(table, repeats)
    if alone or not again:
        return []
    return [
        f"counts records, not people: {listed(again)} {_verb(again)}; "
        "where records of one value are one person's, a class may be of fewer than k people "
        f"(--person {shown(again[0])} counts them)"
    ]


def _verb(names: list[str]) -> str:
    return "repeats" if len(names) == 1 else "repeat"


def _repeating(table: Table, repeats: Repeats) -> tuple[list[str], list[str]]:
    """Return the identifiers that repeat, and those that are different for every record."""
    found: dict[bool, list[str]] = {True: [], False: []}
    for column in table.having(Role.IDENTIFIER):
        again = repeats(column)
        if again is not None:
            found[again].append(column.name)
    return found[True], found[False]


def in_strata(
    table: Table, settings: Settings, folder: Path | None
) -> tuple[Table, Survey, list[str]]:
    """Return the table, how its records were drawn, and what is to be said of that.

    Strata with fewer than k records are an error, or joined to others, as the settings say.
    """
    roles, protect = settings.roles, settings.protect
    survey = read_survey(table, roles.weight, roles.by, roles.household, roles.person)
    told = []
    if survey.together is not None:
        count, who = int(survey.together.max()) + 1, survey.who
        if count < protect.k:
            raise RequestError(
                f"{table.source.name}: {count} {who} < k = {protect.k}, a group cannot be made"
            )
        if settings.requirement.k_of:
            raise RequestError(
                "k_of counts records, household and person ask for households and people: take one"
            )
        if survey.households is not None:
            told.append(f"{count:,} {who}: every group is made of at least {protect.k} of them")
    if survey.persons is not None:
        people = int(survey.persons.max()) + 1
        told.append(f"counts people: {people:,} people in {table.rows:,} records")
    if small_strata(survey, protect.k) and protect.small_strata == "merge":
        trees = trees_of(table, settings)
        rest = without_strata(table, settings)
        coded = code(rest, trees, folder) if needs_trees(rest) else None
        matrix = encode(rest, coded=coded, k=protect.k, survey=survey.weights).matrix
        table, merged = merge_strata(table, roles.by, survey, protect.k, matrix)
        survey = read_survey(table, roles.weight, roles.by, roles.household, roles.person)
        names = listed(dict.fromkeys(merged), 12)
        told.append(f"strata with fewer than k = {protect.k} were joined: {names}")
    check_strata(table, roles.by, survey, protect.k)
    if survey.strata is not None:
        told.append(f"groups within {int(survey.strata.max()) + 1:,} strata by {listed(roles.by)}")
    if survey.weights is not None:
        told.append(
            f"survey weights {shown(roles.weight)}: means and losses count by them, means are "
            f"rounded to the precision of the data; {_WEIGHTS[settings.release.weights[0]]}"
        )
    return table, survey, told


_WEIGHTS = {
    "mean": "they are released as the mean of each group, to six digits (--weights-as)",
    "rounded": "they are released rounded, which may tell records of a group apart",
    "exact": "they are released as they are, which may tell records of a group apart, and whose "
    "are of one household",
    "drop": "they are not released",
}


def said_of_survey(settings: Settings) -> dict[str, Any]:
    """Return which columns say how the records were drawn."""
    roles = settings.roles
    how = None if roles.weight is None else settings.release.weights_as or "mean"
    said = {
        "weight": roles.weight, "weights_as": how, "by": list(roles.by),
        "household": roles.household, "person": roles.person,
    }  # fmt: skip
    return {key: value for key, value in said.items() if value}


def without_strata(table: Table, settings: Settings) -> Table:
    """Return the table without the columns that are the same throughout a group."""
    by = settings.roles.by
    if not by:
        return table
    rest = table.only(lambda column: column.name not in by)
    if not rest.having(Role.QUASI_IDENTIFIER):
        raise RequestError(f"{table.source.name}: no quasi-identifier is left to group in strata")
    return rest
