"""Reading of the input table, and of the column that holds given groups."""

from __future__ import annotations

from typing import Any

from shoal.errors import InputError, RequestError, shown
from shoal.hints import COLUMN, option
from shoal.kernels.arrays import Integers
from shoal.methods.options import check_options
from shoal.methods.problem import check_size
from shoal.methods.registry import find
from shoal.partition import check_labels
from shoal.settings import Settings
from shoal.table.read import read_with
from shoal.table.table import Table


def read_table(
    data: Any, settings: Settings, threads: int | None = None
) -> tuple[Table, Integers | None]:
    """Read data with the settings; return the table, and the given groups, if any.

    Raises RequestError for options that do not suit the method, and for fewer than k records.
    """
    protect, options = settings.protect, settings.input
    if settings.roles.group is None and protect.method != "auto":
        check_options(find(protect.method).info, protect.start, settings.search_options())
    table = read_with(data, options.dialect, options.missing, options.types, threads)
    check_size(table.rows, protect.k, table.source.name)
    return given_groups(table, settings)


def given_groups(table: Table, settings: Settings) -> tuple[Table, Integers | None]:
    """Remove the column of given groups; return the table and the labels."""
    name = settings.roles.group
    if name is None:
        if settings.protect.refine is not None:
            raise RequestError(
                f"refine needs a group column to start from; say {option('group', COLUMN)}"
            )
        return table, None
    if settings.protect.method != "auto":
        raise RequestError("the groups come from a column: give a method or a group, not both")
    if settings.protect.start is not None:
        raise RequestError("the groups come from a column: give a start or a group, not both")
    column = table[name]
    roles = settings.roles
    named = (roles.identifiers, roles.quasi_identifiers, roles.sensitive, roles.other, roles.drop)
    if any(name in names_ for names_ in named):
        raise RequestError(f"column {shown(name)} holds the groups; it cannot have another role")
    what = f"{table.source.name}, column {shown(name)}"
    if column.missing:
        raise InputError(f"{what}: records without a group: {column.missing}")
    start = check_labels(column.values.to_pylist(), table.rows, settings.protect.k, what)
    return table.only(lambda column: column.name != name), start
