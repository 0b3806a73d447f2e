"""Form: what the columns of a stream are, fixed by what came first; and records that wait.

Records that wait are an Arrow table of their columns and three of ours: whose each record is, how
many came before it, and when it came.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc

from shoal.errors import InputError, listed
from shoal.settings import Settings
from shoal.table.csv_pieces.typed import typed, types_of
from shoal.table.dataframes.frames import from_arrow
from shoal.table.dialects.dialect import settled
from shoal.table.source import Source
from shoal.table.table import Table

NAME = "the stream"
PERSON, ARRIVAL, TIME = "\0person", "\0arrival", "\0time"


@dataclass(frozen=True)
class Form:
    """Names of columns; of csv text what separates cells, and types; else an Arrow schema.

    Types and the schema are fixed by the first batch: before it, `types` are those asked for, and
    the schema is empty.
    """

    names: Sequence[str]
    is_text: bool
    delimiter: str = ","
    encoding: str = "utf-8"
    types: Mapping[str, str] = field(default_factory=dict)
    schema: str = ""

    @classmethod
    def of(cls, table: Table, person: str, settings: Settings) -> Form:
        """Return the form of the first records; a person's column of csv text is read as text."""
        source = table.source
        if source.kind != "csv":
            return cls(table.names, False)
        encoding = source.dialect.encoding or "utf-8"
        types = {person: "text", **settings.input.types}
        return cls(table.names, True, source.delimiter, encoding, types)

    @property
    def _schema(self) -> Any:
        held = base64.b64decode(self.schema)
        return ipc.read_schema(pa.BufferReader(held)) if held else None

    def frame(self, table: Table) -> Any:
        """Return records as Arrow holds them while they wait; they must be of this form."""
        name = table.source.name
        if (table.source.kind == "csv") != self.is_text:
            raise InputError(
                f"{name}: a stream is csv text, or of a format with types (Parquet, JSON lines, "
                "dataframes), not both"
            )
        other = set(table.names) - set(self.names)
        if self.is_text:
            other |= set(self.names) - set(table.names)
        if other:
            raise InputError(
                f"{name}: other columns than the stream began with: {listed(sorted(other))}"
            )
        there, nothing = set(table.names), pa.nulls(table.rows)
        columns = {one: table[one].values if one in there else nothing for one in self.names}
        return pa.table(columns if self.is_text else self._cast(columns, name))

    def _cast(self, columns: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return columns as the types of the form have them, without dictionaries."""
        made, schema = {}, self._schema
        for one, column in columns.items():
            kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
            if schema is not None and not pa.types.is_null(schema.field(one).type):
                kind = schema.field(one).type
            try:
                made[one] = column.cast(kind)
            except pa.ArrowException:
                raise InputError(
                    f"{name}: {listed([one])} has another type than in the first batch; convert it"
                ) from None
        return made

    def table(self, frame: Any, settings: Settings) -> Table:
        """Return records that wait as a Table."""
        if not self.is_text:
            return from_arrow(frame, Source(NAME, "dataframe", columns=tuple(self.names)))
        source = Source(
            NAME, "csv", delimiter=self.delimiter,
            dialect=settled(settings.input.dialect, self.encoding),
            missing=tuple(settings.input.missing), types=tuple(self.types.items()),
            columns=tuple(self.names),
        )  # fmt: skip
        nothing = pa.array([], type=pa.string())
        cells = {
            name: frame.column(name).combine_chunks() if frame.num_rows else nothing
            for name in frame.column_names
        }
        return typed(cells, source, {k: v for k, v in self.types.items() if k in cells})

    def fixed(self, frame: Any, table: Table) -> Form:
        """Return the form with the types of a batch, where they were not fixed yet."""
        if self.is_text:
            return replace(self, types={**types_of(table), **self.types})
        fields = list(self._schema or frame.schema)
        for place, (old, new) in enumerate(zip(fields, frame.schema, strict=True)):
            fields[place] = new if pa.types.is_null(old.type) else old
        held = pa.schema(fields).serialize()
        return replace(self, schema=base64.b64encode(held).decode())

    def to_json(self) -> str:
        """Return the form as text."""
        return json.dumps(asdict(self))


def with_arrivals(frame: Any, people: Sequence[str], come: int, now: float) -> Any:
    """Return records as they wait, which came now, after so many others."""
    places = pa.array(np.arange(come, come + frame.num_rows))
    times = pa.array(np.full(frame.num_rows, now))
    for name, column in ((PERSON, pa.array(people, pa.string())), (ARRIVAL, places), (TIME, times)):
        frame = frame.append_column(name, column)
    return frame


def without_people(waiting: Any, people: Sequence[str]) -> Any:
    """Return records that wait without those of some people."""
    gone = pc.is_in(waiting[PERSON], value_set=pa.array(people, pa.string()))
    return waiting.filter(pc.invert(gone))


def joined(parts: Sequence[Any]) -> Any:
    """Return records that wait, one after the other, as one table."""
    try:
        return pa.concat_tables(parts, promote_options="permissive").combine_chunks()
    except pa.ArrowException:
        raise InputError(f"{NAME}: a column has several types; convert it") from None
