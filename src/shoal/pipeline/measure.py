"""`measure`: utility and disclosure risk of a release, given its original."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from shoal.errors import InputError, RequestError, listed, shown
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
    chosen, strata = names(key, "key"), names(by, "by")
    refuse({
        "rows must be auto, same or shuffled": rows not in ("auto", "same", "shuffled"),
        "say rows or key, not both": key is not None and rows != "auto",
        "sample must be at least 1": sample is not None and whole(sample, "sample") < 1,
        "seed must not be negative": whole(seed, "seed") < 0,
        "key names no column": key is not None and not chosen,
        f"missing_as must be one of {', '.join(READINGS)}": missing_as not in READINGS,
        "risks by survey weights read missing cells as own; leave out one":
            missing_as != "own" and weight is not None,
        "weight must be a column name": weight is not None and not isinstance(weight, str),
    })  # fmt: skip
    known, place = find_recipe(release, recipe, quasi_identifiers is None and sensitive is None)
    if known is not None:
        quasi_identifiers = quasi_identifiers or known.roles.quasi_identifiers
        sensitive = known.roles.sensitive if sensitive is None else sensitive
        dialect = dialect if how else known.release.dialect
    told = Told.of(known, hierarchies, orders, missing, types, delimiter, how)
    refuse({"dialect must be same or plain": dialect not in ("same", "plain")})
    written = told.dialect
    released = written.released() if dialect == "same" else PLAIN
    notes = []
    wanted = names(quasi_identifiers, "quasi_identifiers")
    if memory is not None and _is_large(original, release, read_memory(memory)):
        from shoal.measures.streaming import Reading, draw

        refuse({
            f"missing_as {missing_as} compares all classes, and these files take more memory "
            "than is given; measure with missing_as own, which is stricter": missing_as != "own",
            "files that do not fit in memory must both be written alike": written != released,
        })  # fmt: skip
        reading = Reading(written, tuple(told.missing), told.types)
        some = draw(Path(original), Path(release), reading, wanted, chosen, rows == "same", seed)
        original, release, notes = some.before, some.after, [some.note]
        rows = rows if some.paired else "shuffled"
    before = told.read(original, keeps_encoding=True)
    after = told.read_release(release, before, released)
    hidden = names(sensitive, "sensitive")
    apart = [*chosen, *([] if weight is None else [weight])]
    quasi, kept = find_roles(before, after, wanted, hidden, apart)
    before = told.ordered(with_roles(before, dict.fromkeys(quasi, Role.QUASI_IDENTIFIER)))
    trees = hierarchies_of(before, quasi, told.hierarchies, place)
    pairing = None
    if key is not None:
        pairing = by_key(before, after, chosen)
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


def refuse(requests: Mapping[str, bool]) -> None:
    """Raise RequestError with the first sentence that is true."""
    for sentence, is_so in requests.items():
        if is_so:
            raise RequestError(sentence)


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


@dataclass(frozen=True)
class Told:
    """How files are read, and what values mean: as is said, else as a recipe has it."""

    hierarchies: Hierarchies
    orders: Mapping[str, Sequence[str]]
    missing: Sequence[str]
    types: Mapping[str, str]
    dialect: Dialect

    @classmethod
    def of(
        cls, recipe: Settings | None, hierarchies: Hierarchies,
        orders: Mapping[str, Sequence[str]] | None, missing: Sequence[str],
        types: Mapping[str, str] | None, delimiter: str | None, how: How,
    ) -> Told:  # fmt: skip
        """Return what is said, and of the recipe what nobody said."""
        if recipe is not None:
            own = recipe.input
            hierarchies = (recipe.hierarchies or None) if hierarchies is None else hierarchies
            orders = recipe.orders if orders is None else orders
            missing = own.missing if tuple(missing) == ("",) else missing
            types = dict(own.types) if types is None else types
            delimiter, how = delimiter or own.delimiter, how or own.how
        return cls(hierarchies, orders or {}, missing, types or {}, dialect_of(delimiter, **how))

    def read(self, data: Any, keeps_encoding: bool = False) -> Table:
        """Read a table; how csv is read says nothing to other sources.

        But the encoding of a statistics file may be said: a release of it needs none, it names its
        own.
        """
        if _is_csv(data):
            return read_with(data, self.dialect, tuple(self.missing), self.types)
        if keeps_encoding and isinstance(data, str | os.PathLike) and is_statistics(data):
            return read_with(data, replace(PLAIN, encoding=self.dialect.encoding))
        return read_with(data)

    def read_release(self, data: Any, original: Table, dialect: Dialect) -> Table:
        """Read a release; what is text in the original is text in it."""
        own = replace(self, dialect=dialect, types={})
        plain = own.read(data).mapped(partial(_in_zone, original))
        columns = original.columns
        texts = [c.name for c in columns if c.kind is Kind.TEXT and c.name in plain.names
                 and plain[c.name].kind is not Kind.TEXT]  # fmt: skip
        if texts and _is_csv(data):
            plain = replace(own, types=dict.fromkeys(texts, "text")).read(data)
        return joined(plain, [column.name for column in columns if column.kind.is_numeric])

    def ordered(self, table: Table) -> Table:
        """Return a table whose quasi-identifiers have the orders that are told."""
        quasi = table.schema.with_role(Role.QUASI_IDENTIFIER)
        return with_orders(table, {n: order for n, order in self.orders.items() if n in quasi})


def _is_csv(data: Any) -> bool:
    return isinstance(data, str | os.PathLike) and is_text(data)


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
    tables = before, after
    for table in tables:
        if not table.rows:
            raise InputError(f"{table.source.name}: there are no records")
    for table, name in product(tables, (*quasi, *sensitive)):
        _ = table[name]
    for name in apart:
        _ = before[name]
        for table in tables:
            if name in table.names and table[name].kind is Kind.UNKNOWN:
                raise InputError(
                    f"{table.source.name}, column {shown(name)}: cells of a type that is not "
                    "supported"
                )
    twice = next((name for name in sensitive if name in quasi), None)
    refuse({
        "a quasi-identifier is named twice": len(set(quasi)) < len(quasi),
        "a sensitive column is named twice": len(set(sensitive)) < len(sensitive),
        f"{shown(twice or '')} is named as quasi-identifier and as sensitive": twice is not None,
    })  # fmt: skip
    both = [c.name for c in before.columns if c.name in after.names
            and Kind.UNKNOWN not in (c.kind, after[c.name].kind)]  # fmt: skip
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
    for name, table in product((*quasi, *sensitive), tables):
        check_readable(replace(table[name], doubt=None), table)
    return quasi, [name for name in kept if name not in quasi]


def hierarchies_of(
    table: Table, quasi: Sequence[str], rules: Hierarchies, folder: Path | None
) -> dict[str, CodedColumn]:
    """Return the trees of the columns that have a hierarchy."""
    if isinstance(rules, str | os.PathLike):
        rules = in_folder(Path(rules), list(quasi))
    is_mapping = rules is None or isinstance(rules, Mapping)
    refuse({"hierarchies must be a folder, or files or rules by column": not is_mapping})
    wanted = {name: str(path) for name, path in (rules or {}).items() if name in quasi}
    if not wanted:
        return {}
    coded = code(table.only(lambda column: column.name in wanted), wanted, folder)
    return {column.name: column for column in coded.columns}
