"""Risk before and after steps: linkage by the kept columns that they change."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.kernels.arrays import Integers
from shoal.measures.risk.kept_attack import linked_in_class
from shoal.report.sections import StepSection, StepsRiskSection
from shoal.table.roles import Role
from shoal.table.table import Table


def steps_risk(
    steps: Sequence[StepSection],
    original: Table,
    table: Table,
    released: Table,
    classes: Integers,
) -> StepsRiskSection:
    """Return how often kept columns link a person to a record of the class, before and after.

    `original` is the table before all steps, `table` that after the steps before grouping. Empty
    where steps change no kept column that was there before.
    """
    changed = {name for step in steps for name in step["columns"]}
    names = [
        column.name
        for column in released.columns
        if column.name in changed
        and column.role in (Role.OTHER, Role.SENSITIVE)
        and column.name in original.names
        and column.kind.is_grouped
    ]
    if not names:
        return StepsRiskSection()
    true = table if original.rows != table.rows else original  # records were left out
    as_recoded = [
        true[name] if true[name].kind is released[name].kind else table[name] for name in names
    ]  # a recoding is published: the attacker recodes what is known
    return StepsRiskSection(
        columns=names,
        before=linked_in_class([true[n] for n in names], [true[n] for n in names], classes),
        after=linked_in_class(as_recoded, [released[n] for n in names], classes),
    )
