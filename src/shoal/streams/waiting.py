"""Waiting: records that have come and are in no batch yet, and when each came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from shoal.errors import in_shape
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.streams.form import Form


@dataclass(frozen=True, eq=False)
class Waiting:
    """Records as an Arrow table; people, arrivals (how many came before) and times of each."""

    __repr__ = in_shape

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
