"""Tables of another content in the type of the caller's dataframe."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pyarrow as pa

from shoal.table.dataframes.layout import as_laid_out
from shoal.table.source import Source
from shoal.table.table import Table


def alike(table: Table, source: Source) -> Any:
    """Return a table in the type that a source's own has; as it is where that was a file."""
    if source.native is None:
        return table
    own: Any = nw.from_native(source.native, eager_only=True)
    arrow = pa.table({column.name: column.values for column in table.columns})
    frame = nw.from_arrow(arrow, backend=own.implementation).to_native()
    return as_laid_out(frame, source.layout) if source.layout else frame
