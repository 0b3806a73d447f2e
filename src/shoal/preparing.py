"""A table as it was asked for, before anything is grouped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from shoal.keeping import check_kept, check_rounding, with_rounding
from shoal.request import check_request, compared, complete, generalizes, with_hierarchies
from shoal.settings import Settings
from shoal.surveying import check_people, with_survey, without_strata
from shoal.table.assign import Assigned, assign
from shoal.table.order import with_orders
from shoal.table.table import Table


class Prepared(NamedTuple):
    """A table with its roles and orders, what of it is grouped, and the settings spelled out."""

    assigned: Assigned
    table: Table
    settings: Settings


def prepared(table: Table, settings: Settings, folder: Path | None) -> Prepared:
    """Give a table its roles and orders, and leave out what is to be deleted."""
    table = with_rounding(table, settings)
    settings = with_survey(settings, table)
    assigned = assign(table, settings.roles)
    check_people(assigned.table, settings)
    check_rounding(assigned.table, settings)
    own = compared(assigned.table, settings)
    assigned = replace(assigned, table=with_orders(assigned.table, settings.orders, own))
    settings = with_hierarchies(settings, assigned.table, folder)
    check_request(assigned.table, settings)
    whole = complete(assigned.table, settings)
    check_kept(whole, settings)
    return Prepared(assigned, whole, settings)


def groups_by_trees(table: Table, settings: Settings, folder: Path | None = None) -> bool:
    """Tell whether a run groups the records of a table by trees."""
    _, given, settings = prepared(table, settings, folder)
    return generalizes(without_strata(given, settings), settings)


def once_read(settings: Settings) -> Settings:
    """Return the settings for a table that was read as they say: how is nothing to say again."""
    return settings.having(input={"delimiter": None, "missing": ("",), "types": {}})
