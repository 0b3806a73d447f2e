"""The warning that a release keeps what was asked, and kept columns give people away."""

from __future__ import annotations

from shoal.errors import PrivacyWarning
from shoal.report.fields import BUT, verdict_text
from shoal.report.report import Report


def privacy_warning(report: Report) -> PrivacyWarning | None:
    """Return the warning of a release that is safe, but; None of any other."""
    if report.verdict != BUT:
        return None
    return PrivacyWarning(
        f"{verdict_text(report.verdict, report.measures)}; drop, round or quasi_identifiers can "
        "name such columns"
    )
