"""The roles of the columns of a survey: weights, strata, households and people."""

from __future__ import annotations

from shoal.errors import RequestError, listed, shown
from shoal.hints import option
from shoal.settings import Settings
from shoal.table.assign import all_quasi_identifiers
from shoal.table.roles import Role
from shoal.table.survey import survey_roles
from shoal.table.table import Profile, Table


def with_survey_roles(settings: Settings, table: Table, profile: Profile) -> Settings:
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
        rest = rest if rest.roles_given else all_quasi_identifiers(rest, profile.reason)
        lists = {role: rest.schema.with_role(role) for role in keys}
    for name, own in named.items():
        for role, names in lists.items():
            if name in names and role is not own:
                whole = "person" if name == roles.person else "household"
                what = {Role.IDENTIFIER: whole, Role.OTHER: "weight"}.get(own, "stratum")
                raise RequestError(f"column {shown(name)} is a {what}; it cannot be {role}, too")
        if name not in lists[own]:
            lists[own].append(name)
    return settings.replace(roles={keys[role]: names for role, names in lists.items()})


def check_people(table: Table, settings: Settings, profile: Profile) -> None:
    """Refuse a table in which every identifier repeats, unless settings say what to count.

    Groups of k records may be of fewer people then.
    """
    roles = settings.roles
    if roles.person or roles.household or settings.protect.count == "records":
        return
    again, alone = repeating_identifiers(table, profile)
    if again and not alone:
        raise RequestError(
            f"{table.source.name}: {listed(again)} {verb_of(again)}, "
            "and no identifier is different for every record: people have several records, and k "
            f"of these may be of fewer people; say {option('person', again[0])} to count people, "
            f"or {option('count', 'records')} if every record is a person's own"
        )


def verb_of(names: list[str]) -> str:
    """Return the verb of a sentence whose subject is a list of names that repeat."""
    return "repeats" if len(names) == 1 else "repeat"


def repeating_identifiers(table: Table, profile: Profile) -> tuple[list[str], list[str]]:
    """Return the identifiers that repeat, and those that are different for every record."""
    identifiers: dict[bool, list[str]] = {True: [], False: []}
    for column in table.with_role(Role.IDENTIFIER):
        again = profile.repeats(column)
        if again is not None:
            identifiers[again].append(column.name)
    return identifiers[True], identifiers[False]


def without_strata(table: Table, settings: Settings) -> Table:
    """Return the table without the columns that are the same throughout a group."""
    by = settings.roles.by
    if not by:
        return table
    rest = table.only(lambda column: column.name not in by)
    if not rest.with_role(Role.QUASI_IDENTIFIER):
        raise RequestError(f"{table.source.name}: no quasi-identifier is left to group in strata")
    return rest
