"""Constraints: what is asked beyond k, as a search keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np
import numpy.typing as npt

from shoal.errors import PrivacyError, RequestError, shown
from shoal.judge.engine import Engine
from shoal.judge.models import Model, diversity, models_of
from shoal.judge.requirement import Requirement
from shoal.judge.rulings import as_one_class
from shoal.methods.enforce.constraints import Constraints, check_possible
from shoal.methods.enforce.rules import Kinds, left_over, magnitudes, make_rules
from shoal.methods.enforce.swapping import of_members
from shoal.methods.enforce.values import Counted, ValueSets, code_counts, combined, counted, numbers
from shoal.pipeline.plan.plan import Plan
from shoal.settings import joined_key
from shoal.table.roles import Role
from shoal.table.table import Table

Integers = npt.NDArray[np.int64]


def build_constraints(
    table: Table,
    plan: Plan,
    persons: Integers | None = None,
    kinds: Kinds | ValueSets | None = None,
) -> Constraints | None:
    """Return the constraints beyond k that groups of a table must keep, None where k is enough.

    `persons` says whose record each is, where people are counted, `kinds` who is who in a series of
    releases. Raises a PrivacyError where no grouping could keep them; in a series records may be
    withheld first.
    """
    settings, schema = plan.settings, table.schema
    requirement = settings.requirement
    requirement.check(schema.with_role(Role.SENSITIVE), schema.with_role(Role.QUASI_IDENTIFIER))
    for k in requirement.k_of.values():
        if table.rows < k:
            raise RequestError(f"k_of: {table.rows} records < {k}, a group cannot be made")
    if not requirement.more_than_k:
        return None
    means = [name for name, one in plan.aggregators.items() if one == "mean"]
    averaged = [name for name in means if table[name].kind.is_number]
    rules, values = make_rules(
        table, requirement, settings.hierarchies, plan.folder, averaged, persons, kinds
    )
    in_series = isinstance(kinds, Kinds)
    if in_series or of_members(rules, np.arange(table.rows)) > 0.0:  # which starts no engine
        _check_possible(table, requirement, averaged, persons)
    if not in_series:
        check_possible(rules)
    return Constraints(rules, values, settings.protect.enforce)


def _check_possible(
    table: Table, requirement: Requirement, averaged: Sequence[str], persons: Integers | None
) -> None:
    """Raise a PrivacyError that says what all records as one group lack; no grouping has more."""
    for column in table.with_role(Role.SENSITIVE):
        if not requirement.of_column(column.name):
            continue
        own = counted(column, table, requirement, persons)
        has_range = requirement.threshold("e", column.name) is not None
        exact = numbers(column, table)[1] if has_range else []
        amounts = {code: Decimal(one.numerator) / one.denominator for code, one in enumerate(exact)}
        models = [*models_of(requirement, column.name)]
        _check_whole(column.name, models, code_counts(own.codes), [own], requirement, amounts)
    for names in requirement.l_of:
        each = [counted(table[name], table, requirement, persons) for name in names]
        counts = code_counts(combined(each, persons))
        model = diversity(requirement.l_of[names], requirement.l_kind, requirement.c)
        together = replace(model, name=f"{model.name} of combinations")
        _check_whole(joined_key(names), [together], counts, each, requirement)
    for name in averaged:
        p = requirement.threshold("dominance", name)
        share = left_over(magnitudes(table[name]).tolist())
        if p is not None and share < p:
            raise PrivacyError(
                f"the p % rule of {shown(name)} cannot be met: {p:g} is asked, all records as one "
                f"group have {share:.4g}; nothing was written"
            )


def _check_whole(
    name: str, models: Sequence[Model], counts: Mapping[int, int], own: Sequence[Counted],
    requirement: Requirement, amounts: Mapping[int, Decimal] | None = None,
) -> None:  # fmt: skip
    """Raise a PrivacyError if all records as one group break a model."""
    if not models:
        return
    with Engine() as engine:
        found = as_one_class(engine, models, counts, amounts)
    for model, (figure, kept) in zip(models, found, strict=True):
        if not kept:
            raise PrivacyError(
                f"{model.name} of {shown(name)} cannot be met: {model.asked:g} is asked, all "
                f"records as one group have {figure:.4g}{_less(own, requirement)}; nothing was "
                "written"
            )


def _less(every: Sequence[Counted], requirement: Requirement) -> str:
    """Return a note on spellings and missing cells that do not count as values."""
    ignored = requirement.missing_sensitive == "ignored" and any(own.missing for own in every)
    spelled = any(own.spelled for own in every)
    why = ["spellings of one value count as one"] if spelled else []
    why += ["missing cells do not count"] if ignored else []
    return f" ({' and '.join(why)})" if why else ""
