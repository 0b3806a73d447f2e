"""Comparison of methods as csv and as a page."""

from __future__ import annotations

import csv
import io
from typing import Any

from shoal.measures.original_loss import NAME as OF_ORIGINAL
from shoal.report.draw import why_none
from shoal.report.html.about import PRIVATE_LINE
from shoal.report.html.frame import document, escape, figure

NCP = "NCP, percent"
NCP_WORDS = (
    "NCP: how much of the range, or of the values, of its column a released cell leaves open; "
    "releases of means and of intervals or categories compare by it"
)
OF_ORIGINAL_WORDS = (
    "loss of the original: what its columns lose on average, steps included; SSE/SST of numbers, "
    "and of others the share of their entropy that released cells leave open"
)
COLUMNS = (
    "k", "method", "information_loss", "risk", "highest_risk", "kept", "regression",
    "classification", "groups", "seconds", "auto", "frontier", "picked", "said",
)  # fmt: skip

NAMES = "", "k", "method", "loss %", "risk %", "kept %", "R² %", "class %", "groups", "seconds"


def loss_words(name: str) -> str:
    """Return what a loss is that not every report opens with; else nothing."""
    return {NCP: NCP_WORDS, OF_ORIGINAL: OF_ORIGINAL_WORDS}.get(name, "")


def comparison_csv(comparison: dict[str, Any]) -> str:
    """Return the runs as csv."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([point.get(name) for name in COLUMNS] for point in comparison["points"])
    return text.getvalue()


def comparison_page(comparison: dict[str, Any], svg: str | None) -> str:
    """Return a page with the pick, the chart, or why there is none, and the table of all runs."""
    why = why_none()
    chart = figure(svg) if why is None else f'<p class="soft">{escape(why)}</p>'
    rows = "".join(_row(point) for point in comparison["points"])
    head = "".join(f'<th class="{_side(name)}">{name}</th>' for name in NAMES)
    body = [
        PRIVATE_LINE,
        f"<h1>{comparison['records']:,} records: which method, which k</h1>",
        f'<div class="verdict"><p>{escape(comparison["reason"])}</p></div>',
        chart,
        f"<p>Loss: {escape(comparison['loss_name'])}. {_sentence(comparison)}Risk: the share of "
        "records that the best of three linkage attacks finds; kept: the share that columns which "
        "are kept single out in their class. R² and class: what a regression, and a classifier, on "
        "the release keep of what one on the original explains, or gets right. On the frontier (*) "
        "nothing else has both less loss and less risk.</p>",
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>",
    ]
    return document("Comparison of methods", body)


def _sentence(comparison: dict[str, Any]) -> str:
    words = comparison.get("loss_words")
    return f"{escape(words)}. " if words else ""


def _row(point: dict[str, Any]) -> str:
    mark = "→" if point["picked"] else "*" if point["frontier"] else ""
    cells = [
        mark,
        str(point["k"]),
        f"{point['method']} (auto)" if point.get("auto") else point["method"],
    ]
    if point["information_loss"] is None:
        row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        return f'<tr>{row}<td colspan="7">{escape(point["said"])}</td></tr>'
    cells += [f"{point['information_loss']:.3f}", f"{point['risk']:.2f}",
              f"{point.get('kept') or 0.0:.2f}", _kept(point.get("regression")),
              _kept(point.get("classification")), f"{point['groups']:,}",
              f"{point['seconds']:.1f}"]  # fmt: skip
    each = zip(NAMES, cells, strict=True)
    row = "".join(f'<td class="{_side(name)}">{escape(cell)}</td>' for name, cell in each)
    return f"<tr>{row}</tr>"


def _side(name: str) -> str:
    """Return the class of a column of the table: numbers stand to the right."""
    return "word" if name in ("", "method") else "n"


def _kept(percent: float | None) -> str:
    return "–" if percent is None else f"{percent:.1f}"
