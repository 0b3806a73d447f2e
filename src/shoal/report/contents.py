"""Contents of a released file: grouped, kept and dropped columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.steps import changed_by_steps
from shoal.table.roles import Role

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields

WEIGHTS = {
    "mean": "survey weights, the mean of each group",
    "rounded": "survey weights, kept rounded",
    "exact": "survey weights, kept as they are",
    "drop": "survey weights, left out",
}


def contents(report: ReportFields) -> list[tuple[str, list[str]]]:
    """Return lists of columns by treatment, without empty ones."""
    roles, rounded, weight = report.roles, report.rounded, report.survey.get("weight")
    kept = {
        role: [name for name in roles[role] if name != weight]
        for role in (Role.SENSITIVE, Role.OTHER)
    }
    own = report.release.get("group_column")
    kind = str(report.survey.get("weights_as") or "mean").partition(":")[0]
    stepped = changed_by_steps(report)
    lists = [("grouped (quasi-identifiers)", roles[Role.QUASI_IDENTIFIER])]
    for role, names in kept.items():
        changed = {*rounded, *stepped}
        lists.append((f"{role}, kept as they are", [n for n in names if n not in changed]))
        lists.append((f"{role}, kept rounded", [n for n in names if n in rounded]))
        own_steps = [n for n in names if n in stepped and n not in rounded]
        lists.append((f"{role}, changed by steps", own_steps))
    lists += [
        (WEIGHTS[kind], [] if weight is None else [weight]),
        ("numbers of groups, in random order", [own] if own else []),
        ("dropped as identifiers", roles[Role.IDENTIFIER]),
        ("left out on request", roles["dropped"]),
    ]
    return [(what, names) for what, names in lists if names]
