"""From tables to verified releases by Python and by the command line: `python walk.py FOLDER`.

Run where the modules of Unix are hidden, it shows that nothing needs them.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

import shoal
from shoal.cli import app
from shoal.errors import OutputError, RequestError
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.request import FileRequest
from shoal.pipeline.regions.run import release_file
from shoal.pipeline.regions.run_folder import RunFolder
from shoal.release.targets import Targets
from shoal.settings import build
from shoal.storage import processes, system
from shoal.storage.staging import MARK, Staging, sweep

QUASI = ["age", "income"]


def check_hidden():
    """What this walk is for: no module of Unix can be imported, and the system is Windows."""
    for name in ("fcntl", "resource", "pwd"):
        assert refuses(ModuleNotFoundError, importlib.import_module, name), name
    assert not system.UNIX
    assert not processes.UNIX


def refuses(error, call, *arguments, **options):
    """Tell whether a call raises an error of this kind."""
    try:
        call(*arguments, **options)
    except error:
        return True
    return False


def write_table(path, rows=60):
    """Write a small table."""
    rng = np.random.default_rng(0)
    lines = [f"{a},{b:.2f},{'xy'[a % 2]}" for a, b in
             zip(rng.integers(18, 90, rows), rng.lognormal(10, 1, rows), strict=True)]  # fmt: skip
    path.write_text("\n".join(["age,income,seen", *lines, ""]))
    return path


def walk_python(folder):
    """Anonymize in memory and from file to file, pack, replace; every release verifies."""
    source = write_table(folder / "in.csv")
    options = {"k": 3, "method": "mdav", "quasi_identifiers": QUASI}
    result = shoal.anonymize(shoal.read(source), **options)
    asked = {"k": 3, "quasi_identifiers": QUASI}
    result.save(folder / "r")
    assert refuses(OutputError, result.save, folder / "r")
    result.save(folder / "r", force=True)
    assert shoal.verify(folder / "r" / "release.csv", **asked).ok
    for force in (False, True):
        result.pack(folder / "pack", force=force)
        assert shoal.check_pack(folder / "pack", private=folder / "pack.private").ok
    (folder / "empty").mkdir()
    result.pack(folder / "empty")  # an empty folder is replaced
    shoal.anonymize_file(source, folder / "f.parquet", **options)
    assert shoal.verify(folder / "f.parquet", **asked).ok
    assert refuses(OutputError, shoal.anonymize_file, source, source, **options, force=True)


def walk_out_of_core(folder):
    """A run region by region: one that is killed is taken over; two at once are refused."""
    source = write_table(folder / "large.csv", 300)
    tree = {"roles": {"quasi_identifiers": QUASI}, "protect": {"k": 5}}
    order = FileRequest(Targets.of(str(folder / "l.csv")), force=False, with_page=False)
    work = RunFolder(folder / "l.csv", 1).__enter__()
    assert refuses(RequestError, RunFolder(folder / "l.csv", 1).__enter__)
    work.note("some", [1])
    work._lock.release()  # killed
    with RunFolder(folder / "l.csv", 1) as again:
        assert again.resumed
        assert again.read("some") == [1]
    release_file(source, build(tree), Budget(100, piece=2_000, batch=100), order, None)
    assert shoal.verify(folder / "l.csv", k=5, quasi_identifiers=QUASI).ok


def walk_system(folder):
    """A locked folder is refused to a second, and may be renamed; a full one is not replaced."""
    work = folder / "work"
    work.mkdir()
    for stays in (False, True):
        with system.lock_folder(work, stays=stays):
            assert refuses(BlockingIOError, system.lock_folder, work, stays=stays)
    with system.lock_folder(work):
        system.move_folder(work, folder / "named")
    assert refuses(NotADirectoryError, system.lock_folder, work)
    for name in ("empty", "full"):
        (folder / name).mkdir()
    (folder / "full" / "x").touch()
    system.move_folder(folder / "named", folder / "empty")
    assert refuses(OSError, system.move_folder, folder / "empty", folder / "full")
    assert processes.memory() is None
    assert processes.handles() is None
    assert processes.apart() == {"creationflags": 0}


def walk_staging(folder):
    """Temporary files in use stay, left ones go; if one cannot be named, the others go back."""
    left = folder / f".t.0123{MARK}"
    left.write_text("x")
    for name in ("t", "u"):
        (folder / name).write_text("old")
    with Staging(force=True) as staging:
        temporary = staging.add(folder / "t", b"new")
        assert not left.exists()
        assert sweep(folder, "t") == 0
        assert temporary.exists()
        staging.add(folder / "u", b"new")
        with (folder / "u").open():  # whoever reads it keeps it from being replaced
            assert refuses(OutputError, staging.commit)
        assert (folder / "t").read_text() == (folder / "u").read_text() == "old"
    with Staging(force=True) as staging:
        staging.add(folder / "t", b"a\nb\n")
        staging.commit()
    assert (folder / "t").read_bytes() == b"a\nb\n"


def command(code, *words):
    """Run a command that ends with a code."""
    ran = CliRunner().invoke(app, [str(word) for word in words])
    assert ran.exit_code == code, (words[0], ran.output, ran.exception)
    return ran


def walk_commands(folder):
    """Every command that works on files, in this process."""
    source, quasi = write_table(folder / "in.csv"), ("--quasi", ",".join(QUASI))
    method = ("-k", "3", *quasi, "--method", "mdav")
    for words in (
        ("inspect", source),
        ("anonymize", source, *method, "-o", folder / "out.csv"),
        ("verify", folder / "out.csv", "-k", "3"),
        ("measure", source, folder / "out.csv"),
        ("run", folder / "out.private" / "run.toml", "--force"),
        ("anonymize", source, *method, "--pack", folder / "packed"),
        ("certificate", "check", folder / "packed"),
        ("hierarchy", "build", source, "--column", "age", "--rule", "widths:10", "-o", folder),
        ("hierarchy", "check", folder / "age.csv", "--data", source, "--column", "age"),
        ("compare", source, "-k", "3", *quasi, "--methods", "mdav"),
        ("methods",),
    ):
        command(0, *words)
    os.environ.pop("SHOAL_CHARTS", None)  # charts are drawn by a process of their own
    command(0, "plot", "sizes", folder / "out.private", "-o", folder / "sizes.svg")
    assert "<svg" in (folder / "sizes.svg").read_text(encoding="utf-8")
    ran = command(3, "verify", source, "-k", "3", *quasi, "--json")
    assert json.loads(ran.stdout)["ok"] is False


def main(place):
    """Walk, and look that nothing temporary is left."""
    check_hidden()
    for step in (walk_system, walk_staging, walk_python, walk_out_of_core, walk_commands):
        folder = place / step.__name__
        folder.mkdir()
        step(folder)
        left = [path.name for path in folder.rglob(".*")]
        assert left == [], left
    sys.stdout.write("walked\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
