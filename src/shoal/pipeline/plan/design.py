"""Survey design of a table: weights, strata, households, persons."""

from __future__ import annotations

from typing import cast

import numpy as np

from shoal.errors import RequestError, listed, shown
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.pipeline.plan.columns import without_strata
from shoal.pipeline.plan.plan import Plan
from shoal.report.sections import SuppressedSection, SurveySection
from shoal.settings import Settings
from shoal.table.encode import encode
from shoal.table.encode_nodes import code, needs_trees
from shoal.table.roles import Role
from shoal.table.survey import (
    Survey,
    check_strata,
    merge_strata,
    named_strata,
    read_survey,
    small_strata,
)
from shoal.table.table import Table, present

_WEIGHTS = {
    "mean": f"they are released as the mean of each group, to six digits ({option('weights_as')})",
    "rounded": "they are released rounded, which may tell records of a group apart",
    "exact": "they are released as they are, which may tell records of a group apart, and whose "
    "are of one household",
    "drop": "they are not released",
}


def survey_design(table: Table, plan: Plan) -> tuple[Table, Survey, list[str]]:
    """Return the table, its survey design, and notes.

    Strata with fewer than k records are an error, or joined to others, as the settings say.
    """
    settings = plan.settings
    roles, protect = settings.roles, settings.protect
    survey = read_survey(table, roles.weight, roles.by, roles.household, roles.person)
    notes = []
    if survey.together is not None:
        count, unit = int(survey.together.max()) + 1, survey.unit_name
        if count < protect.k:
            raise RequestError(
                f"{table.source.name}: {count} {unit} < k = {protect.k}, a group cannot be made"
            )
        if settings.requirement.k_of:
            raise RequestError(
                "k_of counts records, household and person ask for households and people: take one"
            )
        if survey.households is not None:
            notes.append(f"{count:,} {unit}: every group is made of at least {protect.k} of them")
    if survey.persons is not None:
        people = int(survey.persons.max()) + 1
        notes.append(f"counts people: {people:,} people in {table.rows:,} records")
    if small_strata(survey, protect.k) and protect.small_strata == "merge":
        rest = without_strata(table, settings)
        coded = code(rest, plan.hierarchies, plan.folder) if needs_trees(rest) else None
        matrix = encode(rest, coded=coded, k=protect.k, survey=survey.weights).matrix
        table, merged = merge_strata(table, roles.by, survey, protect.k, matrix)
        survey = read_survey(table, roles.weight, roles.by, roles.household, roles.person)
        names = listed(dict.fromkeys(merged), 12)
        notes.append(f"strata with fewer than k = {protect.k} were joined: {names}")
    check_strata(table, roles.by, survey, protect.k)
    if survey.strata is not None:
        notes.append(f"groups within {int(survey.strata.max()) + 1:,} strata by {listed(roles.by)}")
    if survey.weights is not None:
        notes.append(
            f"survey weights {shown(roles.weight)}: means and losses count by them, means are "
            f"rounded to the precision of the data; {_WEIGHTS[settings.release.weights[0]]}"
        )
    return table, survey, notes


def survey_columns(settings: Settings) -> SurveySection:
    """Return the columns of the survey design."""
    roles = settings.roles
    weights_as = None if roles.weight is None else settings.release.weights_as or "mean"
    columns = {
        "weight": roles.weight, "weights_as": weights_as, "by": list(roles.by),
        "household": roles.household, "person": roles.person,
    }  # fmt: skip
    return cast(SurveySection, {key: value for key, value in columns.items() if value})


def suppressed_section(
    table: Table, plan: Plan, survey: Survey, rows: Integers
) -> SuppressedSection:
    """Return how many records are left out, by stratum, and how many cells by column."""
    quasi = table.with_role(Role.QUASI_IDENTIFIER)
    section: SuppressedSection = {
        "budget": plan.settings.protect.suppress,
        "records": int(rows.size),
        "cells": {one.name: int(np.count_nonzero(present(one)[rows])) for one in quasi},
    }
    if survey.strata is not None:
        names = named_strata(table, plan.settings.roles.by, survey.strata)
        counts = np.bincount(survey.strata[rows], minlength=len(names))
        section["strata"] = dict(zip(names, counts.tolist(), strict=True))
    return section
