"""Groups that a column of the table holds, to be refined."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError, RequestError, shown
from shoal.grouping import numbered
from shoal.settings import Settings
from shoal.table.table import Table

Integers = npt.NDArray[np.int64]


def given_groups(table: Table, settings: Settings) -> tuple[Table, Integers | None]:
    """Take out the column that holds the groups to start from; return them as numbers."""
    name = settings.roles.group
    if name is None:
        if settings.protect.refine is not None:
            raise RequestError("refine needs a group column to start from; say --group COLUMN")
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
    start = numbered(column.values.to_pylist(), table.rows, settings.protect.k, what)
    return table.only(lambda column: column.name != name), start
