"""Columns of a plan: what is known of them, their roles in a survey, what is refused of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal.errors import RequestError, listed, nearest_names, shown
from shoal.hints import STEP, option
from shoal.measures.risk.kept_columns import released_codes
from shoal.methods.registry import find
from shoal.release.aggregate import rounded_weights
from shoal.settings import Settings
from shoal.table.assign import all_quasi_identifiers, identifier_reason
from shoal.table.dataframes.frames import check_names
from shoal.table.proposals.codes import code_length, count_codes
from shoal.table.roles import Column, Kind, Role
from shoal.table.survey import survey_roles
from shoal.table.table import Change, Profile, Table, check_readable, complete_rows, same
from shoal.table.two_valued import is_two_valued


@dataclass(frozen=True, repr=False)
class TableProfile:
    """The profile of a table in memory."""

    table: Table

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.table.rows

    def missing(self, column: Column) -> int:
        """Return how many cells are missing."""
        return self.table[column.name].missing

    def different(self, column: Column) -> int:
        """Return how many different values there are."""
        return self.table[column.name].different

    def reason(self, column: Column) -> str | None:
        """Return why a column looks like an identifier, None where it does not."""
        return identifier_reason(self.table[column.name])

    def repeats(self, column: Column) -> bool | None:
        """Tell whether two records have one value; None where none has any."""
        return repeating(self.table[column.name])

    def two_valued(self, column: Column) -> bool:
        """Tell whether a column holds exactly two different numbers."""
        return is_two_valued(self.table[column.name])

    def code_length(self, column: Column) -> int | None:
        """Return the length of the codes that the cells are, None where they are no codes."""
        own = self.table[column.name]
        return code_length(count_codes(own), self.rows - own.missing)

    def unique_share(self, column: Column, released: Change = same) -> float:
        """Return the share of records that are unique in a column, as it is `released`."""
        return unique_share(released(self.table[column.name]))

    def complete(self, names: Sequence[str]) -> TableProfile:
        """Return the profile of the records that miss none of some columns."""
        rows = complete_rows([self.table[name] for name in names])
        if rows.size == self.rows:
            return self
        return TableProfile(self.table.take(rows))


def unique_share(column: Column) -> float:
    """Return the share of records whose cell no other record has; missing cells are one value."""
    if not len(column.values):
        return 0.0
    return float((np.bincount(released_codes(column)) == 1).sum()) / len(column.values)


def repeating(column: Column) -> bool | None:
    """Tell whether two records have one value of a column; None if none has any."""
    present = len(column.values) - column.missing
    return column.different < present if present else None


WORDS = 5.0  # of a cell, on average: what has more, and mostly unique cells, is free text
MOST = 0.5  # of the records may be unique in a column that is kept


def check_rounding(table: Table, settings: Settings) -> None:
    """Raise RequestError if a column to round is not kept."""
    kept = [*table.schema.with_role(Role.OTHER), *table.schema.with_role(Role.SENSITIVE)]
    for name in settings.release.round:
        if name == settings.roles.weight:
            raise RequestError(
                f"round: {shown(name)} holds the survey weights; say "
                f"{option('weights_as', 'rounded:N')}"
            )
        if name in table.schema.with_role(Role.QUASI_IDENTIFIER):
            raise RequestError(
                f"round is for columns that are kept; {shown(name)} is a quasi-identifier, whose "
                f"means {option('decimals')} rounds"
            )
        if name not in kept:
            raise RequestError(
                f"round is for columns that are kept; {shown(name)} is not"
                f"{nearest_names(name, kept)}"
            )


def check_kept(table: Table, settings: Settings, profile: Profile) -> None:
    """Refuse other columns and weights in which most records are unique, as they are released."""
    roles = settings.roles
    kept = table.schema.with_role(Role.OTHER)
    for name in roles.keep_unique:
        if name not in kept:
            raise RequestError(
                f"keep_unique is for other columns and weights; {shown(name)} is none"
                f"{nearest_names(name, kept)}"
            )
    for column in table.with_role(Role.OTHER):
        if column.name in roles.keep_unique:
            continue
        is_weight = column.name == roles.weight
        weights_as, step = settings.release.weights
        if is_weight and weights_as in ("mean", "drop"):
            continue  # no record stands out by them
        rounds = is_weight and weights_as == "rounded"
        released = partial(rounded_weights, step=step) if rounds else same
        share = profile.unique_share(column, released)
        if share > MOST:
            name = shown(column.name)
            advice = f"leave it out ({option('drop', [column.name])})"
            if column.kind.is_grouped:
                advice += f", group it ({option('quasi_identifiers', [column.name])})"
            if is_weight:
                advice = (
                    f"release it as the mean of each group ({option('weights_as', 'mean')}) or not "
                    f"at all ({option('weights_as', 'drop')})"
                )
            elif column.kind.is_numeric and column.kind is not Kind.DURATION:
                advice += f", round it ({option('round', {column.name: STEP})})"
            raise RequestError(
                f"{table.source.name}, column {name}: {100.0 * share:.3g} % of the records are "
                f"unique in it, which singles them out; {advice}, or say "
                f"{option('keep_unique', [column.name])} to release it all the same"
            )


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


FLAT = "flat"


def suppresses_cells(settings: Settings) -> bool:
    """Tell whether the method releases cells as they are, or not at all."""
    return settings.roles.group is None and find(settings.protect.method).info.suppresses


def with_flat_trees(settings: Settings, schema: Table) -> Settings:
    """Return the settings with a flat hierarchy for every column that is grouped.

    Raises RequestError for another hierarchy, and for groups that are to release anything else.
    """
    if not suppresses_cells(settings):
        return settings
    method = settings.protect.method
    quasi = schema.with_role(Role.QUASI_IDENTIFIER)
    grouped = [column.name for column in quasi if column.name not in settings.roles.by]
    for name in grouped:
        if settings.hierarchies.get(name, FLAT) != FLAT:
            raise RequestError(
                f"{method} releases cells of {shown(name)} as they are or not at all; leave out "
                f"its hierarchy ({option('hierarchies')}), or choose kaim+, which generalizes"
            )
    asked = settings.release.aggregate
    others = {*asked.values()} if isinstance(asked, dict) else {asked or "generalize"}
    if others != {"generalize"} or settings.release.numbers == "mean":
        raise RequestError(
            f"{method} releases cells as they are or not at all; leave out {option('aggregate')} "
            f"and {option('numbers')}"
        )
    return settings.replace(hierarchies={**settings.hierarchies, **dict.fromkeys(grouped, FLAT)})


def suppression_notes(settings: Settings) -> list[str]:
    """Return a note on what is suppressed, and on how k counts such cells."""
    if not suppresses_cells(settings):
        return []
    return [
        "cells that differ within a group are suppressed (*), as few as the search finds by "
        f"{option('column_weights')}; in counting k a suppressed cell equals suppressed ones alone "
        "(reading own, the strictest)"
    ]


def check_group_column(schema: Table, name: str | None) -> None:
    """Refuse a column of group numbers whose name is none, or is that of another column."""
    if name is None:
        return
    check_names([name], "the release")
    if name in schema.names:
        raise RequestError(
            f"group_column: {schema.source.name} has a column {shown(name)} already; give the "
            "group numbers another name"
        )


def check_columns(schema: Table, settings: Settings, profile: Profile) -> None:
    """Refuse decimals for columns that are not grouped, and columns without a value."""
    if settings.roles.group is not None and settings.protect.incomplete == "delete":
        raise RequestError("groups that are given hold every record: none can be deleted")
    decimals, quasi = settings.release.decimals, schema.with_role(Role.QUASI_IDENTIFIER)
    names = [column.name for column in quasi]
    for name in decimals if isinstance(decimals, dict) else ():
        if name not in names:
            raise RequestError(
                f"decimals are given for {shown(name)}, which is no quasi-identifier"
                f"{nearest_names(name, names)}"
            )
    for column in quasi:
        check_readable(column, schema)
    for column in (*quasi, *schema.with_role(Role.SENSITIVE)):
        if profile.missing(column) == profile.rows and not settings.protect.allow_empty:
            what = "sensitive column" if column.role is Role.SENSITIVE else "quasi-identifier"
            raise RequestError(
                f"{schema.source.name}: every cell of {what} {shown(column.name)} is missing; "
                f"leave it out with {option('drop', [column.name])}, or say "
                f"{option('allow_empty', True)}"
            )


def check_free_text(table: Table, schema: Table, settings: Settings) -> None:
    """Raise RequestError for a kept column of free text that nobody allowed."""
    for column in schema.columns:
        name = column.name
        is_kept = column.role in (Role.SENSITIVE, Role.OTHER)
        if is_kept and name not in settings.roles.keep_unique and is_free_text(table[name]):
            raise RequestError(
                f"{table.source.name}, column {shown(name)}: free text, which can name people in "
                f"ways that no check sees; leave it out ({option('drop', [name])}), or say "
                f"{option('other', [name])} and {option('keep_unique', [name])} to release it all "
                "the same"
            )


def is_free_text(column: Column) -> bool:
    """Tell whether a column holds free text: many words a cell, most cells unique."""
    import pyarrow.compute as pc

    there = column.values.drop_null()
    if column.kind is not Kind.TEXT or column.is_ordinal or not len(there):
        return False
    words = pc.mean(pc.list_value_length(pc.utf8_split_whitespace(there))).as_py()
    return words >= WORDS and unique_share(column) > MOST


def check_recoding(settings: Settings, aggregators: Mapping[str, str]) -> None:
    """Raise RequestError for what a recoding cannot be, and what suppression cannot leave out."""
    protect, roles, requirement = settings.protect, settings.roles, settings.requirement
    method = find(protect.method).info
    if roles.group is not None or not method.recodes:
        why = "groups that are given hold every record" if roles.group is not None else ""
        for units, name in (("household", roles.household), ("person", roles.person)):
            if name is not None:
                why = why or f"it leaves out single records, not all of a {units}"
        if protect.suppress and why:
            raise RequestError(f"{option('suppress')}: {why}; leave it out")
        return
    if roles.by:
        raise RequestError(
            f"{method.name} has one level for all records, not one by stratum; leave out "
            f"{option('by')}"
        )
    for name, one in aggregators.items():
        if one != "generalize":
            raise RequestError(
                f"{method.name} releases a level of every hierarchy, {shown(name)} is to be "
                f"released as {one}; leave out {option('aggregate')} and {option('numbers')}"
            )
    if protect.suppress and (requirement.more_than_k or requirement.k_of):
        raise RequestError(
            f"{option('suppress')} is for k alone: what else is asked of classes could fail in "
            "what is left; leave it out"
        )
