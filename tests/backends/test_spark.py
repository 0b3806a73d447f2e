"""Spark, with a real session: the same groups as threads, dataframes in and out."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import nullcontext

import pytest

import shoal as library
from backends import tables
from backends.tables import (
    QUASI,
    RECORDS,
    Here,
    hashes,
    left,
    people,
    run,
    smallest,
    together,
    write_parts,
)
from shoal.errors import EngineError, InputError

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: make test-all does it")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """A session of two cores."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    found = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.local.dir", str(tmp_path_factory.mktemp("spark")))
        .getOrCreate()
    )
    found.sparkContext.setLogLevel("OFF")
    yield found
    found.stop()


def spark(session):
    """The engine with that session."""
    from shoal.pipeline.engines.spark import Spark

    return nullcontext(Spark(session))


@pytest.mark.parametrize("kind", ["numbers", "words"])
def test_the_same_groups_as_threads(tmp_path, session, kind):
    """What is written does not depend on who did the work, to the byte."""
    tree, names, make = {}, QUASI, people
    if kind == "words":
        file = tmp_path / "town.csv"
        file.write_text("".join(f"{c},{'L' if c < 'e' else 'R'},*\n" for c in "abcdefgh"))
        names, make = ["town", "age", "job"], tables.mixed
        tree = {"roles": {"quasi_identifiers": names}, "hierarchies": {"town": str(file)}}
    pattern = write_parts(tmp_path / "in", make)
    run(pattern, tmp_path / "here", Here(1), **tree)
    away = run(pattern, tmp_path / "away", spark(session), **tree)
    assert hashes(tmp_path / "away") == hashes(tmp_path / "here")
    found = together(tmp_path / "away")
    counted = away.report.verification["engine"]
    assert (counted["name"], counted["records"]) == ("spark", RECORDS)
    assert counted["smallest"] == smallest(found, names) >= 10
    assert counted["classes"] == away.report.verification["classes"]
    assert left(tmp_path) == []


def test_a_dataframe_in_and_out(tmp_path, session):
    """A Spark DataFrame is released to a folder and comes back as one; names are never written."""
    write_parts(tmp_path / "in")
    frame = session.read.parquet(str(tmp_path / "in"))
    seen = []

    def look(_):
        for path in tmp_path.glob(".*.shoal-work/*/input/*.parquet"):
            seen.append(path.name)
            assert b"person 0" not in path.read_bytes()

    found = library.anonymize_file(
        frame, tmp_path / "out", k=10, identifiers=["name"], quasi_identifiers=QUASI,
        other=["diagnosis"], report=False, callback=look,
    )  # fmt: skip
    assert seen
    assert isinstance(found.data, pyspark.sql.DataFrame)
    assert found.data.columns == [*QUASI, "diagnosis"]
    assert found.data.count() == RECORDS
    assert found.data.groupBy(*QUASI).count().agg({"count": "min"}).collect()[0][0] >= 10
    assert left(tmp_path) == []


def test_errors(tmp_path, session, monkeypatch):
    """What workers find is told as here; a mistake of ours by its kind, without its words."""
    import operator
    from functools import partial

    import pyarrow as pa
    import pyarrow.parquet as pq

    from shoal.pipeline.regions import file_plan

    pattern = write_parts(tmp_path / "in", sizes=(600,))
    scores = [float("inf") if i == 7 else float(i) for i in range(300)]
    table = people(300, 9).set_column(4, "score", pa.array(scores))
    pq.write_table(table, tmp_path / "in" / "9.parquet")
    with pytest.raises(InputError, match=r"9\.parquet.*infinite"):
        run(pattern, tmp_path / "out", spark(session))
    (tmp_path / "in" / "9.parquet").unlink()
    monkeypatch.setattr(file_plan, "ProfileStep", lambda *_: partial(operator.truediv, 1))
    with pytest.raises(EngineError, match=r"a worker failed: ZeroDivisionError in ") as found:
        run(pattern, tmp_path / "out", spark(session))
    assert "person" not in str(found.value)


def test_counting_by_spark(tmp_path, session):
    """Spark counts classes as they are: missing cells, words, odd names, long integers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "a.b": [1, 1, None, None, 2**60, 2**60 + 1],
        "c`d": ["x", "x", None, None, "y", "y"],
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    with spark(session) as ready:
        found = ready.count([str(tmp_path / "a.parquet")], list(columns))
    assert found == {"records": 6, "classes": 4, "smallest": 1}
    times = pa.table({"t": pa.array([1, 2], pa.time64("ns"))})
    pq.write_table(times, tmp_path / "b.parquet")
    with spark(session) as ready:
        assert ready.count([str(tmp_path / "b.parquet")], ["t"]) is None


def test_a_master_that_is_not_there(tmp_path, session):
    """A lost session is told in words, and what was done is kept."""
    pattern = write_parts(tmp_path / "in")

    def stop(progress):
        if progress.stage == "grouping regions" and progress.done == 1:
            session.sparkContext._gateway.jvm.org.apache.spark.SparkContext.getOrCreate().stop()

    with pytest.raises(EngineError, match="what was done is kept"):
        run(pattern, tmp_path / "away", spark(session), stop)
    assert len(left(tmp_path)) == 1
    run(pattern, tmp_path / "here", Here(1))
    run(pattern, tmp_path / "away", Here(1))
    assert hashes(tmp_path / "away") == hashes(tmp_path / "here")
    assert left(tmp_path) == []
