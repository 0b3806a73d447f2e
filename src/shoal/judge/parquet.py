"""Parquet files: DuckDB reads them, once their footers are found to hold nothing but a schema.

Dictionaries and statistics of row groups are held against the records: what they say more than
these is refused. It would leak, and DuckDB believes statistics when it counts.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import InputError, shown
from shoal.judge.arrow_tables import check_intervals, check_types, expressions
from shoal.judge.checks import check_names, more
from shoal.judge.engine import Engine, text
from shoal.judge.metadata import check_metadata
from shoal.judge.places import is_url, name_of, pieces
from shoal.judge.source import Source

READER = "DuckDB"
MAKER = 100  # signs of the name of the program that wrote a file
ANEW = "write it anew with write_statistics=False"
UNUSED = "write the column without them: cat.remove_unused_categories() of pandas"


def parquet_view(
    engine: Engine, files: Sequence[str | Path], name: str, table: str, published: bool = True
) -> tuple[Source, list[int]]:
    """Make a view of Parquet files, one after the other; return the records of each, too.

    `name` is what they are together; what is not `published` may say more than a schema.
    """
    schema, links, records = None, [], []
    for file in files:
        path, link = _fetched(engine, file)
        with _opened(path, name_of(file)) as opened:
            own = opened.schema_arrow
            check_names(own.names, name_of(file))
            check_types(own, name_of(file))
            if published:
                _check_footer(opened, name_of(file))
            records.append(int(opened.metadata.num_rows))
        if schema is not None and own.remove_metadata() != schema.remove_metadata():
            raise InputError(f"{name_of(file)}: its columns are not those of the other files")
        schema = own if schema is None else schema
        links.append(text(link))
    if schema is None:
        raise InputError(f"{name}: there is no Parquet file")
    given = f"read_parquet([{', '.join(links)}], hive_partitioning = false, union_by_name = false)"
    check_intervals(engine, given, schema, name)
    engine.make(
        f"CREATE VIEW {table} AS\nSELECT\n  {expressions(schema)}\nFROM {given}",
        f"The release: {name}",
    )
    return Source(name, table, engine.columns(table), reader=READER), records


def _fetched(engine: Engine, file: str | Path) -> tuple[Path, str]:
    """Return a path, and the name by which the engine opens it; what is at a URL is copied."""
    if not is_url(str(file)):
        return Path(file), engine.link(Path(file))
    target = engine.new_file()
    target.touch(0o600)
    with target.open("wb") as sink:
        sink.writelines(pieces(file))
    return target, str(target)


@contextlib.contextmanager
def _opened(path: Path, name: str) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        columns = [one for group in _groups(pq.read_metadata(path)) for one in group]
        coded = list({one.path_in_schema for one in columns if _is_coded(one)})
        # Read ahead, Arrow keeps what it has read until the end: the whole file.
        with pq.ParquetFile(path, read_dictionary=coded, pre_buffer=False) as opened:
            yield opened
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: not a Parquet file, or not a whole one") from None


def _groups(footer: Any) -> list[list[Any]]:
    """Return the columns of every row group."""
    groups = map(footer.row_group, range(footer.num_row_groups))
    return [[group.column(place) for place in range(group.num_columns)] for group in groups]


def _is_coded(column: Any) -> bool:
    return bool(column.has_dictionary_page and column.physical_type == "BYTE_ARRAY")


def _check_footer(opened: Any, name: str) -> None:
    """Refuse a footer that says more than a schema, and more of columns than the records do."""
    footer = opened.metadata
    own = {key: value for key, value in (footer.metadata or {}).items() if key != b"ARROW:schema"}
    check_metadata(opened.schema_arrow, own, name)
    if len(footer.created_by or "") > MAKER:
        raise more(name, "a text about its program")
    unused: dict[str, set[Any]] = {}
    for group, columns in enumerate(_groups(footer)):
        for column in columns:
            path, statistics = column.path_in_schema, column.statistics
            if column.metadata or column.bloom_filter_offset is not None:
                raise more(name, f"metadata or a Bloom filter of column {shown(path)}")
            if not _is_coded(column) and statistics is None:
                continue
            values, used = _column(opened, group, path)
            if _is_coded(column):
                left = set(values.dictionary.to_pylist()) - set(used.to_pylist())
                unused.setdefault(path, set()).update(left)
            known = [used, *([values.dictionary] if _is_coded(column) else [])]
            if statistics is not None and not any(
                _agrees(statistics, each, values.null_count) for each in known
            ):
                raise more(name, f"statistics of column {shown(path)} that are of other ones", ANEW)
    for path, values in unused.items():
        groups = range(footer.num_row_groups) if values else ()
        if values.difference(*(_column(opened, group, path)[1].to_pylist() for group in groups)):
            raise more(name, f"values of column {shown(path)} in its dictionary", UNUSED)


def _column(opened: Any, group: int, path: str) -> tuple[Any, Any]:
    """Return the values of a column of a row group, and those to compare with its statistics."""
    import pyarrow as pa

    root = path if path in opened.schema_arrow.names else path.rpartition(".")[0]
    values = opened.read_row_group(group, columns=[root], use_threads=False).column(root)
    values = values.unify_dictionaries().combine_chunks()
    values = getattr(values, "storage", values)
    if pa.types.is_struct(values.type):
        ends = [field.name for field in values.type]
        values = values.flatten()[ends.index(path.removeprefix(f"{root}."))]
    if not pa.types.is_dictionary(values.type):
        return values, values
    return values, values.dictionary.take(values.indices.drop_null().unique())


def _agrees(statistics: Any, values: Any, missing: int) -> bool:
    """Tell whether statistics say of values what these say themselves."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if statistics.has_null_count and statistics.null_count != missing:
        return False
    if not statistics.has_min_max:
        return True
    kind, said = values.type, (statistics.min_raw, statistics.max_raw)
    if pa.types.is_temporal(kind):  # dates and times as numbers: Python's do not reach far enough
        values = values.cast("date32") if pa.types.is_date(kind) else values
        values = values.cast("int32" if values.type.bit_width == 32 else "int64")
    elif pa.types.is_float16(kind):
        values = values.cast("float32")
        said = tuple(struct.unpack("<e", one)[0] for one in said)
    else:
        said = statistics.min, statistics.max
        values = values.cast("binary") if pa.types.is_fixed_size_binary(kind) else values
    ends = pc.min_max(values).as_py()
    return _is_begin(said[0], ends["min"]) and _is_begin(said[1], ends["max"])


def _is_begin(said: Any, own: Any) -> bool:
    """Tell whether a least or largest value is as said; long texts are cut, their end rounded."""
    is_text = isinstance(own, str | bytes)
    return bool(said == own or (is_text and len(said) < len(own) and own.startswith(said[:-1])))
