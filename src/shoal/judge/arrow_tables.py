"""Arrow tables, dataframes and lists, as tables of the engine; cells are compared as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError, shown
from shoal.judge import in_words, refuse
from shoal.judge.engine import Engine, quoted
from shoal.judge.source import Source, check_names, more

FRAME, LIST = "the dataframe", "the list"
DIGITS = 38  # of the decimals that DuckDB holds as they are
INTERVAL = "pandas.interval"
BITS = 2**51 - 1  # of a double that is no number, which tell nothing
CASTS = {"duration": "int64", "halffloat": "float32", "null": "string",
         "string_view": "large_string", "decimal256": "string"}  # fmt: skip


def load(engine: Engine, table: str, given: Any, name: str, reader: str = "") -> Source:
    """Make a table of an Arrow table in the engine."""
    check_names(given.column_names, name)
    columns = [_plain(column.combine_chunks()) for column in given.columns]
    own = pa.table(columns, given.column_names)
    engine.register(f"{table}_given", own)
    query = checked(engine, f"{table}_given", own.schema, name)
    engine.make(
        f"CREATE TABLE {table} AS\n{query}",
        f"The release: {name}; to run this elsewhere, write it as {table}_given.parquet",
    )
    return Source(name, table, engine.columns(table), reader=reader)


def _plain(values: Any) -> Any:
    """Return an Arrow array as DuckDB holds it without a loss; pandas' intervals are texts."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        return _plain(values.dictionary).take(values.indices)
    values = getattr(values, "storage", values)
    if getattr(kind, "extension_name", "") == INTERVAL:
        return pc.binary_join_element_wise(*(end.cast("string") for end in values.flatten()), ",")
    cast = next((to for start, to in CASTS.items() if str(kind).startswith(start)), None)
    return values.cast(cast) if cast else values


def is_interval(kind: Any) -> bool:
    """Tell whether an Arrow type is a struct of two ends of one plain type."""
    ends = list(kind) if pa.types.is_struct(kind) else []
    is_pair = [end.name for end in ends] == ["low", "high"] and ends[0].type == ends[1].type
    return is_pair and not pa.types.is_nested(ends[0].type)


def checked(engine: Engine, relation: str, schema: Any, name: str) -> str:
    """Return the query for the columns of a relation; an interval without ends is a missing one.

    Refuse values of more digits than can be told apart, and intervals of which one end is missing:
    some readers show the other one.
    """
    columns = []
    for field in schema:
        kind = getattr(field.type, "value_type", field.type)
        kind, column = getattr(kind, "storage_type", kind), quoted(field.name)
        refuse((
            pa.types.is_interval(kind) or (pa.types.is_decimal(kind) and kind.precision > DIGITS),
            f"{name}: column {shown(field.name)} holds numbers of too many digits; write texts",
        ))  # fmt: skip
        own = f"{column}::VARCHAR" if pa.types.is_null(field.type) else column
        if getattr(field.type, "extension_name", "") == INTERVAL:
            own = f"{column}.left || ',' || {column}.right"
        if is_interval(field.type):
            own = f"CASE WHEN {column}.low IS NOT NULL THEN {column} END"
            low, high = (f"(nullif({column}.{end.name}::VARCHAR, 'nan') IS NULL)"
                         for end in field.type)  # fmt: skip
            refuse((
                engine.rows(f"SELECT 1 FROM {relation} WHERE {low} <> {high} LIMIT 1"),
                f"{name}: column {shown(field.name)} has intervals with one end, which readers "
                "take for missing or not; write both ends, or neither",
            ))  # fmt: skip
        columns.append(own if own == column else f"{own} AS {column}")
    return "SELECT\n  {}\nFROM {}".format(",\n  ".join(columns), relation)


def check_nan(values: Any, name: str, column: str) -> None:
    """Refuse values that are no numbers and yet differ in their bits."""
    if pa.types.is_floating(values.type):
        odd = values.filter(pc.is_nan(values)).cast("float64").view("int64")
        refuse(
            (
                any(bits & BITS for bits in odd.unique().to_pylist()),
                more(name, f"bits behind the NaN (no number) of column {shown(column)}"),
            )
        )


def check_hidden(given: Any, name: str) -> None:
    """Refuse a table of a file whose dictionaries or NaN hold more than its values."""
    for column, values in zip(given.column_names, given.unify_dictionaries().columns, strict=True):
        check_nan(values.combine_chunks(), name, column)
        if pa.types.is_dictionary(values.type) and values.num_chunks:
            used = pa.chunked_array([chunk.indices for chunk in values.chunks]).drop_null().unique()
            refuse(
                (
                    len(used) < len(values.chunk(0).dictionary),
                    more(name, f"values in the dictionary of column {shown(column)}"),
                )
            )


def frame(engine: Engine, data: Any, table: str) -> Source:
    """Make a table of a dataframe: of pandas, polars, pyarrow, or what narwhals takes."""
    import narwhals as nw

    what = "give a path or a dataframe to verify"
    if nw.dependencies.is_into_dataframe(data):
        what = f"{FRAME}: a column holds values of several kinds; give it one kind"
    with (  # the words of these show a value
        in_words(what, TypeError, ValueError, OverflowError, pa.ArrowException),
        in_words(f"{FRAME} has two columns of one name", nw.exceptions.DuplicateError),
    ):
        plain = _with_index(data) if nw.dependencies.is_pandas_dataframe(data) else data
        whole = nw.from_native(plain, pass_through=True)
        whole = _collected(whole) if isinstance(whole, nw.LazyFrame) else whole
        given = whole.to_arrow() if isinstance(whole, nw.DataFrame) else pa.table(whole)
    return load(engine, table, given, FRAME)


def _with_index(data: Any) -> Any:
    """Return a dataframe of pandas with its index, if that is more than the numbers of rows."""
    index = data.index
    is_plain = index.nlevels == 1 and index.name is None and index.dtype.kind in "iu"
    data = data.reset_index(drop=is_plain)
    data = data.set_axis([str(name) for name in data.columns], axis=1)
    sparse = [name for name, kind in data.dtypes.items() if str(kind).startswith("Sparse[")]
    return data.assign(**{name: data[name].sparse.to_dense() for name in sparse})


def _collected(frame: Any) -> Any:
    """Return the records of a lazy frame; those of a cluster are not fetched."""
    refuse((frame.implementation.is_dask() or frame.implementation.is_spark_like(),
            "a dataframe of Dask or Spark: verify its Parquet files, or compute() it"))  # fmt: skip
    try:
        return frame.collect()
    except Exception as error:  # of any library, and its words may show a value
        what = f"{FRAME}: its records cannot be computed ({type(error).__name__})"
        raise InputError(what) from None


def listed_rows(engine: Engine, data: Sequence[Any], table: str) -> Source:
    """Make a table of a list of rows; columns of rows without names are x0, x1, …"""
    lengths = {len(row) for row in data if isinstance(row, list | tuple)}
    rows = [{f"x{n}": cell for n, cell in enumerate(row)} if isinstance(row, list | tuple) else row
            for row in data]  # fmt: skip
    refuse((
        not rows or 0 in lengths or len(lengths) > 1
        or not all(isinstance(row, Mapping) for row in rows),
        f"{LIST} has no rows, or others than lists of one length, or dicts",
    ))  # fmt: skip
    names = dict.fromkeys(name for row in rows for name in row)
    return of_values(
        engine, table, {str(name): [row.get(name) for row in rows] for name in names}, LIST
    )


def of_values(
    engine: Engine, table: str, columns: Mapping[str, list[Any]], name: str, reader: str = ""
) -> Source:
    """Make a table of lists of Python values, each of one kind; whole numbers are numbers, too."""
    arrays = {}
    for column, cells in columns.items():
        kinds = {type(cell) for cell in cells} - {type(None)}
        refuse((len(kinds) > 1 and kinds not in ({int, float}, {date, datetime}),
                f"{name}: column {shown(column)} holds values of several kinds"))  # fmt: skip
        values = [datetime.combine(cell, time()) if kinds == {date, datetime} and type(cell) is date
                  else cell for cell in cells]  # fmt: skip
        what = f"{name}: column {shown(column)} holds numbers of too many digits, or no values"
        with in_words(what, pa.ArrowException, OverflowError, TypeError, ValueError):
            arrays[column] = pa.array(values)
    return load(engine, table, pa.table(arrays), name, reader)
