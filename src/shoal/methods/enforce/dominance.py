"""The p % rule judged by its definition, on the values behind released means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from shoal.errors import PrivacyError, shown
from shoal.judge.models.dominance import left_over
from shoal.judge.models.requirement import Requirement
from shoal.methods.enforce.rules import magnitudes
from shoal.partition import Partition
from shoal.table.roles import Role
from shoal.table.table import Table


def judge_dominance(
    table: Table,
    partition: Partition,
    wider: Mapping[str, Partition],
    requirement: Requirement,
    aggregators: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Judge the p % rule by its definition, on the values behind the means; a break is an error.

    The release alone does not show it: the values of a group are not in it.
    """
    results = []
    for column in table.with_role(Role.QUASI_IDENTIFIER):
        p = requirement.threshold("dominance", column.name)
        if p is None or aggregators[column.name] != "mean" or not column.kind.is_number:
            continue
        values = magnitudes(column)
        groups = wider.get(column.name, partition)
        worst = min(left_over(values[rows].tolist()) for rows in groups.members())
        if worst < p:
            raise PrivacyError(
                f"a group's mean of {shown(column.name)} gives away its largest value (p % rule)"
            )
        known = worst if math.isfinite(worst) else None
        judged = {"model": "p % rule", "column": column.name, "asked": p, "found": known}
        results.append({**judged, "ok": True})
    return results
