"""Intervals that are structs of two ends, low and high, as the texts that csv files have."""

from __future__ import annotations

from typing import Any


def is_interval_struct(kind: Any) -> bool:
    """Tell whether an Arrow type is a struct of two ends of one plain type."""
    import pyarrow as pa

    if not pa.types.is_struct(kind) or kind.num_fields != 2:
        return False
    low, high = kind.field(0), kind.field(1)
    plain = not pa.types.is_nested(low.type)
    return (low.name, high.name) == ("low", "high") and low.type == high.type and plain


def struct_texts(values: Any) -> Any:
    """Return structs as texts: [low,high], or the one value where both ends are equal."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    ends = [pc.struct_field(values, [number]) for number in (0, 1)]
    low, high = (end.cast(pa.string()) for end in ends)
    both = pc.binary_join_element_wise("[", pc.binary_join_element_wise(low, high, ","), "]", "")
    return pc.if_else(pc.equal(low, high), low, both)
