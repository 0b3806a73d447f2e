"""Local suppression: flat hierarchies for all columns, and what contradicts it."""

from __future__ import annotations

from shoal.errors import RequestError, shown
from shoal.hints import option
from shoal.methods.registry import find
from shoal.settings import Settings
from shoal.table.roles import Role
from shoal.table.table import Table

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
