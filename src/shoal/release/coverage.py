"""Coverage check: every generalized cell covers its original."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import PrivacyError, shown
from shoal.judge.covers import file_lines, is_interval, uncovered
from shoal.table.hierarchy.specify import is_file
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table
from shoal.table.texts import as_written, texts_of


def check_coverage(
    table: Table,
    released: Table,
    aggregators: Mapping[str, str],
    rules: Mapping[str, str],
    folder: Path | None,
    on_column: Callable[[int, int], None],
) -> None:
    """Raise a PrivacyError if a released value does not cover its original.

    `on_column` is called with the number of columns done, and of all.
    """
    columns = table.with_role(Role.QUASI_IDENTIFIER)
    for done, column in enumerate(columns):
        on_column(done, len(columns))
        if aggregators[column.name] not in ("generalize", "range"):
            continue
        tree = rules.get(column.name, "")
        lines = file_lines((folder or Path()) / tree) if tree and is_file(tree) else {}
        by_order = aggregators[column.name] == "range" or tree in ("", "balanced")
        order = (column.order or ()) if by_order else ()
        bad = uncovered(_pairs(column, released[column.name]), lines, order)
        if bad:
            raise PrivacyError(
                f"column {shown(column.name)}: {len(bad)} released values do not cover what they "
                "stand for; nothing was written"
            )


def _pairs(before: Column, after: Column) -> list[tuple[Any, Any]]:
    """Return the distinct pairs of a released text and the original's, None where it is missing."""
    old, new = before.values.dictionary_encode(), after.values.dictionary_encode()
    missing = np.asarray(before.values.is_null(nan_is_null=True))
    first = np.where(missing, -1, np.asarray(old.indices.fill_null(0)))
    both = np.unique(np.stack([np.asarray(new.indices), first], axis=1), axis=0)
    kinds = old.dictionary
    if before.kind is Kind.FLOAT:
        kinds = pa.array(as_written(kinds))
    words = [*texts_of(before, kinds), None]
    released = new.dictionary.to_pylist()
    if before.kind is not Kind.FLOAT:
        return [(released[i], words[j]) for i, j in both.tolist()]
    exact = [*map(repr, np.asarray(old.dictionary).astype(np.float64).tolist()), None]
    wide = [is_interval(text) for text in released]  # it must hold all digits of a short float
    return [(released[i], (exact if wide[i] else words)[j]) for i, j in both.tolist()]
