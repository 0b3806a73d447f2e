"""Bytes of cells that are not interpreted: equal where cells are, whatever their type."""

from __future__ import annotations

import datetime as dt
import enum
import ipaddress
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from shoal.table.dataframes.opaque import cell_bytes, from_objects, is_incomparable


class Color(enum.Enum):
    """Two of them."""

    RED = 1
    BLUE = 2


ARRAYS = {
    "lists": pa.array([[1, 2], [1], [12], [], None, [None], [1, 2], [1]]),
    "structs": pa.array([{"a": 1, "b": "x"}, {"a": 1, "b": None}, {"a": 1}, None, {"b": "x"}]),
    "empty structs": pa.array([{}, None, {}], pa.struct([])),
    "texts in lists": pa.array([["a", "b"], ["ab"], ["a,b"], ["a;", "b"], ["a", ";b"]]),
    "fixed": pa.array([[1, 2], None, [1, 3], [1, 2]], pa.list_(pa.int8(), 2)),
    "maps": pa.array([[("a", 1)], [("a", 2)], [], None], pa.map_(pa.string(), pa.int8())),
    "nested": pa.array([[{"a": [1]}], [{"a": [1]}, {"a": None}], [{"a": [1]}], None]),
    "bytes": pa.array([b"", b"\0", b"\0\0", None, b""]),
    "times": pa.array([dt.time(1), dt.time(2), None, dt.time(1)]),
    "nanoseconds": pa.array([[1], [2], [1]], pa.list_(pa.timestamp("ns"))),
    "decimals": pa.array([[Decimal("1.0")], [Decimal("1.1")], [Decimal("1.0")]]),
    "categories": pa.array(["a", "b", "a"]).dictionary_encode(),
    "months": pa.array([(1, 2, 3), (1, 2, 4), None, (1, 2, 3)], pa.month_day_nano_interval()),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_equal_where_cells_are(name):
    """Two cells have the same bytes if and only if they are equal, also in a part of an array."""
    for values in (ARRAYS[name], ARRAYS[name].slice(1)):
        cells, made = values.to_pylist(), cell_bytes(values).to_pylist()
        for one, own in zip(cells, made, strict=True):
            assert (own is None) == (one is None)
            for other, its in zip(cells, made, strict=True):
                assert (own == its) == (one == other)


def test_floats_have_one_zero_and_one_nothing():
    """Zeros of both signs are one value, and so is every not-a-number."""
    values = pa.array([[0.0], [-0.0], [float("nan")], [float("nan")], [1.0]])
    assert len(set(cell_bytes(values).to_pylist())) == 3


OBJECTS = [
    1, 1.5, "1", b"1", True, 1j, Decimal("1.50"), dt.date(2020, 1, 1), dt.timedelta(1), {1, 2},
    frozenset([1, 2]), [1, 2], (1, 2), {"a": [1]}, uuid.UUID(int=1), ipaddress.ip_address("::1"),
    Color.RED, Color.BLUE, np.arange(3), np.float32(1.5), pd.Period("2020", "M"),
    pd.Interval(0, 1), pd.Timestamp("2020-01-01"),
]  # fmt: skip


def test_objects_of_python():
    """Objects of different types or values have different bytes, equal ones the same."""
    made = from_objects([*OBJECTS, *OBJECTS], "object").storage.to_pylist()
    assert made[: len(OBJECTS)] == made[len(OBJECTS) :]
    assert len(set(made)) == len(OBJECTS)
    sets = from_objects([{"b": 1, "a": 2}, {"a": 2, "b": 1}, {8, 0}, {0, 8}], "object").storage
    assert sets[0] == sets[1]
    assert sets[2] == sets[3]


def test_missing_objects():
    """None, not-a-number and what pandas calls missing are missing."""
    for one in (None, float("nan"), pd.NA, pd.NaT, complex("nan")):
        assert from_objects([one, 1], "object").null_count == 1


def test_objects_that_do_not_tell():
    """Objects whose text is not all that they hold are incomparable, inside of others too."""
    for one in (object(), [object()], {"a": object()}, pd.Series([1])):
        assert is_incomparable(from_objects([one], "object").type)
    assert not is_incomparable(from_objects([1, "a"], "object").type)
    assert not is_incomparable(pa.string())
