"""What a Parquet file unpacks to: its pages, and the texts that its dictionaries stand for.

A few kilobytes can stand for gigabytes: pages that pack well, or one long text in a dictionary that
millions of records name. Both are found before any of it is unpacked whole.
"""

from __future__ import annotations

from typing import Any

from shoal.table.read import check_unpacked, packs_too_well

RECORDS = 65_536  # whose places in dictionaries are looked at together


def check_unpacks(source: Any, packed: int, name: str) -> None:
    """Refuse a Parquet file, at a path or in a buffer, that packs too well to be a table."""
    import pyarrow.parquet as pq

    told = pq.read_metadata(source)
    groups = [told.row_group(i) for i in range(told.num_row_groups)]
    check_unpacked(sum(group.total_byte_size for group in groups), packed, name)
    texts = [
        told.schema.column(i).path
        for i in range(told.num_columns)
        if told.schema.column(i).physical_type == "BYTE_ARRAY"
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
            for column in batch.columns:
                places = column.indices.drop_null().to_numpy(zero_copy_only=False)
                size += int(_lengths(column)[places].sum())
            check_unpacked(size, packed, name)


def _lengths(column: Any) -> Any:
    """Return how long the texts of a dictionary are; one without any has one of no length."""
    import numpy as np
    import pyarrow.compute as pc

    found = pc.fill_null(pc.binary_length(column.dictionary), 0).to_numpy(zero_copy_only=False)
    return found.astype(np.int64) if found.size else np.zeros(1, dtype=np.int64)
