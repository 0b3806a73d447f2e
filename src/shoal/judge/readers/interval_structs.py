"""Intervals that are structs of two ends, low and high, as the texts that csv files have."""

from __future__ import annotations

from typing import Any

ZEROS = ((r"\.0+$", ""), (r"(\.[0-9]*[1-9])0+$", r"\1"))  # of the fraction of a second


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
    low, high = (_text(end) for end in ends)
    both = pc.binary_join_element_wise("[", pc.binary_join_element_wise(low, high, ","), "]", "")
    return pc.if_else(pc.equal(low, high), low, both)


def _text(ends: Any) -> Any:
    """Return ends as texts; times without zeros at the end: files do not hold every unit."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = ends.cast(pa.string())
    if pa.types.is_timestamp(ends.type):
        for zeros, rest in ZEROS:
            texts = pc.replace_substring_regex(texts, zeros, rest)
    return texts
