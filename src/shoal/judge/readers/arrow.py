"""Parquet files and dataframes as Arrow batches; cells are compared as values."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Any

from shoal.backends.storage import open_at
from shoal.errors import InputError
from shoal.judge.limits import limits
from shoal.judge.readers.cells import ArrowCells, is_interval_struct, rows_of
from shoal.judge.readers.source import Batches, Key, Made, Source, check_header
from shoal.system.names import is_url, name_of

READER = "pyarrow"


def parquet(files: Sequence[str], name: str) -> Source:
    """Return opened Parquet files, one after the other; `name` is what they are together."""
    import pyarrow as pa

    schema, each = None, []
    for file in files:
        with _opened(file) as opened:
            own = opened.schema_arrow.remove_metadata()
            each.append(int(opened.metadata.num_rows))
        if schema is not None and own != schema:
            raise InputError(f"{name_of(file)}: its columns are not those of the other files")
        schema = own
    if schema is None:
        raise InputError(f"{name}: there is no Parquet file")
    header = list(schema.names)
    check_header(header, name)

    def batches(places: list[int], make: Callable[[list[Any]], Made]) -> Iterator[Made]:
        chosen = [header[place] for place in places]
        for column in chosen:
            check_plain(schema.field(column).type, column, name)
        for file in files:
            try:
                with _opened(file) as opened:
                    now = limits()
                    for batch in opened.iter_batches(
                        now.batch, columns=chosen, use_threads=now.threads > 1
                    ):
                        yield make([ArrowCells(batch.column(name)) for name in chosen])
            except (pa.ArrowException, OSError, ValueError):
                raise InputError(f"{name_of(file)}: not a whole Parquet file") from None
            except OverflowError:
                raise InputError(f"{name_of(file)}: a date is beyond the calendar") from None

    rows = partial(rows_in, batches)
    return Source(name, header, rows, False, batches, sum(each), tuple(each), reader=READER)


def check_plain(kind: Any, column: str, name: str) -> None:
    """Refuse a column of lists or structs."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_nested(kind) and not is_interval_struct(kind):
        raise InputError(f"{name}: column {column[:60]!r} holds lists, not values")


@contextlib.contextmanager
def _opened(file: str) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Read ahead, Arrow keeps what it has read until the end: the whole file.
        raw = open_at(file) if is_url(file) else file
        parquet_file = pq.ParquetFile(raw, buffer_size=2**20, pre_buffer=False)
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(f"{name_of(file)}: not a Parquet file, or not a whole one") from None
    with parquet_file:
        yield parquet_file


def frame(data: Any) -> Source:
    """Return an opened dataframe."""
    import narwhals as nw

    name = "the dataframe"
    try:
        whole = nw.from_native(data)
    except TypeError:
        whole = _from_stream(data)
    except ValueError:
        raise InputError("the dataframe has two columns of one name") from None
    if isinstance(whole, nw.LazyFrame):
        whole = _collected(whole)
    names = [str(column) for column in whole.columns]
    check_header(names, name)

    def batches(places: list[int], make: Callable[[list[Any]], Made]) -> Iterator[Made]:
        mixed = f"{name}: a column holds values of several kinds; give it one kind"
        try:
            columns = [_values(whole[:, place]) for place in places]
        except (TypeError, ValueError):  # Arrow's own words would show a value
            raise InputError(mixed) from None
        for place, column in zip(places, columns, strict=True):
            check_plain(column.type, names[place], name)
        try:
            size = limits().batch
            for begin in range(0, len(whole), size):
                yield make([ArrowCells(_one(column.slice(begin, size))) for column in columns])
        except ValueError:
            raise InputError(mixed) from None
        except OverflowError:
            raise InputError(f"{name}: a date is beyond the calendar") from None

    return Source(name, names, partial(rows_in, batches), False, batches, len(whole))


def _collected(frame: Any) -> Any:
    """Return the records of a lazy frame; those of a cluster are not fetched."""
    if frame.implementation.is_dask() or frame.implementation.is_spark_like():
        raise InputError("a dataframe of Dask or Spark: verify its Parquet files, or compute() it")
    try:
        return frame.collect()
    except Exception as error:  # of any library, and its words may show a value
        raise InputError(
            f"the dataframe: its records cannot be computed ({type(error).__name__})"
        ) from None


def _values(column: Any) -> Any:
    """Return a column of a dataframe as Arrow's; a sparse one of pandas with all its cells."""
    native = column.to_native()
    if str(getattr(native, "dtype", "")).startswith("Sparse["):
        import pyarrow as pa

        return pa.array(native.sparse.to_dense())
    return column.to_arrow()


def _from_stream(data: Any) -> Any:
    import narwhals as nw
    import pyarrow as pa

    try:
        return nw.from_native(pa.table(data), eager_only=True)
    except (TypeError, ValueError, pa.ArrowException):
        raise InputError("give a path or a dataframe to verify") from None


def _one(values: Any) -> Any:
    """Return the one array that chunks are."""
    return values.combine_chunks() if hasattr(values, "chunks") else values


def rows_in(batches: Batches, places: list[int]) -> Iterator[Key]:
    """Yield the records of batches."""
    return itertools.chain.from_iterable(batches(places, rows_of))


RATIO, FREE = 200, 64 * 2**20  # what unpacks to more than both is no table


def check_unpacked(size: int, packed: int, name: str) -> None:
    """Refuse a file that unpacks to far more than a table of its size would."""
    if size > FREE and size > RATIO * packed:
        raise InputError(f"{name}: unpacks to more than {RATIO} times its size; not a table")


def whole(
    name: str, header: Sequence[str], columns: Mapping[str, Any], records: int, reader: str
) -> Source:
    """Return an opened file whose columns, Arrow arrays or lists of values, are held in memory."""
    check_header(header, name)

    def batches(places: list[int], make: Callable[[list[Any]], Made]) -> Iterator[Made]:
        chosen = [_array(columns[header[place]], header[place], name) for place in places]
        for place, column in zip(places, chosen, strict=True):
            check_plain(column.type, header[place], name)
        size = limits().batch
        for begin in range(0, records, size):
            yield make([ArrowCells(column.slice(begin, size)) for column in chosen])

    rows = partial(rows_in, batches)
    return Source(name, list(header), rows, False, batches, records, reader=reader)


def _array(values: Any, column: str, name: str) -> Any:
    """Return an Arrow array; whole numbers beside others are numbers, other kinds do not mix."""
    import pyarrow as pa

    if not isinstance(values, list):
        return values
    kinds = {_kind(value) for value in values if value is not None}
    if kinds == {"whole", "number"}:
        values, kinds = [None if v is None else float(v) for v in values], {"number"}
    if kinds == {"date", "moment"}:
        values = [None if v is None else _moment(v) for v in values]
        kinds = {"moment"}
    if len(kinds) > 1 or kinds & {"other"}:
        raise InputError(f"{name}: column {column[:60]!r} holds values of several kinds, or lists")
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        raise InputError(
            f"{name}: column {column[:60]!r} holds numbers of too many digits"
        ) from None


def _kind(value: Any) -> str:
    for kind, types in (("flag", bool), ("whole", int), ("number", float), ("text", str),
                        ("moment", datetime), ("date", date)):  # fmt: skip
        if isinstance(value, types):
            return kind
    return "other"


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
