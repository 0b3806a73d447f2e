"""Choice of the encoder: points with distances, or nodes of hierarchies."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.errors import RequestError
from shoal.methods import auto
from shoal.methods.registry import find, is_on_nodes
from shoal.plan.aggregators import averages, requested_aggregator
from shoal.settings import Settings
from shoal.table.profile import Profile
from shoal.table.roles import Kind, Role
from shoal.table.table import Table

CENTERS = frozenset(("mean", "median", "mode", "medoid"))


def has_mixed_cells(
    schema: Table, settings: Settings, profile: Profile, hierarchies: Mapping[str, str]
) -> bool:
    """Tell whether cells are texts or missing, or a hierarchy is given.

    Where all columns release means, medians, modes or medoids, what is lost is distances to a
    center, whatever the cells are.
    """
    columns, aggregate = schema.with_role(Role.QUASI_IDENTIFIER), settings.release.aggregate
    default = {c.name: "mean" if averages(c, settings, hierarchies) else "" for c in columns}
    if CENTERS.issuperset(requested_aggregator(c, aggregate, default[c.name]) for c in columns):
        return False
    return auto.by_hierarchies(schema, hierarchies, profile.missing)


def has_only_intervals(
    schema: Table, settings: Settings, profile: Profile, hierarchies: Mapping[str, str]
) -> bool:
    """Tell whether all quasi-identifiers are numbers or dates that groups release as intervals.

    Not of tables that are grouped block by block, which blocks by distance do much faster, nor
    where a start or search options are given, which may be of a search by distance.
    """
    if settings.protect.start is not None or settings.search_options():
        return False
    columns, aggregate = schema.with_role(Role.QUASI_IDENTIFIER), settings.release.aggregate
    default = {c.name: "mean" if averages(c, settings, hierarchies) else "generalize"
               for c in columns}  # fmt: skip
    return profile.rows < auto.pace().large and all(
        column.kind.is_numeric
        and column.kind is not Kind.BOOLEAN
        and not column.is_ordinal
        and requested_aggregator(column, aggregate, default[column.name]) in ("generalize", "range")
        for column in columns
    )


def by_hierarchies(settings: Settings, is_mixed: bool, only_intervals: bool) -> bool:
    """Tell whether the requested method compares records by hierarchies.

    `auto` does where cells are mixed, and so does `exact`; `auto` also where numbers are released
    as intervals, whose width is what is lost then.
    """
    roles, method = settings.roles, settings.protect.method
    whole = roles.person if roles.household is None else roles.household
    units = "people" if roles.household is None else "households"
    if roles.group is not None:
        if whole is not None:
            raise RequestError(f"groups that are given cannot be made of whole {units} anew")
        return is_on_nodes(settings.protect.refine)
    info = find(method).info
    groups_by_trees = is_mixed if method == "auto" or info.by_table else info.on_nodes
    if method == "auto":
        groups_by_trees = groups_by_trees or only_intervals
    if whole is None:
        return groups_by_trees
    if method != "auto" and groups_by_trees:
        raise RequestError(
            f"{method} groups records one by one; {units} are grouped by methods of distances, "
            "such as auto"
        )
    return False
