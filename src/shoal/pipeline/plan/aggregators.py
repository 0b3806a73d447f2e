"""The aggregator of each quasi-identifier: what value a group releases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from shoal.errors import RequestError, check_known, shown
from shoal.hints import option
from shoal.methods import auto
from shoal.methods.registry import find, is_on_nodes
from shoal.release.averages import UNROUNDED
from shoal.settings import Decimals, Settings
from shoal.table.hierarchy.specify import in_folder
from shoal.table.proposals.codes import prefixes_of
from shoal.table.roles import MAJORITY, Column, Kind, Role
from shoal.table.table import Profile, Table

PLACED = "mean", "median", "range"  # aggregators of columns whose values have an order
CENTERS = frozenset(("mean", "median", "mode", "medoid"))


def build_aggregators(
    schema: Table, settings: Settings, by_hierarchies: bool, profile: Profile,
    hierarchies: Mapping[str, str],
) -> dict[str, str]:  # fmt: skip
    """Return the aggregator of each quasi-identifier of a schema.

    The default is the mean (`averages`); of numbers that take two values in the whole column, the
    majority, unless means or digits of them are asked for.
    """
    requested = settings.release.aggregate
    by_name = requested if isinstance(requested, dict) else {}
    aggregators = {}
    for column in schema.with_role(Role.QUASI_IDENTIFIER):
        ranked = column.is_ordinal and not by_hierarchies
        averaged = ranked or averages(column, settings, hierarchies)
        own = requested_aggregator(column, requested, "mean" if averaged else "generalize")
        if not column.has_places and own in PLACED:
            raise RequestError(
                f"aggregate: column {shown(column.name)} is {column.kind}, which has no {own}; "
                "say mode, medoid or generalize"
            )
        if column.is_ordinal and own == "mean":
            if column.name in by_name:
                raise RequestError(
                    f"aggregate: column {shown(column.name)} is ordinal, which has no mean; say "
                    "median, mode, medoid, generalize or range"
                )
            own = "median"
        if own == "mean" and not is_mean_requested(column, settings) and profile.two_valued(column):
            own = MAJORITY
        aggregators[column.name] = own
    if hierarchies and not by_hierarchies:
        _check_hierarchies(schema, hierarchies, aggregators)
    _check_decimals(schema, aggregators, settings.release.decimals)
    check_known(by_name, list(aggregators), "aggregate")
    return aggregators


def averages(column: Column, settings: Settings, hierarchies: Mapping[str, str]) -> bool:
    """Tell whether a column releases means by default: numbers and dates without a hierarchy."""
    numeric = column.kind.is_numeric and column.name not in hierarchies
    return numeric and numbers_as(settings) == "mean"


def numbers_as(settings: Settings) -> str:
    """Return what numbers are released as: means, or intervals.

    Intervals where nothing is said and a method, or a refinement of given groups, is named that
    generalizes: KAIM and k-member are known by what they release.
    """
    if settings.release.numbers is not None:
        return settings.release.numbers
    method, refine = settings.protect.method, settings.protect.refine
    if settings.roles.group is not None:
        named = is_on_nodes(refine)
    else:
        named = method != "auto" and find(method).info.on_nodes
    return "interval" if named else "mean"


def requested_aggregator(
    column: Column, requested: str | Mapping[str, str] | None, default: str
) -> str:
    """Return the requested aggregator of a column, else the default."""
    if not isinstance(requested, str):
        return str((requested or {}).get(column.name, default))
    if not column.has_places and requested in PLACED:
        return "generalize"  # asked for all columns: meant for those that can
    return requested


def is_mean_requested(column: Column, settings: Settings) -> bool:
    """Tell whether means of a column are requested: by name, for all, or by their digits."""
    requested, digits = settings.release.aggregate, settings.release.decimals
    named = isinstance(requested, str) or column.name in (requested or {})
    if isinstance(digits, int):  # for all columns: those with more digits are rounded
        own = _digits(column) if column.kind.is_number else 0
        rounded = own is None or own > digits
    else:
        rounded = column.name in digits if isinstance(digits, dict) else digits == UNROUNDED
    dominance = settings.requirement.threshold("dominance", column.name)
    return named or rounded or dominance is not None


def _check_hierarchies(
    schema: Table, trees: Mapping[str, str], aggregators: Mapping[str, str]
) -> None:
    """Refuse hierarchies that neither group records nor are released."""
    check_known(trees, list(aggregators), "a hierarchy")
    for name in trees:
        if aggregators[name] in ("generalize", "range") or not schema[name].has_places:
            return
    different = sorted(set(aggregators.values()))
    averaged = {"mean", "median"}.issuperset(different)
    released = " and ".join(f"{one}s" for one in different) if averaged else "no generalization"
    raise RequestError(
        f"a hierarchy is given, but the groups release {released}; say "
        f"{option('method', 'kaim')}, or {option('aggregate', 'generalize')}"
    )


def _check_decimals(
    schema: Table, aggregators: Mapping[str, str], decimals: Decimals | dict[str, Decimals] | None
) -> None:
    """Refuse decimals that round nothing, and more digits than the data have.

    Only means and medians of numbers are rounded, to the digits of the data or fewer, or not.
    """
    averaged = {
        name: _digits(schema[name]) if schema[name].kind.is_number else None
        for name, own in aggregators.items()
        if own in ("mean", "median") and not schema[name].is_ordinal
    }
    if isinstance(decimals, dict):
        for name, digits in decimals.items():
            if name in aggregators and schema[name].is_ordinal:
                raise RequestError(f"decimals are for numbers; {shown(name)} is ordinal")
            if name in aggregators and name not in averaged:
                raise RequestError(
                    f"decimals are for means and medians; {shown(name)} is released as "
                    f"{aggregators[name]}"
                )
            known = averaged.get(name)
            if known is not None and isinstance(digits, int) and digits > known:
                raise RequestError(
                    f"decimals: {shown(name)} has {known} digits after the point, not {digits}; "
                    f"say {name}=none for means that are not rounded"
                )
        return
    if decimals is not None and not averaged:
        raise RequestError("decimals are for means and medians; no column is released so")
    numbers = [own for name, own in averaged.items() if schema[name].kind.is_number]
    known = max((own for own in numbers if own is not None), default=0)
    if isinstance(decimals, int) and numbers and None not in numbers and decimals > known:
        raise RequestError(
            f"decimals: no column has {decimals} digits after the point, the most is {known}; "
            "say none for means that are not rounded"
        )


def _digits(column: Column) -> int | None:
    """Return the digits after the point that a column's means have; None: any number."""
    if column.kind is Kind.INTEGER:
        return 0
    if column.written is not None and column.written.digits is not None:
        return column.written.digits
    if column.kind is Kind.DECIMAL:
        return int(column.values.type.scale)
    return None if column.written is None else max(0, column.written.decimals)


def with_hierarchies(settings: Settings, schema: Table, folder: Path | None) -> Settings:
    """Return the settings with the files of a folder of hierarchies spelled out."""
    place = settings.input.hierarchies
    if place is None:
        return settings
    where = Path(place) if folder is None else folder / place
    grouped = schema.schema.with_role(Role.QUASI_IDENTIFIER)
    files = in_folder(where, [name for name in grouped if name not in settings.roles.by])
    rules = {**{name: str(Path(file).resolve()) for name, file in files.items()},
            **settings.hierarchies}  # fmt: skip
    return settings.replace(hierarchies=rules, input={"hierarchies": None})


def with_proposed(
    settings: Settings, schema: Table, profile: Profile
) -> tuple[Settings, dict[str, str]]:
    """Return the settings with hierarchies for texts that have none and are codes; and these.

    The recipe of a run has every hierarchy spelled out: none is added to it.
    """
    if settings.shoal is not None:
        return settings, {}
    rules = {}
    for column in schema.with_role(Role.QUASI_IDENTIFIER):
        if _is_generalized(column, settings) and column.name not in settings.hierarchies:
            length = profile.code_length(column)
            if length is not None:
                rules[column.name] = prefixes_of(length)
    if not rules:
        return settings, {}
    return settings.replace(hierarchies={**settings.hierarchies, **rules}), rules


def _is_generalized(column: Column, settings: Settings) -> bool:
    """Tell whether a column releases what its texts have in common."""
    if column.kind is not Kind.TEXT or column.is_ordinal or column.name in settings.roles.by:
        return False
    return requested_aggregator(column, settings.release.aggregate, "generalize") == "generalize"


def compared_columns(schema: Table, settings: Settings) -> list[str]:
    """Return the sensitive columns whose values t-closeness compares."""
    requirement = settings.requirement
    return [
        n
        for n in schema.schema.with_role(Role.SENSITIVE)
        if requirement.threshold("t", n) is not None
    ]


def grouping_hierarchies(schema: Table, settings: Settings) -> dict[str, str]:
    """Return the hierarchies by column but for those that t-closeness compares values by."""
    own = compared_columns(schema, settings)
    return {name: rule for name, rule in settings.hierarchies.items() if name not in own}


def _defaults(schema: Table, settings: Settings, hierarchies: Mapping[str, str]) -> list[str]:
    """Return what each quasi-identifier is to release, before anything is known of its cells."""
    return [
        requested_aggregator(
            column, settings.release.aggregate,
            "mean" if averages(column, settings, hierarchies) else "",
        )
        for column in schema.with_role(Role.QUASI_IDENTIFIER)
    ]  # fmt: skip


def has_mixed_cells(
    schema: Table, settings: Settings, profile: Profile, hierarchies: Mapping[str, str]
) -> bool:
    """Tell whether cells are texts or missing, or a hierarchy is given.

    Where all columns release means, medians, modes or medoids, what is lost is distances to a
    center, whatever the cells are.
    """
    if CENTERS.issuperset(_defaults(schema, settings, hierarchies)):
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
    columns = schema.with_role(Role.QUASI_IDENTIFIER)
    numeric = all(
        column.kind.is_numeric and column.kind is not Kind.BOOLEAN and not column.is_ordinal
        for column in columns
    )
    released = {"", "generalize", "range"}.issuperset(_defaults(schema, settings, hierarchies))
    return profile.rows < auto.pace().large and numeric and released


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
