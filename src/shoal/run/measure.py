"""`measure`: utility and disclosure risk of a release, given its original."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from shoal.errors import InputError, RequestError
from shoal.judge.models.matching import READINGS
from shoal.measures.candidates import candidates_of
from shoal.measures.compute import measure_all
from shoal.measures.pairing import Pairing, by_key, find_out
from shoal.measures.result import Measures
from shoal.measures.tables import compare_tables, side_of, strata_by
from shoal.run.measure_inputs import (
    Hierarchies,
    find_recipe,
    find_roles,
    hierarchies_of,
    read_original,
    read_release,
)
from shoal.settings import names, whole
from shoal.table.assign import with_roles
from shoal.table.dialects.dialect import PLAIN, How, dialect_of
from shoal.table.memory import needed, read_memory
from shoal.table.ordinal import with_orders
from shoal.table.roles import Role


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
