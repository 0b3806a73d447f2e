"""What a request means for a table: before the groups are found, and said of them after."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import (
    InputError,
    RequestError,
    check_known,
    nearest_names,
    shown,
)
from shoal.grouping import numbered
from shoal.methods.auto import by_trees
from shoal.methods.problem import check_size
from shoal.methods.registry import find, is_on_nodes
from shoal.partition import Partition, SearchLog
from shoal.progress import StopToken
from shoal.release.aggregate import MAJORITY, UNROUNDED
from shoal.settings import Decimals, Settings
from shoal.table.alike import said_of_names
from shoal.table.assign import Reason, distinct, identifier_reason
from shoal.table.codes import Different, said_of_codes
from shoal.table.hierarchy.listed import Listed
from shoal.table.hierarchy.specify import in_folder, is_file
from shoal.table.hierarchy.values import Rule
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table, check_readable
from shoal.table.twovalued import is_two_valued

Integers = npt.NDArray[np.int64]


def with_hierarchies(settings: Settings, table: Table, folder: Path | None) -> Settings:
    """Return the settings with the files of a folder of hierarchies spelled out."""
    place = settings.input.hierarchies
    if place is None:
        return settings
    where = Path(place) if folder is None else folder / place
    grouped = table.schema.having(Role.QUASI_IDENTIFIER)
    found = in_folder(where, [name for name in grouped if name not in settings.roles.by])
    said = {**{name: str(Path(file).resolve()) for name, file in found.items()},
            **settings.hierarchies}  # fmt: skip
    return settings.having(hierarchies=said, input={"hierarchies": None})


def trees_of(table: Table, settings: Settings) -> dict[str, str]:
    """Return what is said of hierarchies but for those that t-closeness compares values by."""
    own = compared(table, settings)
    return {name: said for name, said in settings.hierarchies.items() if name not in own}


def compared(table: Table, settings: Settings) -> list[str]:
    """Return the sensitive columns whose values t-closeness compares."""
    asked = settings.requirement
    return [n for n in table.schema.having(Role.SENSITIVE) if asked.asked("t", n) is not None]


def complete(table: Table, settings: Settings) -> Table:
    """Leave out the records that miss a quasi-identifier, where that is asked for."""
    if settings.protect.incomplete == "keep":
        return table
    kept = complete_rows(table)
    check_size(kept.size, settings.protect.k, f"{table.source.name} without incomplete records")
    return table.taken(kept)


def complete_rows(table: Table) -> Integers:
    """Return the rows of the records that miss no quasi-identifier."""
    gone = {row for c in table.having(Role.QUASI_IDENTIFIER) for row in c.missing_rows()}
    return np.array([row for row in range(table.rows) if row not in gone], dtype=np.int64)


def generalizes(table: Table, settings: Settings) -> bool:
    """Tell whether the records are grouped by trees: asked for, or nothing else can be done."""
    roles = settings.roles
    whole = roles.person if roles.household is None else roles.household
    who = "people" if roles.household is None else "households"
    if settings.roles.group is not None:
        if whole is not None:
            raise RequestError(f"groups that are given cannot be made of whole {who} anew")
        return is_on_nodes(settings.protect.refine)
    if whole is not None:
        method = settings.protect.method
        if method != "auto" and find(method).info.on_nodes:
            raise RequestError(
                f"{method} groups records one by one; {who} are grouped by methods of "
                "distances, such as auto"
            )
        return False
    if settings.protect.method != "auto":
        return find(settings.protect.method).info.on_nodes
    columns = table.having(Role.QUASI_IDENTIFIER)
    if CENTERS.issuperset(_way(column, settings.release.aggregate, "") for column in columns):
        return False  # what such a release loses is distances to a center
    return by_trees(table, trees_of(table, settings))


CENTERS = frozenset(("mean", "median", "mode", "medoid"))


def _way(column: Column, said: str | Mapping[str, str] | None, usual: str) -> str:
    """Return what was asked of a column, else the usual."""
    if not isinstance(said, str):
        return str((said or {}).get(column.name, usual))
    if not column.has_places and said in ("mean", "median", "range"):
        return "generalize"  # said of all columns: meant for those that can
    return said


TwoValued = Callable[[Column], bool]


def ways(
    table: Table, settings: Settings, by_trees: bool, two_valued: TwoValued = is_two_valued
) -> dict[str, str]:
    """Return what the value of a group is in each quasi-identifier.

    Means are usual; of a column of numbers that holds two of them only, which `two_valued` tells of
    the whole column, the majority: unless means or digits of it are asked for.
    """
    said = settings.release.aggregate
    found = {}
    for column in table.having(Role.QUASI_IDENTIFIER):
        averaged = column.has_places and not by_trees
        way = _way(column, said, "mean" if averaged else "generalize")
        if not column.has_places and way in ("mean", "median", "range"):
            raise RequestError(
                f"aggregate: column {shown(column.name)} is {column.kind}, which has no {way}; "
                "say mode, medoid or generalize"
            )
        if column.is_ordinal and way == "mean":
            if isinstance(said, dict) and column.name in said:
                raise RequestError(
                    f"aggregate: column {shown(column.name)} is ordinal, which has no mean; say "
                    "median, mode, medoid, generalize or range"
                )
            way = "median"
        if way == "mean" and not _is_asked(column, settings) and two_valued(column):
            way = MAJORITY
        found[column.name] = way
    trees = trees_of(table, settings)
    if trees and not by_trees:
        _check_trees(table, trees, found)
    numbers = {column.name for column in table.columns if not column.is_ordinal}
    _check_rounding(found, numbers, settings.release.decimals)
    _check_digits([table[name] for name, way in found.items() if way in ("mean", "median")],
                  settings.release.decimals)  # fmt: skip
    check_known(said if isinstance(said, dict) else (), list(found), "aggregate")
    return found


def _is_asked(column: Column, settings: Settings) -> bool:
    """Tell whether somebody asks for means of a column: by name, for all, or by their digits."""
    said, digits = settings.release.aggregate, settings.release.decimals
    named = isinstance(said, str) or column.name in (said or {})
    if isinstance(digits, int):  # of all columns: whoever has more of them is rounded
        own = _digits(column) if column.kind.is_number else 0
        rounded = own is None or own > digits
    else:
        rounded = column.name in digits if isinstance(digits, dict) else digits == UNROUNDED
    dominance = settings.requirement.asked("dominance", column.name)
    return named or rounded or dominance is not None


def _check_trees(table: Table, trees: Mapping[str, str], found: Mapping[str, str]) -> None:
    """Refuse hierarchies that neither group records nor are released."""
    check_known(trees, list(found), "a hierarchy")
    for name in trees:
        if found[name] in ("generalize", "range") or not table[name].has_places:
            return
    different = sorted(set(found.values()))
    averaged = {"mean", "median"}.issuperset(different)
    ways_ = " and ".join(f"{way}s" for way in different) if averaged else "no generalization"
    raise RequestError(
        f"a hierarchy is given, but the groups release {ways_}; say --method kaim, or "
        "--aggregate generalize"
    )


def _check_rounding(
    found: Mapping[str, str],
    numbers: set[str],
    decimals: Decimals | dict[str, Decimals] | None,
) -> None:
    """Refuse decimals that would round nothing: only means and medians of numbers are rounded."""
    ways = ("mean", "median")
    averaged = [name for name, way in found.items() if way in ways and name in numbers]
    if isinstance(decimals, dict):
        for name in decimals:
            if name in found and name not in numbers:
                raise RequestError(f"decimals are for numbers; {shown(name)} is ordinal")
            if name in found and name not in averaged:
                raise RequestError(
                    f"decimals are for means and medians; {shown(name)} is released as "
                    f"{found[name]}"
                )
    elif decimals is not None and not averaged:
        raise RequestError("decimals are for means and medians; no column is released so")


def _check_digits(averaged: Sequence[Column], decimals: Any) -> None:
    """Refuse more digits than the data have: means are rounded to those, or not at all."""
    own = {column.name: _digits(column) for column in averaged if column.kind.is_number}
    many = decimals if isinstance(decimals, dict) else {}
    for name, digits in many.items():
        known = own.get(name)
        if known is not None and isinstance(digits, int) and digits > known:
            raise RequestError(
                f"decimals: {shown(name)} has {known} digits after the point, not {digits}; say "
                f"{name}=none for means that are not rounded"
            )
    if not isinstance(decimals, int) or not own:
        return
    each = [digits for digits in own.values() if digits is not None]
    if len(each) == len(own) and decimals > max(each):
        raise RequestError(
            f"decimals: no column has {decimals} digits after the point, the most is {max(each)}; "
            "say none for means that are not rounded"
        )


def _digits(column: Column) -> int | None:
    """Return the digits after the point that a column's means have; None: any number."""
    if column.kind is Kind.INTEGER:
        return 0
    if column.kind is Kind.DECIMAL:
        return int(column.values.type.scale)
    return None if column.written is None else max(0, column.written.decimals)


def without_groups(table: Table, settings: Settings) -> tuple[Table, Integers | None]:
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


def check_request(table: Table, settings: Settings) -> None:
    """Refuse decimals for columns that are not grouped, and columns without a value."""
    if settings.roles.group is not None and settings.protect.incomplete == "delete":
        raise RequestError("groups that are given hold every record: none can be deleted")
    decimals = settings.release.decimals
    grouped = table.schema.having(Role.QUASI_IDENTIFIER)
    for name in decimals if isinstance(decimals, dict) else ():
        if name not in grouped:
            raise RequestError(
                f"decimals are given for {shown(name)}, which is no quasi-identifier"
                f"{nearest_names(name, grouped)}"
            )
    for column in table.having(Role.QUASI_IDENTIFIER):
        check_readable(column, table)
        if column.missing == table.rows and not settings.protect.allow_empty:
            raise RequestError(
                f"{table.source.name}: every cell of quasi-identifier {shown(column.name)} is "
                "missing; leave it out with --drop, or say --allow-empty"
            )
    for column in table.having(Role.SENSITIVE):
        if column.missing == table.rows and not settings.protect.allow_empty:
            raise RequestError(
                f"{table.source.name}: every cell of sensitive column {shown(column.name)} is "
                "missing; leave it out with --drop, or say --allow-empty"
            )


def _goes_on(settings: Settings) -> bool:
    """Tell whether a search began with what less effort found: only `auto` finds that again."""
    asked = settings.protect
    chosen = asked.method == "auto" and asked.start is None and settings.roles.group is None
    return chosen and asked.effort == "best" and not settings.changes()


def resolved(
    settings: Settings, table: Table, method: str, log: SearchLog | None, folder: Path | None
) -> Settings:
    """Return settings that repeat this run: every role and choice spelled out."""
    schema = table.schema
    as_asked = bool(settings.roles.by) or _goes_on(settings)
    named = settings.roles.group is None and not as_asked
    protect: dict[str, Any] = {"method": method} if named else {}
    again = dict(settings.search)
    if as_asked:
        pass  # strata have a search each; one that goes on from another has no count of its own
    elif log is None:
        protect |= {"max_iterations": None, "time_limit": None, "runs": None}
        again = {}
    else:  # as many iterations, whatever the clock says next time
        protect |= {"max_iterations": log.iterations, "time_limit": None, "runs": log.runs}
        again |= {"schedule": log.schedule} if log.looks is None else {"looks": log.looks}
        if isinstance(again.get("stop"), Mapping):  # the count has taken the place of the clock
            again["stop"] = {**again["stop"], "seconds": None, "iterations": None}
    dropped = settings.roles.drop
    trees = {
        name: str(((folder or Path()) / said).resolve()) if is_file(said) else said
        for name, said in settings.hierarchies.items()
    }
    kept = {*schema.names, *dropped, settings.roles.group}
    return settings.model_copy(update={"shoal": metadata.version("shoal")}).having(
        input={
            "path": table.source.path,
            "sha256": table.source.sha256,
            "delimiter": table.source.delimiter if table.source.kind == "csv" else None,
            "missing": table.source.missing,
            "types": dict(table.source.types),
            "hierarchies_sha256": digests(trees),
        },
        roles={
            "identifiers": schema.having(Role.IDENTIFIER),
            "quasi_identifiers": schema.having(Role.QUASI_IDENTIFIER),
            "sensitive": schema.having(Role.SENSITIVE),
            "other": schema.having(Role.OTHER),
            "drop": [*dropped, *(n for n in table.source.columns if n not in kept)],
        },
        release={}
        if settings.roles.weight is None
        else {"weights_as": settings.release.weights_as or "mean"},
        protect=protect,
        hierarchies=trees,
        search=again,
    )


def digests(hierarchies: Mapping[str, str], folder: Path | None = None) -> dict[str, str]:
    """Return the sha256 of the files of hierarchies, by column."""
    found = {}
    for name, said in hierarchies.items():
        if is_file(said):
            path = (folder or Path()) / said
            try:
                with path.open("rb") as file:
                    found[name] = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                raise InputError(f"there is no hierarchy file {shown(path.name)}") from None
    return found


def said_of_means(
    table: Table, how: Mapping[str, str], settings: Settings, rows: int,
    different: Different = distinct,
) -> list[str]:  # fmt: skip
    """Say of which columns means are released, unasked, that may hold codes of categories."""
    names_ = [name for name, way in how.items() if way == "mean"]
    unasked = [name for name in names_ if not _is_asked(table[name], settings)]
    return said_of_codes(table, unasked, rows, different)


def said_of_groups(partition: Partition, stop: StopToken) -> list[str]:
    """Say why a method was chosen, and how its search ended."""
    said = []
    if partition.reason:
        said.append(f"auto chose {partition.method}: {partition.reason}")
    if partition.enforced:
        said.append(partition.enforced)
    if partition.search is not None:
        said.append(partition.search.summary())
    return [*said, *ended_early(stop, partition.search is None)]


def ended_early(stop: StopToken, blocks: bool = True) -> list[str]:
    """Say that an interrupt ended the searches of blocks, which keep no log of their own."""
    if blocks and stop.finish:
        return ["an interrupt ended the searches early: another run finds other groups"]
    return []


def said_of_unnamed(unnamed: Sequence[str]) -> list[str]:
    """Say which columns nobody gave a role to."""
    return [f"no role was given to {', '.join(unnamed)}: released as they are"] if unnamed else []


def notes(
    table: Table,
    unnamed: Sequence[str],
    orders: Container[str] = (),
    reason: Reason = identifier_reason,
    dropped: Sequence[str] = (),
    rules: Sequence[Rule] = (),
) -> list[str]:
    """Say what a steward should look at, without any value.

    `dropped` columns are not in the table any more; `rules` are those of its hierarchies.
    """
    found = said_of_unnamed(unnamed) + said_of_names([*table.names, *dropped])
    found += [rule.repeated for rule in rules if isinstance(rule, Listed) and rule.repeated]
    unique = [c.name for c in table.having(Role.QUASI_IDENTIFIER) if reason(c)]
    if unique:
        found.append(
            f"(nearly) every record has its own value in {', '.join(unique)}; is it an identifier?"
        )
    own = [c.name for c in table.having(Role.QUASI_IDENTIFIER) if c.is_ordinal]
    own = [name for name in own if name not in orders]
    if own:
        found.append(
            f"the order of the values of {', '.join(own)} came with the data; the recipe does not "
            "hold it"
        )
    return found
