"""Files: shuffled, without traces of the original, whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.release import save as files
from shoal.release.targets import Targets
from shoal.release.write import row_order
from shoal.storage import staging
from shoal.storage.staging import MARK, Staging, sweep

ROWS = 60


@pytest.fixture(scope="module")
def result():
    """A release of a dataframe whose cells that nobody may see again are canaries."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "who": [f"CANARY-ID-{i}" for i in range(ROWS)],
            "gone": ["CANARY-DROP"] * ROWS,
            "age": rng.integers(20, 80, ROWS),
            "pay": rng.normal(3000, 500, ROWS).round(2),
            "ill": pd.Categorical(["a", "b"] * (ROWS // 2), categories=["a", "b", "CANARY-LEVEL"]),
            "row": range(ROWS),
        },
        index=[f"CANARY-INDEX-{i}" for i in range(ROWS)],
    )
    return shoal.anonymize(
        frame,
        k=3,
        quasi_identifiers=["age", "pay"],
        sensitive=["ill"],
        identifiers=["who"],
        drop=["gone"],
        keep_unique=["row"],
    )


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_no_trace_of_the_original(result, tmp_path, kind, monkeypatch):
    """Identifiers, dropped cells, unused levels and the index are in no file, in no form."""
    import gzip

    monkeypatch.setenv("SHOAL_CHARTS", "on" if kind == "csv" else "off")  # one report has charts
    release = result.save(tmp_path / "out", format=kind)
    assert release.name == f"release.{kind}"
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        content = path.read_bytes()
        assert b"CANARY" not in content, path.name
        if path.suffix == ".gz":
            assert b"CANARY" not in gzip.decompress(content)
    assert sorted(p.name for p in release.parent.iterdir()) == [
        release.name, "report.html", "report.json",
    ]  # fmt: skip
    assert sorted(p.name for p in (tmp_path / "out.private").iterdir()) == [
        "commitment.key", "report.html", "report.json", "run.toml",
    ]  # fmt: skip


def test_parquet_is_plain(result, tmp_path):
    """Parquet has no schema metadata, no dictionary type, no statistics of anybody."""
    file = pq.ParquetFile(result.save(tmp_path, format="parquet"))
    assert file.schema_arrow.metadata is None
    assert file.metadata.metadata is None
    assert file.schema_arrow.field("ill").type == pa.string()
    group = file.metadata.row_group(0)
    assert all(group.column(i).statistics is None for i in range(group.num_columns))
    assert shoal.verify(tmp_path / "release.parquet", k=3, quasi_identifiers=["age", "pay"]).ok


def test_a_name_with_a_format_is_the_file(result, tmp_path):
    """A path that ends in a format is the release itself; any other is a folder."""
    written = result.save(tmp_path / "stays.parquet")
    assert written == tmp_path / "stays.parquet"
    assert pq.read_table(written).num_rows == len(result.data)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "stays.parquet", "stays.private", "stays.report.html", "stays.report.json"
    ]  # fmt: skip
    with pytest.raises(shoal.RequestError, match=r"ends in \.csv, the format is parquet"):
        result.save(tmp_path / "a.csv", format="parquet")
    (tmp_path / "old.csv").mkdir()  # a folder that is there stays one
    assert result.save(tmp_path / "old.csv") == tmp_path / "old.csv" / "release.csv"


def test_parquet_keeps_types(tmp_path):
    """Integer widths, times and text of a Parquet file come out as they went in."""
    table = pa.table(
        {
            "a": pa.array([1, 2, 3, 4], pa.int16()),
            "b": pa.array([1.0, 2.0, 3.0, 4.0], pa.float32()),
            "t": pa.array([0, 1, 2, 3], pa.timestamp("ms", tz="UTC")),
            "d": pa.array([0, 1, 2, 3], pa.date32()),
            "o": pa.array(["x", None, "y", "y"]),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    given = {"k": 2, "quasi_identifiers": ["a", "b", "t", "d"]}
    saved = shoal.anonymize(tmp_path / "in.parquet", other=["o"], **given)
    found = pq.read_table(saved.save(tmp_path / "out", format="parquet"))
    assert found.schema.types == table.schema.types


def test_rows_are_shuffled(result, tmp_path):
    """Over many files the order in a file has nothing to do with the input's."""
    correlations, files = [], set()
    for i in range(15):
        path = result.save(tmp_path / str(i), report=False)
        files.add(path.read_bytes())
        frame = pd.read_csv(path)
        correlations.append(np.corrcoef(frame["row"], np.arange(ROWS))[0, 1])
    assert np.abs(correlations).max() < 6 / ROWS**0.5
    assert abs(np.mean(correlations)) < 5 / (15 * ROWS) ** 0.5
    assert len(files) == 15


def test_missing_cells_of_kept_columns(write, tmp_path):
    """Missing decimals, dates and texts of kept columns stay missing in csv and Parquet."""
    path = write("t.csv", "a,d,t,s\n1,0.1,,x\n2,,2024-01-01,\n")
    kept = {"quasi_identifiers": ["a"], "keep_unique": ["d", "t", "s"]}
    result = shoal.anonymize(path, k=2, **kept)
    found = pq.read_table(result.save(tmp_path / "p", format="parquet", keep_order=True))
    assert found["d"].to_pylist() == [0.1, None]
    assert found["s"].to_pylist() == ["x", None]
    text = result.save(tmp_path / "c", keep_order=True).read_text()
    assert text == "a,d,t,s\n1,0.1,,x\n1,,2024-01-01,\n"


def test_order_can_be_kept_or_seeded(result, tmp_path):
    """keep_order keeps it and says so in the report; a seed repeats a file."""
    frame = pd.read_csv(result.save(tmp_path / "kept", keep_order=True))
    assert frame["row"].tolist() == list(range(ROWS))
    assert "as in the input" in (tmp_path / "kept" / "report.json").read_text()
    assert "keep_order = true" in (tmp_path / "kept.private" / "run.toml").read_text()
    first = result.save(tmp_path / "1", order_seed=7).read_bytes()
    assert first == result.save(tmp_path / "2", order_seed=7).read_bytes()
    assert sorted(row_order(100).tolist()) == list(range(100))


def test_existing_files_are_kept(result, tmp_path):
    """Any file of a release, public or private, stops the run; force replaces them."""
    out = tmp_path / "out"
    result.save(out)
    names = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert len(names) == 3 + 4
    for name in names:
        for other in [path for path in tmp_path.rglob("*") if path.is_file()]:
            other.unlink()
        (tmp_path / name).write_text("mine")
        with pytest.raises(shoal.OutputError, match="exists; say force=True"):
            result.save(out)
        assert [p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file()] == [name]
        assert (tmp_path / name).read_text() == "mine"
    (tmp_path / "out.private" / "mine.txt").write_text("mine")
    result.save(out, force=True)
    assert sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file()) == sorted(
        [*names, (tmp_path / "out.private" / "mine.txt").relative_to(tmp_path)]
    )
    result.save(out, force=True, report=False)
    assert not list(tmp_path.rglob("report.html"))


def test_a_file_that_comes_up_meanwhile_is_kept(tmp_path):
    """Without force even a file that appears after the check is not replaced."""
    target = tmp_path / "t.csv"
    with Staging(force=False) as staging:
        staging.check(target)
        staging.add(target, b"ours")
        target.write_text("theirs")
        with pytest.raises(shoal.OutputError, match="exists"):
            staging.commit()
    assert target.read_text() == "theirs"
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("fails_at", [1, 2, 3])
def test_naming_all_or_none(tmp_path, monkeypatch, force, fails_at):
    """If one file cannot be named, those before it go back to what they were."""
    names = ["a", "b", "c"]
    if force:
        for name in names:
            (tmp_path / name).write_text("old")
    real_replace, real_link, calls = Path.replace, os.link, []

    def failing(real):
        def act(source, target):
            if Path(target).name in names and not str(source).endswith("old"):
                calls.append(target)
                if len(calls) == fails_at:
                    raise OSError(5, "Input/output error")
            return real(source, target)

        return act

    with Staging(force=force) as staging:
        for name in names:
            staging.add(tmp_path / name, b"new")
        if force:
            monkeypatch.setattr(Path, "replace", failing(real_replace))
        else:
            monkeypatch.setattr(os, "link", failing(real_link))
            monkeypatch.setattr(Path, "replace", failing(real_replace))
        with pytest.raises(shoal.OutputError, match="cannot be named: Input/output error"):
            staging.commit()
    monkeypatch.undo()
    left = {p.name: p.read_text() for p in tmp_path.iterdir()}
    assert left == (dict.fromkeys(names, "old") if force else {})


def test_places_that_cannot_be_written(result, tmp_path):
    """Links, folders, pipes, over-long names and a file for a folder are refused; nothing stays."""
    (tmp_path / "f").write_text("")
    (tmp_path / "link.csv").symlink_to(tmp_path / "f")
    (tmp_path / "dir.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    for output, message in (
        (tmp_path / "link.csv", "this is a link"),
        (tmp_path / "pipe.csv", "not an ordinary file"),
        (tmp_path / ("x" * 300 + ".csv"), "cannot be written"),
        (tmp_path / "f" / "t.csv", "cannot be written"),
    ):
        with pytest.raises(shoal.OutputError, match=message):
            files.save(result, Targets.of(str(output)), force=True)
    with pytest.raises(shoal.RequestError, match=r"ends in \.csv"):
        Targets.of("release.por")
    with pytest.raises(shoal.RequestError, match="format must be"):
        result.save(tmp_path, format="por")
    assert not list(tmp_path.glob(f"*{MARK}"))


def test_temporary_files_are_private_and_go(result, tmp_path, monkeypatch):
    """Until it is verified a file is its owner's alone; after an error nothing is left."""
    seen = []

    def fail(path, **options):
        for temporary in tmp_path.glob(f"new*/.*{MARK}"):
            seen.append(stat.S_IMODE(temporary.stat().st_mode))
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "verify", fail)
    mask = os.umask(0)
    try:
        with pytest.raises(KeyboardInterrupt):
            result.save(tmp_path / "new")
    finally:
        os.umask(mask)
    assert seen == [0o600] * (3 + 4)
    assert list(tmp_path.iterdir()) == []


def test_final_mode_follows_the_umask(result, tmp_path):
    """A finished file has the rights that the umask gives."""
    mask = os.umask(0o027)
    try:
        release = result.save(tmp_path)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(release.stat().st_mode) == 0o640


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_writer_that_splits_classes_is_caught(result, tmp_path, monkeypatch, kind):
    """If the file on disk is not k-anonymous, whatever memory says, nothing is written."""
    honest = files.release_bytes

    def faulty(table, order, kind, *_):
        column = table["pay"]
        values = column.values.to_numpy(zero_copy_only=False).copy()
        values[0] += 0.01
        broken = column.replace(values=pa.array(values))
        return honest(table.mapped(lambda c: broken if c.name == "pay" else c), order, kind)

    monkeypatch.setattr(files, "release_bytes", faulty)
    with pytest.raises(shoal.PrivacyError, match="smaller than 3"):
        result.save(tmp_path, format=kind)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(shoal.PrivacyError, match="smaller than 3"):
        files.stdout_bytes(result)


@pytest.mark.parametrize("cut", ["three digits", "single precision"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_writer_that_cuts_digits_is_caught(result, tmp_path, monkeypatch, cut, kind):
    """A file whose values are not those that were released is refused, k-anonymous or not."""
    honest = files.release_bytes

    def faulty(table, order, kind, *_):
        column = table["pay"]
        values = column.values.to_numpy()
        if cut == "three digits":
            values = np.array([float(f"{value:.3g}") for value in values])
        else:
            values = values.astype(np.float32).astype(np.float64)
        broken = column.replace(values=pa.array(values))
        return honest(table.mapped(lambda c: broken if c.name == "pay" else c), order, kind)

    monkeypatch.setattr(files, "release_bytes", faulty)
    with pytest.raises(shoal.OutputError, match="not what was to be written"):
        result.save(tmp_path, format=kind)
    assert list(tmp_path.iterdir()) == []


def test_every_kind_passes_the_check_on_disk(write, tmp_path):
    """Integers, decimals, floats, booleans, dates and times are read back as what was meant."""
    rows = "".join(
        f"{i},{i / 4},{i}e3,{'true' if i % 3 else 'false'},2024-01-{i + 1:02d},"
        f"2024-01-01T{i:02d}:00:07,{10**20 + i}\n"
        for i in range(12)
    )
    path = write("t.csv", "i,d,f,b,day,t,big\n" + rows)
    result = shoal.anonymize(path, k=4)
    for kind in ("csv", "csv.gz", "parquet"):
        release = result.save(tmp_path / kind, format=kind, report=False)
        quasi = ["i", "d", "f", "b", "day", "t", "big"]
        assert shoal.verify(release, k=4, quasi_identifiers=quasi).ok


def test_nanoseconds(tmp_path):
    """Times finer than Python's own are released and verified."""
    frame = pd.DataFrame({"t": pd.to_datetime([1, 3, 5, 1_000_000_007], unit="ns")})
    result = shoal.anonymize(frame, k=4)
    assert result.data["t"].astype("int64").tolist() == [250_000_004] * 4
    for kind in ("csv", "parquet"):
        assert result.save(tmp_path / kind, format=kind, report=False).exists()
    assert "00:00:00.250000004" in (tmp_path / "csv" / "release.csv").read_text()


def test_lost_rows_and_extra_columns_are_caught(result, tmp_path, monkeypatch):
    """A file with too few records or a column too many is refused."""
    honest = files.release_bytes
    monkeypatch.setattr(files, "release_bytes", lambda t, o, k, *_: honest(t, o[:-3], k))
    with pytest.raises(shoal.PrivacyError, match="records"):
        result.save(tmp_path)

    def extra(table, order, kind, *_):
        named = table["row"].replace(name="who")
        return honest(type(table)((*table.columns, named), table.source), order, kind)

    monkeypatch.setattr(files, "release_bytes", extra)
    with pytest.raises(shoal.PrivacyError, match="1 should not be there"):
        result.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_sweep_takes_the_dead_and_leaves_the_living(tmp_path):
    """A temporary file of a killed run goes at the next start; one in use stays."""
    dead = tmp_path / f".t.csv.0123{MARK}"
    dead.write_text("x")
    other = tmp_path / f".u.csv.0123{MARK}"
    other.write_text("x")
    with Staging(force=True) as staging:
        living = staging.add(tmp_path / "t.csv", b"x")
        assert not dead.exists()
        assert sweep(tmp_path, "t.csv") == 0
        assert living.exists()
        with living.open() as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert other.exists()
    assert not living.exists()


def test_disk_full(result, monkeypatch, tmp_path):
    """A write that fails leaves nothing and says why."""

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(shoal.OutputError, match="No space left on device"):
        result.save(tmp_path / "new")
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_python_makes_no_folder_that_nobody_asked_for(result, tmp_path, monkeypatch):
    """save, pack, anonymize_file and charts refuse a place whose own folder is not there."""
    monkeypatch.setenv("SHOAL_CHARTS", "on")
    place = tmp_path / "no"
    source = tmp_path / "t.csv"
    source.write_text("a,b\n" + "".join(f"{i},{i % 5}\n" for i in range(8)))
    for write in (
        lambda: result.save(place / "out"),
        lambda: result.pack(place / "out"),
        lambda: result.plot.sizes().save(place / "sizes.svg"),
        lambda: shoal.anonymize_file(source, place / "x.csv", k=2),
        lambda: shoal.anonymize_file(source, f"{place}/out/", k=2),
        lambda: shoal.compare(source, k=[2], methods=["mdav"], resume=place / "notes.jsonl"),
    ):
        with pytest.raises(shoal.OutputError, match="there is no folder"):
            write()
        assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_without_hard_links(tmp_path, monkeypatch):
    """On a file system without hard links files are named by renaming, and still never replaced."""

    def no_links(source, target):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", no_links)
    for force in (False, True):
        with Staging(force=force) as staging:
            staging.add(tmp_path / "a", b"new")
            staging.commit()
        assert (tmp_path / "a").read_text() == "new"
    with Staging(force=False) as staging:
        staging.add(tmp_path / "a", b"newer")
        with pytest.raises(shoal.OutputError, match="exists"):
            staging.commit()
    assert (tmp_path / "a").read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_rollback_without_hard_links(tmp_path, monkeypatch):
    """Old files come back from a copy where there are no hard links."""
    names, real = ["a", "b"], Path.replace
    for name in names:
        (tmp_path / name).write_text(f"old {name}")

    def no_links(source, target):
        raise OSError(1, "Operation not permitted")

    def fails_at_b(source, target):
        if Path(target).name == "b" and source.read_bytes() == b"new":
            raise OSError(5, "Input/output error")
        return real(source, target)

    with Staging(force=True) as staging:
        for name in names:
            staging.add(tmp_path / name, b"new")
        monkeypatch.setattr(os, "link", no_links)
        monkeypatch.setattr(Path, "replace", fails_at_b)
        with pytest.raises(shoal.OutputError, match="Input/output error"):
            staging.commit()
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a": "old a", "b": "old b"}


def test_long_names_in_many_bytes(tmp_path):
    """A name that a folder can hold can be written, whatever its letters."""
    target = tmp_path / ("漢" * 80 + ".csv")
    with Staging(force=False) as staging:
        staging.add(target, b"new")
        staging.commit()
    assert target.read_text() == "new"


def test_from_another_thread(tmp_path):
    """A thread that may not touch signals can write a release too."""
    import threading

    def act():
        with Staging(force=False) as staging:
            staging.add(tmp_path / "a", b"new")
            staging.commit()

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()
    assert (tmp_path / "a").read_text() == "new"


def test_file_names():
    """-o F.csv puts the report beside it, F.private/ gets the recipe; a folder has fixed names."""
    targets = Targets.of("a/b.v1.csv")
    assert [p.as_posix() for p in (targets.release, targets.report, targets.private)] == [
        "a/b.v1.csv", "a/b.v1.report.json", "a/b.v1.private",
    ]  # fmt: skip
    assert Targets.of("a/new/").private.as_posix() == "a/new.private"
    here = Path.cwd()
    assert Targets.of("./").private == here.with_name(f"{here.name}.private")
    assert Targets.of("../").private == here.parent.with_name(f"{here.parent.name}.private")
    with pytest.raises(shoal.RequestError, match="beside it"):
        Targets.of("/")
    assert Targets.of("a/b.csv.gz").report.name == "b.report.json"
    assert Targets.of("new/").release.as_posix() == "new/release.csv"


def test_targets_that_cannot_be(tmp_path):
    """A folder, a link, a pipe, the input itself and what exists are refused, each by its name."""
    staging = Staging(force=True)
    file, link, pipe = tmp_path / "t.csv", tmp_path / "link", tmp_path / "pipe"
    file.write_text("a\n")
    link.symlink_to(file)
    os.mkfifo(pipe)
    for target, inputs, message in (
        (tmp_path, (), "this is a folder"),
        (link, (), "this is a link"),
        (pipe, (), "not an ordinary file"),
        (file, (file,), "the same file"),
        (file, (tmp_path / "other", tmp_path / "." / "t.csv"), "the same file"),
    ):
        with pytest.raises(shoal.OutputError, match=message):
            staging.check(target, *inputs)
    staging.check(file)
    staging.check(tmp_path / "new.csv", file)
    with pytest.raises(shoal.OutputError, match="exists; say force=True"):
        Staging(force=False).check(file)


def test_a_copy_set_aside_is_private(tmp_path, monkeypatch):
    """Where no links can be made, the copy of what is replaced is for its owner only."""

    def no_links(*_):
        raise OSError(errno.EPERM, "no links here")

    target = tmp_path / "t.csv"
    target.write_text("old")
    monkeypatch.setattr(os, "link", no_links)
    mask = os.umask(0)
    try:
        backup = staging._set_aside(target)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert backup.read_text() == "old"


def test_paths_that_cannot_be_looked_at(tmp_path):
    """The reason of the operating system is given, where it has one."""
    with pytest.raises(shoal.OutputError, match="cannot be written: File name too long"):
        Staging(force=False).check(tmp_path / ("x" * 300))


def test_digits_that_floats_hold(write, tmp_path):
    """Fixed-point numbers of 15 digits are floats in Parquet, those of 16 stay as they are."""
    for text, kind in (("1234567890123.45", "double"), ("12345678901234.56", "decimal128")):
        path = write("t.csv", f"a,o\n1,{text}\n1,{text}\n")
        found = shoal.anonymize(path, k=2, quasi_identifiers=["a"], other=["o"])
        saved = found.save(tmp_path / kind, format="parquet")
        assert str(pq.read_table(saved).schema.field("o").type).startswith(kind)


EARLY = """
import sys, tempfile
from shoal.errors import ShoalError
def full(**_):
    raise OSError(28, "No space left on device")
if {full}:
    tempfile.TemporaryFile = full
try:
    {call}
except (SystemExit, ShoalError) as error:
    code = getattr(error, "exit_code", None) or error.code
    print(code, "numba" in sys.modules, "duckdb" in sys.modules)
"""
BY_PYTHON = "import shoal; shoal.anonymize_file({source!r}, {output!r}, k=2)"
BY_COMMAND = (
    "from shoal.cli import app; app(['anonymize', {source!r}, '-k', '2', {to!r}, {output!r}])"
)


@pytest.mark.parametrize(
    ("source", "output", "full"),
    [("t.csv", "old.csv", False), ("no.csv", "new.csv", False), ("t.csv", "new.csv", True)],
)
@pytest.mark.parametrize(
    ("call", "to"), [(BY_PYTHON, ""), (BY_COMMAND, "-o"), (BY_COMMAND, "--pack")]
)
def test_what_cannot_be_done_costs_no_work(tmp_path, call, to, source, output, full):
    """A target that is there, a full disk or a mistyped input is told before anything is loaded."""
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "old.csv").write_text("old")
    said = call.format(source=source, output=output, to=to)
    code = [sys.executable, "-c", EARLY.format(call=said, full=full)]
    ran = subprocess.run(code, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout == "2 False False\n", ran.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.csv", "t.csv"]
