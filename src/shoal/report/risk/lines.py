"""Risk as lines of text: figures, columns and sets of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.errors import shown
from shoal.measures.disclosure.figures import ColumnRisk, Figure, SetRisk

PRIVATE = "private: figures of the original are exact here; do not publish them"
SHOWN = 3  # sets of each size
SIZES = 3  # up to which sets are shown


def percent(part: float, whole: float) -> str:
    """Return a share as people write it."""
    share = 100.0 * part / whole if whole else 0.0
    return f"{share:.2f} %" if share < 10 else f"{share:.1f} %"


def figure_lines(figures: Mapping[str, Figure]) -> list[str]:
    """Return a line for every figure."""
    width = max(len(one.title) for one in figures.values())
    return [
        f"  {one.title:<{width}}  {one.text:>9}" + (f"  ({one.rest})" if one.rest else "")
        for one in figures.values()
    ]


def column_lines(columns: Sequence[ColumnRisk], rows: int, k: int) -> list[str]:
    """Return a table of columns: uniqueness by each, without it, and with a coarser one."""
    head = ("column", "values", "separation", "alone", "without", f"below {k}", "SUDA", "coarser",
            "values")  # fmt: skip
    body = [
        (
            shown(one.name, 24)[1:-1],
            f"{one.distinct:,}",
            f"{one.separation:.4f}",
            percent(one.unique, rows),
            percent(one.unique_without, rows),
            percent(one.below_without, rows),
            "" if one.share is None else f"{100 * one.share:.0f} %",
            "" if one.coarser is None else percent(one.coarser.unique, rows),
            "" if one.coarser is None else f"{one.coarser.distinct:,}",
        )
        for one in columns
    ]
    key = (
        "  alone: unique by this column alone; without: unique by all others, and in classes below "
        f"{k};\n  SUDA: its share of the scores of unique records; coarser: unique if it were one "
        "level up\n  its hierarchy, which leaves so many values"
    )
    return [*aligned([head, *body]), key]


def set_lines(sets: Sequence[SetRisk], rows: int, sampled: int | None) -> list[str]:
    """Return the sets of columns that make most records unique, of each size."""
    several = [one for one in sets if 1 < len(one.columns) <= SIZES]
    if not several:
        return []
    title = "Which sets of columns make most people unique"
    if sampled is not None:
        title += f" (counted in a sample of {sampled:,} records: fewer are in the file)"
    lines = ["", title]
    body = [("columns", "unique", "distinction", "separation")]
    for size in range(2, SIZES + 1):
        best = [one for one in several if len(one.columns) == size][:SHOWN]
        body += [
            (
                ", ".join(shown(name, 24)[1:-1] for name in one.columns),
                percent(one.unique, rows),
                f"{one.distinction:.4f}",
                f"{one.separation:.4f}",
            )
            for one in best
        ]
    return [*lines, *aligned(body)]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return cells as lines, the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(
            f"{cell:<{width}}" if at == 0 else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]  # fmt: skip
