"""The risks of the records: a table of their own, in the caller's type, or as a private file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import RequestError, shown
from shoal.measures.disclosure.assess import Assessment, Estimates
from shoal.storage.private_folder import ENDINGS
from shoal.storage.staging import Staging
from shoal.table.files.formats import check_kind
from shoal.table.roles import Column, Kind, Role
from shoal.table.source import Source
from shoal.table.table import Table

if TYPE_CHECKING:
    import numpy.typing as npt

NUMBER = "record"  # the first column of a file: 1, 2, … in the order of the table


def table_of(one: Assessment, estimates: Estimates) -> Table:
    """Return the risks of the records as a table, a column a measure."""
    parts: dict[str, tuple[Kind, npt.NDArray[Any]] | None] = {
        "class_size": (Kind.INTEGER, one.members.astype(np.int64)),
        "population": None if one.people is None else (Kind.FLOAT, one.people),
        "risk": (Kind.FLOAT, one.risks),
        "household_risk": None if one.households is None else (Kind.FLOAT, one.households),
        "model_risk": None if estimates.model is None else (Kind.FLOAT, estimates.model.risks),
    }
    if one.suda is not None:
        parts |= {
            "suda": (Kind.FLOAT, one.suda.scores),
            "dis_suda": (Kind.FLOAT, one.suda.dis),
            "special_unique": (Kind.BOOLEAN, one.suda.special),
            "smallest_set": (Kind.INTEGER, one.suda.smallest),
        }
    columns = [_column(name, *part) for name, part in parts.items() if part is not None]
    return Table(tuple(columns), Source("the risks of the records", "array"))


def _column(name: str, kind: Kind, values: npt.NDArray[Any]) -> Column:
    """Return numbers as a column; not-a-number is missing."""
    import pyarrow as pa

    return Column(name, kind, pa.array(values, from_pandas=True), Role.OTHER)


@dataclass(frozen=True)
class RecordsFile:
    """A file of the risks of records, which only its owner may read."""

    path: Path
    force: bool = False

    @property
    def kind(self) -> str:
        """The kind of the file, by the ending of its name."""
        name = self.path.name.lower()
        known = (kind for kind in ENDINGS if name.endswith(f".{kind}"))
        kind = next(known, None)
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
        from shoal.release.write import release_bytes, row_order

        numbers = _column(NUMBER, Kind.INTEGER, np.arange(1, table.rows + 1))
        numbered = replace(table, columns=(numbers, *table.columns))
        content = release_bytes(numbered, row_order(table.rows, keep=True), self.kind)
        with Staging(force=self.force) as staging:
            staging.check(self.path)
            staging.add(self.path, content, private=True)
            staging.commit()
