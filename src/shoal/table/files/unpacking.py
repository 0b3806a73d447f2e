"""Unpacked size of Parquet files: pages, and texts of dictionaries.

A few kilobytes can stand for gigabytes: pages that pack well, or one long text in a dictionary that
millions of records name. Both are found before any of it is unpacked whole.
"""

from __future__ import annotations

from typing import Any

from shoal.errors import InputError

GZIP_RATIO = 200  # text that packs better than this is a bomb, not a table
GZIP_FREE = 64 * 2**20
RECORDS = 65_536  # whose places in dictionaries are looked at together
LONG = 65_536  # bytes of a record: pieces of shorter ones are no larger than any others


def packs_too_well(size: int, packed: int) -> bool:
    """Tell whether so few bytes unpack to so many that they are no table."""
    return size > GZIP_FREE and size > GZIP_RATIO * packed


def check_unpacked(size: int, packed: int, name: str) -> None:
    """Refuse text that packs too well to be a table."""
    if packs_too_well(size, packed):
        raise InputError(f"{name}: unpacks to more than {GZIP_RATIO} times its size; not a table")


def check_unpacks(source: Any, packed: int, name: str, *, in_pieces: bool = False) -> None:
    """Refuse a Parquet file, at a path or in a buffer, that packs too well to be a table.

    Where it is read in pieces, many short records that are alike do no harm, only long ones do.
    """
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(source)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]

    def check(size: int, bytes_here: int, records: int) -> None:
        if not in_pieces or bytes_here > LONG * records:
            check_unpacked(size, packed, name)

    whole = sum(group.total_byte_size for group in groups)
    for group in groups:
        check(whole, group.total_byte_size, group.num_rows)
    texts = [
        metadata.schema.column(i).path
        for i in range(metadata.num_columns)
        if metadata.schema.column(i).physical_type == "BYTE_ARRAY"
    ]
    if not texts:
        return
    with pq.ParquetFile(source, read_dictionary=texts, pre_buffer=False) as file:
        known = set(file.schema_arrow.names)
        texts = [path for path in texts if path in known]  # of nested ones nothing is read
        if not texts:
            return
        most = 0
        for index, group in enumerate(groups):
            some = next(file.iter_batches(1, row_groups=[index], columns=texts), None)
            if some is not None:
                most += group.num_rows * sum(_lengths(column).max() for column in some.columns)
        if not packs_too_well(most, packed):
            return
        size = 0
        for batch in file.iter_batches(RECORDS, columns=texts, use_threads=False):
            here = sum(map(_text_bytes, batch.columns))
            size += here
            check(size, here, batch.num_rows)


def _text_bytes(column: Any) -> int:
    """Return the bytes of the texts that a column of a dictionary stands for."""
    places = column.indices.drop_null().to_numpy(zero_copy_only=False)
    return int(_lengths(column)[places].sum())


def _lengths(column: Any) -> Any:
    """Return how long the texts of a dictionary are; one without any has one of no length."""
    import numpy as np
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.binary_length(column.dictionary), 0).to_numpy(zero_copy_only=False)
    return lengths.astype(np.int64) if lengths.size else np.zeros(1, dtype=np.int64)
