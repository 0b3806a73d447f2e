"""Lazy frames and Arrow streams from file to file: held in part, private, and gone in the end."""

from __future__ import annotations

import stat

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as library
from large_files import LITTLE
from shoal.errors import InputError, OutputError, RequestError
from shoal.pipeline.regions.run_folder import RunFolder
from shoal.pipeline.regions.spool import spool
from shoal.progress import Reporter
from thorough import spread

ROWS = 800
TABLE = pa.table(
    {
        "name": [f"p{i}" for i in range(ROWS)],
        "age": [18 + i * 7 % 71 for i in range(ROWS)],
        "pain": [["mild", "severe", "moderate"][i % 3] for i in range(ROWS)],
        "note": [f"{i:06d}" * 10_000 for i in range(ROWS)],  # too long for little memory
    }
)
LEVELS = ["mild", "moderate", "severe"]
ASKED = {"k": 3, "quasi_identifiers": ["age", "pain"], "identifiers": ["name"], "drop": ["note"],
         "report": False, "effort": "quick"}  # fmt: skip


def by_stream():
    """An ordered dictionary in every batch."""
    levels = pa.array(LEVELS)
    places = pa.array([LEVELS.index(one) for one in TABLE["pain"].to_pylist()], pa.int8())
    pain = pa.DictionaryArray.from_arrays(places, levels, ordered=True)
    table = TABLE.set_column(2, "pain", pain)
    return pa.RecordBatchReader.from_batches(table.schema, iter(table.to_batches(max_chunksize=30)))


def by_polars():
    return pl.from_arrow(TABLE).lazy().with_columns(pl.col("pain").cast(pl.Enum(LEVELS)))


def by_duckdb():
    connection = duckdb.connect()
    connection.register("people", TABLE)
    return connection.sql("SELECT * FROM people")


def left(folder):
    """What runs left behind."""
    return [one.name for one in folder.rglob(".*")]


@pytest.mark.parametrize("source", [by_stream, by_polars, by_duckdb])
@pytest.mark.parametrize(
    ("memory", "method"), spread([(LITTLE, "auto"), (None, "mdav")], 1, several=True)
)
@pytest.mark.slow
def test_from_file_to_file(tmp_path, source, memory, method):
    """Whether it fits in memory or not, the records of a stream are released and verified."""
    asked = ASKED if source is not by_duckdb else {**ASKED, "orders": {"pain": LEVELS}}
    made = library.anonymize_file(
        source(), f"{tmp_path}/out/", memory=memory, method=method, **asked
    )
    assert made.report.method == ("fast" if memory else "mdav")
    assert library.verify(made.path, k=3, quasi_identifiers=["age", "pain"], records=ROWS).ok
    assert (made.report.input["kind"], made.report.input["records"]) == ("dataframe", ROWS)
    assert {one.name: one.kind for one in made.report.columns}["pain"] == "ordinal"
    assert made.settings.input.path is None
    assert left(tmp_path) == []


def test_little_is_held(tmp_path):
    """Of a stream of many batches few are held at once."""
    held = []

    def batches():
        start = pa.total_allocated_bytes()
        for number in range(200):
            batch = pa.record_batch(
                {"a": pa.array([number] * 10_000), "b": pa.array([0.5] * 10_000)}
            )
            held.append(pa.total_allocated_bytes() - start)
            yield batch

    schema = pa.schema([("a", pa.int64()), ("b", pa.float64())])
    stream = pa.RecordBatchReader.from_batches(schema, batches())
    with RunFolder(tmp_path / "out.csv", {}) as work:
        spooled = spool(stream, work, Reporter.of(None), size=10 * 160_000)
        assert stat.S_IMODE(spooled.path.stat().st_mode) == 0o600
        assert pq.read_metadata(spooled.path).num_rows == 2_000_000
        assert max(held) < 40 * 160_000
        pieces = spooled.pieces(100_000)
        assert sum(piece.rows for piece in pieces.first()) == 2_000_000
        assert pieces.source.columns == ("a", "b")
    assert left(tmp_path) == []


def test_the_file_is_private(tmp_path):
    """What polars writes is for the owner alone, too."""
    with RunFolder(tmp_path / "out.csv", {}) as work:
        spooled = spool(by_polars(), work, Reporter.of(None))
        assert stat.S_IMODE(spooled.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(spooled.path.parent.stat().st_mode) == 0o700
        assert spooled.orders == {"pain": tuple(LEVELS)}


def test_orders_that_differ(tmp_path):
    """Batches that declare different orders declare none."""
    one, other = (pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), levels, ordered=True)
                  for levels in (["a", "b"], ["b", "a"]))  # fmt: skip
    batches = [pa.record_batch({"x": one}), pa.record_batch({"x": other})]
    stream = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    with RunFolder(tmp_path / "out.csv", {}) as work:
        spooled = spool(stream, work, Reporter.of(None))
        assert spooled.orders == {}
        assert spooled.table().columns[0].values.to_pylist() == ["a", "b", "b", "a"]


def broken():
    """A stream that breaks off."""

    def batches():
        yield TABLE.to_batches()[0]
        raise ValueError("secret")

    return pa.RecordBatchReader.from_batches(TABLE.schema, batches())


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (broken, {}, "cannot be computed"),
        (lambda: pl.LazyFrame({"a": ["x"]}).select(pl.col("b")), {}, "cannot be computed"),
        (lambda: pl.LazyFrame({"a": [1]}).filter(pl.col("a") > 5), {}, "n = 0 records"),
        (lambda: pd.DataFrame({"a": [1]}), {}, r"others are for shoal\.anonymize"),
        (lambda: pl.LazyFrame({"a": [1]}), {"engine": "threads"}, "leave out engine"),
        (lambda: pl.LazyFrame({"a": [1]}), {"delimiter": ";"}, "csv"),
        (lambda: duckdb.connect().sql("SELECT INTERVAL 1 DAY AS a"), {}, "'a': columns of a type"),
    ],
)
def test_what_is_refused(tmp_path, source, options, message):
    """What cannot be released is refused in words, and nothing is left of it."""
    with pytest.raises((InputError, RequestError), match=message) as caught:
        library.anonymize_file(source(), f"{tmp_path}/out/", k=3, **options)
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_read_for_an_output_that_is_there(tmp_path):
    """A stream is not consumed where its release could not be written."""
    (tmp_path / "out.csv").write_text("a\n1\n")
    stream = by_stream()
    with pytest.raises(OutputError, match="exists"):
        library.anonymize_file(stream, tmp_path / "out.csv", **ASKED)
    assert stream.read_all().num_rows == ROWS
