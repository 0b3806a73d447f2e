"""Records as a file alone: those of an estimator, verified, and their risks, which are private."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.errors import OutputError, PrivacyError, RequestError, shown
from shoal.judge.verify import verify
from shoal.release.plain_values import without_nan
from shoal.release.readback import holds_table
from shoal.release.write import release_bytes, row_order
from shoal.storage.private_folder import ENDINGS
from shoal.storage.staging import Staging
from shoal.table.files.formats import check_kind
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table

VERIFIED = ("csv", "csv.gz", "parquet")
NUMBER = "record"  # the first column of risks: 1, 2, … in the order of the table


def _kind_of(path: Path, kinds: Sequence[str]) -> str:
    """Return the kind of a file by the ending of its name."""
    kind = next((one for one in kinds if path.name.lower().endswith(f".{one}")), None)
    if kind is None:
        raise RequestError(f"{shown(path)}: write to a name that ends in .{', .'.join(kinds)}")
    return kind


def save_records(table: Table, k: int, path: str | os.PathLike[str], *, force: bool) -> Path:
    """Write the records of a table, all of whose columns are quasi-identifiers, in random order.

    Ensures that every combination in the file is shared by k records; else nothing is written.
    """
    target = Path(path)
    kind = _kind_of(target, VERIFIED)
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


def check_risks(path: Path, force: bool, *inputs: Path) -> None:
    """Refuse a file for risks that cannot be written, before the work."""
    check_kind(_kind_of(path, ENDINGS))
    Staging(force=force).check(path, *inputs)


def save_risks(table: Table, path: Path, force: bool) -> None:
    """Write the risks of records, in the order of the table, for their owner alone."""
    numbers = pa.array(np.arange(1, table.rows + 1))
    column = Column(NUMBER, Kind.INTEGER, numbers, Role.OTHER)
    numbered = replace(table, columns=(column, *table.columns))
    order = row_order(table.rows, keep=True)
    content = release_bytes(numbered, order, _kind_of(path, ENDINGS))
    with Staging(force=force) as staging:
        staging.check(path)
        staging.add(path, content, private=True)
        staging.commit()
