"""Counts of records that are left out within a budget."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.plan.plan import Plan
from shoal.report.sections import SuppressedSection
from shoal.table.roles import Role
from shoal.table.survey import Survey, named_strata
from shoal.table.table import Table, present


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
        names = named_strata(table, plan.strata, survey.strata)
        counts = np.bincount(survey.strata[rows], minlength=len(names))
        section["strata"] = dict(zip(names, counts.tolist(), strict=True))
    return section
