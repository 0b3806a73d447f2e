"""A release of a series on its page: what is promised over all releases, and how means drift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.hints import said
from shoal.report.html.frame import bullets, figure

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields


def series(report: ReportFields, svgs: dict[str, str | None]) -> str:
    """Return what is promised over the series, how many records are nobody's, and the drift."""
    own = report.series
    if not own:
        return ""
    lines = [said(line) for line in own.get("promises", [])]
    made = own.get("counterfeits", 0)
    if made:
        lines.append(f"{made:,} of the records are counterfeits: they are nobody's")
    body = f"<h2>A release of a series</h2>\n{bullets(lines)}"
    charts = [figure(svg) for name, svg in svgs.items() if name.startswith("drift ")]
    if not charts:
        return body
    return (
        f'{body}<div class="charts">{"".join(charts)}</div><p class="soft">Published means of the '
        "original by release, each within its rounding. Standardization, hierarchies and "
        "boundaries are those of the release before.</p>"
    )
