"""The risks of the records: a table of their own, in the caller's type, or as a private file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.measures.disclosure.assess import Assessment, Estimates
from shoal.table.roles import Column, Kind, Role
from shoal.table.source import Source
from shoal.table.table import Table

if TYPE_CHECKING:
    import numpy.typing as npt


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
