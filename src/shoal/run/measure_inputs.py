"""What `measure` is given -> two Tables, their roles and hierarchies; recipes that name them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from shoal.backends.private_folder import RECIPE, private_folders
from shoal.errors import InputError, RequestError, listed, nearest_names, shown
from shoal.hints import option
from shoal.measures.pairing import is_kept
from shoal.release.intervals import joined
from shoal.settings import COMMITTED, Settings, load
from shoal.table.dialects.dialect import PLAIN, Dialect
from shoal.table.dialects.zones import local_times
from shoal.table.encode_nodes import CodedColumn, code
from shoal.table.files.formats import is_statistics, is_text
from shoal.table.hierarchy.specify import in_folder
from shoal.table.read import read_with
from shoal.table.roles import Column, Kind
from shoal.table.table import Table, check_readable

Hierarchies = Mapping[str, str | os.PathLike[str]] | str | os.PathLike[str] | None


def find_recipe(
    release: Any, recipe: str | os.PathLike[str] | None, wanted: bool
) -> tuple[Settings | None, Path | None]:
    """Return the recipe that is named, or that of a released file, and its folder.

    It lies in the private folder of the release, or beside it in a pack, where what it does not
    tell is not used.
    """
    if recipe is not None:
        path = Path(recipe)
        return load(path), path.parent
    if not wanted or not isinstance(release, str | os.PathLike):
        return None, None
    file = Path(release)
    beside = [place / RECIPE for place in private_folders(file)]
    if file.name.startswith("release."):
        beside.append(file.with_name(RECIPE))
    for path in beside:
        if path.is_file():
            return _without_commitments(load(path)), path.parent
    return None, None


def _without_commitments(recipe: Settings) -> Settings:
    """Return a recipe without what it only commits to."""
    trees = {n: one for n, one in recipe.hierarchies.items() if not one.startswith(COMMITTED)}
    orders = {n: o for n, o in recipe.orders.items() if not (o and o[0].startswith(COMMITTED))}
    missing = tuple(one for one in recipe.input.missing if not one.startswith(COMMITTED))
    uncommitted = recipe.replace(input={"missing": missing or ("",)})
    return uncommitted.model_copy(update={"hierarchies": trees, "orders": orders})


def read_table(
    data: Any, dialect: Dialect, missing: Sequence[str], types: Mapping[str, str]
) -> Table:
    """Read a table; how csv is read says nothing to other sources."""
    if not _is_csv(data):
        return read_with(data)
    return read_with(data, dialect, tuple(missing), types)


def read_original(
    data: Any, dialect: Dialect, missing: Sequence[str], types: Mapping[str, str]
) -> Table:
    """Read the original, whose encoding may be said where it is a statistics file.

    A release of it needs none: it names its own.
    """
    if isinstance(data, str | os.PathLike) and is_statistics(data):
        return read_with(data, replace(PLAIN, encoding=dialect.encoding))
    return read_table(data, dialect, missing, types)


def _is_csv(data: Any) -> bool:
    return isinstance(data, str | os.PathLike) and is_text(data)


def read_release(data: Any, original: Table, dialect: Dialect, missing: Sequence[str]) -> Table:
    """Read a release; what is text in the original is text in it."""
    numbers = [column.name for column in original.columns if column.kind.is_numeric]
    plain = read_table(data, dialect, missing, {}).mapped(partial(_in_zone, original))
    texts = [
        column.name
        for column in original.columns
        if column.kind is Kind.TEXT
        and column.name in plain.names
        and plain[column.name].kind is not Kind.TEXT
    ]
    if texts and _is_csv(data):
        plain = read_table(data, dialect, missing, dict.fromkeys(texts, "text"))
    return joined(plain, numbers)


def _in_zone(original: Table, column: Column) -> Column:
    """Return a column of instants as the local times that the original has, where it has a zone."""
    before = original[column.name] if column.name in original.names else None
    if before is None or before.written is None or not before.written.zone:
        return column
    if column.kind is not Kind.DATETIME or column.values.type.tz is None:
        return column
    return column.replace(values=local_times(column.values, before.written.zone))


def find_roles(
    before: Table, after: Table, quasi: list[str], sensitive: list[str], apart: list[str]
) -> tuple[list[str], list[str]]:
    """Return the quasi-identifiers and the columns that both hold as they were."""
    both = [
        column.name
        for column in before.columns
        if column.name in after.names and Kind.UNKNOWN not in (column.kind, after[column.name].kind)
    ]
    for table in (before, after):
        if not table.rows:
            raise InputError(f"{table.source.name}: there are no records")
    for name in (*quasi, *sensitive, *apart):
        for table in (before, after):
            if name not in table.names and (name not in apart or name not in before.names):
                raise RequestError(
                    f"{table.source.name} has no column {shown(name)}"
                    f"{nearest_names(name, table.names)}"
                )
    for role, every in (("quasi-identifier", quasi), ("sensitive column", sensitive)):
        if len(set(every)) < len(every):
            raise RequestError(f"a {role} is named twice")
    twice = [name for name in sensitive if name in quasi]
    if twice:
        raise RequestError(f"{shown(twice[0])} is named as quasi-identifier and as sensitive")
    for name in apart:
        for table in (before, after):
            if name in table.names and table[name].kind is Kind.UNKNOWN:
                raise InputError(
                    f"{table.source.name}, column {shown(name)}: cells of a type that is not "
                    "supported"
                )
    if not both:
        raise InputError("the two tables have no column in common")
    free = [name for name in both if name not in quasi and name not in apart]
    kept = [name for name in free if is_kept(before[name], after[name])]
    if not quasi:
        quasi = [name for name in free if name not in kept and name not in sensitive]
    if not quasi:
        raise RequestError(
            f"no column changed ({listed(both[:5])}): name the quasi-identifiers with "
            f"{option('quasi_identifiers')}"
        )
    for name in (*quasi, *sensitive):
        for table in (before, after):
            check_readable(replace(table[name], doubt=None), table)
    return quasi, [name for name in kept if name not in quasi]


def hierarchies_of(
    table: Table, quasi: Sequence[str], rules: Hierarchies, folder: Path | None
) -> dict[str, CodedColumn]:
    """Return the trees of the columns that have a hierarchy."""
    if rules is None:
        return {}
    if not isinstance(rules, Mapping | str | os.PathLike):
        raise RequestError("hierarchies must be a folder, or files or rules by column")
    if not isinstance(rules, Mapping):
        rules = in_folder(Path(rules), list(quasi))
    wanted = {name: str(path) for name, path in rules.items() if name in quasi}
    if not wanted:
        return {}
    coded = code(table.only(lambda column: column.name in wanted), wanted, folder)
    return {column.name: column for column in coded.columns}
