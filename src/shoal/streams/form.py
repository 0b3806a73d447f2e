"""Form: what the columns of a stream are, fixed by what came first."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from shoal.errors import InputError, RequestError, listed
from shoal.hints import option
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.settings import Settings
from shoal.table.csv_pieces.typed import typed, types_of
from shoal.table.dataframes.frames import from_arrow
from shoal.table.dialects.dialect import settled
from shoal.table.source import Source
from shoal.table.table import Table

NAME = "the stream"


@dataclass(frozen=True)
class Form:
    """Names of columns; of csv text what separates cells, and types; else an Arrow schema.

    Types and the schema are fixed by the first batch: before it, `types` are those asked for, and
    the schema is None.
    """

    names: tuple[str, ...]
    is_text: bool
    delimiter: str = ","
    encoding: str = "utf-8"
    types: Mapping[str, str] = field(default_factory=dict)
    schema: Any = None

    @classmethod
    def of(cls, table: Table, person: str, settings: Settings) -> Form:
        """Return the form of the first records; a person's column of csv text is read as text."""
        source = table.source
        if source.kind != "csv":
            return cls(tuple(table.names), False)
        encoding = source.dialect.encoding or "utf-8"
        types = {person: "text", **settings.input.types}
        return cls(tuple(table.names), True, source.delimiter, encoding, types)

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
        frame = pa.table(
            {one: table[one].values if one in there else nothing for one in self.names}
        )
        return frame if self.is_text else self._cast(frame, name)

    def _cast(self, frame: Any, name: str) -> Any:
        for place, column in enumerate(frame.columns):
            kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
            if self.schema is not None and not pa.types.is_null(self.schema.field(place).type):
                kind = self.schema.field(place).type
            try:
                own = column.cast(kind)
            except pa.ArrowException:
                raise InputError(
                    f"{name}: {listed([self.names[place]])} has another type than in the first "
                    "batch; convert it"
                ) from None
            frame = frame.set_column(place, self.names[place], own)
        return frame

    def joined(self, frames: list[Any]) -> Any:
        """Return frames one after the other as one."""
        try:
            return pa.concat_tables(frames, promote_options="permissive").combine_chunks()
        except pa.ArrowException:
            raise InputError(f"{NAME}: a column has several types; convert it") from None

    def table(self, frame: Any, settings: Settings) -> Table:
        """Return waiting records as a Table."""
        if not self.is_text:
            return from_arrow(frame, Source(NAME, "dataframe", columns=self.names))
        source = Source(
            NAME, "csv", delimiter=self.delimiter,
            dialect=settled(settings.input.dialect, self.encoding),
            missing=tuple(settings.input.missing), types=tuple(self.types.items()),
            columns=self.names,
        )  # fmt: skip
        cells = {
            name: frame.column(name).combine_chunks() if frame.num_rows else _no_cells()
            for name in frame.column_names
        }
        return typed(cells, source, {k: v for k, v in self.types.items() if k in cells})

    def fixed(self, frame: Any, table: Table) -> Form:
        """Return the form with the types of a batch, where they were not fixed yet."""
        if self.is_text:
            known = {**types_of(table), **self.types}
            return replace(self, types=known)
        if self.schema is None:
            return replace(self, schema=frame.schema)
        own = [
            new if pa.types.is_null(old.type) else old
            for old, new in zip(self.schema, frame.schema, strict=True)
        ]
        return replace(self, schema=pa.schema(own))

    def to_json(self) -> str:
        """Return the form as text."""
        schema = self.schema
        held = None if schema is None else base64.b64encode(schema.serialize()).decode()
        return json.dumps({
            "names": self.names, "is_text": self.is_text, "delimiter": self.delimiter,
            "encoding": self.encoding, "types": dict(self.types), "schema": held,
        })  # fmt: skip

    @classmethod
    def from_json(cls, text: str) -> Form:
        """Return the form that a text holds."""
        own = json.loads(text)
        held = own.pop("schema")
        schema = None if held is None else pa.ipc.read_schema(pa.BufferReader(_decoded(held)))
        return cls(**{**own, "names": tuple(own["names"]), "schema": schema})


def _decoded(held: str) -> bytes:
    return base64.b64decode(held)


def _no_cells() -> Any:
    return pa.array([], type=pa.string())


def check_rules(settings: Settings) -> None:
    """Raise RequestError for a hierarchy that follows the data: batches could not be compared."""
    for name, rule in settings.hierarchies.items():
        if rule == "balanced":
            raise RequestError(
                f"{listed([name])}: balanced follows the data of each batch; take widths or cuts, "
                f"{option('hierarchies', {name: 'widths:5,10'})}"
            )


@dataclass(frozen=True, eq=False, repr=False)
class Waiting:
    """Records as an Arrow table; people, arrivals (how many came before) and times of each."""

    frame: Any
    people: tuple[str, ...]
    arrivals: Integers
    times: Floats

    @property
    def rows(self) -> int:
        """How many wait."""
        return len(self.people)

    def take(self, flags: Flags) -> Waiting:
        """Return some of them."""
        rows = np.flatnonzero(flags)
        return Waiting(
            self.frame.take(pa.array(rows)), tuple(self.people[row] for row in rows.tolist()),
            self.arrivals[rows], self.times[rows],
        )  # fmt: skip

    def without(self, people: Sequence[str]) -> Waiting:
        """Return those who are not among some people."""
        gone = set(people)
        return self.take(np.array([one not in gone for one in self.people], dtype=bool))

    def to_bytes(self) -> tuple[bytes, bytes]:
        """Return records, and what is known of each, as bytes."""
        numbers = pa.array([bytes.fromhex(one) for one in self.people], type=pa.binary())
        roll = pa.table({"people": numbers, "arrivals": self.arrivals, "times": self.times})
        return _bytes(self.frame), _bytes(roll)

    @classmethod
    def from_bytes(cls, frame: bytes, roll: bytes) -> Waiting:
        """Return what bytes hold."""
        own = _table(roll)
        return cls(
            _table(frame), tuple(one.hex() for one in own["people"].to_pylist()),
            own["arrivals"].to_numpy(), own["times"].to_numpy(),
        )  # fmt: skip

    @classmethod
    def joined(cls, parts: Sequence[Waiting], form: Form) -> Waiting:
        """Return parts one after the other as one."""
        return cls(
            form.joined([one.frame for one in parts]),
            tuple(person for one in parts for person in one.people),
            np.concatenate([one.arrivals for one in parts]),
            np.concatenate([one.times for one in parts]),
        )


def _bytes(table: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _table(raw: bytes) -> Any:
    with ipc.open_stream(pa.BufferReader(raw)) as reader:
        return reader.read_all()
