"""The steps of a release on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.html.frame import escape
from shoal.report.steps import risk_line, step_lines

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields


def steps(report: ReportFields) -> str:
    """Return the steps in their order, each with what it cost."""
    if not report.steps:
        return ""
    items = "".join(
        f"<li>{escape(text)}{f'<br><span class=soft>{escape(cost)}</span>' if cost else ''}</li>"
        for text, cost in step_lines(report)
    )
    risk = risk_line(report.steps_risk)
    last = f"<p>{escape(risk[0].upper() + risk[1:])}.</p>" if risk else ""
    return f"<h2>Steps beside grouping, in their order</h2>\n<ol>{items}</ol>\n{last}"
