"""Parquet files that unpack to far more than a table, before they do."""

from __future__ import annotations

import resource
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import InputError
from shoal.table.files.many_files import ParquetPieces
from shoal.table.memory import needed
from shoal.table.read import read
from thorough import spread

RECORDS = 2_000


def named(texts):
    """Texts that all records of a dictionary name."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * RECORDS, pa.int32()), texts)


def make(path, what):
    """Write a small file that stands for gigabytes."""
    if what == "pages":
        table = pa.table({"a": ["y" * 5_000_000] * 40, "b": range(40)})
        pq.write_table(table, path, compression="zstd", use_dictionary=False)
    else:
        table = pa.table({"a": named(["x" * 2_000_000]), "b": range(RECORDS)})
        plain = what == "dictionary of a text"
        pq.write_table(table, path, compression="zstd", store_schema=not plain)
    assert path.stat().st_size < 200_000


@pytest.mark.parametrize("what", spread(["pages", "dictionary", "dictionary of a text"], 1))
def test_a_bomb_is_refused_before_it_unpacks(tmp_path, what):
    """In memory, in pieces, by its size and by the command, a bomb is one line about its size."""
    path = tmp_path / "small.parquet"
    make(path, what)
    for door in (read, needed, lambda one: list(ParquetPieces(one).first())):
        with pytest.raises(InputError, match=r"small\.parquet: unpacks to more than 200 times"):
            door(path)
    few = 2 << 30
    ran = subprocess.run(
        [sys.executable, "-m", "shoal", "inspect", str(path)], capture_output=True, text=True,
        check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (few, few)),
    )  # fmt: skip
    assert ran.returncode == 2
    assert "unpacks to more than 200 times" in ran.stderr
    assert "xxx" not in ran.stderr


def test_tables_of_few_texts_are_read(tmp_path):
    """Long texts, repeated texts and empty dictionaries are no bombs."""
    path = tmp_path / "t.parquet"
    table = pa.table({
        "a": named(["a town with a long name" * 20]), "b": ["yes", "no"] * (RECORDS // 2),
        "c": pa.array([None] * RECORDS, pa.string()), "d": pa.array(range(RECORDS)),
    })  # fmt: skip
    for size in (100, RECORDS):
        pq.write_table(table, path, row_group_size=size)
        assert read(path).rows == RECORDS
    pq.write_table(table.slice(0, 0), path)
    assert needed(path) > 0
