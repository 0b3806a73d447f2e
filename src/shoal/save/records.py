"""A released table alone, in one file: verified before it gets its name, without a report."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.backends.staging import Staging
from shoal.errors import OutputError, PrivacyError, RequestError, shown
from shoal.judge.verify import verify
from shoal.release.plain_values import without_nan
from shoal.release.write import release_bytes, row_order
from shoal.save.readback import holds_table
from shoal.table.roles import Column, Kind
from shoal.table.table import Table

KINDS = ("csv", "csv.gz", "parquet")


def save_records(table: Table, k: int, path: str | os.PathLike[str], *, force: bool) -> Path:
    """Write the records of a table, all of whose columns are quasi-identifiers, in random order.

    Ensures that every combination in the file is shared by k records; else nothing is written.
    """
    target = Path(path)
    kind = next((one for one in KINDS if target.name.lower().endswith(f".{one}")), None)
    if kind is None:
        raise RequestError(f"{shown(target)}: write to a name that ends in .{', .'.join(KINDS)}")
    table, order = table.mapped(_released), row_order(table.rows)
    with Staging(force=force) as staging:
        staging.check(target)
        temporary = staging.add(target, release_bytes(table, order, kind))
        found = verify(
            temporary, k, quasi_identifiers=table.names, kind=kind, records=table.rows,
            columns=table.names,
        )  # fmt: skip
        if not found.ok:
            raise PrivacyError(
                f"the written file is not safe, nothing was kept: {'; '.join(found.problems)}"
            )
        if not holds_table(table, order, table.names, temporary, kind):
            raise OutputError(f"{shown(target)}: what was read back is not what was to be written")
        staging.commit()
    return target


def _released(column: Column) -> Column:
    """Return a column whose missing cells are those that a group does not release."""
    values = without_nan(column.values) if column.kind is Kind.FLOAT else column.values
    return column.replace(values=values, protected=True)
