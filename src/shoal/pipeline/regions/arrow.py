"""Tables as Arrow columns in the files of a run, and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
import pyarrow as pa
from pydantic import ConfigDict, TypeAdapter

from shoal.errors import RequestError
from shoal.hints import Message, marked, option
from shoal.table.roles import Column, Kind, Role
from shoal.table.source import Source
from shoal.table.table import Table

ROW = "row"
GROUP = "group"


@dataclass(frozen=True)
class Form:
    """The columns of a table without their records: what they are and how they are written.

    With `whole`, the cells of a csv file are kept of columns that are released as they are, so that
    they can be written as they stood.
    """

    columns: tuple[Column, ...]
    source: Source
    whole: bool

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True)

    def pack(self, table: Table, more: dict[str, Any] | None = None) -> Any:
        """Return a table's columns as Arrow's."""
        arrays = {}
        for number, (own, column) in enumerate(zip(self.columns, table.columns, strict=True)):
            arrays[f"v{number}"] = column.values
            if column.cells is None or not self._keeps_cells(own):
                continue
            arrays[f"c{number}"] = column.cells
            quoted = column.quoted
            arrays[f"q{number}"] = np.zeros(table.rows, dtype=bool) if quoted is None else quoted
        return pa.table({**arrays, **(more or {})})

    def _keeps_cells(self, column: Column) -> bool:
        """Tell whether cells are needed: to be written, or for exact means of floats."""
        if column.role is Role.QUASI_IDENTIFIER:
            return column.kind is Kind.FLOAT and not column.protected
        return self.whole

    def unpack(self, packed: Any) -> Table:
        """Return the table of packed columns."""
        names = set(packed.column_names)
        columns = []
        for number, column in enumerate(self.columns):
            cells, quoted = None, None
            if f"c{number}" in names:
                cells = _one(packed.column(f"c{number}"))
                quoted = np.asarray(packed.column(f"q{number}")).astype(bool)
                quoted = quoted if quoted.any() else None
            values = _one(packed.column(f"v{number}"))
            columns.append(column.replace(values=values, cells=cells, quoted=quoted))
        return Table(tuple(columns), self.source, roles_given=True)

    @classmethod
    def of(cls, table: Table, whole: bool) -> Form:
        """Return the form of a table."""
        bare = tuple(
            c.replace(
                values=None, cells=None, quoted=None, ends=None, doubt=c.doubt and marked(c.doubt)
            )
            for c in table.columns
        )
        return cls(bare, replace(table.source, lines=None, native=None, labels=None), whole)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; the Arrow types are those of the files."""
        return cast(dict[str, Any], FORMS.dump_python(self, mode="json"))

    @classmethod
    def from_dict(cls, values: Any) -> Form:
        """Return what plain values say."""
        form: Form = FORMS.validate_python(values)
        columns = (c.replace(doubt=c.doubt and Message(c.doubt)) for c in form.columns)
        return replace(form, columns=tuple(columns))


FORMS = TypeAdapter(Form)


def _one(column: Any) -> Any:
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # which Arrow returns where one array cannot hold it
        raise RequestError(
            f"a region has over 2 GiB of text in a column; allow less {option('memory')}"
        )
    return array
