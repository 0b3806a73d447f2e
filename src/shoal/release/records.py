"""The risks of records as a private file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.errors import RequestError, shown
from shoal.release.write import release_bytes, row_order
from shoal.storage.private_folder import ENDINGS, kind_of
from shoal.storage.staging import Staging
from shoal.table.files.formats import check_kind
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table

NUMBER = "record"  # the first column: 1, 2, … in the order of the table


@dataclass(frozen=True)
class RecordsFile:
    """A file of the risks of records, which only its owner may read."""

    path: Path
    force: bool = False

    @property
    def kind(self) -> str:
        """The kind of the file, by the ending of its name."""
        kind = kind_of(self.path.name)
        if kind is None:
            raise RequestError(
                f"{shown(self.path)}: write to a name that ends in .{', .'.join(ENDINGS)}"
            )
        check_kind(kind)
        return kind

    def check(self, *inputs: Path) -> None:
        """Refuse a file that cannot be written, before the work."""
        assert self.kind
        Staging(force=self.force).check(self.path, *inputs)

    def write(self, table: Table) -> None:
        """Write the risks in the order of the table, with the number of every record."""
        numbers = pa.array(np.arange(1, table.rows + 1))
        column = Column(NUMBER, Kind.INTEGER, numbers, Role.OTHER)
        numbered = replace(table, columns=(column, *table.columns))
        content = release_bytes(numbered, row_order(table.rows, keep=True), self.kind)
        with Staging(force=self.force) as staging:
            staging.check(self.path)
            staging.add(self.path, content, private=True)
            staging.commit()
