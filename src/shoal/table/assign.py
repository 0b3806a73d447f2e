"""Roles given by name -> a Table whose columns have them. Never a silent guess."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from shoal.errors import InputError, RequestError, listed, shown
from shoal.hints import STEP, option
from shoal.table.dataframes.opaque import holds_categories, is_binary, is_incomparable
from shoal.table.roles import Column, Kind, Role, family
from shoal.table.table import Table

NEARLY = 0.9  # a text column with more distinct values than this share looks like an identifier


@dataclass(frozen=True)
class Assigned:
    """The table with its roles, and the unnamed columns that became `other`."""

    table: Table
    unnamed: tuple[str, ...] = ()


def identifier_reason(column: Column) -> str | None:
    """Return why a column looks like an identifier: unique, or a text that is nearly so."""
    present = len(column.values) - column.missing
    if present < 2:
        return None
    return too_different(column.kind, column.different, present)


def too_different(kind: Kind, different: int, present: int) -> str | None:
    """Return why a number of different values looks like an identifier."""
    if different == present:
        return "no two records share a value"
    if kind is Kind.TEXT and different > NEARLY * present:
        return f"{different} of {present} values are different"
    return None


Reason = Callable[[Column], str | None]


def assign(table: Table, roles: Any, reason: Reason = identifier_reason) -> Assigned:
    """Give every column its role; `roles` lists names as `settings.RoleSettings` does.

    `reason` says why a column looks like an identifier, None where it does not.
    """
    given = {
        Role.IDENTIFIER: roles.identifiers,
        Role.QUASI_IDENTIFIER: roles.quasi_identifiers,
        Role.SENSITIVE: roles.sensitive,
        Role.OTHER: roles.other,
    }
    _check_names(table, given, roles.drop)
    dropped = set(roles.drop)
    table = table.only(lambda column: column.name not in dropped)
    if not table.columns:
        raise RequestError(f"{table.source.name}: every column is dropped")
    if not roles.any_given:
        given_table = table if table.roles_given else all_quasi_identifiers(table, reason)
        _check_kinds(given_table)
        return Assigned(given_table)
    if not roles.quasi_identifiers:
        raise RequestError(
            "roles are given but no quasi-identifier; name the columns that could be looked up "
            f"elsewhere with {option('quasi_identifiers')}"
        )
    named = {name: role for role, names in given.items() for name in names}
    unnamed = tuple(column.name for column in table.columns if column.name not in named)
    for name in unnamed:
        why = None if name in roles.keep_unique else reason(table[name])
        if why:
            advice = f"say {option('identifiers', [name])} or {option('drop', [name])}"
            if table[name].kind.is_grouped:
                advice = (
                    f"say {option('identifiers')}, {option('quasi_identifiers')}, "
                    f"{option('sensitive')} or {option('drop', [name])}, "
                    f"{option('round', {name: STEP})} to round it"
                )
            raise RequestError(
                f"{table.source.name}, column {shown(name)}: {why}, it could identify people; "
                f"{advice}, or {option('keep_unique', [name])} to release it as it is"
            )
    table = with_roles(table, named)
    _check_kinds(table)
    return Assigned(table, unnamed)


def _check_kinds(table: Table) -> None:
    """Refuse cells that cannot be grouped as quasi-identifiers, and cells nobody can compare."""
    for column in table.columns:
        why = _refusal(column)
        if why:
            raise InputError(
                f"{table.source.name}, column {shown(column.name)}: cells of type "
                f"{family(column.values.type)} {why}"
            )


def _refusal(column: Column) -> str | None:
    """Return why a column cannot have its role, None where it can."""
    kind = column.values.type
    if column.role is Role.IDENTIFIER or column.kind.is_grouped:
        return None
    if is_incomparable(kind):
        return f"cannot be compared; leave it out with {option('drop', [column.name])}"
    if column.role is Role.OTHER and holds_categories(kind):
        return (
            "hold categories, of which unused ones would be released; turn these into texts, or "
            f"leave it out with {option('drop', [column.name])}"
        )
    if column.role is Role.QUASI_IDENTIFIER:
        return (
            "cannot be quasi-identifiers; turn them into numbers or texts, leave it out with "
            f"{option('drop', [column.name])}, or keep it as it is with "
            f"{option('other', [column.name])}"
        )
    if column.role is Role.SENSITIVE and column.kind is Kind.UNKNOWN and not is_binary(kind):
        return (
            "cannot be sensitive; turn them into numbers or texts, leave it out with "
            f"{option('drop', [column.name])}, or keep it as it is with "
            f"{option('other', [column.name])}"
        )
    return None


def with_roles(table: Table, named: dict[str, Role]) -> Table:
    """Return the table with the roles of a dict; a column that is not in it is `other`."""
    given = table.mapped(lambda column: column.replace(role=named.get(column.name, Role.OTHER)))
    return replace(given, roles_given=True)


def _check_names(table: Table, given: dict[Role, Any], drop: Any) -> None:
    seen: dict[str, str] = {}
    for role, names in [*((str(role), names) for role, names in given.items()), ("drop", drop)]:
        for name in names:
            _ = table[name]
            if name in seen:
                twice = f"twice as {role}" if seen[name] == role else f"as {seen[name]} and {role}"
                raise RequestError(f"column {shown(name)} is named {twice}")
            seen[name] = role


def all_quasi_identifiers(table: Table, reason: Reason = identifier_reason) -> Table:
    """Return the table with every column a quasi-identifier; one that names people is refused."""
    texts = [c for c in table.columns if c.kind is Kind.TEXT and not c.doubt]
    suspects = [column.name for column in texts if reason(column)]
    if suspects:
        raise RequestError(
            f"{table.source.name}: {listed(suspects)} may identify people (almost every value is "
            f"different); say {option('identifiers', suspects[:1])} to drop it, or give it another "
            "role"
        )
    return table.mapped(lambda column: column.replace(role=Role.QUASI_IDENTIFIER))
