"""Faults while a release is written (`make faults` tries more), and runs side by side."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import faults
import naive
import shoal as library
from shoal.release.commitments import Commitments
from thorough import spread


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.fixture(autouse=True)
def charts(monkeypatch):
    """What the harness puts in place of the renderer goes away again."""
    from shoal.report.html import document

    monkeypatch.setattr(document, "draw", document.draw)


@pytest.mark.slow
def test_injections(folder):
    """At whatever call a write fails or dies, every file is absent, old, or new and verified."""
    tried, bad = faults.try_injections(folder, limit=4)
    assert bad == []
    assert sum(tried.values()) > 100
    assert {"open", "fsync", "fchmod"} <= set(tried)


@pytest.mark.slow
def test_full_disks(folder):
    """A disk that is full after any number of bytes leaves nothing half-written."""
    _, bad = faults.try_full_disks(folder)
    assert bad == []


@pytest.mark.slow
def test_random_kills(folder, thorough):
    """Kills at random times leave no bad state and, after the next run, no leftovers."""
    kills = 50 if thorough else 12
    ends, bad = faults.try_kills(folder, kills)
    assert bad == []
    assert ends["killed"] > kills // 5


@pytest.mark.slow
def test_the_harness_can_fail(folder, monkeypatch):
    """A writer that writes in place is caught by the harness."""
    from shoal.storage.staging import Staging

    def careless(self, target, content, private=False):
        target.parent.mkdir(mode=0o700, exist_ok=True)
        with target.open("wb") as file:
            for i in range(0, len(content), 50):
                os.write(file.fileno(), content[i : i + 50])
        return target

    monkeypatch.setattr(Staging, "add", careless)
    _, bad = faults.try_injections(folder, limit=3)
    assert bad


def run_many(count, *arguments):
    command = [sys.executable, "-m", "shoal", *map(str, arguments)]
    running = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(count)
    ]
    return [process.wait(timeout=300) for process in running]


@pytest.mark.slow
def test_side_by_side(tmp_path):
    """Many runs on one target: the last one stands, whole and verified, no leftovers."""
    path = tmp_path / "t.csv"
    matrix = np.random.default_rng(0).normal(size=(200, 2))
    np.savetxt(path, matrix, delimiter=",", header="a,b", comments="", fmt="%.3f")
    out = tmp_path / "out" / "r.csv"
    out.parent.mkdir()
    common = ("anonymize", path, "-k", 4, "--no-report", "-o", out)
    assert run_many(4, *common, "--force") == [0] * 4
    assert library.verify(out, k=4, quasi_identifiers=["a", "b"]).ok
    assert sorted(p.name for p in out.parent.iterdir()) == ["r.csv", "r.private", "r.report.json"]
    private = out.with_name("r.private")
    assert sorted(p.name for p in private.iterdir()) == [
        "commitment.key", "report.json", "run.toml",
    ]  # fmt: skip
    made = [json.loads((place / name).read_text()) for place, name in
            ((out.parent, "r.report.json"), (private, "report.json"))]  # fmt: skip
    known = Commitments.load(private)
    assert known.of_file("input", made[1]["input"]["sha256"]) == made[0]["input"]["commitment"]
    shutil.rmtree(out.parent)
    out.parent.mkdir()
    codes = run_many(3, *common)
    assert sorted(codes)[0] == 0
    assert set(codes) <= {0, 2}
    assert library.verify(out, k=4, quasi_identifiers=["a", "b"]).ok


COMMITS = """
import sys
from pathlib import Path
from shoal.storage.staging import Staging

for i in range(150):
    with Staging(force=True) as staging:
        for name in "abc":
            staging.add(Path(sys.argv[1], name), f"{sys.argv[2]} {i}".encode())
        staging.commit()
"""


@pytest.mark.slow
@pytest.mark.parametrize("locks", spread([True, False], 1))
def test_sets_side_by_side(tmp_path, locks):
    """Runs that name files at the same moment all succeed, and a set is of one run."""
    code = (
        COMMITS
        if locks
        else COMMITS.replace(
            "for i",
            "import contextlib\nimport shoal.storage.staging as s\n"
            "s._turns = lambda _: contextlib.nullcontext()\nfor i",
            1,
        )
    )
    out = tmp_path / "out"
    out.mkdir()
    running = [
        subprocess.Popen([sys.executable, "-c", code, out, str(i)],
                         stdout=subprocess.DEVNULL)
        for i in range(4)
    ]  # fmt: skip
    assert [process.wait(timeout=300) for process in running] == [0] * 4
    written = {file.name: file.read_text() for file in out.iterdir()}
    assert sorted(written) == ["a", "b", "c"]
    if locks:
        assert len(set(written.values())) == 1


SETTINGS = [  # which differ in everything
    {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
     "LC_ALL": "C", "PYTHONUTF8": "0", "TZ": "Pacific/Apia", "PYTHONHASHSEED": "1"},
    {"NUMBA_NUM_THREADS": "4", "OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4",
     "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "America/St_Johns",
     "PYTHONHASHSEED": "7"},
]  # fmt: skip


@pytest.mark.slow
def test_same_release_everywhere(tmp_path):
    """Threads, locales, time zones and hash seeds change no byte but the order of the rows."""
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    rows = [f"{rng.integers(90)},{rng.normal():.2f},2024-03-{rng.integers(1, 32):02d},ä"
            for _ in range(120)]  # fmt: skip
    path.write_text("a,b,d,s\n" + "\n".join(rows) + "\n", encoding="utf-8")
    releases = set()
    for setting in SETTINGS:
        ran = subprocess.run(
            [sys.executable, "-m", "shoal", "anonymize", path, "-k", "3", "--quasi", "a,b,d",
             "--sensitive", "s", "-o", "-"],
            env={**os.environ, **setting}, capture_output=True, check=True,
        )  # fmt: skip
        releases.add(tuple(sorted(ran.stdout.splitlines())))
    assert len(releases) == 1


def test_cancel_at_any_moment(tmp_path):
    """A callback can stop a run at any look; nothing is left, and the next run is the same."""
    path = tmp_path / "t.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(400, 2)), delimiter=",", header="a,b",
               comments="")  # fmt: skip
    expected = library.anonymize(path, k=3, method="mdav").partition
    looks = []
    library.anonymize(path, k=3, method="mdav", callback=looks.append)
    assert {look.stage for look in looks} == {"reading", "grouping", "releasing", "measuring"}
    for stop_at in range(len(looks)):
        seen = []

        def stop(progress, seen=seen, stop_at=stop_at):
            seen.append(progress)
            return len(seen) > stop_at

        with pytest.raises(library.Canceled):
            library.anonymize(path, k=3, method="mdav", callback=stop)
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]
    assert library.anonymize(path, k=3, method="mdav").partition == expected


def test_equal_groups_are_counted(write):
    """The report counts groups of equal records, whose values are released as they were."""
    rows = [(1, 1)] * 3 + [(5, 5), (5, 6), (6, 5)] + [(9, 9)] * 3
    path = write("t.csv", "a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    result = library.anonymize(path, k=3)
    groups = [[rows[r] for r in members] for members in result.partition.members()]
    assert result.report.groups["without_spread"] == sum(len(set(g)) == 1 for g in groups) == 2
    assert "2 groups hold equal records" in str(result.report)


def test_integers_get_no_digits(shoal, write, tmp_path):
    """Integer columns come out without fractional digits, decimals with their own."""
    rng = np.random.default_rng(1)
    rows = [f"{rng.integers(100)},{rng.integers(1000) / 10}" for _ in range(40)]
    path = write("t.csv", "a,b\n" + "\n".join(rows) + "\n")
    assert shoal("anonymize", path, "-k", 3, "-o", tmp_path / "r.csv").code == 0
    for line in (tmp_path / "r.csv").read_text().splitlines()[1:]:
        a, b = line.split(",")
        assert a.lstrip("-").isdigit()
        assert len(b.partition(".")[2]) == 1
    assert naive.class_sizes((tmp_path / "r.csv").read_text(), ["a", "b"])[0] >= 3
