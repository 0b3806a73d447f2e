"""Dask, with real clusters: the same groups as threads, and what happens when parts of it die."""

from __future__ import annotations

import operator
import os
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from functools import partial
from importlib import metadata

import pytest

import shoal as library
from backends import tables
from backends.cluster import Cluster
from backends.tables import (
    MORE,
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
from later import Later
from shoal.errors import EngineError, EngineLostError, InputError, RequestError
from shoal.executor import Threads
from shoal.pipeline.engines.dask import Dask, opened
from thorough import spread

TOGETHER = "dask"  # which one process imports
distributed = Later("distributed")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A cluster that nobody kills."""
    with Cluster(tmp_path_factory.mktemp("dask")) as found:
        yield found


@pytest.mark.parametrize("kind", spread(["numbers", "words"], 1))
def test_the_same_groups_as_threads(tmp_path, cluster, kind):
    """What is written does not depend on who did the work, to the byte."""
    tree, names = {}, QUASI
    make = people
    if kind == "words":
        file = tmp_path / "town.csv"
        file.write_text("".join(f"{c},{'L' if c < 'e' else 'R'},*\n" for c in "abcdefgh"))
        names = ["town", "age", "job"]
        tree = {"roles": {"quasi_identifiers": names}, "hierarchies": {"town": str(file)}}
        make = tables.mixed
    pattern = write_parts(tmp_path / "in", make)
    here = run(pattern, tmp_path / "here", Here(1), **tree)
    away = run(pattern, tmp_path / "away", opened(cluster.address), **tree)
    assert hashes(tmp_path / "away") == hashes(tmp_path / "here")
    assert len(hashes(tmp_path / "here")) > 2
    found = together(tmp_path / "away")
    assert found.num_rows == RECORDS
    assert smallest(found, names) >= 10
    assert "name" not in found.column_names
    counted = away.report.verification["engine"]
    assert counted["records"] == RECORDS
    assert counted["smallest"] == away.report.verification["k"] == smallest(found, names)
    assert counted["classes"] == away.report.verification["classes"]
    assert here.report.information_loss == away.report.information_loss
    assert left(tmp_path) == []


def test_blocks_of_a_table_in_memory(cluster):
    """The executor of a cluster is one like any other: blocks come back the same."""
    import numpy as np

    from shoal.methods.blocks import Blocks, group_in_blocks
    from shoal.progress import Reporter

    matrix = np.random.default_rng(0).normal(size=(3000, 3))
    quiet = Reporter(None)
    here = group_in_blocks(matrix, 5, Blocks(500), 0, quiet, Threads(1))
    with opened(cluster.address) as ready:
        away = group_in_blocks(matrix, 5, Blocks(500), 0, quiet, ready)
    assert away.tolist() == here.tolist()


def killer(what, at):
    """A callback that does something once, when a stage is so far."""
    done = []

    def look(progress):
        if not done and progress.stage == at and progress.done >= 1:
            done.append(True)
            what()

    look.done = done
    return look


@pytest.mark.parametrize(
    "stage",
    [
        "grouping regions",
        pytest.param("parting", marks=pytest.mark.slow),
        pytest.param("releasing", marks=pytest.mark.slow),
        pytest.param("writing", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_a_killed_worker_changes_nothing_but_the_time(tmp_path, stage):
    """What a lost worker had is done by another."""
    pattern = write_parts(tmp_path / "in", sizes=MORE)
    run(pattern, tmp_path / "here", Here(1))
    (tmp_path / "dask").mkdir()
    with Cluster(tmp_path / "dask") as own:
        kill = killer(own.workers[0].kill, stage)
        run(pattern, tmp_path / "away", opened(own.address), kill)
        assert kill.done
        assert own.workers[0].wait(5) == -9
    assert hashes(tmp_path / "away") == hashes(tmp_path / "here")


@pytest.mark.slow
def test_a_killed_scheduler_leaves_what_was_done(tmp_path):
    """The error says what to do; the same run by another engine goes on and ends the same."""
    pattern = write_parts(tmp_path / "in", sizes=MORE)
    run(pattern, tmp_path / "here", Here(1))
    (tmp_path / "dask").mkdir()
    with Cluster(tmp_path / "dask") as own:
        kill = killer(own.scheduler.kill, "mending groups, round 1")
        with pytest.raises(EngineError, match=r"scheduler at tcp://.* is gone; what was done is"):
            run(pattern, tmp_path / "away", opened(own.address), kill)
        assert kill.done
    (folder,) = left(tmp_path)
    assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700
    assert not (tmp_path / "away").exists()
    stages = []
    run(pattern, tmp_path / "away", Here(1), lambda progress: stages.append(progress.stage))
    assert "looking" not in stages
    assert "parting" not in stages
    assert hashes(tmp_path / "away") == hashes(tmp_path / "here")
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    "stage",
    [pytest.param(stage, marks=pytest.mark.slow) for stage in ("hashing files", "verifying")],
)
def test_a_scheduler_killed_at_the_edges(tmp_path, stage):
    """Also at the first and the last moment what was done is kept."""
    pattern = write_parts(tmp_path / "in")
    (tmp_path / "dask").mkdir()
    with Cluster(tmp_path / "dask") as own:
        done = []

        def look(progress):
            if not done and progress.stage == stage:
                done.append(True)
                own.scheduler.kill()
                own.scheduler.wait()

        with pytest.raises(EngineLostError, match="is gone; what was done is kept"):
            run(pattern, tmp_path / "away", opened(own.address), look)
    assert len(left(tmp_path)) == 1
    run(pattern, tmp_path / "away", Here(1))
    assert left(tmp_path) == []


def test_a_mistake_keeps_no_records(tmp_path, cluster):
    """A dataframe that fails of itself leaves nothing behind: there is nothing to go on from."""
    import dask.dataframe as dd

    def wrong(part):
        raise ValueError("person 0 0")

    write_parts(tmp_path / "in")
    frame = dd.read_parquet(tmp_path / "in" / "*.parquet").map_partitions(wrong, meta={"x": "f8"})
    with distributed.Client(cluster.address, set_as_default=True):
        with pytest.raises(EngineError, match="a worker failed: ValueError") as found:
            library.anonymize_file(frame, tmp_path / "out", k=10)
        assert "person" not in str(found.value)
        numbered = dd.from_pandas(
            dd.read_parquet(tmp_path / "in").compute().set_axis(range(6), axis=1)
        )
        with pytest.raises(InputError, match="names that are texts"):
            library.anonymize_file(numbered, tmp_path / "out", k=10)
    assert left(tmp_path) == []


def test_another_version_on_a_worker(tmp_path):
    """A worker that has another shoal is named, and nothing is begun."""
    pattern = write_parts(tmp_path / "in")
    fake = tmp_path / "fake" / "shoal-0.0.7.dist-info"
    fake.mkdir(parents=True)
    (fake / "METADATA").write_text("Metadata-Version: 2.1\nName: shoal\nVersion: 0.0.7\n")
    with Cluster(tmp_path, workers=1) as own:
        own.worker(PYTHONPATH=str(fake.parent))
        with distributed.Client(own.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        with pytest.raises(EngineError, match=r"1 of 2 workers have another version .*has 0\.0\.7"):
            run(pattern, tmp_path / "away", opened(own.address))
    assert not (tmp_path / "away").exists()


@pytest.mark.slow
def test_nobody_there(tmp_path):
    """No scheduler at an address, and a scheduler without workers."""
    with pytest.raises(EngineError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        opened("tcp://127.0.0.1:9", seconds=2).__enter__()
    own = Cluster(tmp_path, workers=0)
    with own, pytest.raises(EngineError, match="has no workers"):
        opened(own.address, seconds=2).__enter__()


def test_errors_come_back_as_they_are(tmp_path, cluster):
    """A mistake in the data that a worker finds is told as if it were found here."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pattern = write_parts(tmp_path / "in", sizes=(600,))
    table = people(300, 9)
    scores = [float("inf") if i == 7 else float(i) for i in range(300)]
    table = table.set_column(4, "score", pa.array(scores))
    pq.write_table(table, tmp_path / "in" / "9.parquet")
    told = []
    for engine in (Here(1), opened(cluster.address)):
        with pytest.raises(InputError, match=r"9\.parquet.*infinite") as found:
            run(pattern, tmp_path / "out", engine)
        told.append(str(found.value))
    assert told[0] == told[1]
    assert left(tmp_path) == []


def test_a_mistake_of_ours_shows_no_record(tmp_path, cluster, monkeypatch):
    """An unexpected error on a worker is told by its kind and place, never by its words."""
    from shoal.pipeline.regions import file_plan

    monkeypatch.setattr(file_plan, "ProfileStep", lambda *_: partial(operator.truediv, 1))
    pattern = write_parts(tmp_path / "in")
    with pytest.raises(EngineError, match=r"a worker failed: ZeroDivisionError in ") as found:
        run(pattern, tmp_path / "out", opened(cluster.address))
    assert "person" not in str(found.value)


@pytest.mark.slow
def test_temporary_files_are_private(tmp_path, cluster):
    """Folders are 0700, files 0600, and no name of a person is in one, while workers write."""
    pattern = write_parts(tmp_path / "in")
    seen = set()

    def look(_):
        for folder in tmp_path.glob(".*.shoal-work"):
            for path in [folder, *folder.rglob("*")]:
                try:
                    mode = stat.S_IMODE(path.stat().st_mode)
                    assert mode == (0o700 if path.is_dir() else 0o600)
                    if path.is_file():
                        assert b"person 0" not in path.read_bytes()
                except FileNotFoundError:
                    continue
                seen.add(path.name.partition("-")[0])

    before = os.umask(0o022)
    try:
        run(pattern, tmp_path / "out", opened(cluster.address), look)
    finally:
        os.umask(before)
    assert {"piece", "moved", "rows", "look", "release", "part"} <= seen
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o755
    assert {stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "out").iterdir()} == {0o644}


def test_stopped_by_the_callback(tmp_path, cluster):
    """Whoever stops a run finds nothing left, though workers may still be writing."""
    pattern = write_parts(tmp_path / "in")
    with pytest.raises(library.Canceled):
        run(
            pattern,
            tmp_path / "out",
            opened(cluster.address),
            lambda progress: progress.stage == "grouping regions" and progress.done > 0,
        )
    assert left(tmp_path) == []
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_an_engine_that_counts_otherwise(tmp_path, cluster, monkeypatch):
    """If the engine's own grouping finds a class that is too small, nothing is released."""
    counted = {"records": RECORDS, "classes": 100, "smallest": 9}
    monkeypatch.setattr(Dask, "count", lambda *_: counted)
    pattern = write_parts(tmp_path / "in")
    with pytest.raises(library.PrivacyError, match="the smallest class of 9"):
        run(pattern, tmp_path / "out", opened(cluster.address))
    assert not (tmp_path / "out").exists()
    assert left(tmp_path) == []


def test_counting_by_dask(tmp_path, cluster):
    """Dask counts classes as they are: missing cells, words, dates, long integers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        (1, None, "a"), (1, None, "a"), (None, 2.5, "a"), (None, 2.5, "a"), (None, 2.5, "a"),
        (2**60, 0.0, None), (2**60 + 1, 0.0, None), (2**60 + 1, 0.0, None),
    ]  # fmt: skip
    for number, some in enumerate((rows[::2], rows[1::2])):
        columns = dict(zip("xyz", map(list, zip(*some, strict=True)), strict=True))
        schema = pa.schema([("x", pa.int64()), ("y", pa.float64()), ("z", pa.string())])
        pq.write_table(pa.table(columns, schema), tmp_path / f"{number}.parquet")
    files = [str(tmp_path / f"{number}.parquet") for number in range(2)]
    with opened(cluster.address) as ready:
        found = ready.count(files, ["x", "y", "z"])
    assert found == {"records": 8, "classes": 4, "smallest": 1}


def test_a_dataframe_in_and_out(tmp_path, cluster):
    """A Dask DataFrame is released to a folder and comes back as one; names are never written."""
    import dask.dataframe as dd

    write_parts(tmp_path / "in")
    frame = dd.read_parquet(tmp_path / "in" / "*.parquet")
    seen = []

    def look(_):
        for path in tmp_path.glob(".*.shoal-work/*/input/*.parquet"):
            seen.append(path.name)
            assert b"person 0" not in path.read_bytes()

    with distributed.Client(cluster.address, set_as_default=True):
        found = library.anonymize_file(
            frame, tmp_path / "out", k=10, identifiers=["name"], quasi_identifiers=QUASI,
            other=["diagnosis"], count="records", report=False, callback=look,
        )  # fmt: skip
        assert seen
        assert isinstance(found.data, dd.DataFrame)
        back = found.data.compute()
    assert list(back.columns) == [*QUASI, "diagnosis"]
    assert len(back) == RECORDS
    assert back.groupby(QUASI, dropna=False).size().min() >= 10
    assert found.report.verification["engine"]["name"] == "dask"
    assert found.report.input["kind"] == "dataframe"
    assert left(tmp_path) == []


def test_a_dataframe_of_another_engine(tmp_path):
    """A dataframe is grouped by its own engine, and one without is for another door."""
    import dask.dataframe as dd
    import pandas as pd

    plain = pd.DataFrame({"x": range(30)})
    with pytest.raises(RequestError, match="grouped by dask, not by spark"):
        library.anonymize_file(
            dd.from_pandas(plain, npartitions=2), tmp_path / "out", k=3, engine="spark"
        )
    with pytest.raises(InputError, match=r"others are for shoal\.anonymize"):
        library.anonymize_file(plain, f"{tmp_path}/out/", k=3)
    with pytest.raises(InputError, match=r"released to a folder by shoal\.anonymize_file"):
        library.anonymize(dd.from_pandas(plain, npartitions=2), k=3)


@pytest.mark.slow
def test_the_command_line_starts_a_cluster(tmp_path):
    """`--engine dask` alone starts workers on this machine, and tells what they did if asked."""
    pattern = write_parts(tmp_path / "in")
    found = subprocess.run(
        [
            sys.executable, "-m", "shoal", "anonymize", pattern, "-k", "10", "--quasi",
            ",".join(QUASI), "--identifier", "name", "--sensitive", "diagnosis", "--engine", "dask",
            "--no-report", "--verbose", "-o", str(tmp_path / "out"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "grouping regions: 1 of 1" in found.stderr
    assert "Parquet parts, manifest.json" in found.stderr
    assert "distributed" not in found.stderr
    assert found.stdout == ""
    assert smallest(together(tmp_path / "out"), QUASI) >= 10
    assert left(tmp_path) == []


@pytest.mark.slow
def test_interrupted_at_the_terminal(tmp_path):
    """Ctrl-C, which workers of this machine get too, ends with one line and leaves nothing."""
    pattern = write_parts(tmp_path / "in", sizes=(60_000, 60_000))
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", "anonymize", pattern, "-k", "10", "--quasi",
         ",".join(QUASI), "--engine", "dask", "--progress", "none", "-o", str(tmp_path / "out")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    Cluster.wait(lambda: any(tmp_path.glob(".out.*/*/look-0.json")))
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "shoal: interrupted, nothing was written\n"
    assert left(tmp_path) == []
    assert not (tmp_path / "out").exists()


def test_errands_refuse(tmp_path):
    """Another version, and a folder that is not there."""
    from shoal.pipeline.regions.run_folder import Files, RunFolder
    from shoal.pipeline.regions.tasks import RemoteStep
    from shoal.storage.places import Folder

    with RunFolder(tmp_path / "a", 1) as work:
        own = metadata.version("shoal")
        remote_step = RemoteStep(Files(work.storage), partial(pow, 7), own)
        assert remote_step(2)["result"] == 49
        assert (
            "the run was started by 9.9" in replace(remote_step, version="9.9")(1)["error"]["said"]
        )
        lost = replace(remote_step, files=Files(Folder(tmp_path / "nowhere")))(1)
        assert "name a folder that all machines see" in lost["error"]["said"]
    assert "does not find" in remote_step(1)["error"]["said"]  # the run has ended meanwhile


def test_what_may_pass_is_tried_again(tmp_path):
    """A storage that does not answer a worker is the engine's to try again, not the run's end."""
    from shoal.pipeline.regions.run_folder import Files, RunFolder
    from shoal.pipeline.regions.tasks import FailedError, RemoteStep

    def timeout(_):
        raise EngineLostError("no answer for person 1")

    with RunFolder(tmp_path / "a", 1) as work:
        remote_step = RemoteStep(Files(work.storage), timeout, metadata.version("shoal"))
        with pytest.raises(FailedError, match=r"^OSError in tasks\.py, line \d+ on \S+$"):
            remote_step(1)


def test_errors_as_plain_values():
    """An error that travels is the same on arrival, also one that knows more than its words."""
    import json

    from shoal.errors import from_plain
    from shoal.table.encode_nodes import UncoveredError

    for error in (InputError("a, line 3"), UncoveredError("some are not there", ["x", "y"])):
        back = from_plain(json.loads(json.dumps(error.to_plain())))
        assert type(back) is type(error)
        assert str(back) == str(error)
        assert vars(back) == vars(error)
    assert type(from_plain({"kind": "Unknown", "said": "x", "more": {}})) is library.ShoalError
