"""First screen of the page: verdict, model, loss, remaining risks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import listed
from shoal.measures.result import figure_text
from shoal.report.fields import BUT, NOT_SAFE, singled_out
from shoal.report.html.frame import escape
from shoal.report.remaining_risks import SHOWN, remaining_risks
from shoal.table.roles import Role

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields


def first_screen(report: ReportFields) -> str:
    """Return the title and the four answers."""
    groups = report.groups
    requirement = (
        f"{report.release['records']:,} records in {groups['count']:,} groups of "
        f"{report.group_span()}, {len(report.columns)} quasi-identifiers, k = {report.k}, "
        f"{escape(report.made_by())}"
    )
    return (
        f'<h1>Release report</h1>\n<p class="soft">{requirement}</p>\n<div class="answers">'
        f"{_safe(report)}{_model(report)}{_lost(report)}{_open(report)}</div>"
    )


def _card(question: str, answer: str, mood: str = "") -> str:
    return f'<section class="answer{mood}"><h2>{question}</h2>{answer}</section>'


def _safe(report: ReportFields) -> str:
    if report.verdict == NOT_SAFE:
        answer = '<p><strong class="big">No</strong></p>' + verdict(report)
        return _card("Is it safe?", answer, " no")
    head, mood = "Yes, as far as was asked", " yes"
    if report.verdict == BUT:
        share = figure_text(singled_out(report.measures), "percent")
        head, mood = f"Yes, but kept columns single out {share} of the records", " but"
    return _card(
        "Is it safe?",
        f'<p><strong class="big">{head}</strong></p>'
        f"<p>{verdict(report)}</p>"
        "<p>This was counted anew from the release, by code that shares nothing with what made "
        "it.</p>",
        mood,
    )


def verdict(report: ReportFields) -> str:
    """Return one sentence on the verification of the release."""
    if not report.verification["ok"]:
        return "<strong>This release was not verified.</strong>"
    return (
        "Every combination of quasi-identifiers in this release is shared by at least "
        f"<strong>{report.verification['k']} records</strong>."
    )


def _model(report: ReportFields) -> str:
    lines = [f"k-anonymity: {report.verification['k']}, asked: at least {report.k}"]
    lines += report.beyond_k()
    rows = "".join(f"<li>{escape(line)}</li>" for line in lines)
    sensitive = report.roles[Role.SENSITIVE]
    plain = (
        f"<p>Nothing was asked of what groups tell about {escape(listed(sensitive))}.</p>"
        if sensitive and not report.verification.get("models")
        else ""
    )
    return _card("By which model?", f"<ul>{rows}</ul>{plain}")


def value_of(report: ReportFields) -> str:
    """Return the text on the aggregators."""
    words = {
        "generalize": "closest common generalization",
        "range": "least and greatest value",
        "mode": "most frequent value",
        "majority": "more frequent value, where a column has two",
        "medoid": "most typical record’s value",
    }
    different = {column.released_as for column in report.columns}
    return escape(" or ".join(words.get(one, one) for one in sorted(different)))


def replaced(report: ReportFields) -> str:
    """Return the text on what groups release and lose."""
    done = f"Each group’s values were replaced by its {value_of(report)}."
    if report.is_public:
        return f"{done} What was lost is told in steps that hide {report.k} people."
    return done


def _lost(report: ReportFields) -> str:
    more = [*report.constant_notes(), *report.worst()]
    rows = "".join(f"<li>{escape(line)}</li>" for line in more)
    worst = f"<p>At worst, by column or pair:</p><ul>{rows}</ul>" if more else ""
    return _card("How much was lost?", f"<p>{lost(report)}</p><p>{replaced(report)}</p>{worst}")


def lost(report: ReportFields) -> str:
    """Return the total loss and its name."""
    value = report.loss.get("value") if report.is_public else report.exact_loss
    if value is None:
        return "Of so few records it would tell too much."
    text = f"At most {value:g} %" if report.is_public else f"{value:.2f} %"
    own = f'<strong class="big">{text}</strong> lost of {escape(report.loss_of())}'
    rounding = f"{report.rounding_loss or 0.0:.2f}"
    own += "" if rounding == "0.00" else f", {rounding} points of it by rounding"
    return own + escape(report.compared_loss())


def _open(report: ReportFields) -> str:
    lines = remaining_risks(report.measures, report.k) or report.guarantee["does_not_cover"][:SHOWN]
    rows = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return _card(
        "What could still go wrong?",
        f'<ul>{rows}</ul><p class="soft">All risks that were measured, and what no grouping '
        "protects from, stand below.</p>",
    )
