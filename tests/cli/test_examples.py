"""The example of every command's help, run as it stands."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from functools import cache

import pytest
from command_tree import every_command

from shoal.cli.command import split_example


@cache
def examples():
    """Return the example of every command by its words, made when a test asks."""
    every = every_command()
    return {path.removeprefix("shoal "): split_example(one.help)[1] for path, one, _ in every}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, repository):
    """A folder with what examples name: a table, one with groups, a pack, a release."""
    place = tmp_path_factory.mktemp("examples")
    head, *rows = (repository / "src/shoal/datasets/patients.csv").read_text().splitlines()[:601]
    (place / "stays.csv").write_text("\n".join([head, *rows, ""]))
    grouped = [f"{head},cluster", *(f"{row},{i % 90}" for i, row in enumerate(rows))]
    (place / "grouped.csv").write_text("\n".join([*grouped, ""]))
    (place / "data").mkdir()
    (place / "few").mkdir()  # what is bounded takes seconds with more
    (place / "few" / "stays.csv").write_text("\n".join([head, *rows[:150], ""]))
    (place / "arriving").mkdir()
    (place / "arriving" / "today.csv").write_text("\n".join([head, *rows, ""]))
    return place


@pytest.mark.slow
def test_every_example_runs(shoal, folder, monkeypatch):
    """The example of every help does what it says, one after the other."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    pack = "anonymize stays.csv -k 5 --quasi age,income --drop name,number,cost"
    assert shoal(*shlex.split(pack), "--method", "mdav", "--pack", "out/").code == 0
    others = [path for path in examples() if path not in ("serve", "warmup", "certificate key")]
    for path in ("certificate key", *others):  # serve and warmup have tests of their own
        _, *words = shlex.split(examples()[path])
        monkeypatch.setenv("SHOAL_CHARTS", "on" if path == "plot" else "off")
        monkeypatch.chdir(folder / "few" if path == "bound" else folder)
        ran = shoal(*words)
        assert ran.code == 0, f"{path}: {ran.err}"


@pytest.mark.slow
def test_the_example_of_serve_opens_the_desk(folder):
    """The desk opens, says where, and closes at an interrupt."""
    _, *words = shlex.split(examples()["serve"])
    with subprocess.Popen(
        [sys.executable, "-m", "shoal", *words], cwd=folder, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "BROWSER": "true", "XDG_CACHE_HOME": str(folder / "cache")},
    ) as desk:  # fmt: skip
        said = [desk.stderr.readline() for _ in range(3)]
        desk.send_signal(signal.SIGINT)
        desk.stderr.read()
    assert any("http://127.0.0.1:" in line for line in said)
