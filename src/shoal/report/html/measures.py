"""The measures as tables: the figure, and what it means for a decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.measures.definitions import DEFINITIONS
from shoal.measures.result import figure_text
from shoal.report.chunk import days_text
from shoal.report.html.frame import escape, figure, number
from shoal.report.worst import worst_of

QUANTILES = ("5 %", "25 %", "50 %", "75 %", "95 %")


def risks(measures: Mapping[str, Any] | None, svg: str | None = None, drawn: bool = True) -> str:
    """Return the risks, with the chart of attacks."""
    if not measures:
        return ""
    chart = ""
    if drawn:
        caption = "What each attack finds; the dashed line is 1 in k."
        chart = f'<div class="charts">{figure(svg, caption)}</div>'
    return (
        f"<h2>What could still go wrong</h2>\n{chart}{_table(measures['risk'])}{_notes(measures)}"
    )


def utility(measures: Mapping[str, Any] | None) -> str:
    """Return what the release is still good for."""
    if not measures:
        return ""
    return f"<h2>What it is still good for</h2>\n{_table(measures['utility'])}{_moments(measures)}"


def _table(part: dict[str, Any]) -> str:
    rows = "".join(_row(key, one) for key, one in part.items())
    return (
        '<div class="table"><table><thead><tr><th>Measure</th><th class="n">Value</th>'
        f"<th>What it means</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(key: str, one: dict[str, Any]) -> str:
    spread = ""
    if "interval" in one:
        low, high = (figure_text(end, one["unit"]) for end in one["interval"])
        spread = (
            f'<br><span class="soft">{low} to {high}, from a sample of {one["sampled"]:,}</span>'
        )
    return (
        f"<tr><td>{escape(DEFINITIONS[key].title)}</td>"
        f'<td class="value">{_value(one)}{spread}{_worst(key, one)}</td>'
        f'<td class="what">{escape(one["sentence"])}</td></tr>'
    )


def _worst(key: str, one: dict[str, Any]) -> str:
    """Return the column or pair with the worst figure, where there are several."""
    worst = worst_of(key, one.get("by", {}))
    if worst is None:
        return ""
    name, value = worst
    if value == one["value"]:
        return f'<br><span class="soft name">{escape(name)}</span>'
    text = _value({**one, "value": value})
    return f'<br><span class="soft name">at worst {text}: {escape(name)}</span>'


def _value(one: dict[str, Any]) -> str:
    """Return a figure with its unit; one that was rounded up as what it is at most."""
    if "step" not in one:
        return figure_text(one["value"], one["unit"])
    return f"≤ {one['value']:g}{' %' if one['unit'] == 'percent' else ''}"


def _moments(measures: Mapping[str, Any]) -> str:
    """Return the quantiles of the columns of numbers, in a part that unfolds."""
    if not measures.get("columns"):
        return ""
    head = "".join(f'<th class="n">{label}</th>' for label in QUANTILES)
    rows = "".join(
        f'<tr><td class="name">{escape(column["name"])}</td><td>{when}</td>'
        + "".join(
            f'<td class="n">{number(_moment(q, column["kind"]))}</td>'
            for q in column[f"quantiles_{when}"]
        )
        + "</tr>"
        for column in measures["columns"]
        for when in ("before", "after")
    )
    return (
        "<details><summary>Quantiles of the columns of numbers</summary>"
        f'<div class="table"><table><tr><th>column</th><th></th>{head}</tr>{rows}</table></div>'
        f'<p class="soft">Each is the mean of the {measures["k"]} values around it; ordinal values '
        "count in ranks.</p></details>"
    )


def _moment(value: float | None, kind: str) -> float | str | None:
    """Return a figure of a column of dates or times, which come in days, as one of these."""
    return value if value is None else days_text(value, kind)


def _notes(measures: Mapping[str, Any]) -> str:
    return "".join(f'<p class="soft">{escape(note)}.</p>' for note in measures.get("notes", ()))
