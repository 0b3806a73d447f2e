"""The pages: self-contained, without scripts, readable on paper, phone and dark screen.

Everything that came from a table (column names, notes) is escaped; charts are SVG in the page.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from shoal.errors import html_box
from shoal.hints import said
from shoal.judge.requirement import OF_COLUMNS
from shoal.report.charts import attacks
from shoal.report.draw import begin, draw, why_none
from shoal.report.drift import every_chart
from shoal.report.fields import BUT, SAFE, bound, found_text, verdict_text
from shoal.report.guarantees import LIMITS
from shoal.report.html.about import PRIVATE_LINE, about_figures, audience
from shoal.report.html.columns import column_table, columns, costs, distributions, table
from shoal.report.html.frame import bullets, document, escape, figure
from shoal.report.html.measures import risks, utility
from shoal.report.html.summary import first_screen, lost, replaced, verdict
from shoal.report.remaining_risks import remaining_risks
from shoal.report.steps import risk_line, step_lines
from shoal.settings import joined_key
from shoal.table.roles import Role

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields

IN_MEMORY = ("dataframe", "array")
ON_NUMBERS = (
    "Gains of a perturbation (dissolve, distill) are what its iterations took off the best loss; "
    "those of a move (shift, swap) are summed over all groupings the search went through, and undo "
    "what perturbations cost."
)
IN_ROUNDS = (
    "Searches find groups; dives choose among the fractions of a linear programme over all groups; "
    "the integer programme combines the groups that cost least; neighborhoods are groups that were "
    "freed and grouped anew. Applied: how often; new best: how often that lost less."
)
ON_TREES = (
    "A perturbation (dissolve a group, form or split groups around a record anew) may add to the "
    "loss at first, less and less later (simulated annealing); then the search returns to the best "
    "groups so far, groups of 2k records and more are split, and shifts and swaps follow."
)
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


def draw_ahead(report: Callable[[], ReportFields]) -> None:
    """Let a renderer that waits draw the charts of a report, which may not yet be whole."""
    begin(lambda: list(every_chart(report()).values()))


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


def search(report: ReportFields, svgs: dict[str, str | None]) -> str:
    """How the groups were searched for: the loss curve, and what brought the gain."""
    log = report.search
    if log is None:
        if report.bound is None:
            return ""
        text = escape(report.bound["told"])
        return f"<h2>How the groups were found</h2>\n<p>The grouping is {text}.</p>"
    runs = f"{log['runs']} searches of " if log["runs"] > 1 else ""
    on_trees, rounds = "regroup" in log["gains"], "programme" in log["gains"]
    first = f"{log['loss_first_optimum']:.4f} % at the first local optimum and "
    text = (
        f"The loss of the groups fell from {log['loss_start']:.4f} % at the start to "
        f"{'' if on_trees else first}{log['loss_end']:.4f} % "
        f"at the end, in {runs}{log['iterations']:,} {'rounds' if rounds else 'iterations'} and "
        f"{log['seconds']:.1f} seconds; ended by: {escape(log['stopped_by'])}."
    )
    if report.bound is not None:
        text += f" The grouping is {escape(report.bound['told'])}."
    head = "".join(f"<th class=n>{label}</th>" for label in ("applied", "new best", "gain"))
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td class=n>{part['applied']:,.0f}</td>"
        f"<td class=n>{_count(part.get('improved'))}</td><td class=n>{part['gain']:.4f} %</td></tr>"
        for name, part in log["gains"].items()
    )
    curve = ""
    if "loss curve" in svgs:
        steps = "rounds" if rounds else "iterations"
        caption = f"The best loss so far; the axis of {steps} is logarithmic."
        curve = f'<div class="charts">{figure(svgs["loss curve"], caption)}</div>'
    return (
        f'<h2>How the groups were found</h2>\n<p>{text}</p>{curve}<div class="table"><table>'
        f'<tr><th>step</th>{head}</tr>{rows}</table></div><p class="soft">'
        f"{ON_TREES if on_trees else IN_ROUNDS if rounds else ON_NUMBERS}</p>"
    )


def _count(number: float | None) -> str:
    return "–" if number is None else f"{number:,.0f}"


def repeat(report: ReportFields) -> str:
    """Return the commands that repeat and check a release, and what identifies it."""
    again = "Whoever made it repeats it from the recipe in its private folder."
    if "commitment" not in report.input or "recipe" in report.release:
        recipe = str(report.release.get("recipe", "run.toml"))
        is_known = report.input["kind"] not in IN_MEMORY and "commitment" not in report.input
        words = ["shoal", "run", recipe, *([] if is_known else ["--input", "FILE"]), "-o", "again/"]
        same = "the same groups" if "sha256" in report.input else "groups by the same method"
        again = f"<code>{escape(shlex.join(words))}</code> gives {same} in fresh row order."
    known: Mapping[str, Any] = report.input
    facts = {
        **{f"input, {what}": known[what] for what in ("sha256", "commitment") if known.get(what)},
        "release, sha256": report.release.get("sha256", "not written to a file"),
        "rows of the release": report.release.get("order", "as in the input"),
        "release, read back by": report.release.get("read_back_by", "the judge, in memory"),
        **_held(report),
        **({} if report.seed is None else {"seed": str(report.seed)}),
        **report.versions,
    }
    rows = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    title = "How to check it" if report.is_public else "How to repeat it"
    return (
        f"<h2>{title}</h2>\n<p>{again} Check the file yourself with "
        f"<code>{_verify(report)}</code></p>\n<dl>{rows}</dl>"
    )


def _held(report: ReportFields) -> dict[str, str]:
    """Return how a statistics file holds the columns."""
    held = report.release.get("held_as")
    if not held:
        return {}
    return {"columns in the file": "; ".join(f"{name}: {words}" for name, words in held.items())}


def _verify(report: ReportFields) -> str:
    words = ["shoal", "verify", str(report.release.get("file", "release.csv")), "-k", str(report.k),
             "--quasi", joined_key(column.name for column in report.columns)]  # fmt: skip
    return escape(shlex.join([*words, *_requirement_options(report)]))


def _requirement_options(report: ReportFields) -> list[str]:
    """Return the options of `shoal verify` for what was asked beyond k."""
    requirement = report.asked
    words = []
    if any(what in requirement for what in (*OF_COLUMNS, "l_of")):
        words += ["--sensitive", joined_key(report.roles[Role.SENSITIVE])]
    for what in OF_COLUMNS:
        threshold = requirement.get(what)
        pairs = [f"{n}={x:g}" for n, x in threshold.items()] if isinstance(threshold, dict) else []
        if threshold is not None and not isinstance(threshold, dict):
            pairs = [f"{threshold:g}"]
        for pair in pairs:
            words += [f"--{what}", pair]
    if "l_kind" in requirement:
        words += ["--l-kind", requirement["l_kind"]]
    if "c" in requirement:
        words += ["--c", f"{requirement['c']:g}"]
    if "beta_kind" in requirement:
        words += ["--beta-kind", requirement["beta_kind"]]
    for names, least in requirement.get("l_of", {}).items():
        words += ["--l-of", f"{names}={least}"]
    for names, k in requirement.get("k_of", {}).items():
        words += ["--k-of", f"{names}={k}"]
    return words
