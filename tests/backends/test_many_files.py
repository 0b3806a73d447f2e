"""Many files in, many files out, on this machine: paths and URLs, manifests, what is refused."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as library
from backends.tables import (
    MORE,
    QUASI,
    RECORDS,
    Here,
    hashes,
    left,
    listed,
    mixed,
    people,
    run,
    smallest,
    together,
    write_parts,
)
from shoal.errors import EngineLostError, InputError, OutputError, RequestError
from shoal.pipeline.regions.parts import OutputFolder
from shoal.pipeline.regions.run_folder import RunFolder
from shoal.storage.names import is_url
from shoal.storage.places import Folder, Remote, storage
from shoal.storage.private_folder import FILES
from shoal.table.files.many_files import digest_parts, find_parts, is_many
from thorough import spread

SAID = ["--quasi", ",".join(QUASI), "--identifier", "name", "--sensitive", "diagnosis"]


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A release of many files that nobody changes."""
    folder = tmp_path_factory.mktemp("released")
    run(write_parts(folder / "in"), folder / "out", Here(1))
    return folder / "out"


def url(path):
    """A URL that fsspec opens on this machine."""
    return f"local://{path}"


def test_every_record_once(tmp_path):
    """All records of all files come out, each in a class of at least k, with its own word."""
    pattern = write_parts(tmp_path / "in", sizes=MORE)
    run(pattern, tmp_path / "out", Here(1), release={"keep_order": True})
    before = pa.concat_tables([people(rows, number) for number, rows in enumerate(MORE) if rows])
    after = together(tmp_path / "out")
    assert after["diagnosis"].to_pylist() == before["diagnosis"].to_pylist()
    assert smallest(after, QUASI) >= 10
    keys = list(zip(*(after[name].to_pylist() for name in QUASI), strict=True))
    ages = np.array(before["age"].to_pylist(), dtype=float)
    groups = {}
    for row, key in enumerate(keys):
        groups.setdefault(key, []).append(row)
    for key, rows in groups.items():
        assert abs(ages[rows].mean() - float(key[0])) <= 0.5 + 1e-9


def test_the_manifest(tmp_path, monkeypatch):
    """The manifest lists every part with its records, bytes and hash; verify goes by it."""
    import hashlib

    write_parts(tmp_path / "in")
    found = library.anonymize_file(
        tmp_path / "in", tmp_path / "out/", k=10, quasi_identifiers=QUASI, identifiers=["name"],
        engine="threads",
    )  # fmt: skip
    out = tmp_path / "out"
    told = json.loads((out / "manifest.json").read_text())
    assert found.path == out / "manifest.json"
    assert told["schema"] == "shoal.manifest/1"
    assert told["records"] == RECORDS
    assert (told["k"], told["quasi_identifiers"]) == (10, QUASI)
    for part in told["parts"]:
        content = (out / part["file"]).read_bytes()
        assert part["bytes"] == len(content)
        assert part["sha256"] == hashlib.sha256(content).hexdigest()
        assert part["records"] == pq.read_metadata(out / part["file"]).num_rows
    names = {path.name for path in out.iterdir()} - {part["file"] for part in told["parts"]}
    assert names == {"manifest.json", "report.json", "report.html"}
    assert {path.name for path in (tmp_path / "out.private").iterdir()} == set(FILES)
    report = json.loads((out / "report.json").read_text())
    assert report["release"]["file"] == "manifest.json"
    digest = hashlib.sha256((out / "manifest.json").read_bytes()).hexdigest()
    assert report["release"]["sha256"] == digest
    checked = library.verify(out, k=10, quasi_identifiers=QUASI)
    assert checked.ok
    assert (checked.records, checked.classes) == (RECORDS, told["classes"])
    assert not library.verify(out, k=400, quasi_identifiers=QUASI).ok
    monkeypatch.chdir(out)  # as the page says it
    assert "shoal verify manifest.json -k 10" in (out / "report.html").read_text()
    for said in ("manifest.json", found.path, url(found.path)):
        assert library.verify(said, k=10, quasi_identifiers=QUASI).records == RECORDS


@pytest.mark.parametrize("fault", ["changed", "gone", "added", "no list"])
def test_a_folder_that_is_not_its_manifest(tmp_path, shoal, released, fault):
    """Files that were changed, removed or added after the release are found by verify."""
    shutil.copytree(released, tmp_path / "out")
    part = tmp_path / "out" / listed(tmp_path / "out")[1]["file"]
    if fault == "changed":
        table = pq.read_table(part)
        pq.write_table(table.slice(1), part)
    elif fault == "gone":
        part.unlink()
    elif fault == "added":
        shutil.copy(part, part.with_name("part-99999.parquet"))
    else:
        (tmp_path / "out" / "manifest.json").write_text("[]")
    with pytest.raises(InputError, match=r"manifest\.json"):
        library.verify(tmp_path / "out", k=10, quasi_identifiers=QUASI)
    found = shoal("verify", f"{tmp_path}/out/", "-k", "10", "--quasi", ",".join(QUASI))
    assert found.code == 2


def test_the_command_line(tmp_path, shoal):
    """A pattern in, a folder out, verified by another command, repeated by its recipe."""
    pattern = write_parts(tmp_path / "in")
    found = shoal("anonymize", pattern, "-k", "10", *SAID, "-o", tmp_path / "out/", "--json")
    assert found.code == 0, found.err
    told = json.loads(found.out)
    assert told["verification"]["ok"]
    assert "the engine is threads" in " ".join(told["notes"])
    assert "Parquet parts, manifest.json, report.json, report.html\n" in found.err
    assert f"not to be published: {tmp_path}/out.private/: report.json" in found.err
    checked = shoal("verify", tmp_path / "out", "-k", "10", "--quasi", ",".join(QUASI))
    assert checked.code == 0
    assert f"{RECORDS:,} records" in checked.out
    recipe = tmp_path / "out.private" / "run.toml"
    again = shoal("run", recipe, "-o", tmp_path / "again/", "--no-report")
    assert again.code == 0, again.err
    one, other = (together(tmp_path / name) for name in ("out", "again"))
    names = [*QUASI, "diagnosis"]
    rows = [sorted(map(str, zip(*(t[n].to_pylist() for n in names), strict=True)))
            for t in (one, other)]  # fmt: skip
    assert rows[0] == rows[1]
    pq.write_table(people(50, 77), tmp_path / "in" / "7.parquet")
    found = shoal("run", recipe, "-o", tmp_path / "third/")
    assert found.code == 2
    assert "the input has changed" in found.err


def test_csv_by_an_engine(tmp_path, shoal):
    """A csv file is read here, and grouped as files of Parquet are."""
    import csv

    table = people(900, 1)
    with (tmp_path / "in.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        writer.writerows(zip(*(table[n].to_pylist() for n in table.column_names), strict=True))
    found = shoal(
        "anonymize", tmp_path / "in.csv", "-k", "10", *SAID, "--engine", "threads", "-o",
        tmp_path / "out", "--no-report",
    )  # fmt: skip
    assert found.code == 0, found.err
    assert smallest(together(tmp_path / "out"), QUASI) >= 10
    assert together(tmp_path / "out").num_rows == 900


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-o", "-"], 2, "a release is a folder of Parquet files"),
        (["-o", "out", "--delimiter", ";"], 2, "for csv files only"),
        (["-o", "ftp://me:secret@host/out"], 2, "must not hold a password"),
        (["-o", "out", "--work", "nothing://x/y"], 2, "no kind of storage that is known"),
    ],
)
def test_what_is_refused(tmp_path, shoal, monkeypatch, arguments, code, message):
    """Requests that cannot be met end with one line, and leave nothing."""
    monkeypatch.chdir(tmp_path)
    write_parts(tmp_path / "in")
    found = shoal("anonymize", "in/*.parquet", "-k", "10", "--quasi", ",".join(QUASI), *arguments)
    assert (found.code, message in found.err) == (code, True), found.err
    assert "secret" not in found.err
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_files_that_do_not_fit_together(tmp_path):
    """A file with other columns or types is named; one without values has any type."""
    write_parts(tmp_path / "in", sizes=(600, 600))
    table = people(10, 3)
    other = tmp_path / "in" / "9.parquet"
    narrow = table.set_column(1, "age", table["age"].cast("int32"))
    turned = table.select(table.column_names[::-1])
    for wrong in (table.drop_columns(["age"]), narrow, turned):
        pq.write_table(wrong, other)
        with pytest.raises(InputError, match=r"'9\.parquet': its columns are not those of '0\."):
            find_parts(str(tmp_path / "in"))
    pq.write_table(table.set_column(5, "diagnosis", pa.nulls(10)), other)
    parts = find_parts(str(tmp_path / "in"))
    assert parts.schema.field("diagnosis").type == pa.string()
    assert [t.rows for t in parts.again(len(parts.chunks) - 1)] == [10]
    words = pa.table({**dict(zip(table.column_names, table.columns, strict=True)),
                      "diagnosis": table["diagnosis"].dictionary_encode()})  # fmt: skip
    pq.write_table(words, other)
    assert find_parts(str(tmp_path / "in")).schema.field("diagnosis").type == pa.string()
    other.write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match=r"9\.parquet: not a whole"):
        find_parts(str(tmp_path / "in"))


def test_what_names_several_files(tmp_path):
    """Patterns, folders and URLs name several files; a file with such a name does not."""
    write_parts(tmp_path / "in", sizes=(5, 5))
    odd = tmp_path / "a[1].parquet"
    pq.write_table(people(5, 1), odd)
    (tmp_path / "in" / "_SUCCESS").write_text("")
    (tmp_path / "in" / ".hidden.parquet").write_text("")
    assert is_many(f"{tmp_path}/in/*.parquet")
    assert is_many(str(tmp_path / "in"))
    assert is_many("s3://bucket/x.parquet")
    assert not is_many(str(odd))
    assert not is_many(str(tmp_path / "in" / "0.parquet"))
    for name in (f"{tmp_path}/in", f"{tmp_path}/in/", f"{tmp_path}/in/*.parquet",
                 f"file://{tmp_path}/in/*.parquet", url(tmp_path / "in/*.parquet"),
                 url(tmp_path / "in")):  # fmt: skip
        found = find_parts(name)
        assert [part.name for part in found.parts] == ["0.parquet", "1.parquet"]
        assert digest_parts(name) == digest_parts(str(tmp_path / "in"))
    with pytest.raises(InputError, match="there is no Parquet file here"):
        find_parts(str(tmp_path / "nothing" / "*.parquet"))
    with pytest.raises(InputError, match="there is no"):
        find_parts(url(tmp_path / "nothing"))


def test_chunks(tmp_path):
    """Chunks are whole row groups, of about as many records as asked, and cover every record."""
    write_parts(tmp_path / "in", sizes=(1200, 0, 700, 1))
    for size in (1, 500, 1000, 10_000):
        parts = find_parts(str(tmp_path / "in"), chunk=size)
        rows = [sum(t.rows for t in parts.again(n)) for n in range(parts.tasks)]
        assert sum(rows) == parts.rows == 1901
        assert all(rows)
        assert [parts.start(n) for n in range(parts.tasks)] == np.cumsum([0, *rows[:-1]]).tolist()
        assert max(rows) <= max(size, 500)


def test_a_file_that_changes_meanwhile(tmp_path):
    """A file that was replaced after it was found is refused, not read as another."""
    write_parts(tmp_path / "in", sizes=(600, 600))
    parts = find_parts(str(tmp_path / "in"))
    pq.write_table(people(600, 5), tmp_path / "in" / "1.parquet")
    with pytest.raises(InputError, match="the file changed while it was read"):
        list(parts.again(1))


@pytest.mark.parametrize("kind", spread(["numbers", "words"], 1))
@pytest.mark.slow
def test_at_urls(tmp_path, kind):
    """Input, work folder and output at URLs give the same release as paths do."""
    tree = {}
    if kind == "words":
        tree = {"roles": {"quasi_identifiers": ["town", "age", "job"]}}
    write_parts(tmp_path / "in", mixed if kind == "words" else people)
    (tmp_path / "work").mkdir()
    run(tmp_path / "in", tmp_path / "here", Here(1), **tree)
    work = url(tmp_path / "work")
    run(url(tmp_path / "in/*.parquet"), url(tmp_path / "away"), Here(1), parent=work, **tree)
    contents = [[sha for _, sha in hashes(tmp_path / name)] for name in ("away", "here")]
    assert contents[0] == contents[1]
    assert list((tmp_path / "work").iterdir()) == []
    place = url(tmp_path / "away")
    names = ["town", "age", "job"] if kind == "words" else QUASI
    assert library.verify(place, k=10, quasi_identifiers=names).ok
    with pytest.raises(OutputError, match="exists; say force=True"):
        run(tmp_path / "in", place, Here(1), parent=work, **tree)
    run(tmp_path / "in", place, Here(1), parent=work, force=True, **tree)
    assert library.verify(place, k=10, quasi_identifiers=names).ok
    (tmp_path / "away" / "mine.txt").write_text("x")
    with pytest.raises(OutputError, match="1 files in it are of no release of ours"):
        run(tmp_path / "in", place, Here(1), parent=work, force=True, **tree)


@pytest.mark.slow
def test_what_is_replaced(tmp_path):
    """A release is replaced as a whole where somebody says so, and nothing else ever is."""
    pattern = write_parts(tmp_path / "in")
    out = tmp_path / "out"
    out.mkdir()
    run(pattern, out, Here(1))  # an empty folder is as good as none
    first = hashes(out)
    with pytest.raises(OutputError, match="exists; say force=True"):
        run(pattern, out, Here(1))
    run(pattern, out, Here(1), force=True, protect={"k": 30})
    assert hashes(out) != first
    assert smallest(together(out), QUASI) >= 30
    (out / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match="of no release of ours"):
        run(pattern, out, Here(1), force=True)
    assert (out / "notes.txt").read_text() == "mine"
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="this is a file"):
        run(pattern, tmp_path / "file", Here(1), force=True)
    (tmp_path / "link").symlink_to(out)
    with pytest.raises(OutputError, match="this is a link"):
        run(pattern, tmp_path / "link", Here(1), force=True)
    assert left(tmp_path) == []


def test_the_input_is_never_replaced(tmp_path, released):
    """An output that is, holds or is linked to the input is refused, forced or not."""
    shutil.copytree(released, tmp_path / "first")
    for target in ("first", "first/../first", "link"):
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to(tmp_path / "first")
        with pytest.raises(OutputError, match="the input lies there"):
            run(tmp_path / "first" / "*.parquet", tmp_path / target, Here(1), force=True,
                roles={"quasi_identifiers": QUASI})  # fmt: skip
    with pytest.raises(OutputError, match="the input lies there"):
        OutputFolder.of("s3://bucket/out/", True).check(["s3://bucket/out/deep/a.parquet"])
    assert library.verify(tmp_path / "first", k=10, quasi_identifiers=QUASI).ok


def test_files_of_others_stay(tmp_path):
    """A manifest that is not ours makes nothing ours; one that lists other places harms nobody."""
    pattern = write_parts(tmp_path / "in")
    for name in ("out", "away"):
        out = tmp_path / name
        out.mkdir()
        (out / "manifest.json").write_text('{"name": "an app"}')
        (out / "run.toml").write_text("mine")
        place = url(out) if name == "away" else out
        with pytest.raises(OutputError, match="2 files in it are of no release of ours"):
            run(pattern, place, Here(1), force=True)
        assert (out / "run.toml").read_text() == "mine"
    victim = tmp_path / "victim.txt"
    victim.write_text("x")
    told = {"schema": "shoal.manifest/1", "parts": [{"file": "../victim.txt", "sha256": ""}]}
    shutil.rmtree(tmp_path / "away")
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "manifest.json").write_text(json.dumps(told))
    run(pattern, url(tmp_path / "away"), Here(1), force=True)
    assert victim.exists()


def test_what_a_lost_worker_left_is_not_published(tmp_path, monkeypatch):
    """Half a part in the folder of the run is removed, not renamed with the rest."""
    before = OutputFolder.commit

    def commit(self, staged, names, own, done):
        (staged.path / "part-00000.parquet.12345678.half").write_bytes(b"half")
        (staged.path / "report.html").write_text("of an earlier run")
        before(self, staged, names, own, done)

    monkeypatch.setattr(OutputFolder, "commit", commit)
    (tmp_path / "out").mkdir(mode=0o700)
    run(write_parts(tmp_path / "in"), tmp_path / "out", Here(1))
    names = {path.name for path in (tmp_path / "out").iterdir()}
    parts = {part["file"] for part in listed(tmp_path / "out")}
    assert names == {*parts, "manifest.json", "report.json"}
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700  # as it was


@pytest.mark.slow
def test_a_url_that_fails_while_it_is_written(tmp_path, monkeypatch, released):
    """The release that was there before is there still, and whole."""
    pattern = write_parts(tmp_path / "in")
    place = url(tmp_path / "away")
    shutil.copytree(released, tmp_path / "away")
    first = hashes(tmp_path / "away")
    before, count = Remote.take, []

    def take(self, other, name):
        count.append(name)
        if len(count) == 3:
            raise OSError(5, "Input/output error")
        before(self, other, name)

    with monkeypatch.context() as patch:
        patch.setattr(Remote, "take", take)
        with pytest.raises(OutputError, match="Input/output error"):
            run(pattern, place, Here(1), force=True, protect={"k": 30})
    assert hashes(tmp_path / "away") == first
    assert library.verify(place, k=10, quasi_identifiers=QUASI).ok
    run(pattern, place, Here(1), force=True, protect={"k": 30})
    assert library.verify(place, k=30, quasi_identifiers=QUASI).ok
    assert left(tmp_path) == []


def test_a_task_of_an_earlier_run(tmp_path):
    """What a task does that still works for another request reaches nobody."""
    from functools import partial

    from shoal.pipeline.regions.run_folder import Files
    from shoal.pipeline.regions.tasks import RemoteStep

    one = RunFolder(tmp_path / "out", {"k": 3}).__enter__()
    remote_step = RemoteStep(Files(one.storage), partial(pow, 2), library.__version__)
    assert remote_step(3)["result"] == 8
    one._lock.release()  # killed
    with RunFolder(tmp_path / "out", {"k": 4}) as other:
        assert not other.resumed
        with pytest.raises(OutputError):
            one.note("grouped-0-0", 1)
        assert "does not find" in remote_step(3)["error"]["said"]
        assert other.storage.names() == ["request.json"]
    with RunFolder("memory://x/a", {"k": 3}) as far:
        files = Files(far.storage)
        files.note("early", 1)
        assert files.read("early") == 1
    files.note("late", 1)
    assert files.storage.names() == []


def test_relative_places(tmp_path, monkeypatch, shoal):
    """Workers need not stand where the command does: places travel whole."""
    monkeypatch.chdir(tmp_path)
    write_parts(tmp_path / "in")
    assert OutputFolder.of("out", False).place == str(tmp_path / "out")
    with RunFolder(Path("out"), 1) as work:
        assert Path(work.storage.location).is_absolute()
    assert RunFolder(Path("out"), 1, "memory://x").storage.location.startswith("memory://x/.out.")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    found = shoal("anonymize", "../in", "-k", "10", *SAID, "-o", ".", "--no-report")
    assert found.code == 0, found.err
    assert library.verify(tmp_path / "empty", k=10, quasi_identifiers=QUASI).ok


def test_work_at_a_url_and_output_at_a_path(tmp_path):
    """What was made at a URL is copied beside its place, then renamed."""
    (tmp_path / "work").mkdir()
    work = url(tmp_path / "work")
    run(write_parts(tmp_path / "in"), tmp_path / "out", Here(1), parent=work)
    assert library.verify(tmp_path / "out", k=10, quasi_identifiers=QUASI).ok
    assert left(tmp_path) == []
    assert list((tmp_path / "work").iterdir()) == []


def test_names_with_signs_of_patterns(tmp_path, shoal):
    """A folder named a[1] is itself, not a1; ** goes down; a folder in a folder is asked about."""
    write_parts(tmp_path / "a[1]", sizes=(600,))
    write_parts(tmp_path / "a1", sizes=(77,))
    assert find_parts(str(tmp_path / "a[1]")).rows == 600
    out = tmp_path / "out[9]"
    found = shoal("anonymize", tmp_path / "a[1]", "-k", "10", *SAID, "-o", out, "--no-report")
    assert found.code == 0, found.err
    assert together(out).num_rows == 600
    recipe = out.with_name("out[9].private") / "run.toml"
    found = shoal("run", recipe, "-o", tmp_path / "again", "--no-report")
    assert found.code == 0, found.err
    write_parts(tmp_path / "a1" / "deep", sizes=(5, 6))
    assert find_parts(f"{tmp_path}/a1/**/*.parquet").rows == 88
    assert find_parts(f"{tmp_path}/a1/*.parquet").rows == 77
    with pytest.raises(InputError, match="2 Parquet files lie in folders of it"):
        find_parts(str(tmp_path / "a1"))


def test_one_part_at_a_url(released):
    """verify takes a single Parquet file at a URL too."""
    part = listed(released)[0]
    found = library.verify(url(released / part["file"]), k=1, quasi_identifiers=QUASI)
    assert found.records == part["records"]


def test_another_disk(tmp_path, monkeypatch):
    """A work folder on another disk is no obstacle: the release is copied, then renamed."""
    pattern = write_parts(tmp_path / "in")
    here = tmp_path.stat().st_dev
    places = [place for place in map(Path, ("/dev/shm", "/var/tmp")) if os.access(place, os.W_OK)]
    other = next((place for place in places if place.stat().st_dev != here), None)
    if other is None:
        pytest.skip("there is no other disk here")
    work = other / f"shoal-test-{os.getpid()}"
    work.mkdir()
    try:
        run(pattern, tmp_path / "out", Here(1), parent=work)
        assert list(work.iterdir()) == []
    finally:
        shutil.rmtree(work)
    assert library.verify(tmp_path / "out", k=10, quasi_identifiers=QUASI).ok
    assert left(tmp_path) == []


KILLED = """
import sys
from backends.tables import Here, run
run(sys.argv[1], sys.argv[2], Here(1))
"""


@pytest.mark.slow
def test_a_killed_run_goes_on(tmp_path):
    """kill -9 at some moments, then once more: the release is the one of a quiet run."""
    pattern = write_parts(tmp_path / "in", sizes=MORE)
    run(pattern, tmp_path / "here", Here(1))
    seen = set()
    for wanted in ("parted.json", "moved-1-0.json", "out-1.json", "part-2.json"):
        paths = [str(Path(__file__).parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        place = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, pattern, str(tmp_path / "away")], env=place
        )
        end = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < end:
            if any(tmp_path.glob(f".away.*/*/{wanted}")):
                process.send_signal(signal.SIGKILL)
                seen.add(wanted)
            time.sleep(0.002)
        process.wait()
        if (tmp_path / "away").exists():
            break
    assert seen
    if not (tmp_path / "away").exists():
        run(pattern, tmp_path / "away", Here(1))
    assert hashes(tmp_path / "away") == hashes(tmp_path / "here")
    assert left(tmp_path) == []


@pytest.mark.parametrize("make", [Folder, lambda path: Remote(url(path))])
def test_storage(tmp_path, make):
    """Files of a folder, at a path and at a URL."""
    place = make(tmp_path / "new")
    place.make()
    with place.writing("a") as file:
        file.write(b"12345")
    with place.open("a") as file:
        file.seek(2)
        assert file.read() == b"345"

    with contextlib.suppress(ZeroDivisionError), place.writing("b") as file:
        file.write(b"half")
        _ = 1 / 0
    assert place.names() == ["a"]
    place.remove("a", "never there")
    assert place.names() == []
    with pytest.raises(FileNotFoundError):
        place.open("a")
    place.clear()
    assert not (tmp_path / "new").exists()
    place.clear()


def test_locations(tmp_path):
    """Paths and file URLs are folders of this machine; a URL holds no key."""
    assert isinstance(storage(f"file://{tmp_path}"), Folder)
    assert isinstance(storage(str(tmp_path)), Folder)
    assert isinstance(storage("memory://x"), Remote)
    assert is_url("s3://a/b")
    assert not is_url("C:/a")
    for bad in ("s3://key:secret@bucket/a", "https://host/a?sig=secret"):
        with pytest.raises(RequestError, match="must not hold") as found:
            storage(bad)
        assert "secret" not in str(found.value)


def test_a_storage_that_fails_for_a_while(tmp_path, monkeypatch):
    """What was done is kept when a storage does not answer, and the next run goes on with it."""
    pattern = write_parts(tmp_path / "in")
    (tmp_path / "work").mkdir()
    work = url(tmp_path / "work")
    before = Remote.writing

    def writing(self, name):
        if name == "moved-1-1":
            raise OSError(110, "Connection timed out")
        return before(self, name)

    with monkeypatch.context() as patch:
        patch.setattr(Remote, "writing", writing)
        with pytest.raises(library.EngineError, match=r"Connection timed out\); what was done is"):
            run(pattern, tmp_path / "out", Here(1), parent=work)
    assert len(left(tmp_path / "work")) == 1
    stages = []
    run(pattern, tmp_path / "out", Here(1), lambda p: stages.append(p.stage), parent=work)
    assert "looking" not in stages
    assert library.verify(tmp_path / "out", k=10, quasi_identifiers=QUASI).ok
    assert left(tmp_path / "work") == []


def test_which_failures_pass():
    """What may pass is kept to go on from; a mistake is not."""
    from shoal.executor import worker_failed

    told = worker_failed("MemoryError in solve.py, line 7 on a")
    assert isinstance(told, EngineLostError)
    assert "what was done is kept" in str(told)
    assert type(worker_failed("KeyError in solve.py, line 7 on a")) is library.EngineError


def test_a_folder_that_cannot_be_removed(tmp_path, monkeypatch, caplog):
    """Records that stay behind are told of."""
    monkeypatch.setattr(Folder, "clear", lambda self: None)
    with RunFolder(tmp_path / "out", 1):
        pass
    assert "cannot be removed: remove it, it holds records" in caplog.text


def test_the_folder_of_a_run_at_a_url(tmp_path):
    """It is taken over by the same request and emptied by another; gone in the end."""
    place = url(tmp_path)
    target = f"{place}/out"
    one = RunFolder(target, {"k": 3}).__enter__()
    one.note("done", [1])
    again = RunFolder(target, {"k": 3}).__enter__()
    assert again.resumed
    assert again.read("done") == [1]
    with RunFolder(target, {"k": 4}) as other:
        assert not other.resumed
        assert other.read("done") is None
    assert left(tmp_path) == []
