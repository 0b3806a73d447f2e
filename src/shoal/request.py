"""What a request means for a table: before the groups are found, and said of them after."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import (
    InputError,
    RequestError,
    check_known,
    interrupt,
    nearest_names,
    shown,
)
from shoal.grouping import numbered
from shoal.partition import Partition, SearchLog
from shoal.recipes import find
from shoal.settings import Decimals, Settings
from shoal.solving import check_size, on_trees
from shoal.table.assign import Reason, identifier_reason
from shoal.table.code import needs_trees
from shoal.table.hierarchy.specify import in_folder, is_file
from shoal.table.roles import Column, Role
from shoal.table.table import Table, check_readable

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
        return on_trees(settings.protect.refine)
    if whole is not None:
        method = settings.protect.method
        if method != "auto" and find(method).mixed is not None:
            raise RequestError(
                f"{method} groups records one by one; {who} are grouped by methods of "
                "distances, such as auto"
            )
        return False
    if settings.protect.method != "auto":
        return find(settings.protect.method).mixed is not None
    columns = table.having(Role.QUASI_IDENTIFIER)
    if CENTERS.issuperset(_way(column, settings.release.aggregate, "") for column in columns):
        return False  # what such a release loses is distances to a center
    return needs_trees(table) or bool(trees_of(table, settings))


CENTERS = frozenset(("mean", "median", "mode", "medoid"))


def _way(column: Column, said: str | Mapping[str, str] | None, usual: str) -> str:
    """Return what was asked of a column, else the usual."""
    if not isinstance(said, str):
        return str((said or {}).get(column.name, usual))
    if not column.has_places and said in ("mean", "median", "range"):
        return "generalize"  # said of all columns: meant for those that can
    return said


def ways(table: Table, settings: Settings, by_trees: bool) -> dict[str, str]:
    """Return what the value of a group is in each quasi-identifier."""
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
        found[column.name] = way
    trees = trees_of(table, settings)
    if trees and not by_trees:
        _check_trees(table, trees, found)
    numbers = {column.name for column in table.columns if not column.is_ordinal}
    _check_rounding(found, numbers, settings.release.decimals)
    check_known(said if isinstance(said, dict) else (), list(found), "aggregate")
    return found


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


def resolved(
    settings: Settings, table: Table, method: str, log: SearchLog | None, folder: Path | None
) -> Settings:
    """Return settings that repeat this run: every role and choice spelled out."""
    schema = table.schema
    by_strata = bool(settings.roles.by)  # each has a search of its own, as long as was asked for
    named = settings.roles.group is None and not by_strata
    protect: dict[str, Any] = {"method": method} if named else {}
    again = dict(settings.search)
    if by_strata:
        pass
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


def said_of_groups(partition: Partition) -> list[str]:
    """Say why a method was chosen, and how its search ended."""
    said = []
    if partition.reason:
        said.append(f"auto chose {partition.method}: {partition.reason}")
    if partition.enforced:
        said.append(partition.enforced)
    if partition.search is not None:
        said.append(partition.search.summary())
    return [*said, *ended_early(partition.search is None)]


def ended_early(blocks: bool = True) -> list[str]:
    """Say that an interrupt ended the searches of blocks, which keep no log of their own."""
    if blocks and interrupt.finish:
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
) -> list[str]:
    """Say what a steward should look at, without any value."""
    found = said_of_unnamed(unnamed)
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
