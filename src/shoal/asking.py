"""What privacy asks of a table, beyond k: from settings to rules to keep and claims to verify."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.enforce.how import Keep, check_possible
from shoal.enforce.merging import merge_to
from shoal.enforce.rules import Counted, counted, magnitudes, make_rules
from shoal.errors import PrivacyError, RequestError, listed, shown
from shoal.models.closeness import Equal
from shoal.models.dominance import left_over
from shoal.models.requirement import Requirement
from shoal.partition import Partition, by_first_row, rows_of_groups
from shoal.progress import Reporter
from shoal.settings import Settings
from shoal.table.encode import canonical_order, encode
from shoal.table.roles import Column, Role
from shoal.table.table import Table

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def to_keep(
    table: Table,
    settings: Settings,
    folder: Path | None,
    how: Mapping[str, str],
    persons: Integers | None = None,
) -> Keep | None:
    """Return the rules that groups must keep, or None where k is enough.

    `persons` says whose record each is, where people are counted. Raises a PrivacyError where
    no grouping could keep them.
    """
    asked = settings.requirement
    schema = table.schema
    asked.check(schema.having(Role.SENSITIVE), schema.having(Role.QUASI_IDENTIFIER))
    for k in asked.k_of.values():
        if table.rows < k:
            raise RequestError(f"k_of: {table.rows} records < {k}, a group cannot be made")
    if not asked.more_than_k:
        return None
    averaged = [name for name, way in how.items() if way == "mean" and table[name].kind.is_number]
    rules, values = make_rules(table, asked, settings.hierarchies, folder, averaged, persons)
    _check_possible(table, asked, averaged, persons)
    check_possible(rules)
    return Keep(rules, values, settings.protect.enforce)


def _check_possible(
    table: Table, asked: Requirement, averaged: Sequence[str], persons: Integers | None
) -> None:
    """Raise a PrivacyError that says what all records as one group lack; no grouping has more."""
    for column in table.having(Role.SENSITIVE):
        if not asked.of_column(column.name):
            continue
        own = counted(column, table, asked, persons)
        counts = own.counts
        for rule in asked.rules(column.name, Equal(counts)):
            if not rule.holds(counts):
                raise PrivacyError(
                    f"{rule.model} of {shown(column.name)} cannot be met: {rule.asked:g} is asked, "
                    f"all records as one group have {rule.found(counts):.4g}{_less(own, asked)}; "
                    "nothing was written"
                )
    for name in averaged:
        p = asked.asked("dominance", name)
        found = left_over(magnitudes(table[name]).tolist())
        if p is not None and found < p:
            raise PrivacyError(
                f"the p % rule of {shown(name)} cannot be met: {p:g} is asked, all records as one "
                f"group have {found:.4g}; nothing was written"
            )


def _less(own: Counted, asked: Requirement) -> str:
    """Say what counts for less than it seems to."""
    ignored = own.missing and asked.missing_sensitive == "ignored"
    why = ["spellings of one value count as one"] if own.spelled else []
    why += ["missing cells do not count"] if ignored else []
    return f" ({' and '.join(why)})" if why else ""


def said_of_values(table: Table, asked: Requirement) -> list[str]:
    """Name the sensitive columns in which spellings and missing cells made a difference."""
    wanted = {
        column.name: counted(column, table, asked)
        for column in table.having(Role.SENSITIVE)
        if asked.of_column(column.name)
    }
    said = []
    respelled = [name for name, own in wanted.items() if own.spelled]
    if respelled:
        said.append(
            f"values of {listed(respelled)} that differ in case, spaces or signs that cannot be "
            "seen alone count as one value"
        )
    gone = [name for name, own in wanted.items() if own.missing and _is_counted(asked, name)]
    if gone and asked.missing_sensitive == "ignored":
        said.append(
            f"missing cells of {listed(gone)} add no diversity and no share; --missing-sensitive "
            "value counts them as a value of their own"
        )
    return said


def _is_counted(asked: Requirement, name: str) -> bool:
    return asked.asked("l", name) is not None or asked.asked("alpha", name) is not None


def wider_groups(
    table: Table,
    partition: Partition,
    asked: Requirement,
    report: Reporter,
    strata: Integers | None = None,
) -> dict[str, Partition]:
    """Return the groups of columns that have an own, larger k: whole groups joined, in strata.

    Those of a larger k are made of those of a smaller one; a column that is in several subsets has
    the largest groups.
    """
    found: dict[str, Partition] = {}
    order = canonical_order(table) if asked.k_of else np.arange(0)
    labels = partition.labels[order] if asked.k_of else order
    for columns, k in sorted(asked.k_of.items(), key=lambda item: (item[1], item[0])):
        if k <= partition.k:
            continue
        some = table.only(partial(_is_named, columns))
        matrix = encode(some, k=k).matrix[order]
        if strata is None:
            labels = merge_to(matrix, labels, k, report)
        else:
            labels = _merged_in(strata[order], matrix, labels, k, report)
        back = np.empty_like(labels)
        back[order] = labels
        wider = Partition(back, k, partition.method)
        found |= dict.fromkeys(columns, wider)
    return found


def _merged_in(
    strata: Integers, matrix: Floats, labels: Integers, k: int, report: Reporter
) -> Integers:
    """Return groups of at least k records, made of whole groups of one stratum each."""
    found, made = np.empty_like(labels), 0
    for rows in rows_of_groups(strata):
        if rows.size < k:
            raise RequestError(f"k_of: a stratum has {rows.size} records < {k}")
        found[rows] = made + merge_to(matrix[rows], by_first_row(labels[rows]), k, report)
        made = int(found[rows].max()) + 1
    return found


def _is_named(names: Sequence[str], column: Column) -> bool:
    return column.name in names


def judge_dominance(
    table: Table,
    partition: Partition,
    wider: Mapping[str, Partition],
    asked: Requirement,
    how: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Judge the p % rule by its definition, on the values behind the means; a break is an error.

    The release alone does not show it: the values of a group are not in it.
    """
    found = []
    for column in table.having(Role.QUASI_IDENTIFIER):
        p = asked.asked("dominance", column.name)
        if p is None or how[column.name] != "mean" or not column.kind.is_number:
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
        found.append({**judged, "ok": True})
    return found
