"""The quasi-identifiers as a table, what generalizing cost, and what each column became."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.hints import option
from shoal.report.charts import COLUMNS_SHOWN
from shoal.report.contents import contents
from shoal.report.draw import why_none
from shoal.report.html.frame import bullets, escape, figure, number
from shoal.settings.hints import stored

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields


def costs(svgs: dict[str, str | None]) -> str:
    """Return the charts of what grouping did and what it cost."""
    captions = {
        "group sizes": "Groups by the number of their records.",
        "loss by column": "What each quasi-identifier lost.",
        "cells by column": "How the cells of each quasi-identifier are released.",
        "correlations": "One point a pair of columns; on the dashed line nothing changed.",
    }
    figures = [figure(svgs[name], text) for name, text in captions.items() if name in svgs]
    why = why_none()
    if why is not None:
        return f'<h2>What it cost</h2>\n<p class="soft">{escape(why)}</p>'
    return f'<h2>What it cost</h2>\n<div class="charts">{"".join(figures)}</div>'


def distributions(report: ReportFields, svgs: dict[str, str | None]) -> str:
    """Return the columns of numbers before and after, as charts."""
    notes = ["The outermost bars also count what lies beyond them."]
    steps = {c.histogram.step for c in report.columns if c.histogram and c.histogram.step}
    if steps:
        notes.append(f"Bars of the original are rounded down to multiples of {max(steps):g}.")
    if any(column.histogram and column.histogram.hidden for column in report.columns):
        notes.append(f"Bars of the original with fewer than {report.k} records are left empty.")
    if sum(column.histogram is not None for column in report.columns) > COLUMNS_SHOWN:
        notes.append(f"Shown are the {COLUMNS_SHOWN} columns that lost most.")
    figures = [figure(svg) for name, svg in svgs.items() if name.startswith("distribution ")]
    if not figures:
        return ""
    return (
        f"<h2>Before and after</h2>\n"
        f'<div class="charts">{"".join(figures)}</div><p class="soft">{" ".join(notes)}</p>'
    )


def column_table(report: ReportFields) -> str:
    """Return the quasi-identifiers as a table; columns that say nothing are left out."""
    every: list[tuple[str, bool, Any]] = [
        ("quasi-identifier", False, lambda c: f'<td class="name">{escape(c.name)}</td>'),
        ("kind", False, lambda c: f"<td>{escape(c.kind)}</td>"),
        ("loss, %", True, lambda c: f'<td class="n">{escape(report.column_loss(c))}</td>'),
    ]
    if report.costs is not None:
        every += [
            ("released as", False, lambda c: f"<td>{escape(c.released_as)}</td>"),
            ("hierarchy", False, lambda c: f'<td class="name">{escape(c.hierarchy or "–")}</td>'),
            *(
                [("level", True, lambda c: f'<td class="n">{number(c.level)}</td>')]
                if any(column.level is not None for column in report.columns)
                else []
            ),
            *(
                (
                    label,
                    True,
                    lambda c, field=field: f'<td class="n">{number(getattr(c, field))}</td>',
                )
                for label, field in (
                    ("as it was", "unchanged"), ("generalized", "generalized"),
                    ("suppressed (*)", "suppressed"), ("missing before", "missing"),
                    ("of them a mean now", "filled"),
                )
            ),
        ]  # fmt: skip
    every += [
        (label, True, lambda c, field=field: f'<td class="n">{number(getattr(c, field))}</td>')
        for label, field in (
            ("mean before", "mean_before"), ("mean after", "mean_after"),
            ("variance before", "variance_before"), ("variance after", "variance_after"),
        )
        if any(getattr(column, field) is not None for column in report.columns)
    ]  # fmt: skip
    head = "".join(
        f"<th{' class=n' if numeric else ''}>{label}</th>" for label, numeric, _ in every
    )
    rows = "".join(
        f"<tr>{''.join(cell(column) for _, _, cell in every)}</tr>" for column in report.columns
    )
    return f'<div class="table"><table><tr>{head}</tr>{rows}</table></div>'


def table(report: ReportFields) -> str:
    """Return the columns as a table, and the measures of generalized ones."""
    return (
        f"<h2>Column by column</h2>\n{column_table(report)}{totals(report)}{costs_in_words(report)}"
    )


def totals(report: ReportFields) -> str:
    """Return the totals of the columns that release means, and what rounding did to them."""
    if not report.totals or report.is_public:
        return ""
    what = "weighted total" if report.survey.get("weight") else "total"
    head = "".join(
        f"<th{' class=n' if label != 'column' else ''}>{label}</th>"
        for label in ("column", f"{what} before", f"{what} after", "drift, %")
    )
    rows = "".join(
        f'<tr><td class="name">{escape(one["column"])}{" (kept)" if "kept" in one else ""}</td>'
        + "".join(f'<td class="n">{one[key]:,.10g}</td>' for key in ("before", "after"))
        + f'<td class="n">{one["drift_percent"]:.2g}</td></tr>'
        for one in report.totals
    )
    notes = []
    if any("kept" not in one for one in report.totals):
        notes.append("Means keep totals; what drifted was rounded to the digits of the column.")
        if not report.survey.get("weight"):
            notes.append(
                f"<code>{escape(stored(option('decimals', 'none')))}</code> rounds nothing."
            )
    if report.survey.get("weight"):
        notes.append("Totals of kept columns change with the weights that are released.")
    if report.rounded:
        notes.append(
            f"Kept columns were rounded (<code>{escape(stored(option('round')))}</code>), and "
            "their totals with them."
        )
    return (
        f'<h2>Totals</h2>\n<div class="table"><table><tr>{head}</tr>{rows}</table></div>'
        f'<p class="soft">{" ".join(notes)}</p>'
    )


def costs_in_words(report: ReportFields) -> str:
    """What generalizing cost by the measures of the literature, and what was missing."""
    costs = report.costs
    lines = []
    if costs is not None:
        exact = [] if report.is_public else [
            ("ILoss rate", f"{costs['iloss_rate']:.2f} %", "what a cell lost, on average: 0 as it "
             "was, 100 % nothing left; a deleted record has lost all"),
            ("NCP", f"{costs['ncp']:.2f} %", "normalized certainty penalty: the width of what a "
             "cell was released as"),
            ("non-uniform entropy", f"{costs['non_uniform_entropy']:,.0f} bits", "what it would "
             "take to say the original cells again"),
        ]  # fmt: skip
        lines = [
            *exact,
            ("discernibility", number(costs["discernibility"]), "sum of squared class sizes"),
            ("average class size", f"{costs['average_class_size']:.2f} k", "1 is the least"),
        ]
    rows = "".join(f"<dt>{name}, {value}</dt><dd>{what}</dd>" for name, value, what in lines)
    table = f"<h2>Other measures of the generalized columns</h2>\n<dl>{rows}</dl>" if rows else ""
    if report.missing["text"] and (report.missing["cells"] or report.missing["deleted"]):
        table += f"\n<h2>Missing values</h2>\n<p>{escape(report.missing['text'])}.</p>"
    return table


def columns(report: ReportFields) -> str:
    """Return the treatment of every column of the table."""
    rows = "".join(
        f"<dt>{what[0].upper()}{what[1:]}</dt><dd>{escape(', '.join(names))}</dd>"
        for what, names in contents(report)
    )
    notes = (
        f"<h2>To look at</h2>\n{bullets([stored(note) for note in report.notes])}"
        if report.notes
        else ""
    )
    return f"<h2>What happened to each column</h2>\n<dl>{rows}</dl>\n{notes}"
