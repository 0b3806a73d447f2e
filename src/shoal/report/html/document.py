"""The pages: self-contained, without scripts, readable on paper, phone and dark screen.

Everything that came from a table (column names, notes) is escaped; charts are SVG in the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.errors import html_box
from shoal.report.charts import attacks
from shoal.report.draw import begin, draw, why_none
from shoal.report.drift import every_chart
from shoal.report.html.about import PRIVATE_LINE, about_figures, audience
from shoal.report.html.columns import column_table, columns, costs, distributions, table
from shoal.report.html.frame import bullets, document, escape
from shoal.report.html.guarantees import beyond_k, guarantee
from shoal.report.html.measures import risks, utility
from shoal.report.html.repeat import repeat
from shoal.report.html.search import search
from shoal.report.html.series import series
from shoal.report.html.steps import steps
from shoal.report.html.summary import first_screen, lost, replaced, verdict
from shoal.report.remaining_risks import remaining_risks
from shoal.report.verdict import BUT, SAFE, verdict_text

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields

__all__ = ["draw_ahead", "escape", "measures_page", "page", "pages", "short"]


def page(report: ReportFields) -> str:
    """Return the whole page of a release."""
    return pages(report)[0]


def pages(*reports: ReportFields) -> list[str]:
    """Return the pages of some reports, whose charts are drawn at once."""
    charts: list[dict[str, Any]] = [{} for _ in reports]
    if why_none() is None:
        charts = [every_chart(report) for report in reports]
    drawn = iter(draw([spec for own in charts for spec in own.values()]))
    return [
        _page(report, {name: next(drawn) for name in own})
        for report, own in zip(reports, charts, strict=True)
    ]


def _page(report: ReportFields, svgs: dict[str, str | None]) -> str:
    body = [
        audience(report),
        first_screen(report),
        beyond_k(report),
        risks(report.measures, svgs.get("attacks"), "attacks" in svgs),
        guarantee(report),
        series(report, svgs),
        costs(svgs),
        utility(report.measures),
        distributions(report, svgs),
        table(report),
        steps(report),
        search(report, svgs),
        columns(report),
        about_figures(report),
        repeat(report),
    ]
    return document(f"Release report, k = {report.k}", body)


def draw_ahead(report: ReportFields) -> None:
    """Let a renderer that waits draw the charts of a report that is not yet whole."""
    begin(lambda: list(every_chart(report).values()))


def short(report: ReportFields) -> str:
    """Return the short form for a notebook: the verdict and the table of columns."""
    mood = {SAFE: "good", BUT: "but"}.get(report.verdict, "bad")
    verdict_line = escape(verdict_text(report.verdict, report.measures))
    lines = (
        f"<p><strong>{verdict_line}</strong></p><p>{verdict(report)}</p>"
        f"<p>{lost(report)}</p><p>{replaced(report)}</p>"
    )
    return html_box(f"{lines}{column_table(report)}{audience(report)}", mood)


def measures_page(measures: Mapping[str, Any]) -> str:
    """Return a page of measures alone."""
    chart = attacks(measures) if why_none() is None else None
    svg = None if chart is None else draw([chart])[0]
    head = (
        f"<h1>Measures of a release</h1>\n"
        f'<p class="soft">{measures["records"]:,} released records, {measures["originals"]:,} '
        f"originals; the smallest class has {measures['k']:,} records; quasi-identifiers: "
        f"{escape(', '.join(measures['quasi_identifiers']))}</p>"
    )
    worst = bullets(remaining_risks(measures, measures["k"]))
    body = [PRIVATE_LINE, head, worst, risks(measures, svg, chart is not None), utility(measures)]
    return document("Measures of a release", body)
