"""Reading back of a written file: its classes have the released values.

A writer that cuts digits keeps classes together and would pass any check of their sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.judge.verify import class_counts
from shoal.table.roles import STAR, Kind
from shoal.table.table import Table


def holds_table(table: Table, wanted: Sequence[str], path: Path, kind: str) -> bool:
    """Tell whether a file's classes have the very values and sizes of the released table's."""
    _, written = class_counts(path, wanted, delimiter=table.source.delimiter, kind=kind)
    return same_classes(table, wanted, written, kind)


def same_classes(
    table: Table, wanted: Sequence[str], written: Counter[tuple[Any, ...]], kind: str
) -> bool:
    """Tell whether classes that the judge's reader counted are those of a released table."""
    _, meant = class_counts(table, wanted)
    kinds = [table[name].kind for name in wanted]
    if kind == "parquet":  # which holds short decimals as floats
        kinds = [Kind.FLOAT if of is Kind.DECIMAL else of for of in kinds]
    else:  # whose cells the judge compares as bytes
        written = Counter({_decoded(key): count for key, count in written.items()})
    return _by_value(written, kinds) == _by_value(meant, kinds)


def _decoded(key: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cell.encode("latin-1").decode("utf-8", "replace") for cell in key)


def _by_value(classes: Counter[tuple[Any, ...]], kinds: list[Kind]) -> Counter[tuple[Any, ...]]:
    counts: Counter[tuple[Any, ...]] = Counter()
    for key, count in classes.items():
        counts[tuple(_value(cell, of) for cell, of in zip(key, kinds, strict=True))] += count
    return counts


def _value(cell: Any, kind: Kind) -> Any:
    """Return a value or a cell's text in one form; times are compared by class only."""
    if cell is None or cell == STAR:
        return None
    if kind is Kind.TEXT:
        return cell
    if kind is Kind.FLOAT:
        return float(cell)
    if kind.is_number:
        return Fraction(cell)
    if kind is Kind.BOOLEAN:
        return str(cell).lower()
    return str(cell) if kind is Kind.DATE else None
