"""The cells of one column of a csv file, in whatever way they are looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.backends.once import once
from shoal.kernels.arrays import Flags
from shoal.table.csv_text.distinct import Distinct
from shoal.table.csv_text.plain import Plain
from shoal.table.csv_text.recognize import recognized
from shoal.table.csv_text.split import offsets_of
from shoal.table.csv_text.trimmed import Trimmed, with_nulls
from shoal.table.dialects.notation import STRICT, Notation

SAMPLE = 1000  # cells that tell whether a column has few distinct ones


class Cells:
    """The cells of one column: what all are, if that is plain, else the distinct ones."""

    def __init__(
        self,
        cells: Any,
        missing: tuple[str, ...],
        declared: str | None,
        notation: Notation = STRICT,
    ) -> None:
        self.cells, self.declared = cells, declared
        self._missing, self.notation = missing, notation

    def __len__(self) -> int:
        return len(self.cells)

    @once
    def absent(self) -> Flags | None:
        """Which cells are missing, None where none is."""
        if self._missing == ("",):
            offsets = offsets_of(self.cells)
            flags = offsets[1:] == offsets[:-1]
        else:
            words = pa.array(self._missing, type=pa.string())
            flags = np.asarray(pc.is_in(self.cells, value_set=words))
        return flags if flags.any() else None

    @property
    def records(self) -> int:
        """The number of cells that are not missing."""
        return len(self.cells) - (0 if self.absent is None else int(self.absent.sum()))

    @once
    def distinct(self) -> Distinct:
        """The distinct cells."""
        return Distinct(self.cells, self._missing, self.declared, self.notation)

    def trimmed(self) -> Trimmed:
        """Return the cells without the blanks around them.

        Not kept: what it works out takes more memory than the cells, and few look at it.
        """
        return Trimmed(self.cells, self.absent)

    @once
    def plain(self) -> Plain | None:
        """The column as plain numbers, dates or times, None if it is not."""
        if self.declared in ("text", "boolean"):
            return None
        return recognized(self.trimmed(), self.notation)

    @once
    def is_varied(self) -> bool:
        """Whether the first cells are rarely equal: then so are the others, most likely."""
        first = self.cells.slice(0, SAMPLE)
        return bool(2 * pc.count_distinct(first).as_py() > len(first))

    def texts(self) -> Any:
        """Return the cells of all records; missing ones are null."""
        if self.absent is None:
            return self.cells
        if np.diff(offsets_of(self.cells))[self.absent].any():
            return pc.if_else(pa.array(self.absent), pa.scalar(None, pa.string()), self.cells)
        return with_nulls(self.cells, self.absent)

    def first(self, count: int) -> list[str]:
        """Return some of the first cells that are not missing."""
        some = self.cells.slice(0, count)
        if self.absent is not None:
            rows = np.flatnonzero(~self.absent[: 10 * count])[:count]
            some = self.cells.take(pa.array(rows))
        texts: list[str] = some.to_pylist()
        return texts
