"""`measure`: utility and disclosure risk of a release, given its original."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import InputError, RequestError, listed, nearest_names, shown
from shoal.judge.models.matching import READINGS
from shoal.kernels.arrays import Floats
from shoal.measures.candidates import candidates_of
from shoal.measures.compared import Compared, Strata, classes_of, secret_codes
from shoal.measures.compute import measure_all
from shoal.measures.pairing import Pairing, by_key, find_out, is_kept
from shoal.measures.reading import both_sides
from shoal.measures.result import Measures
from shoal.measures.risk.kept_columns import released_codes
from shoal.measures.sides import Pairs, Side
from shoal.measures.task import BRIEF
from shoal.settings import COMMITTED, HASHED, Settings, load, names, whole
from shoal.table.assign import with_roles
from shoal.table.encode_nodes import Coded, CodedColumn, code
from shoal.table.hierarchy.specify import in_folder
from shoal.table.memory import needed, read_memory
from shoal.table.ordinal import with_orders
from shoal.table.read import is_parquet, read
from shoal.table.roles import Column, Kind, Role
from shoal.table.survey import named_strata, strata_of, weights_of
from shoal.table.table import Table, check_readable

OTHERS = 20  # columns that are kept as they are and that models may be made of
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
) -> Measures:
    """Measure what a release cost and which risks remain, given the original.

    Parameters
    ----------
    original, release : path, dataframe or array
        Both tables: csv, csv.gz, Parquet, or in memory.
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
    known, place = _recipe(release, recipe, quasi_identifiers is None and sensitive is None)
    if known is not None:
        quasi_identifiers = quasi_identifiers or known.roles.quasi_identifiers
        sensitive = known.roles.sensitive if sensitive is None else sensitive
        hierarchies = known.hierarchies if hierarchies is None else hierarchies
        orders = known.orders if orders is None else orders
        missing = known.input.missing if tuple(missing) == ("",) else missing
        types = dict(known.input.types) if types is None else types
        delimiter = delimiter or known.input.delimiter
    notes = []
    if memory is not None and _is_large(original, release, read_memory(memory)):
        from shoal.measures.streaming import Reading, draw

        if missing_as != "own":
            raise RequestError(
                f"missing_as {missing_as} compares all classes, and these files take more memory "
                "than is given; measure with missing_as own, which is stricter"
            )

        wanted = names(quasi_identifiers, "quasi_identifiers")
        reading = Reading(delimiter, tuple(missing), types or {})
        chosen = names(key, "key")
        some = draw(Path(original), Path(release), reading, wanted, chosen, rows == "same", seed)
        original, release, notes = some.before, some.after, [some.note]
        missing, types, delimiter = ("",), None, None
        rows = rows if some.paired else "shuffled"
    before = _read(original, delimiter, missing, types or {})
    after = _read_release(release, before, delimiter, missing)
    hidden = names(sensitive, "sensitive")
    quasi, kept = _roles(before, after, names(quasi_identifiers, "quasi_identifiers"), hidden,
                         [*names(key, "key"), *([] if weight is None else [weight])])  # fmt: skip
    before = with_orders(
        with_roles(before, dict.fromkeys(quasi, Role.QUASI_IDENTIFIER)),
        {name: order for name, order in (orders or {}).items() if name in quasi},
    )
    trees = _trees(before, quasi, hierarchies, place)
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
        own = [_side(before, after, name, trees, None) for name in quasi]
        held = not any(isinstance(data, str | os.PathLike) for data in (original, release))
        pairing = find_out(before, after, own, [name for name in kept if name != weight], held)
    others = [name for name in kept if name not in hidden and name != weight]
    strata = names(by, "by")
    for name in strata:
        _ = after[name]
    compared = compare_tables(before, after, quasi, hidden, trees, pairing, weight, others)
    compared = replace(compared, strata=_strata(after, strata))
    if missing_as != "own":
        matching = candidates_of([after[name] for name in quasi], compared.classes, missing_as)
        compared = replace(compared, candidates=matching)
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


def measure_release(
    table: Table,
    released: Table,
    coded: Coded | None,
    deleted: int,
    seed: int,
    weight: str | None = None,
    by: Sequence[str] = (),
) -> Measures:
    """Measure a release that was just made: row i of both is the same record. For reports."""
    quasi = table.schema.with_role(Role.QUASI_IDENTIFIER)
    hidden = table.schema.with_role(Role.SENSITIVE)
    trees = {} if coded is None else {c.name: c for c in coded.columns if c.rule.given}
    every = np.arange(table.rows)
    pairing = Pairing(every, every, "rows in the same order")
    others = [c.name for c in table.with_role(Role.OTHER) if c.name in released.names]
    others = [name for name in others if name != weight]
    compared = compare_tables(table, released, quasi, hidden, trees, pairing, weight, others)
    compared = replace(compared, deleted=deleted, strata=_strata(released, by))
    return measure_all(compared, seed=seed, effort=BRIEF, public=True)


def compare_tables(
    before: Table,
    after: Table,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    trees: Mapping[str, CodedColumn],
    pairing: Pairing | None,
    weight: str | None,
    others: Sequence[str],
) -> Compared:
    """Return both tables side by side."""
    pairs = None if pairing is None else (pairing.first, pairing.second)
    weights = None if weight is None else _weights(before, after, weight, pairing)
    return Compared(
        quasi=tuple(_side(before, after, name, trees, pairs) for name in quasi),
        sensitive=tuple(_side(before, after, name, {}, None) for name in sensitive),
        kept=tuple(
            _side(before, after, name, {}, None)
            for name in [name for name in others if _is_finite(before[name])][:OTHERS]
        ),
        secrets=tuple(secret_codes(after[name], after.source.missing) for name in sensitive),
        classes=classes_of([after[name] for name in quasi], after.rows),
        origins=classes_of([before[name] for name in quasi], before.rows),
        first=None if pairing is None else pairing.first,
        second=None if pairing is None else pairing.second,
        weights=None if weights is None else weights[1],
        own_weights=None if weights is None else weights[0],
        deleted=max(before.rows - after.rows, 0),
        others={c.name: released_codes(c) for c in kept_columns(after, [*quasi, *sensitive])},
        hidden={name: released_codes(after[name]) for name in sensitive},
    )


def kept_columns(released: Table, apart: Sequence[str]) -> list[Column]:
    """Return the released columns that have none of some names, weights included."""
    return [c for c in released.columns if c.name not in apart and c.kind is not Kind.UNKNOWN]


def _strata(table: Table, by: Sequence[str]) -> Strata | None:
    """Return the strata that the values of some columns make; None where there is no column."""
    if not by:
        return None
    numbers = strata_of(table, by)
    return Strata(numbers, named_strata(table, by, numbers))


def _side(
    before: Table, after: Table, name: str, trees: Mapping[str, CodedColumn], pairs: Pairs | None
) -> Side:
    return both_sides(before[name], after[name], trees.get(name), pairs)


def _is_finite(column: Column) -> bool:
    if column.kind is not Kind.FLOAT:
        return True
    return not bool(np.isinf(np.asarray(column.values.cast("double"))).any())


def _recipe(
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
    from shoal.backends.private_folder import RECIPE, private_folders, stem_of

    file = Path(release)
    beside = [place / RECIPE for place in private_folders(file)]
    if file.name.startswith("release."):
        beside.append(file.with_name(RECIPE))
    beside.append(file.with_name(f"{stem_of(file.name)}.{RECIPE}"))  # of an earlier version
    for path in beside:
        if path.is_file():
            return _without_commitments(load(path)), path.parent
    return None, None


def _without_commitments(recipe: Settings) -> Settings:
    """Return a recipe without what it only commits to."""
    hidden = (COMMITTED, HASHED)
    trees = {n: one for n, one in recipe.hierarchies.items() if not one.startswith(hidden)}
    orders = {n: o for n, o in recipe.orders.items() if not (o and o[0].startswith(hidden))}
    missing = tuple(one for one in recipe.input.missing if not one.startswith(hidden))
    uncommitted = recipe.replace(input={"missing": missing or ("",)})
    return uncommitted.model_copy(update={"hierarchies": trees, "orders": orders})


def _read(
    data: Any, delimiter: str | None, missing: Sequence[str], types: Mapping[str, str]
) -> Table:
    if not _is_csv(data):
        return read(data)
    return read(data, delimiter=delimiter, missing=tuple(missing), types=types)


def _is_csv(data: Any) -> bool:
    return isinstance(data, str | os.PathLike) and not is_parquet(data)


def _read_release(
    data: Any, original: Table, delimiter: str | None, missing: Sequence[str]
) -> Table:
    """Read a release; what is text in the original is text in it."""
    plain = _read(data, delimiter, missing, {})
    texts = [
        column.name
        for column in original.columns
        if column.kind is Kind.TEXT
        and column.name in plain.names
        and plain[column.name].kind is not Kind.TEXT
    ]
    if not texts or not _is_csv(data):
        return plain
    return _read(data, delimiter, missing, dict.fromkeys(texts, "text"))


def _roles(
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
            f"no column changed ({listed(both[:5])}): name the quasi-identifiers with --quasi"
        )
    for name in (*quasi, *sensitive):
        for table in (before, after):
            check_readable(replace(table[name], doubt=None), table)
    return quasi, [name for name in kept if name not in quasi]


def _trees(
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


def _weights(
    before: Table, after: Table, name: str, pairing: Pairing | None
) -> tuple[Floats | None, Floats]:
    """Return the survey weights of originals, where known, and of released records."""
    own = weights_of(before[name], before) if name in before.names else None
    if name in after.names:
        return own, weights_of(after[name], after)
    if own is None or pairing is None or pairing.second.size < after.rows:
        raise InputError(
            f"the release has no column {shown(name)}, and not every released record is known to "
            "be somebody's: its survey weights are unknown"
        )
    weights = np.empty(after.rows)
    weights[pairing.second] = own[pairing.first]
    return own, weights
