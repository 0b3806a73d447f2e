"""Everything works where the modules of Unix are hidden and open files cannot be renamed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import shoal as library
from desks import LONG, Server, alive, census_like, children_of, fork_servers_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hides what is there on Linux")

TOGETHER = True
HERE = Path(__file__).parent


@pytest.fixture
def _elsewhere(monkeypatch):
    """Start processes without the modules of Unix."""
    known = filter(None, [os.environ.get("PYTHONPATH"), str(Path(library.__file__).parent.parent)])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE / "elsewhere"), *known]))


@pytest.mark.usefixtures("_elsewhere")
@pytest.mark.slow
def test_the_walk_and_the_command_line(tmp_path):
    """Python and all commands on files make verified releases, and leave nothing temporary."""
    walk = [sys.executable, str(HERE / "walk.py"), str(tmp_path)]
    ran = subprocess.run(walk, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "walked\n"), ran.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("_elsewhere")
def test_the_desk(tmp_path):
    """The desk and its workers, each started anew, make a verified release; nothing is left."""
    with Server(tmp_path / "desk") as desk:
        file = desk.upload("con.csv", census_like(60))
        assert desk.looked(file)["state"] == "ready"
        roles = {"quasi_identifiers": ["a", "b"], "drop": ["c", "d", "e", "f"]}
        job = desk.start(file, {"roles": roles, "protect": {"k": 3, "method": "mdav"}})
        told = desk.done(job)
        assert told["state"] == "done", told["error"]
        (tmp_path / "r.csv").write_bytes(desk.ask("GET", f"/jobs/{job}/files/release.csv").body)
        desk.get("/methods.json")
        assert fork_servers_of(desk) == []
        job = desk.start(file, LONG)
        desk.wait(f"/jobs/{job}.json", lambda _: children_of(desk.process.pid))
        workers = children_of(desk.process.pid)
        assert any(map(alive, workers))
    assert not any(map(alive, workers))
    assert library.verify(tmp_path / "r.csv", k=3, quasi_identifiers=["a", "b"]).ok
    assert desk.left() == []
