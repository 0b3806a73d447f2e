"""`risk`: how risky a table is as it is, and which records and columns are to blame."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from shoal.errors import RequestError
from shoal.judge.models.matching import READINGS
from shoal.measures.disclosure.assess import Asked, Assessment, Estimates, assess, estimate
from shoal.measures.disclosure.figures import columns_of, figures_of, sets_of
from shoal.measures.disclosure.individual import FORMULAS
from shoal.measures.disclosure.key import Key
from shoal.measures.disclosure.sets import WHOLE
from shoal.report.risk.public import stable_figures
from shoal.report.risk.records import table_of
from shoal.report.risk.result import Models, Risk
from shoal.run.measure_inputs import Hierarchies, find_recipe, read_release, read_table
from shoal.run.risk_inputs import (
    Roles,
    check_table,
    find_quasi_identifiers,
    known_of,
    one_level_up,
)
from shoal.settings import names, whole
from shoal.table.dialects.dialect import How, dialect_of
from shoal.table.ordinal import with_orders


def risk(
    data: Any,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    weight: str | None = None,
    household: str | None = None,
    population: Any = None,
    sampling_fraction: float | None = None,
    k: int = 5,
    threshold: float = 0.09,
    size: int | None = None,
    formula: str = "exact",
    missing_as: str = "own",
    hierarchies: Hierarchies = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    missing: Sequence[str] = ("",),
    types: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    recipe: str | os.PathLike[str] | None = None,
    seed: int = 0,
    **how: Unpack[How],
) -> Risk:
    """Tell how risky a table is as it is: an original, or any release.

    Parameters
    ----------
    data : path, dataframe or array
        A file of any format that `shoal.read` takes, or a table in memory. It is not changed.
    quasi_identifiers : sequence of str, optional
        By default those of the recipe or of a Table with roles, else those that `shoal inspect`
        proposes; `Risk.notes` names them.
    weight : str, optional
        A column of survey weights: how many people of the population a record stands for.
    household : str, optional
        A column that says whose records belong together.
    population : path, dataframe or array, optional
        A table of the whole population with the same quasi-identifiers, for k-map and δ-presence.
    sampling_fraction : float, optional
        The share of the population that is in the table, where there are no weights.
    k : int, default 5
        Classes of fewer records are counted; public figures are stable against k people.
    threshold : float, default 0.09
        Records with a higher risk are counted.
    size : int, optional
        The most columns of a set; by default all of up to 8 columns, of more columns 4.
    formula : {"exact", "approximate"}, default "exact"
        Of the risk by weights: the expectation itself, or p / (f - (1 - p)) for classes of more
        than 3.
    missing_as : {"own", "root", "wildcard"}, default "own"
        As in `shoal.verify`: what a missing cell matches. Sets of columns, scores and models read
        it as a value of its own.
    hierarchies, orders
        Those of `shoal.anonymize`: what one level coarser means.
    missing, types, delimiter
        How csv is read, as in `shoal.read`.
    recipe : path, optional
        A `run.toml` that names roles, hierarchies and how the file is read.
    seed : int, default 0
        Of samples of sets and cells, where there are too many to look at.
    **how
        How csv is written: `encoding`, `decimal` and others, as in `shoal.read`.

    Returns
    -------
    Risk
        Figures, columns, sets of columns, and the risk of every record.

    Examples
    --------
    >>> import shoal
    >>> found = shoal.risk({"age": [31, 31, 40], "sex": ["f", "f", "m"]}, k=2)
    >>> found["sample_uniques"].text
    '33.3 %'
    >>> found.records["class_size"]
    [2, 2, 1]
    """
    start = time.perf_counter()
    asked = _asked(k, threshold, size, formula, missing_as, seed)
    known, folder = find_recipe(None, recipe, False)
    roles = Roles(tuple(names(quasi_identifiers, "quasi_identifiers")), weight, household)
    if known is not None:
        own = known.roles
        roles = Roles(
            roles.quasi_identifiers or own.quasi_identifiers,
            weight or own.weight,
            household or own.household,
        )
        hierarchies = known.hierarchies or None if hierarchies is None else hierarchies
        orders = known.orders if orders is None else orders
        missing = known.input.missing if tuple(missing) == ("",) else missing
        types = dict(known.input.types) if types is None else types
        delimiter = delimiter or known.input.delimiter
        how = how or known.input.how
    written = dialect_of(delimiter, **how)
    table = read_table(data, written, missing, types or {})
    quasi, notes = find_quasi_identifiers(table, roles)
    table = with_orders(
        check_table(table, quasi),
        {name: order for name, order in (orders or {}).items() if name in quasi},
    )
    if len(quasi) > WHOLE:
        raise RequestError(f"{len(quasi)} quasi-identifiers are too many; name at most {WHOLE}")
    others = None
    if population is not None:
        others = check_table(read_release(population, table, written, missing), quasi)
    key, beside = known_of(table, quasi, roles, others, sampling_fraction)
    found = assess(key, beside, asked)
    levels, remarks = one_level_up(table, quasi, hierarchies, folder)
    estimates = estimate(found)
    figures, sets = figures_of(found, estimates), sets_of(found)
    return Risk(
        figures=figures,
        columns=columns_of(found, levels),
        sets=sets,
        models=_models(found.key, estimates),
        table=table_of(found, estimates),
        source=table.source,
        stable=stable_figures(found, figures, sets),
        rows=key.rows,
        unique=int((np.bincount(found.classes) == 1).sum()),
        k=asked.k,
        threshold=asked.threshold,
        missing_as=asked.missing_as,
        sampled=found.sampled,
        notes=(*notes, *remarks, *_remarks(found, estimates)),
        seconds=time.perf_counter() - start,
    )


def _asked(
    k: int, threshold: float, size: int | None, formula: str, missing_as: str, seed: int
) -> Asked:
    """Return what is asked; raise RequestError for what makes no sense."""
    if whole(k, "k") < 2:
        raise RequestError("k must be at least 2")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        raise RequestError("threshold must be a number above 0 and up to 1")
    if not 0 < threshold <= 1:
        raise RequestError("threshold must be a number above 0 and up to 1")
    if size is not None and whole(size, "size") < 1:
        raise RequestError("size must be at least 1")
    if formula not in FORMULAS:
        raise RequestError(f"formula must be one of {', '.join(FORMULAS)}")
    if missing_as not in READINGS:
        raise RequestError(f"missing_as must be one of {', '.join(READINGS)}")
    if whole(seed, "seed") < 0:
        raise RequestError("seed must not be negative")
    return Asked(k, float(threshold), size, formula, missing_as, seed)


def _models(key: Key, estimates: Estimates) -> Models:
    """Return the estimates of all models in plain values."""
    uniques, model = estimates.uniques, estimates.model
    if uniques is None or model is None:
        return Models()
    shares = {"zayatz": uniques.zayatz, "pitman": uniques.pitman, "snb": uniques.snb}
    steps = tuple(
        (tuple(" × ".join(key.names[j] for j in pair) for pair in step.pairs), step.bias, step.z)
        for step in model.steps
    )
    return Models(shares, uniques.chosen, steps, model.chosen, model.accepted)


def _remarks(found: Assessment, estimates: Estimates) -> list[str]:
    """Return what to know of the figures."""
    notes = []
    if found.sampled is not None:
        notes.append(
            "there are too many sets of columns for so many records: they are counted in a sample, "
            "and there are no SUDA scores; ask for a smaller size"
        )
    if found.asked.missing_as != "own" and found.key.has_stars:
        notes.append(
            f"class sizes and risks read missing cells as {found.asked.missing_as}; sets of "
            "columns, scores and models as values of their own"
        )
    if found.asked.missing_as == "own" and found.known.population and found.people is not None:
        few = int((found.people < found.members).sum())
        if few:
            notes.append(
                f"{few:,} records match fewer people of the population than records of the file: "
                "the population table does not hold all people, and risks take the larger number"
            )
    if estimates.model is not None and estimates.model.forest:
        notes.append(
            "the log-linear model has so many cells that pairs of columns with an effect make no "
            "circle, and its empty cells are drawn"
        )
    return notes
