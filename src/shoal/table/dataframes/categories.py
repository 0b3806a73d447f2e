"""Categories of released columns: none that no record has, and no order that tells of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa


def without_order(native: Any) -> Any:
    """Return a dataframe whose categories do not tell in which order its rows were read.

    Categories of no order of their own are sorted in pandas, and texts in polars, which numbers
    them as they come.
    """
    frame: nw.DataFrame[Any] = nw.from_native(native, eager_only=True)
    changed: list[Any] = []
    for name in frame.columns:
        series = frame[name]
        own = series.to_native()
        if series.dtype != nw.Categorical or isinstance(own, pa.ChunkedArray):
            continue
        if arrow_dictionary(own) is not None:  # in the order of the rows as they are now
            continue
        if hasattr(own, "cat") and hasattr(own.cat, "reorder_categories"):
            levels = _sorted(own.cat.categories)
            changed.append(nw.from_native(own.cat.reorder_categories(levels), series_only=True))
        else:
            changed.append(series.cast(nw.String))
    return frame.with_columns(*changed).to_native() if changed else native


def _sorted(levels: Iterable[Any]) -> list[Any]:
    """Return levels in an order of their own: by value, or by text where they have no order."""
    try:
        return sorted(levels, key=lambda level: (str(type(level)), level))
    except TypeError:
        return sorted(levels, key=repr)


def arrow_dictionary(native: Any) -> Any:
    """Return the Arrow type of a pandas column that holds a dictionary of Arrow; None of others."""
    kind = getattr(getattr(native, "dtype", None), "pyarrow_dtype", None)
    return kind if kind is not None and pa.types.is_dictionary(kind) else None


def as_arrow_backed(values: Any, native: Any) -> Any:
    """Return an Arrow array as a pandas column of the type that another has."""
    whole = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    return type(native)(native.dtype.__from_arrow__(whole))


def without_leftovers(series: nw.Series[Any]) -> Any:
    """Return a column as it is; categories lose the levels that no record has."""
    native = series.to_native()
    if isinstance(native, pa.ChunkedArray) and pa.types.is_dictionary(native.type):
        chunks = pa.chunked_array([_trimmed(native)])
        return nw.from_native(chunks, series_only=True).alias(series.name)
    if arrow_dictionary(native) is not None:
        trimmed = as_arrow_backed(_trimmed(pa.chunked_array(series.to_arrow())), native)
        return nw.from_native(trimmed, series_only=True).alias(series.name)
    if hasattr(native, "cat") and hasattr(native.cat, "remove_unused_categories"):
        return nw.from_native(native.cat.remove_unused_categories(), series_only=True)
    if isinstance(series.dtype, nw.Enum):
        present = set(series.drop_nulls().to_list())
        return series.cast(nw.Enum([c for c in series.dtype.categories if c in present]))
    return series


def _trimmed(native: Any) -> Any:
    """Return a dictionary of Arrow without entries that no record has."""
    plain = native.cast(native.type.value_type).combine_chunks()
    order = declared_levels(native, native.combine_chunks())
    return encoded(plain, native.type, order)


def encoded(plain: Any, kind: Any, order: Sequence[Any] | None) -> Any:
    """Return values as a dictionary of those there are: in their order, or of no order."""
    if order is None:
        unordered = pa.dictionary(kind.index_type, kind.value_type)
        return plain.dictionary_encode().cast(unordered)
    import pyarrow.compute as pc

    levels = pa.array(levels_of(plain, order), type=plain.type)
    places = pc.index_in(plain, value_set=levels).cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(places, levels, ordered=True)


def levels_of(values: Any, order: Sequence[Any]) -> list[Any]:
    """Return what an order names and a record has."""
    present = set(values.unique().to_pylist())
    return [level for level in order if level in present]


def declared_levels(native: Any, values: Any) -> list[Any] | None:
    """Return the levels of ordered categories, the least first; None where they have no order.

    Of Arrow chunks that say different things, and of what cannot be an order, nothing is taken.
    """
    if not pa.types.is_dictionary(values.type):
        return None
    if not values.type.ordered and not _is_polars_enum(native):
        return None
    if pa.types.is_nested(values.type.value_type):
        return None
    levels: list[Any] = values.dictionary.to_pylist()
    chunks = native.chunks if isinstance(native, pa.ChunkedArray) else ()
    if any(pa.types.is_dictionary(c.type) and c.dictionary.to_pylist() != levels for c in chunks):
        return None
    return None if None in levels or len(set(levels)) < len(levels) else levels


def _is_polars_enum(native: Any) -> bool:
    """Tell whether a column is an Enum of polars, which versions before 2 hand on without order."""
    kind = type(getattr(native, "dtype", None))
    return kind.__name__ == "Enum" and kind.__module__.startswith("polars.")
