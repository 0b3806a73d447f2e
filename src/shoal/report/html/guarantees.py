"""What was asked beyond k, what the guarantee covers and what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.fields import bound, found_text
from shoal.report.guarantees import LIMITS
from shoal.report.html.frame import bullets, escape

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields


def beyond_k(report: ReportFields) -> str:
    """Return the table of what was asked beyond k and found; nothing where nothing was."""
    rows = [
        (one["model"], one["column"], f"{bound(one)} {one['asked']:g}", found_text(one, 4))
        for one in [*report.verification.get("models", ()), *report.dominance]
    ] + [
        ("own k", ", ".join(one["columns"]), f"at least {one['asked']}", str(one["found"]))
        for one in report.verification.get("k_of", ())
    ]
    if not rows:
        return ""
    cells = "".join(
        f'<tr><td>{escape(model)}</td><td class="name">{escape(column)}</td>'
        f'<td class="n">{escape(threshold)}</td>'
        f'<td class="n">{escape(figure)}</td></tr>'
        for model, column, threshold, figure in rows
    )
    return (
        "<h2>What was asked beyond k</h2>\n"
        '<div class="table"><table><thead><tr><th>Model</th><th>Column</th>'
        '<th class="n">Asked</th><th class="n">Found in the worst group</th></tr></thead>'
        f"<tbody>{cells}</tbody></table></div>\n"
        '<p class="soft">All but the p % rule are judged from the released file alone; that one is '
        "judged on the values behind the means, which are not in the release.</p>"
    )


def guarantee(report: ReportFields) -> str:
    """Return what the models promise and what they leave open."""
    left_open = bullets(report.guarantee["does_not_cover"])
    for name in LIMITS:
        left_open = left_open.replace(f"<li>{name}:", f"<li><strong>{name}:</strong>")
    return (
        f"<h2>What the guarantee covers</h2>\n{bullets(report.guarantee['covers'])}\n"
        f"<h2>What it does not cover</h2>\n{left_open}"
    )
