"""Audience of a page, and how its figures of the original were rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields

PRIVATE_LINE = (
    '<p class="private"><strong>Private: do not publish.</strong> The figures of the original on '
    "this page are exact: together with the release they can give people away.</p>"
)


def audience(report: ReportFields) -> str:
    """Return what stands first on a page that is not for the public."""
    return "" if report.is_public else PRIVATE_LINE


def about_figures(report: ReportFields) -> str:
    """Return the text on the rounding of figures of the original."""
    if not report.is_public:
        return ""
    few = (
        f" Of fewer than {10 * report.k} records (10 k) there are none."
        if report.loss.get("value") is None
        else ""
    )
    return (
        "<h2>About the figures of the original</h2>\n<p>What the released file itself tells is "
        "exact. A figure of the original is told only in steps (powers of ten) that are at least "
        f"as wide as what {report.k} people can change: if up to {report.k} records were added, "
        "left out or replaced, with values within the released range of their columns, it would "
        "change by at most one step. Losses and risks are rounded up, counts and means down; "
        "means count values beyond the released range as its ends. What cannot be told so "
        f"(variances, quantiles, correlations, models) is not told at all.{few}</p>\n<p>This is no "
        "differential privacy: a figure that lies at the border of two steps can change with one "
        "person, and whoever knows everybody else learns something from it.</p>"
    )
