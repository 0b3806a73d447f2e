"""Code in files, dependencies, and jobs that would take everything: W9, W10, W11."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import pickle
import re
from importlib import metadata
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from desks import LONG, census_like, running, workers_of
from shoal.errors import ShoalError
from shoal.web.bodies import Refused
from shoal.web.jobs import QUEUED, Job, Queue
from shoal.web.processes import Processes
from shoal.web.session import Session

ROOT = Path(shoal.__file__).parent
REPOSITORY = ROOT.parents[1]
RUNS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal", "yaml", "joblib"}
KNOWN = {
    "annotated-doc", "annotated-types", "colorama", "editables", "hatchling", "llvmlite",
    "duckdb", "filelock", "markdown-it-py", "mdurl", "narwhals", "numba", "numpy", "packaging",
    "platformdirs",
    "pathspec",
    "pluggy", "pyarrow", "pydantic", "pydantic-core", "pygments", "rich", "shellingham", "tomlkit",
    "trove-classifiers", "typer", "typing-extensions", "typing-inspection", "vl-convert-python",
}  # fmt: skip
FREE = "MIT", "BSD", "Apache", "PSF", "Python Software Foundation", "ISC", "MPL", "Mozilla"


def trees():
    """Every module of the library that has such a word, parsed: no other can do it."""
    words = re.compile("|".join(FORBIDDEN | RUNS))
    texts = {path: path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    assert len(texts) > 500
    for path, text in texts.items():
        if words.search(text):
            yield path, ast.parse(text)


def test_no_module_runs_what_it_reads():
    """No pickle, no yaml, no eval or exec anywhere in the library."""
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {(node.module or "").split(".")[0]}
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                names = {node.func.id} & RUNS
                assert not names, f"{path}:{node.lineno}"
                continue
            else:
                continue
            assert not names & FORBIDDEN, f"{path}:{node.lineno}"


class Bomb:
    """An object whose unpickling makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (Path(self.path),)


def test_hostile_files_run_nothing(desk, tmp_path):
    """A pickle by another name, and a Parquet file whose type is a pickle, make no marker file."""
    marker = tmp_path / "marker"
    payload = pickle.dumps(Bomb(str(marker)))
    plain = tmp_path / "t.csv"
    plain.write_bytes(payload)
    field = pa.field("a", pa.int64(), metadata={
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": payload,
    })  # fmt: skip
    hostile = tmp_path / "t.parquet"
    pq.write_table(pa.table([pa.array([1, 1, 2, 2])], schema=pa.schema([field])), hostile)
    for path in (plain, hostile):
        with contextlib.suppress(ShoalError):
            shoal.anonymize(path, k=2)
    for path in (plain, hostile):
        desk.looked(desk.upload(path.name, path.read_bytes()))
    assert not marker.exists()
    pickle.loads(payload)  # noqa: S301 - the fixture does what it should be feared for
    assert marker.exists()


def test_dependencies_are_known_and_pinned():
    """Every package of a plain install is on the list, with a version and hashes."""
    text = (REPOSITORY / "requirements/run.txt").read_text()
    found = re.findall(r"^([A-Za-z0-9_.-]+)==\S+(?: ; .*?)? \\$", text, re.MULTILINE)
    assert set(found) == KNOWN
    assert len(re.findall("^[A-Za-z]", text, re.MULTILINE)) == len(found)
    blocks = re.split(r"^(?=[A-Za-z])", text, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_licenses_are_free(name):
    """Every package that is installed here has a license under which ours can stand."""
    try:
        told = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        pytest.skip("is for another system")
    classified = [one for one in told.get_all("Classifier") or [] if one.startswith("License")]
    said = " ".join([told.get("License-Expression") or "", *classified, told.get("License") or ""])
    assert any(word in said for word in FREE), said[:200]


def test_what_nobody_asks_for_is_removed(tmp_path):
    """A file that nobody has looked at in a long time goes, and with it what lies on disk."""

    async def wait():
        desk = Session(tmp_path, forget=2.0)
        desk.begin()
        file = await desk.open("patients.csv", None)
        place = file.place
        end = asyncio.get_running_loop().time() + 30
        while file.id in desk.files or place.exists():
            assert asyncio.get_running_loop().time() < end
            await asyncio.sleep(0.1)
        await desk.close()

    asyncio.run(wait())
    assert list((tmp_path / "desk").glob("room-*")) == []


def job(number):
    """A job that waits."""
    settings = {"protect": {"k": 3}}
    return Job(str(number), "anonymize", "f", "n", "x", None, Path("y"), {}, settings, {}, {}, {})


def test_the_queue_has_an_end():
    """Beyond so many jobs that wait, another is refused."""

    async def fill():
        queue = Queue(Processes(), most=3)
        queue._running = asyncio.create_task(asyncio.sleep(30))
        for number in range(3):
            queue.add(job(number))
        assert [queue.ahead(one) for one in queue.jobs.values()] == [0, 1, 2]
        with pytest.raises(Refused) as refused:
            queue.add(job(3))
        assert refused.value.status == 429
        await queue.stop(queue.jobs["1"], keep=False)
        queue.add(job(3))
        assert sum(one.state == QUEUED for one in queue.jobs.values()) == 3
        queue._running.cancel()

    asyncio.run(fill())


def test_workers_yield_to_the_page(desk):
    """A worker runs at low priority, within a limit on memory, one job at a time."""
    file = desk.upload("numbers.csv", census_like())
    desk.looked(file)
    desk.get("/methods.json")  # the worker that lists them has ended
    first, second = desk.start(file, LONG), desk.start(file, LONG)
    running(desk, first)
    [worker] = workers_of(desk)
    stat = Path(f"/proc/{worker}/stat").read_text().rsplit(")", 1)[1].split()
    assert int(stat[16]) == 10
    limits = Path(f"/proc/{worker}/limits").read_text()
    assert "unlimited" not in re.search("Max data size +(.*)", limits)[1].split()[0]
    assert desk.get(f"/jobs/{second}.json")["state"] == "queued"
    begun = [desk.ask("GET", "/desk.json").status for _ in range(20)]
    assert begun == [200] * 20
    assert desk.ask("DELETE", f"/files/{file}").status == 200
