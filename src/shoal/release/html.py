"""The report as a page: self-contained, without scripts, readable on paper, phone and dark screen.

Everything that came from a table (column names, notes) is escaped; charts are SVG in the page.
"""

from __future__ import annotations

import html
import shlex
from typing import TYPE_CHECKING, Any

from shoal.errors import shown
from shoal.release.charts import COLUMNS_SHOWN, report_charts
from shoal.release.draw import draw
from shoal.release.promises import LIMITS
from shoal.release.report import bound
from shoal.settings import joined_key
from shoal.table.roles import Role

if TYPE_CHECKING:
    from shoal.release.report import Report

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2733; --soft: #5b6b7b; --line: #d8dee5;
  --tile: #f3f6f9; --good: #1f7a4d; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --paper: #14191f; --ink: #e4e9ee; --soft: #9aa8b5;
  --line: #303a45; --tile: #1d242c; --good: #63c394; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 66rem; padding: 1.5rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p { max-width: 44rem; } .soft { color: var(--soft); font-size: .9rem; }
.verdict { border-left: 5px solid var(--good); padding: .4rem 0 .4rem .9rem; margin: 1rem 0; }
.verdict.no { border-color: var(--bad); } .verdict p { margin: .2rem 0; font-size: 1.08rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .8rem; }
.tile { background: var(--tile); border-radius: .5rem; padding: .7rem .9rem; }
.tile b { display: block; font-size: 1.45rem; line-height: 1.2; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
figcaption { color: var(--soft); font-size: .9rem; }
svg { max-width: 100%; height: auto; }
.table { overflow-x: auto; } table { border-collapse: collapse; min-width: 100%; }
th, td { text-align: left; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.name, li, dd { overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; max-width: 46rem; } li { margin: .25rem 0; }
code { background: var(--tile); padding: .1rem .35rem; border-radius: .25rem;
  overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; }
@media (max-width: 32rem) { body { padding: 1rem; } dl { grid-template-columns: 1fr; }
  dd { margin-bottom: .5rem; } }
@media print { :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --tile: #f4f4f4;
  --good: #1f7a4d; color-scheme: light; } body { max-width: none; padding: 0; font-size: 11pt; }
  h2 { break-after: avoid; } tr { break-inside: avoid; } }
"""


def escape(text: str) -> str:
    """Return a text for the page: no control signs, nothing that a browser could act on."""
    return html.escape(shown(text, 2000)[1:-1])


POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(report: Report) -> str:
    """Return the whole page."""
    charts = report_charts(report)
    svgs = dict(zip(charts, draw(list(charts.values())), strict=True))
    body = [
        _head(report),
        _tiles(report),
        _beyond_k(report),
        _costs(svgs),
        _distributions(report, svgs),
        _table(report),
        _search(report, svgs),
        _guarantee(report),
        _columns(report),
        _repeat(report),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Release report, k = {report.k}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def short(report: Report) -> str:
    """Return the short form for a notebook: the verdict and the table of columns."""
    return f"<div>{_verdict(report)}{_column_table(report)}</div>"


def _verdict(report: Report) -> str:
    groups, found = report.groups, report.verification
    span = report.group_span()
    safe = (
        f"Every combination of quasi-identifiers in this release is shared by at least "
        f"<strong>{found['k']} records</strong>."
        if found["ok"]
        else "<strong>This release was not verified.</strong>"
    )
    return (
        f'<div class="verdict{"" if found["ok"] else " no"}"><p>{safe}</p>'
        f"<p>{report.release['records']:,} records were put into {groups['count']:,} groups of "
        f"{span} similar ones, and each group’s values were "
        f"replaced by its {_value_of(report)}. This kept "
        f"<strong>{100 - report.information_loss_released:.1f} %</strong> of "
        f"{'the variation in the data' if report.costs is None else escape(report.loss_of())}."
        f"</p></div>"
    )


def _value_of(report: Report) -> str:
    """Say what stands for a group's values."""
    words = {
        "generalize": "closest common generalization",
        "range": "least and greatest value",
        "mode": "most frequent value",
        "medoid": "most typical record’s value",
    }
    different = {column.released_as for column in report.columns}
    return escape(" or ".join(words.get(way, way) for way in sorted(different)))


def _head(report: Report) -> str:
    asked = f"k = {report.k}, method {escape(report.method)}"
    return f'<h1>Release report</h1>\n<p class="soft">{asked}</p>\n{_verdict(report)}'


def _tiles(report: Report) -> str:
    tiles = (
        (f"{report.verification['k']}", "records in the smallest class"),
        (f"{report.groups['count']:,}", "groups"),
        (
            f"{report.information_loss_released:.2f} %",
            f"of {report.loss_of()} lost",
        ),
        (f"{len(report.columns)}", "quasi-identifiers"),
    )
    cells = "".join(f'<div class="tile"><b>{value}</b>{label}</div>' for value, label in tiles)
    return f'<div class="tiles">{cells}</div>'


def _beyond_k(report: Report) -> str:
    """Return the table of what was asked beyond k and found; nothing where nothing was."""
    rows = [
        (one["model"], one["column"], f"{bound(one)} {one['asked']:g}", one["found"])
        for one in [*report.verification.get("models", ()), *report.dominance]
    ] + [
        ("own k", ", ".join(one["columns"]), f"at least {one['asked']}", one["found"])
        for one in report.verification.get("k_of", ())
    ]
    if not rows:
        return ""
    cells = "".join(
        f'<tr><td>{escape(model)}</td><td class="name">{escape(column)}</td>'
        f'<td class="n">{escape(asked)}</td>'
        f'<td class="n">{"–" if found is None else f"{found:.4g}"}</td></tr>'
        for model, column, asked, found in rows
    )
    return (
        "<h2>What was asked beyond k</h2>\n"
        '<div class="table"><table><thead><tr><th>Model</th><th>Column</th>'
        '<th class="n">Asked</th><th class="n">Found in the worst group</th></tr></thead>'
        f"<tbody>{cells}</tbody></table></div>\n"
        '<p class="soft">All but the p % rule are judged from the released file alone; that one is '
        "judged on the values behind the means, which are not in the release.</p>"
    )


def _figure(svg: str | None, caption: str = "") -> str:
    text = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{svg or 'This chart could not be drawn.'}{text}</figure>"


def _costs(svgs: dict[str, str | None]) -> str:
    captions = {
        "group sizes": "Groups by the number of their records.",
        "loss by column": "What each quasi-identifier lost.",
        "cells by column": "How the cells of each quasi-identifier are released.",
        "correlations": "One point a pair of columns; on the dashed line nothing changed.",
    }
    figures = [_figure(svgs[name], text) for name, text in captions.items() if name in svgs]
    return f'<h2>What it cost</h2>\n<div class="charts">{"".join(figures)}</div>'


def _distributions(report: Report, svgs: dict[str, str | None]) -> str:
    notes = ["The outermost bars also count what lies beyond them."]
    if any(column.histogram and column.histogram.hidden for column in report.columns):
        notes.append(f"Bars of the original with fewer than {report.k} records are left empty.")
    if sum(column.histogram is not None for column in report.columns) > COLUMNS_SHOWN:
        notes.append(f"Shown are the {COLUMNS_SHOWN} columns that lost most.")
    figures = [_figure(svg) for name, svg in svgs.items() if name.startswith("distribution ")]
    if not figures:
        return ""
    return (
        f"<h2>Before and after</h2>\n"
        f'<div class="charts">{"".join(figures)}</div><p class="soft">{" ".join(notes)}</p>'
    )


def _number(value: float | str | None) -> str:
    if value is None:
        return "–"
    return escape(value) if isinstance(value, str) else f"{value:,.6g}"


def _column_table(report: Report) -> str:
    """Return the quasi-identifiers as a table; columns that say nothing are left out."""
    every: list[tuple[str, bool, Any]] = [
        ("quasi-identifier", False, lambda c: f'<td class="name">{escape(c.name)}</td>'),
        ("kind", False, lambda c: f"<td>{escape(c.kind)}</td>"),
        ("loss, %", True, lambda c: f'<td class="n">{c.information_loss:.2f}</td>'),
    ]
    if report.costs is not None:
        every += [
            ("released as", False, lambda c: f"<td>{escape(c.released_as)}</td>"),
            ("hierarchy", False, lambda c: f'<td class="name">{escape(c.hierarchy or "–")}</td>'),
            *(
                (label, True, lambda c, field=field: f'<td class="n">{getattr(c, field):,}</td>')
                for label, field in (
                    ("as it was", "unchanged"), ("generalized", "generalized"),
                    ("suppressed (*)", "suppressed"), ("missing before", "missing"),
                )
            ),
        ]  # fmt: skip
    if any(column.mean_before is not None for column in report.columns):
        every += [
            (label, True, lambda c, field=field: f'<td class="n">{_number(getattr(c, field))}</td>')
            for label, field in (
                ("mean before", "mean_before"), ("mean after", "mean_after"),
                ("variance before", "variance_before"), ("variance after", "variance_after"),
            )
        ]  # fmt: skip
    head = "".join(
        f"<th{' class=n' if numeric else ''}>{label}</th>" for label, numeric, _ in every
    )
    rows = "".join(
        f"<tr>{''.join(cell(column) for _, _, cell in every)}</tr>" for column in report.columns
    )
    return f'<div class="table"><table><tr>{head}</tr>{rows}</table></div>'


def _table(report: Report) -> str:
    return f"<h2>Column by column</h2>\n{_column_table(report)}{_costs_in_words(report)}"


def _costs_in_words(report: Report) -> str:
    """What generalizing cost by the measures of the literature, and what was missing."""
    found = report.costs
    lines = []
    if found is not None:
        lines = [
            ("ILoss rate", f"{found['iloss_rate']:.2f} %", "what a cell lost, on average: 0 as it "
             "was, 100 % nothing left; a deleted record has lost all"),
            ("NCP", f"{found['ncp']:.2f} %", "normalized certainty penalty: the width of what a "
             "cell was released as"),
            ("discernibility", f"{found['discernibility']:,}", "sum of squared class sizes"),
            ("average class size", f"{found['average_class_size']:.2f} k", "1 is the least"),
            ("non-uniform entropy", f"{found['non_uniform_entropy']:,.0f} bits", "what it would "
             "take to say the original cells again"),
        ]  # fmt: skip
    rows = "".join(f"<dt>{name}, {value}</dt><dd>{what}</dd>" for name, value, what in lines)
    table = f"<h2>Other measures of the generalized columns</h2>\n<dl>{rows}</dl>" if rows else ""
    if report.missing["cells"] or report.missing["deleted"]:
        table += f"\n<h2>Missing values</h2>\n<p>{escape(report.missing['text'])}.</p>"
    return table


def _search(report: Report, svgs: dict[str, str | None]) -> str:
    """How the groups were searched for: the loss curve, and what brought the gain."""
    log = report.search
    if log is None:
        return ""
    runs = f"{log['runs']} searches of " if log["runs"] > 1 else ""
    on_trees = "regroup" in log["gains"]
    first = f"{log['loss_first_optimum']:.4f} % at the first local optimum and "
    told = (
        f"The loss of the groups fell from {log['loss_start']:.4f} % at the start to "
        f"{'' if on_trees else first}{log['loss_end']:.4f} % "
        f"at the end, in {runs}{log['iterations']:,} iterations and {log['seconds']:.1f} seconds; "
        f"ended by: {escape(log['stopped_by'])}."
    )
    head = "".join(f"<th class=n>{label}</th>" for label in ("applied", "new best", "gain"))
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td class=n>{part['applied']:,}</td>"
        f"<td class=n>{part.get('improved', '–')}</td><td class=n>{part['gain']:.4f} %</td></tr>"
        for name, part in log["gains"].items()
    )
    curve = ""
    if "loss curve" in svgs:
        caption = "The best loss so far; the axis of iterations is logarithmic."
        curve = f'<div class="charts">{_figure(svgs["loss curve"], caption)}</div>'
    return (
        f'<h2>How the groups were found</h2>\n<p>{told}</p>{curve}<div class="table"><table>'
        f'<tr><th>step</th>{head}</tr>{rows}</table></div><p class="soft">'
        f"{ON_TREES if on_trees else ON_NUMBERS}</p>"
    )


ON_NUMBERS = (
    "Gains of a perturbation (dissolve, distill) are what its iterations took off the best loss; "
    "those of a move (shift, swap) are summed over all groupings the search went through, and undo "
    "what perturbations cost."
)
ON_TREES = (
    "A perturbation (dissolve a group, form the groups around a record anew) is kept only where it "
    "gains; then groups of 2k records and more are split, and shifts and swaps follow."
)


def _list(lines: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def _guarantee(report: Report) -> str:
    left_open = _list(report.guarantee["does_not_cover"])
    for name in LIMITS:
        left_open = left_open.replace(f"<li>{name}:", f"<li><strong>{name}:</strong>")
    return (
        f"<h2>What the guarantee covers</h2>\n{_list(report.guarantee['covers'])}\n"
        f"<h2>What it does not cover</h2>\n{left_open}"
    )


def _columns(report: Report) -> str:
    words = {
        Role.QUASI_IDENTIFIER: "Grouped (quasi-identifiers)",
        Role.SENSITIVE: "Kept as they are (sensitive)",
        Role.OTHER: "Kept as they are (other)",
        Role.IDENTIFIER: "Dropped (identifiers)",
        "dropped": "Left out on request",
    }
    rows = "".join(
        f"<dt>{label}</dt><dd>{escape(', '.join(report.roles[role]))}</dd>"
        for role, label in words.items()
        if report.roles[role]
    )
    notes = f"<h2>To look at</h2>\n{_list(report.notes)}" if report.notes else ""
    return f"<h2>What happened to each column</h2>\n<dl>{rows}</dl>\n{notes}"


def _repeat(report: Report) -> str:
    recipe = str(report.release.get("recipe", "run.toml"))
    file = [] if report.input["kind"] in ("csv", "parquet") else ["--input", "FILE"]
    again = escape(shlex.join(["shoal", "run", recipe, *file, "-o", "again/"]))
    facts = {
        "input, sha256": report.input["sha256"],
        "release, sha256": report.release.get("sha256", "not written to a file"),
        "rows of the release": report.release.get("order", "as in the input"),
        "seed": str(report.seed),
        **report.versions,
    }
    rows = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    return (
        f"<h2>How to repeat it</h2>\n<p><code>{again}</code> gives the same "
        f"groups in fresh row order. Check the file yourself with <code>{_verify(report)}</code>"
        f"</p>\n<dl>{rows}</dl>"
    )


def _verify(report: Report) -> str:
    words = ["shoal", "verify", str(report.release.get("file", "release.csv")), "-k", str(report.k),
             "--quasi", joined_key(column.name for column in report.columns)]  # fmt: skip
    return escape(shlex.join([*words, *_asked(report)]))


def _asked(report: Report) -> list[str]:
    """Return the options of `shoal verify` for what was asked beyond k."""
    asked = report.asked
    words = []
    if any(what in asked for what in ("l", "t", "alpha")):
        words += ["--sensitive", joined_key(report.roles[Role.SENSITIVE])]
    for what in ("l", "t", "alpha"):
        said = asked.get(what)
        pairs = [f"{n}={x:g}" for n, x in said.items()] if isinstance(said, dict) else []
        if said is not None and not isinstance(said, dict):
            pairs = [f"{said:g}"]
        for pair in pairs:
            words += [f"--{what}", pair]
    if "l_kind" in asked:
        words += ["--l-kind", asked["l_kind"]]
    if "c" in asked:
        words += ["--c", f"{asked['c']:g}"]
    for columns, k in asked.get("k_of", {}).items():
        words += ["--k-of", f"{columns}={k}"]
    return words
