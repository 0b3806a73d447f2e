"""Lazy frames and Arrow streams: read once, and what the caller gets back."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from later import Later

TOGETHER = "dask"  # which one process imports
dd = Later("dask.dataframe")

TABLE = pa.table(
    {"age": [20, 22, 21, 60, 62, 61] * 5, "sex": ["a", "b"] * 15, "pay": [1.5, 2.5, 0.5] * 10}
)
ASKED = {"k": 3, "method": "mdav", "quasi_identifiers": ["age"], "other": ["sex", "pay"]}


class Stream:
    """Nothing but an Arrow stream, in small batches, that can be read once."""

    def __init__(self, table=TABLE):
        self.batches, self.reads = table.to_batches(max_chunksize=7), 0
        self.schema = table.schema

    def __arrow_c_stream__(self, requested_schema=None):
        self.reads += 1
        assert self.reads == 1
        reader = pa.RecordBatchReader.from_batches(self.schema, iter(self.batches))
        return reader.__arrow_c_stream__(requested_schema)


def by_reader():
    return pa.RecordBatchReader.from_batches(TABLE.schema, iter(TABLE.to_batches(max_chunksize=7)))


def by_polars():
    return pl.from_arrow(TABLE).lazy().filter(pl.col("age") > 0)


def by_duckdb():
    connection = duckdb.connect()
    connection.register("people", TABLE)
    return connection.sql("SELECT * FROM people").filter("age > 0")


def by_ibis():
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("ibis.backends.polars")
    ibis.set_backend("polars")
    people = ibis.memtable(TABLE)
    return people.filter(people.age > 0)


SOURCES = [
    (Stream, pa.Table), (by_reader, pa.Table), (by_polars, pl.DataFrame), (by_duckdb, pa.Table),
    (by_ibis, pa.Table),
]  # fmt: skip


@pytest.mark.parametrize(("source", "kind"), SOURCES)
def test_what_comes_back(source, kind):
    """The release is that of the table: an eager frame of the library, or a pyarrow Table."""
    released = shoal.anonymize(source(), **ASKED).data
    assert type(released) is kind
    wanted = shoal.anonymize(TABLE, **ASKED).data
    assert pa.table(released)["age"].to_pylist() == wanted["age"].to_pylist()
    assert pa.table(released)["sex"].to_pylist() == TABLE["sex"].to_pylist()
    assert list(pa.table(released).column_names) == TABLE.column_names


@pytest.mark.parametrize(("source", "kind"), SOURCES)
def test_other_doors(source, kind):
    """What reads a dataframe reads a lazy frame or a stream, and needs it once."""
    assert shoal.read(source()).rows == len(TABLE)
    released = shoal.anonymize(TABLE, **ASKED).data
    found, wanted = (
        {**shoal.measure(one, released, quasi_identifiers=["age"]).to_dict(), "seconds": 0}
        for one in (source(), TABLE)
    )
    assert found == wanted
    verified = shoal.verify(source(), k=5, quasi_identifiers=["age"])
    assert (verified.ok, verified.k, verified.records) == (True, 5, len(TABLE))


def test_orders_of_a_lazy_frame():
    """Ordered categories of a lazy frame are ordered, as those of its eager twin are."""
    levels = pl.Enum(["low", "middle", "high"])
    frame = pl.DataFrame({"a": pl.Series(["low", "high", "middle"] * 3, dtype=levels)})
    assert shoal.read(frame.lazy()).columns[0].order == ("low", "middle", "high")
    assert shoal.read(frame.lazy()).columns == shoal.read(frame).columns


def test_a_query_that_fails():
    """A query that fails is named by the kind of its error, without a value of the table."""
    connection = duckdb.connect()
    failing = connection.sql("SELECT (CASE WHEN i > 5 THEN 'secret' ELSE '1' END)::INT AS a "
                             "FROM range(9) r(i)")  # fmt: skip
    lazy = pl.LazyFrame({"a": ["1", "secret"]}).with_columns(pl.col("a").cast(pl.Int64))
    for frame in (failing, lazy):
        for read in (shoal.read, lambda one: shoal.verify(one, k=2, quasi_identifiers=["a"])):
            with pytest.raises(shoal.InputError, match="cannot be computed") as caught:
                read(frame)
            assert "secret" not in str(caught.value)


def test_a_stream_that_breaks_off():
    """A stream that fails on its way is an error, and not a shorter table."""

    def batches():
        yield TABLE.to_batches()[0]
        raise OSError("secret")

    reader = pa.RecordBatchReader.from_batches(TABLE.schema, batches())
    with pytest.raises(shoal.InputError, match="cannot be computed") as caught:
        shoal.read(reader)
    assert "secret" not in str(caught.value)


def test_frames_of_a_cluster():
    """A dataframe of Dask is sent to the door that is for it, with advice that it can follow."""
    frame = dd.from_pandas(pd.DataFrame({"a": range(9)}), npartitions=2)
    with pytest.raises(shoal.InputError, match=r"anonymize_file; .* compute\(\)"):
        shoal.read(frame)
    with pytest.raises(shoal.InputError, match=r"compute\(\)"):
        shoal.verify(frame, k=2, quasi_identifiers=["a"])
