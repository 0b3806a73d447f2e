"""Claims of a release: the arguments of `verify` that follow from settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import PrivacyError, shown
from shoal.judge.cells import file_lines, is_interval, uncovered
from shoal.judge.rulings import judge_people, units_a_class
from shoal.judge.verdict import Verification
from shoal.judge.verify import verify
from shoal.settings import Settings
from shoal.table.hierarchy.specify import is_file
from shoal.table.intervals import names_in
from shoal.table.roles import Column, Kind, Role
from shoal.table.survey import Survey
from shoal.table.table import Table
from shoal.table.texts import as_written, texts_of


def claims(settings: Settings, released: Table) -> dict[str, Any]:
    """Return the arguments of `verify`; the settings name every role, and files by whole paths.

    What the table knows of its sensitive columns is said too: a file alone does not tell that
    numbers are codes, which texts are missing values, or what order values have.
    """
    requirement, roles = settings.requirement, settings.roles
    quasi = names_in(released.names, settings.class_columns)
    arguments: dict[str, Any] = {
        "k": requirement.k, "quasi_identifiers": quasi,
        "keep": [name for name in released.names if name not in quasi],
    }  # fmt: skip
    if requirement.of_sensitive:
        own = roles.sensitive
        arguments |= {
            "sensitive": own,
            "l": requirement.l,
            "l_kind": requirement.l_kind,
            "c": requirement.c,
            "t": requirement.t,
            "alpha": requirement.alpha,
            "beta": requirement.beta,
            "beta_kind": requirement.beta_kind,
            "delta": requirement.delta,
            "e": requirement.e,
            "l_of": requirement.l_of,
            "hierarchies": {n: rule for n, rule in settings.hierarchies.items() if n in own},
            "orders": {n: list(released[n].order or ()) for n in own if released[n].is_ordinal},
            "words": [n for n in own if not released[n].has_places],
            "missing": settings.input.missing,
            "missing_sensitive": requirement.missing_sensitive,
            "by_people": roles.person is not None and settings.series.ledger is None,
        }
    if requirement.k_of:
        arguments["k_of"] = {
            tuple(names_in(released.names, names)): k for names, k in requirement.k_of.items()
        }
    return arguments


def check_release(released: Table, settings: Settings) -> Verification:
    """Verify the released Table; raise PrivacyError if it is not safe."""
    asked = claims(settings, released)
    judged = {*asked["quasi_identifiers"], *asked.get("sensitive", ())}
    verification = verify(released.only(lambda column: column.name in judged), **asked)
    if not verification.ok:
        raise PrivacyError(f"the release is not safe: {'; '.join(verification.problems)}")
    return verification


def check_survey(released: Table, settings: Settings, survey: Survey) -> list[str]:
    """Count strata, households and people of every released class: one stratum, k of the others.

    A release where it is otherwise never leaves. Where people are counted, what is asked beyond k
    is judged by them; what was found is returned in words: the release does not show it.
    """
    k = settings.protect.k
    columns = [released[name].values for name in settings.class_columns]
    if survey.weights is not None and settings.release.weights[0] == "mean":
        weight = released[settings.roles.weight or ""].values
        columns = [*columns, weight]  # one value a group: no smaller class than without it
        if units_a_class(columns, range(released.rows))[0] < k:
            raise PrivacyError("the release is not safe: its weights tell records of a group apart")
    if survey.strata is not None and units_a_class(columns, survey.strata.tolist())[1] > 1:
        raise PrivacyError("the release is not safe: a class lies in several strata")
    for units, who in ((survey.households, "households"), (survey.persons, "people")):
        fewest = k if units is None else units_a_class(columns, units.tolist())[0]
        if fewest < k:
            raise PrivacyError(f"the release is not safe: a class has {fewest} {who}, k is {k}")
    if survey.persons is None or not settings.requirement.of_sensitive:
        return []
    arguments = claims(settings, released)
    judged = judge_people(
        columns, survey.persons.tolist(), {n: released[n].values for n in arguments["sensitive"]},
        settings.requirement, arguments["hierarchies"], arguments["orders"], arguments["words"],
        arguments["missing"],
    )  # fmt: skip
    broken = [one.label for one in judged if not one.ok]
    if broken:
        raise PrivacyError(f"the release is not safe: classes break {'; '.join(broken)}, by people")
    return [f"by people: {one.label} {one.found_text}, asked {one.asked:g}" for one in judged]


def check_coverage(
    table: Table,
    released: Table,
    aggregators: Mapping[str, str],
    rules: Mapping[str, str],
    folder: Path | None,
    on_column: Callable[[int, int], None],
) -> None:
    """Raise a PrivacyError if a released value does not cover its original.

    `on_column` is called with the number of columns done, and of all.
    """
    columns = table.with_role(Role.QUASI_IDENTIFIER)
    for done, column in enumerate(columns):
        on_column(done, len(columns))
        if aggregators[column.name] not in ("generalize", "range"):
            continue
        tree = rules.get(column.name, "")
        lines = file_lines((folder or Path()) / tree) if tree and is_file(tree) else {}
        by_order = aggregators[column.name] == "range" or tree in ("", "balanced")
        order = (column.order or ()) if by_order else ()
        bad = uncovered(_pairs(column, released[column.name]), lines, order)
        if bad:
            raise PrivacyError(
                f"column {shown(column.name)}: {len(bad)} released values do not cover what they "
                "stand for; nothing was written"
            )


def _pairs(before: Column, after: Column) -> list[tuple[Any, Any]]:
    """Return the distinct pairs of a released text and the original's, None where it is missing."""
    old, new = before.values.dictionary_encode(), after.values.dictionary_encode()
    missing = np.asarray(before.values.is_null(nan_is_null=True))
    first = np.where(missing, -1, np.asarray(old.indices.fill_null(0)))
    both = np.unique(np.stack([np.asarray(new.indices), first], axis=1), axis=0)
    kinds = old.dictionary
    if before.kind is Kind.FLOAT:
        kinds = pa.array(as_written(kinds))
    words = [*texts_of(before, kinds), None]
    released = new.dictionary.to_pylist()
    if before.kind is not Kind.FLOAT:
        return [(released[i], words[j]) for i, j in both.tolist()]
    exact = [*map(repr, np.asarray(old.dictionary).astype(np.float64).tolist()), None]
    wide = [is_interval(text) for text in released]  # it must hold all digits of a short float
    return [(released[i], (exact if wide[i] else words)[j]) for i, j in both.tolist()]
