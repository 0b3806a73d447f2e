"""Parquet files: DuckDB reads them, once they are found to hold nothing but records and a schema.

Dictionaries and statistics of row groups are held against the records: what they say more than
these is refused. It would leak, and DuckDB believes statistics when it counts. pandas, Spark and
polars write a schema of their own as metadata, mostly in JSON; all of its texts must be keys of
such a schema, names of columns, or made of words of types.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.errors import shown
from shoal.judge import in_words, refuse
from shoal.judge.arrow_tables import check_nan, checked
from shoal.judge.engine import Engine, text
from shoal.judge.source import Source, check_names, is_url, more, name_of, pieces

# the program that wrote a file: words, a version, a build
MAKER = re.compile(
    r"[a-zA-Z][a-zA-Z ()-]{0,40}( v?\d+(\.\d+){1,3}[\w.-]{0,20})?( \(build \w{0,40}\))?"
)
LISTED = re.compile(r"\.(list|key_value)\.")  # an empty list counts as missing
INDEX, ROWS = 256, 1_000  # bytes of the index of so many rows of a column, at most
ROOM = 2**24  # bytes that may be left free between columns
ANEW = "write it anew with write_statistics=False"
UNUSED = "write the column without them: cat.remove_unused_categories() of pandas"
KNOWN = re.compile(
    rb"pandas|ARROW:extension:.*|PARQUET:field_id|_PL_CATEGORICAL2?"
    rb"|org\.apache\.spark\.(version|timeZone|sql\.parquet\.row\.metadata|legacy\w+)"
)  # not polars' enums: they name their values
KEYS = frozenset(
    """
    index_columns column_indexes columns attributes partition_columns creator pandas_version name
    field_name pandas_type numpy_type metadata kind start stop step library version type fields
    num_categories ordered timezone encoding precision scale nullable subtype closed freq
    """.split()  # noqa: SIM905 - a list would have a line a word
)
WORDS = KEYS | frozenset(
    """
    unicode string str object bytes bool boolean categorical category mixed empty int uint float
    decimal date time datetime datetimetz timedelta interval period range utf large binary python
    pyarrow fastparquet duration timestamp double dictionary values indices ns us ms s m d u y q w
    h nan left right both neither sparse struct long integer short byte ntz index level none true
    false legacy corrected exception utc etc jan feb mar apr may jun jul aug sep oct nov dec sun
    mon tue wed thu fri sat pandas arrow uuid json 0 1 8 16 32 64 128
    """.split()  # noqa: SIM905
)
TEXT, WORD = re.compile(r'"(?:[^"\\]|\\.)*"'), re.compile(r"[^\W\d_]+|\d+")
VERSION = re.compile(r'("(?:pandas_)?version": ?)"\d[\w.+]{0,20}"')
COUNT = re.compile(r'("(?:start|stop|step|num_categories|precision|scale)": ?)-?\d{1,19}\b')
SIGNS = re.compile(r"(?:[\s{}\[\]:,]|true|false|null)*")  # of JSON beside texts


def parquet_view(
    engine: Engine, files: Sequence[str | Path], name: str, table: str, published: bool = True
) -> tuple[Source, list[int]]:
    """Make a view of Parquet files, one after the other; return the records of each, too.

    `name` is what they are together; what is not `published` may say more than a schema.
    """
    schema, links, records = None, [], []
    for file in files:
        part, path = name_of(file), Path(file)
        if is_url(str(file)):
            path = engine.new_file()
            with path.open("wb") as sink:
                sink.writelines(pieces(file))
        with in_words(f"{part}: not a Parquet file, or not a whole one",
                      pa.ArrowException, OSError, ValueError):  # fmt: skip
            chunks = _chunks(pq.read_metadata(path))
            coded = {one.path_in_schema for one in chunks if _is_coded(one)}
            # Read ahead, Arrow keeps what it has read until the end: the whole file.
            with pq.ParquetFile(path, read_dictionary=list(coded), pre_buffer=False) as opened:
                own = opened.schema_arrow
                check_names(own.names, part)
                if published:
                    _check_footer(opened, part)
                    _check_bytes(opened.metadata, path, part)
                records.append(int(opened.metadata.num_rows))
        schema = schema or own
        refuse((own.remove_metadata() != schema.remove_metadata(),
                f"{part}: its columns are not those of the other files"))  # fmt: skip
        links.append(text(engine.link(path)))
    refuse((schema is None, f"{name}: there is no Parquet file"))
    given = f"read_parquet([{', '.join(links)}], hive_partitioning = false, union_by_name = false)"
    query = checked(engine, given, schema, name)
    engine.make(f"CREATE VIEW {table} AS\n{query}", f"The release: {name}")
    return Source(name, table, engine.columns(table), reader="DuckDB"), records


def _chunks(footer: Any) -> list[Any]:
    """Return the columns of every row group."""
    groups = map(footer.row_group, range(footer.num_row_groups))
    return [group.column(place) for group in groups for place in range(group.num_columns)]


def _is_coded(column: Any) -> bool:
    return bool(column.has_dictionary_page and column.physical_type == "BYTE_ARRAY")


def _check_bytes(footer: Any, path: Path, name: str) -> None:
    """Refuse bytes that belong to no column, index or footer; zeros may fill a file up."""
    chunks, foreign, at = _chunks(footer), 0, 4
    spans = [(one.dictionary_page_offset if one.has_dictionary_page else one.data_page_offset,
              one.total_compressed_size) for one in chunks]  # fmt: skip
    with path.open("rb") as raw:
        for start, size in sorted([*spans, (path.stat().st_size - 8 - footer.serialized_size, 0)]):
            raw.seek(at)
            gap = raw.read(min(max(0, start - at), ROOM + 1))
            foreign += len(gap if len(gap) > ROOM else gap.strip(b"\0"))
            at = start + size
    pages = sum(2 + one.num_values // ROWS for one in chunks
                if one.has_offset_index or one.has_column_index)  # fmt: skip
    refuse((foreign > INDEX * pages, more(name, "bytes that belong to no column", "write it anew")))


def _check_footer(opened: Any, name: str) -> None:
    """Refuse a footer that says more than a schema, and more of columns than the records do."""
    footer, unused = opened.metadata, dict[str, set[Any]]()
    own = {key: value for key, value in (footer.metadata or {}).items() if key != b"ARROW:schema"}
    check_metadata(opened.schema_arrow, own, name)
    what = "a text where the program that created it is named"
    refuse((not MAKER.fullmatch(footer.created_by or "none"), more(name, what, "write it anew")))
    for place, column in enumerate(_chunks(footer)):
        path, statistics = column.path_in_schema, column.statistics
        refuse(
            (
                column.metadata or column.file_path or column.bloom_filter_offset is not None,
                more(name, f"metadata or a Bloom filter of column {shown(path)}"),
            )
        )
        values, used = _column(opened, place // footer.num_columns, path)
        known = [used]
        if _is_coded(column):
            known.append(values.dictionary)
            left = set(values.dictionary.to_pylist()) - set(used.to_pylist())
            unused.setdefault(path, set()).update(left)
        check_nan(values, name, path)
        missing = None if LISTED.search(path) else values.null_count
        refuse(
            (
                statistics and not any(_agrees(statistics, one, missing) for one in known),
                more(name, f"statistics of column {shown(path)} that are of other ones", ANEW),
            )
        )
    for path, left in unused.items():
        groups = range(footer.num_row_groups) if left else ()
        elsewhere = (_column(opened, group, path)[1].to_pylist() for group in groups)
        refuse(
            (
                left.difference(*elsewhere),
                more(name, f"values of column {shown(path)} in its dictionary", UNUSED),
            )
        )


def _column(opened: Any, group: int, path: str) -> tuple[Any, Any]:
    """Return the values of a column of a row group, and those to compare with its statistics."""
    names = [name for name in opened.schema_arrow.names if f"{path}.".startswith(f"{name}.")]
    root = max(names, key=len)
    values = opened.read_row_group(group, columns=[root], use_threads=False).column(root)
    values = values.unify_dictionaries().combine_chunks()
    values = getattr(values, "storage", values)
    for part in path.removeprefix(root).split("."):
        kind = values.type
        ends = [field.name for field in kind] if pa.types.is_struct(kind) else []
        if part in ends:
            values = values.flatten()[ends.index(part)]
        elif pa.types.is_map(kind) and part in ("key", "value"):
            values = values.keys if part == "key" else values.items
        elif part == "list" and pa.types.is_nested(kind) and not ends:
            values = values.flatten()
    if not pa.types.is_dictionary(values.type):
        return values, values
    return values, values.dictionary.take(values.indices.drop_null().unique())


def _agrees(statistics: Any, values: Any, missing: int | None) -> bool:
    """Tell whether statistics say of values what these say themselves."""
    if statistics.has_null_count and missing not in (None, statistics.null_count):
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
    # Of long texts the begin is said; that of the largest is rounded up.
    return all(
        one == own or (isinstance(own, str | bytes) and len(one) < len(own)
                       and own.startswith(one[:-1]))
        for one, own in zip(said, pc.min_max(values).as_py().values(), strict=True)
    )  # fmt: skip


def check_metadata(schema: Any, more_of_file: Mapping[bytes, bytes], name: str) -> None:
    """Refuse metadata of a file, its schema or a field that hold more than a schema."""
    words = WORDS | set(WORD.findall(" ".join(map(str, schema.types)).casefold()))
    every = [*more_of_file.items(), *(schema.metadata or {}).items()]
    every += [item for field in _fields(schema) for item in (field.metadata or {}).items()]
    for key, value in every:
        where = _foreign(key, value, schema.names, words)
        what = f"the metadata {shown(key.decode('utf-8', 'replace'))}{where}"
        refuse((where is not None,
                more(name, what, "drop them with replace_schema_metadata(None) of pyarrow, "
                     "attrs.clear() and reset_index(drop=True) of pandas")))  # fmt: skip


def _foreign(key: bytes, value: bytes, names: list[str], words: frozenset[str]) -> str | None:
    """Return under which key metadata have what is no schema; None if they are one."""
    text, where = value.decode("utf-8", "replace"), ""
    if not text.startswith("{"):
        text = f'"version": "{text}"' if key.endswith(b".version") else json.dumps(text)
    text, counts = COUNT.subn(r"\1", VERSION.sub(r"\1", text, count=2))
    is_odd = not SIGNS.fullmatch(TEXT.sub("", text)) or counts > 3 + 2 * len(names)
    if is_odd or not KNOWN.fullmatch(key):
        return where
    for own in (json.loads(found, strict=False) for found in TEXT.findall(text)):
        where = f" ({own})" if own in KEYS else where
        if own not in {*KEYS, *names} and not words.issuperset(WORD.findall(own.casefold())):
            return where
    return None


def _fields(kind: Any) -> Iterator[Any]:
    """Yield the fields of a schema or struct, and those in them."""
    for field in kind:
        yield field
        yield from _fields(field.type) if pa.types.is_struct(field.type) else ()
