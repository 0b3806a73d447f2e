"""`measure`: utility and disclosure risk of a release, given its original."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from shoal.errors import InputError, RequestError, listed, nearest_names, shown
from shoal.hints import option
from shoal.judge.classes import READINGS
from shoal.measures.compute import compare_tables, measure_all, side_of, strata_by
from shoal.measures.disclosure.key import WITHIN, key_of, matches
from shoal.measures.pairing import Pairing, by_key, find_out, is_kept
from shoal.measures.result import Measures
from shoal.settings import COMMITTED, Settings, load, names, whole
from shoal.storage.private_folder import RECIPE, private_folders
from shoal.table.assign import with_roles
from shoal.table.dialects.dialect import PLAIN, Dialect, How, dialect_of
from shoal.table.dialects.notation import local_times
from shoal.table.encode_nodes import CodedColumn, code
from shoal.table.files.formats import is_statistics, is_text
from shoal.table.hierarchy.specify import in_folder
from shoal.table.intervals import joined
from shoal.table.memory import needed, read_memory
from shoal.table.ordinal import with_orders
from shoal.table.read import read_with
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table, check_readable

Hierarchies = Mapping[str, str | os.PathLike[str]] | str | os.PathLike[str] | None


def measure(
    original: Any,
    release: Any,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    weight: str | None = None,
    by: Sequence[str] | str | None = None,
    key: Sequence[str] | None = None,
    rows: str = "auto",
    hierarchies: Hierarchies = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    missing: Sequence[str] = ("",),
    types: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    recipe: str | os.PathLike[str] | None = None,
    sample: int | None = None,
    seed: int = 0,
    memory: str | None = None,
    missing_as: str = "own",
    dialect: str = "same",
    **how: Unpack[How],
) -> Measures:
    """Measure what a release cost and which risks remain, given the original.

    Parameters
    ----------
    original, release : path, dataframe or array
        Both tables: files of any format that `shoal.read` takes, or in memory.
    quasi_identifiers : sequence of str, optional
        By default the columns of both whose values changed.
    sensitive : sequence of str, optional
        Columns whose values an attacker wants to learn.
    weight : str, optional
        A column of survey weights.
    by : str or sequence of str, optional
        Columns of the release whose combinations are strata; risks are also given by stratum.
    key : sequence of str, optional
        Columns that identify the person, for measures that compare every record with its own
        release.
    rows : {"auto", "same", "shuffled"}, default "auto"
        Whether row i of both is the same person; "auto" finds out where it can (`Measures.notes`).
    hierarchies, orders
        Those of `shoal.anonymize`.
    missing, types, delimiter
        How csv is read, as in `shoal.read`.
    recipe : path, optional
        A `run.toml` that names roles and hierarchies; by default the one in the private folder of a
        released file, or beside it.
    sample : int, optional
        Records of a large table that linkage and models look at; their figures get an interval.
    seed : int, default 0
        Of the sample.
    memory : str, optional
        Of files that would take more ("4GB"), only some whole classes are measured, drawn evenly.
    missing_as : {"own", "root", "wildcard"}, default "own"
        As in `shoal.verify`; risks that follow from class sizes are by that reading.
    dialect : {"same", "plain"}, default "same"
        How a csv release is written: as the original, or plain.
    **how
        How csv is written: `encoding`, `decimal` and others, as in `shoal.read`.

    Returns
    -------
    Measures
        Figures of utility and risk, each with a sentence, a formula and a source.
    """
    if rows not in ("auto", "same", "shuffled"):
        raise RequestError("rows must be auto, same or shuffled")
    if key is not None and rows != "auto":
        raise RequestError("say rows or key, not both")
    if sample is not None and whole(sample, "sample") < 1:
        raise RequestError("sample must be at least 1")
    if whole(seed, "seed") < 0:
        raise RequestError("seed must not be negative")
    if key is not None and not names(key, "key"):
        raise RequestError("key names no column")
    if missing_as not in READINGS:
        raise RequestError(f"missing_as must be one of {', '.join(READINGS)}")
    if missing_as != "own" and weight is not None:
        raise RequestError("risks by survey weights read missing cells as own; leave out one")
    if weight is not None and not isinstance(weight, str):
        raise RequestError("weight must be a column name")
    known, place = find_recipe(release, recipe, quasi_identifiers is None and sensitive is None)
    if known is not None:
        quasi_identifiers = quasi_identifiers or known.roles.quasi_identifiers
        sensitive = known.roles.sensitive if sensitive is None else sensitive
        hierarchies = known.hierarchies if hierarchies is None else hierarchies
        orders = known.orders if orders is None else orders
        missing = known.input.missing if tuple(missing) == ("",) else missing
        types = dict(known.input.types) if types is None else types
        delimiter = delimiter or known.input.delimiter
        if not how:
            how, dialect = known.input.how, known.release.dialect
    if dialect not in ("same", "plain"):
        raise RequestError("dialect must be same or plain")
    written = dialect_of(delimiter, **how)
    released = written.released() if dialect == "same" else PLAIN
    notes = []
    if memory is not None and _is_large(original, release, read_memory(memory)):
        from shoal.measures.streaming import Reading, draw

        if missing_as != "own":
            raise RequestError(
                f"missing_as {missing_as} compares all classes, and these files take more memory "
                "than is given; measure with missing_as own, which is stricter"
            )

        wanted = names(quasi_identifiers, "quasi_identifiers")
        if written != released:
            raise RequestError("files that do not fit in memory must both be written alike")
        reading = Reading(written, tuple(missing), types or {})
        chosen = names(key, "key")
        some = draw(Path(original), Path(release), reading, wanted, chosen, rows == "same", seed)
        original, release, notes = some.before, some.after, [some.note]
        missing, types, written, released = ("",), None, PLAIN, PLAIN
        rows = rows if some.paired else "shuffled"
    before = read_original(original, written, missing, types or {})
    after = read_release(release, before, released, missing)
    hidden = names(sensitive, "sensitive")
    quasi, kept = find_roles(before, after, names(quasi_identifiers, "quasi_identifiers"), hidden,
                         [*names(key, "key"), *([] if weight is None else [weight])])  # fmt: skip
    before = with_orders(
        with_roles(before, dict.fromkeys(quasi, Role.QUASI_IDENTIFIER)),
        {name: order for name, order in (orders or {}).items() if name in quasi},
    )
    trees = hierarchies_of(before, quasi, hierarchies, place)
    pairing = None
    if key is not None:
        pairing = by_key(before, after, names(key, "key"))
    elif rows == "same":
        if before.rows != after.rows:
            raise InputError(
                f"rows are said to be the same, but there are {before.rows:,} and {after.rows:,}"
            )
        pairing = Pairing(np.arange(before.rows), np.arange(before.rows), "rows in the same order")
    elif rows == "auto":
        own = [side_of(before, after, name, trees, None) for name in quasi]
        held = not any(isinstance(data, str | os.PathLike) for data in (original, release))
        pairing = find_out(before, after, own, [name for name in kept if name != weight], held)
    others = [name for name in kept if name not in hidden and name != weight]
    strata = names(by, "by")
    for name in strata:
        _ = after[name]
    compared = compare_tables(before, after, quasi, hidden, trees, pairing, weight, others)
    compared = replace(compared, strata=strata_by(after, strata))
    if missing_as != "own":
        codes = key_of([after[name] for name in quasi])
        firsts = np.unique(compared.classes, return_index=True)[1]
        matching = matches(codes, codes, WITHIN[missing_as])[firsts]
        compared = replace(compared, candidates=matching.astype(np.int64))
        notes.append(
            f"risks that follow from class sizes read missing cells and * as {missing_as}; all "
            "others read them as own"
        )
    if pairing is not None:
        basis = pairing.basis
        notes.append(f"records are {basis}" if "paired" in basis else basis)
    return measure_all(compared, seed=seed, sample=sample, notes=notes)


def _is_large(original: Any, release: Any, limit: int) -> bool:
    """Tell whether two files take more memory than is allowed."""
    if not all(isinstance(data, str | os.PathLike) for data in (original, release)):
        raise RequestError("memory is for files; what is given is in memory already")
    return needed(Path(original)) + needed(Path(release)) > limit


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
