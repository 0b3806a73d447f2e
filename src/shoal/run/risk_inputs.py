"""What `risk` is given -> a key, what is known beside it, and hierarchies one level up."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import InputError, RequestError, listed, shown
from shoal.hints import Message, option
from shoal.kernels.arrays import Integers
from shoal.measures.disclosure.assess import Known
from shoal.measures.disclosure.key import Key, common_keys, key_of
from shoal.run.measure_inputs import Hierarchies
from shoal.table.assign import with_roles
from shoal.table.encode_nodes import CodedColumn, code
from shoal.table.hierarchy.specify import in_folder
from shoal.table.inspect import inspect
from shoal.table.levels import level_nodes
from shoal.table.proposals.content import content_of
from shoal.table.proposals.trees import propose_tree
from shoal.table.roles import Role
from shoal.table.survey import read_survey
from shoal.table.table import Table, check_readable

MOST = 20_000  # distinct values of a column whose hierarchy is made by itself


@dataclass(frozen=True)
class Roles:
    """The columns that risk is about: quasi-identifiers, survey weights, households."""

    quasi_identifiers: tuple[str, ...] = ()
    weight: str | None = None
    household: str | None = None

    def __post_init__(self) -> None:
        if len(set(self.quasi_identifiers)) < len(self.quasi_identifiers):
            raise RequestError("a quasi-identifier is named twice")
        for name in (self.weight, self.household):
            if name is not None and name in self.quasi_identifiers:
                raise RequestError(f"{shown(name)} is a quasi-identifier; it cannot be two things")


def find_quasi_identifiers(table: Table, roles: Roles) -> tuple[list[str], list[str]]:
    """Return the quasi-identifiers, given or proposed, and what to note of them."""
    if roles.quasi_identifiers:
        return list(roles.quasi_identifiers), []
    apart = (roles.weight, roles.household)
    if table.roles_given:
        return [c.name for c in table.with_role(Role.QUASI_IDENTIFIER) if c.name not in apart], []
    views = inspect(table).columns
    found = [
        view.name
        for view in views
        if view.suspected == Role.QUASI_IDENTIFIER and view.name not in apart and not view.warning
    ]
    rest = [name for name in table.names if name not in found]
    left = f"; left out: {listed(rest)}" if rest else ""
    note = Message(
        f"quasi-identifiers are those that inspect proposes{left}; name your own with "
        f"{option('quasi_identifiers')}"
    )
    return found, [note]


def check_table(table: Table, quasi: Sequence[str]) -> Table:
    """Return the table with quasi-identifiers that can be compared; raise an error otherwise."""
    if not table.rows:
        raise InputError(f"{table.source.name}: there are no records")
    if not quasi:
        raise RequestError(
            f"{table.source.name}: no column looks like a quasi-identifier; name them with "
            f"{option('quasi_identifiers')}"
        )
    for name in quasi:
        check_readable(replace(table[name], doubt=None), table)
    return with_roles(table, dict.fromkeys(quasi, Role.QUASI_IDENTIFIER))


def known_of(
    table: Table, quasi: Sequence[str], roles: Roles, population: Table | None, fraction: Any
) -> tuple[Key, Known]:
    """Return the key and what is known beside it."""
    sizes = {
        option("weight"): roles.weight,
        option("population"): population,
        option("sampling_fraction"): fraction,
    }
    given = [name for name, value in sizes.items() if value is not None]
    if len(given) > 1:
        raise RequestError(
            f"say one of {' and '.join(given)}: each tells how large the population is"
        )
    survey = read_survey(table, roles.weight, (), roles.household)
    columns = [table[name] for name in quasi]
    if population is None:
        known = Known(survey.weights, survey.households, None, _fraction(fraction))
        return key_of(columns), known
    key, others = common_keys(columns, [population[name] for name in quasi])
    return key, Known(None, survey.households, others)


def _fraction(fraction: Any) -> float | None:
    """Return a sampling fraction above 0 and up to 1."""
    if fraction is None:
        return None
    if isinstance(fraction, bool) or not isinstance(fraction, int | float) or not 0 < fraction <= 1:
        raise RequestError("sampling_fraction must be a number above 0 and up to 1")
    return float(fraction)


def one_level_up(
    table: Table, quasi: Sequence[str], rules: Hierarchies, folder: Path | None
) -> tuple[dict[str, tuple[str, Integers]], list[str]]:
    """Return the hierarchy of every column, and the nodes of its records one level up.

    Columns without a given hierarchy have the one that `inspect` proposes, or else the automatic
    one, unless they hold many values.
    """
    if rules is not None and not isinstance(rules, dict):
        if not isinstance(rules, str | os.PathLike):
            rules = dict(rules)
        else:
            rules = in_folder(Path(rules), list(quasi))
    wanted = {name: str(path) for name, path in (rules or {}).items() if name in quasi}
    many = [n for n in quasi if n not in wanted and table[n].different > MOST]
    levels = {}
    for name in (name for name in quasi if name not in many):
        if name not in wanted and (rule := _proposed(table, name)):
            wanted[name] = rule
        alone = replace(table, columns=(table[name],))
        coded = code(alone, {name: wanted[name]} if name in wanted else None, folder).columns[0]
        levels[name] = str(coded.rule), _lifted(coded)
    notes = [f"{listed(many)}: too many values for a hierarchy of their own; give one to see what "
             "a coarser column would change"] if many else []  # fmt: skip
    return levels, notes


def _proposed(table: Table, name: str) -> str | None:
    """Return the rule of a hierarchy that fits a column as it was read; None if none is known."""
    column = table[name]
    tree = propose_tree(content_of(column, table.rows))
    if tree is None or (column.kind.is_number and tree.rule.startswith("prefixes")):
        return None
    return tree.rule


def _lifted(column: CodedColumn) -> Integers:
    """Return the node of every record one level up; missing cells stay apart.

    Of an automatic hierarchy the first level that at least halves the values: each of its levels
    joins a few of them only.
    """
    nodes = level_nodes(column)
    level = min(1, nodes.shape[0] - 1)
    if not column.rule.given:
        few = (at for at, own in enumerate(nodes) if 2 * np.unique(own[:-1]).size <= own.size - 1)
        level = next(few, nodes.shape[0] - 1)
    up: Integers = nodes[level].copy()
    up[-1] = int(nodes.max(initial=0)) + 1
    return up[column.values.indices].astype(np.int64)
