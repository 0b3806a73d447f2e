"""What a kind of file can hold of a release, as far as it is known before records are grouped.

Names of columns, their number, that of records and the cells of columns that are kept are known;
values that the groups decide are checked when they are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.release.cells import check_plain
from shoal.release.held import held
from shoal.release.intervals import TYPED, ends_type, handed_names
from shoal.release.targets import TARGETS
from shoal.release.write import check_typed
from shoal.save.spreadsheet import check_headers
from shoal.settings import Settings
from shoal.table.encode_nodes import Coded
from shoal.table.files.formats import HELD_BY_STATISTICS, is_csv
from shoal.table.roles import Column, Role
from shoal.table.table import Table


def check_holdable(
    table: Table,
    settings: Settings,
    aggregators: Mapping[str, str],
    coded: Coded | None,
    kind: str,
) -> None:
    """Raise an error, in one line, for a table whose release no file of this kind could hold.

    `aggregators` and `coded` tell which columns become intervals.
    """
    weight, dropped = settings.roles.weight, settings.release.weights[0] == "drop"
    columns = [
        column
        for column in table.columns
        if column.role is not Role.IDENTIFIER and not (dropped and column.name == weight)
    ]
    own = settings.release.group_column
    names = handed_names(
        [*(column.name for column in columns), *([own] if own is not None else [])],
        _wide(table, aggregators, coded),
        settings.release.intervals,
        kind in TYPED,
    )
    if settings.release.spreadsheet_safe and is_csv(kind):
        check_headers(names)
    if kind in HELD_BY_STATISTICS:
        TARGETS[kind].check_names(names)
    kept = [c for c in columns if c.role is not Role.QUASI_IDENTIFIER and c.name != weight]
    check_kept(kept, kind)
    if kind == "xlsx":
        from shoal.release.workbook import check_shape

        check_shape(table.rows, names)


def _wide(table: Table, aggregators: Mapping[str, str], coded: Coded | None) -> set[str]:
    """Return the columns that are released as intervals with two ends."""
    ranged = {column.name for column in coded.columns if column.by_range} if coded else set()
    return {
        name
        for name, one in aggregators.items()
        if one in ("generalize", "range") and name in ranged and ends_type(table[name]) is not None
    }


def check_kept(columns: Sequence[Column], kind: str) -> None:
    """Refuse cells that are released as they are and that the file cannot hold."""
    for column in columns:
        if kind in HELD_BY_STATISTICS:
            held(column, kind)
        elif kind == "xlsx":
            from shoal.release.workbook import cell_values

            cell_values(column)
        elif kind == "jsonl":
            from shoal.release.json_lines import json_values

            json_values(column)
        elif kind in TYPED:
            check_typed(column)
        elif column.cells is None:
            check_plain(column)
