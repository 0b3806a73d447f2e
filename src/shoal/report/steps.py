"""Steps of a release in its report: what each does, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from shoal.errors import listed
from shoal.report.sections import StepCostSection, StepSection, StepsRiskSection
from shoal.table.steps.cost import ColumnCost, Cost
from shoal.table.steps.step import Step

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields

BEFORE, AFTER = "before grouping", "after grouping"


def step_sections(before: Iterable[Cost], after: Iterable[Cost]) -> list[StepSection]:
    """Return the steps of a release, in their order, with what each cost."""
    return [
        StepSection(
            kind=one.step.kind,
            text=one.step.describe(),
            when=when,
            columns=list(one.step.changes),
            costs=[cast(StepCostSection, asdict(cost)) for cost in one.columns],
        )
        for when, costs in ((BEFORE, before), (AFTER, after))
        for one in costs
    ]


def listed_sections(steps: Iterable[Step]) -> list[StepSection]:
    """Return steps before grouping whose costs nobody counted."""
    return [
        StepSection(kind=step.kind, text=step.describe(), when=BEFORE, columns=list(step.changes))
        for step in steps
    ]


def changed_by_steps(report: ReportFields) -> set[str]:
    """Return the columns that steps change."""
    return {name for step in report.steps for name in step["columns"]}


def step_lines(report: ReportFields) -> list[tuple[str, str]]:
    """Return each step in words, and what it cost; a public report does not tell that."""
    return [
        (step["text"], "; ".join(ColumnCost(**one).text for one in step.get("costs", ())))
        for step in report.steps
    ]


def risk_line(risk: StepsRiskSection) -> str:
    """Return in words what steps did to the linkage by the columns that they change."""
    if not risk:
        return ""
    return (
        f"who knows a person's class, and the true values of {listed(risk['columns'])}, finds the "
        f"record in {risk['before']:.3g} % of cases without these steps, and in "
        f"{risk['after']:.3g} % with them"
    )
