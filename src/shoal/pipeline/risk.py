"""`risk`: how risky a table is as it is, and which records and columns are to blame."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from shoal.errors import InputError, RequestError, listed, shown
from shoal.hints import Message, option
from shoal.judge.classes import READINGS
from shoal.kernels.arrays import Integers
from shoal.measures.disclosure.assess import (
    FORMULAS,
    Asked,
    Assessment,
    Estimates,
    Known,
    assess,
    estimate,
)
from shoal.measures.disclosure.figures import columns_of, figures_of, sets_of
from shoal.measures.disclosure.key import Key, common_keys, key_of
from shoal.measures.disclosure.sets import WHOLE
from shoal.pipeline.measure import Hierarchies, Told, find_recipe, refuse
from shoal.report.risk.public import stable_figures
from shoal.report.risk.records import table_of
from shoal.report.risk.result import Models, Risk
from shoal.settings import RoleSettings, names, whole
from shoal.table.assign import with_roles
from shoal.table.dialects.dialect import How
from shoal.table.encode_nodes import CodedColumn, code
from shoal.table.hierarchy.specify import in_folder
from shoal.table.inspect import inspect
from shoal.table.levels import level_nodes
from shoal.table.proposals.content import content_of, propose_tree
from shoal.table.roles import Role
from shoal.table.survey import read_survey
from shoal.table.table import Table, check_readable

MOST = 20_000  # distinct values of a column whose hierarchy is made by itself


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
    is_number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    refuse({
        "k must be at least 2": whole(k, "k") < 2,
        "threshold must be a number above 0 and up to 1": not (is_number and 0 < threshold <= 1),
        "size must be at least 1": size is not None and whole(size, "size") < 1,
        f"formula must be one of {', '.join(FORMULAS)}": formula not in FORMULAS,
        f"missing_as must be one of {', '.join(READINGS)}": missing_as not in READINGS,
        "seed must not be negative": whole(seed, "seed") < 0,
    })  # fmt: skip
    asked = Asked(k, float(threshold), size, formula, missing_as, seed)
    known, folder = find_recipe(None, recipe, False)
    own = RoleSettings() if known is None else known.roles
    weight, household = weight or own.weight, household or own.household
    named = names(quasi_identifiers, "quasi_identifiers") or list(own.quasi_identifiers)
    twice = next((name for name in (weight, household) if name in named), None)
    refuse({
        "a quasi-identifier is named twice": len(set(named)) < len(named),
        f"{shown(twice or '')} is a quasi-identifier; it cannot be two things": twice is not None,
    })  # fmt: skip
    told = Told.of(known, hierarchies, orders, missing, types, delimiter, how)
    table = told.read(data)
    quasi, notes = (named, []) if named else find_quasi_identifiers(table, (weight, household))
    table = told.ordered(check_table(table, quasi))
    if len(quasi) > WHOLE:
        raise RequestError(f"{len(quasi)} quasi-identifiers are too many; name at most {WHOLE}")
    others = None
    if population is not None:
        others = check_table(told.read_release(population, table, told.dialect), quasi)
    key, beside = known_of(table, quasi, weight, household, others, sampling_fraction)
    found = assess(key, beside, asked)
    levels, remarks = one_level_up(table, quasi, told.hierarchies, folder)
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
    is_own = found.asked.missing_as == "own"
    few, model = 0, estimates.model
    if is_own and found.known.population and found.people is not None:
        few = int((found.people < found.members).sum())
    remarks = {
        "there are too many sets of columns for so many records: they are counted in a sample, "
        "and there are no SUDA scores; ask for a smaller size": found.sampled is not None,
        f"class sizes and risks read missing cells as {found.asked.missing_as}; sets of "
        "columns, scores and models as values of their own": not is_own and found.key.has_stars,
        f"{few:,} records match fewer people of the population than records of the file: "
        "the population table does not hold all people, and risks take the larger number": few > 0,
        "the log-linear model has so many cells that pairs of columns with an effect make no "
        "circle, and its empty cells are drawn": model is not None and model.forest,
    }
    return [remark for remark, holds in remarks.items() if holds]


def find_quasi_identifiers(
    table: Table, apart: tuple[str | None, ...]
) -> tuple[list[str], list[str]]:
    """Return the quasi-identifiers that are proposed, and what to note of them."""
    if table.roles_given:
        return [c.name for c in table.with_role(Role.QUASI_IDENTIFIER) if c.name not in apart], []
    found = [
        view.name for view in inspect(table).columns
        if view.suspected == Role.QUASI_IDENTIFIER and view.name not in apart and not view.warning
    ]  # fmt: skip
    rest = [name for name in table.names if name not in found]
    left = f"; left out: {listed(rest)}" if rest else ""
    return found, [
        Message(
            f"quasi-identifiers are those that inspect proposes{left}; name your own with "
            f"{option('quasi_identifiers')}"
        )
    ]


def check_table(table: Table, quasi: Sequence[str]) -> Table:
    """Return the table with quasi-identifiers that can be compared; raise an error otherwise."""
    if not table.rows:
        raise InputError(f"{table.source.name}: there are no records")
    if not quasi:
        raise RequestError(
            f"{table.source.name}: no column looks like a quasi-identifier; name them with "
            f"{option('quasi_identifiers')}"
        )
    for name in quasi:
        check_readable(replace(table[name], doubt=None), table)
    return with_roles(table, dict.fromkeys(quasi, Role.QUASI_IDENTIFIER))


def known_of(
    table: Table, quasi: Sequence[str], weight: str | None, household: str | None,
    population: Table | None, fraction: Any,
) -> tuple[Key, Known]:  # fmt: skip
    """Return the key and what is known beside it."""
    sizes = (
        (option("weight"), weight), (option("population"), population),
        (option("sampling_fraction"), fraction),
    )  # fmt: skip
    given = [name for name, value in sizes if value is not None]
    is_number = isinstance(fraction, int | float) and not isinstance(fraction, bool)
    refuse({
        f"say one of {' and '.join(given)}: each tells how large the population is":
            len(given) > 1,
        "sampling_fraction must be a number above 0 and up to 1":
            fraction is not None and not (is_number and 0 < fraction <= 1),
    })  # fmt: skip
    survey = read_survey(table, weight, (), household)
    columns = [table[name] for name in quasi]
    if population is None:
        share = None if fraction is None else float(fraction)
        return key_of(columns), Known(survey.weights, survey.households, None, share)
    key, others = common_keys(columns, [population[name] for name in quasi])
    return key, Known(None, survey.households, others)


def one_level_up(
    table: Table, quasi: Sequence[str], rules: Hierarchies, folder: Path | None
) -> tuple[dict[str, tuple[str, Integers]], list[str]]:
    """Return the hierarchy of every column, and the nodes of its records one level up.

    Columns without a given hierarchy have the one that `inspect` proposes, or else the automatic
    one, unless they hold many values.
    """
    if isinstance(rules, str | os.PathLike):
        rules = in_folder(Path(rules), list(quasi))
    wanted = {name: str(path) for name, path in dict(rules or {}).items() if name in quasi}
    many = [n for n in quasi if n not in wanted and table[n].different > MOST]
    levels = {}
    for name in (name for name in quasi if name not in many):
        column = table[name]
        tree = None if name in wanted else propose_tree(content_of(column, table.rows))
        if tree and not (column.kind.is_number and tree.rule.startswith("prefixes")):
            wanted[name] = tree.rule
        rule = {name: wanted[name]} if name in wanted else None
        coded = code(replace(table, columns=(column,)), rule, folder).columns[0]
        levels[name] = str(coded.rule), _lifted(coded)
    notes = [f"{listed(many)}: too many values for a hierarchy of their own; give one to see what "
             "a coarser column would change"] if many else []  # fmt: skip
    return levels, notes


def _lifted(column: CodedColumn) -> Integers:
    """Return the node of every record one level up; missing cells stay apart.

    Of an automatic hierarchy the first level that at least halves the values: each of its levels
    joins a few of them only.
    """
    nodes = level_nodes(column)
    level = min(1, nodes.shape[0] - 1)
    if not column.rule.given:
        few = (at for at, own in enumerate(nodes) if 2 * np.unique(own[:-1]).size <= own.size - 1)
        level = next(few, nodes.shape[0] - 1)
    up: Integers = nodes[level].copy()
    up[-1] = int(nodes.max(initial=0)) + 1
    return up[column.values.indices].astype(np.int64)
