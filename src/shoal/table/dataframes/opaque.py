"""Cells of types that are not interpreted: kept as they are, compared by bytes.

Lists, structs, binary cells and the like have neither order nor differences, so they cannot be
grouped. They can be released unchanged, and then it matters how many records are unique in them:
`cell_bytes` returns bytes that are equal where cells are. Objects that Arrow has no type for
(complex numbers, geometries, objects of several types) are held as such bytes from the start, in
Arrow's own type for what it cannot interpret, `arrow.opaque`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from enum import Enum
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

OBJECTS, INCOMPARABLE = "objects", "incomparable objects"  # in the place of a vendor
ABSENT = ("NAType", "NaTType")  # what pandas calls missing
LIBRARIES = ("numpy", "pandas")  # whose scalars write all that they hold


def cell_bytes(values: Any) -> Any:
    """Return bytes for every cell of an Arrow array, equal where cells are; null where missing."""
    return pa.array(_bytes(values), type=pa.large_binary())


def _bytes(values: Any) -> list[bytes | None]:
    kind, types = values.type, pa.types
    if hasattr(kind, "storage_type"):
        return _bytes(values.storage)
    if types.is_dictionary(kind):
        return _bytes(values.dictionary_decode())
    if types.is_struct(kind):
        fields = [_bytes(field) for field in values.flatten()]
        cells = zip(*fields, strict=True) if fields else [()] * len(values)
        return _where(values, map(_joined, cells))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        return _where(values, _lists(values.values, values.offsets.to_pylist()))
    if types.is_fixed_size_list(kind):
        first, size = values.offset, kind.list_size
        offsets = [(first + row) * size for row in range(len(values) + 1)]
        return _where(values, _lists(values.values, offsets))
    if types.is_floating(kind):
        floats = np.asarray(values.cast(pa.float64()).fill_null(np.nan)) + 0.0  # there is one zero
        return _where(values, [repr(number).encode() for number in floats.tolist()])
    if types.is_temporal(kind) and not types.is_interval(
        kind
    ):  # Python's own times stop at microseconds
        ticks = values.view(pa.int64() if kind.bit_width == 64 else pa.int32())
        return _where(values, [str(tick).encode() for tick in ticks.to_pylist()])
    return [None if cell is None else _of_object(cell) for cell in values.to_pylist()]


def _lists(inner: Any, offsets: Sequence[int]) -> list[bytes]:
    cells = _bytes(inner)
    return [_joined(cells[a:b]) for a, b in pairwise(offsets)]


def _where(values: Any, cells: Iterable[bytes]) -> list[bytes | None]:
    """Return cells; None where a value is missing."""
    there = values.is_valid().to_pylist()
    return [cell if valid else None for cell, valid in zip(cells, there, strict=True)]


def _joined(parts: Iterable[bytes | None]) -> bytes:
    """Return parts as one, of which every part can be told."""
    return b"".join(b"-;" if one is None else b"%d:%b;" % (len(one), one) for one in parts)


def from_objects(objects: Sequence[Any], name: str) -> Any:
    """Return Python objects as an Arrow array of bytes that tell them apart; `name` is their type.

    Objects that do not write what they hold are not told apart: such a column is `incomparable`.
    """
    try:
        cells = [None if _is_missing(one) else _of_object(one) for one in objects]
        vendor = OBJECTS
    except TypeError:
        cells, vendor = [b""] * len(objects), INCOMPARABLE
    kind = pa.opaque(pa.large_binary(), name, vendor)
    return pa.ExtensionArray.from_storage(kind, pa.array(cells, type=pa.large_binary()))


def is_made_of_objects(kind: Any) -> bool:
    """Tell whether an Arrow type holds objects that no file can."""
    return isinstance(kind, pa.OpaqueType) and kind.vendor_name in (OBJECTS, INCOMPARABLE)


def is_binary(kind: Any) -> bool:
    """Tell whether an Arrow type holds bytes."""
    types = pa.types
    several = types.is_binary, types.is_large_binary, types.is_fixed_size_binary
    return any(is_one(kind) for is_one in (*several, types.is_binary_view))


def is_incomparable(kind: Any) -> bool:
    """Tell whether an Arrow type holds objects of which nobody can say whether they are equal."""
    return isinstance(kind, pa.OpaqueType) and kind.vendor_name == INCOMPARABLE


def holds_categories(kind: Any) -> bool:
    """Tell whether lists or structs of an Arrow type hold categories."""
    return any(
        pa.types.is_dictionary(inner) or holds_categories(inner)
        for inner in (kind.field(place).type for place in range(kind.num_fields))
    )


def _is_missing(one: Any) -> bool:
    if one is None or type(one).__name__ in ABSENT:
        return True
    return isinstance(one, float | complex) and one != one  # noqa: PLR0124


def _of_object(one: Any) -> bytes:
    """Return bytes of an object, equal for equal ones; raise TypeError where it does not tell."""
    if one is None or isinstance(one, bool | int | str):
        content = str(one).encode("utf-8", "surrogatepass")
    elif isinstance(one, float | complex):
        content = repr(one + 0.0).encode()
    elif isinstance(one, bytes | bytearray | memoryview):
        content = bytes(one)
    elif hasattr(one, "wkb"):  # a geometry, as its standard writes it
        content = bytes(one.wkb)
    elif isinstance(one, Enum):
        content = one.name.encode()
    elif isinstance(one, np.ndarray):
        content = _joined(map(_of_object, one.tolist()))
    elif isinstance(one, Mapping):
        pairs = (_joined((_of_object(key), _of_object(own))) for key, own in one.items())
        content = _joined(sorted(pairs))
    elif isinstance(one, Set):
        content = _joined(sorted(map(_of_object, one)))
    elif isinstance(one, Sequence):
        content = _joined(map(_of_object, one))
    elif _writes_all(type(one)):
        content = repr(one).encode("utf-8", "surrogatepass")
    else:
        raise TypeError
    return _joined((type(one).__qualname__.encode(), content))


def _writes_all(kind: type) -> bool:
    """Tell whether the text of an object holds all of it: scalars of libraries that are known."""
    home = kind.__module__.partition(".")[0]
    known = home in LIBRARIES or home in sys.stdlib_module_names
    own_text = any("__repr__" in vars(one) for one in kind.__mro__[:-1])
    return known and own_text and not hasattr(kind, "__len__")
