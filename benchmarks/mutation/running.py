"""Runs mutants: each in a copy of the tree, by the tests that execute its lines, fastest first.

A worker imports what the tests need of others once and forks for every mutant, which then imports
Shoal from the copy, with one file of it changed. Processes that tests start see the change too.
"""

from __future__ import annotations

import hashlib
import json
import os
import pkgutil
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORK = ROOT / "out" / "mutation"
BUDGET = 5.0  # seconds of tests that a mutant meets first
GRACE = 15.0  # added to five times what its tests take, before it is stopped
MEMORY, FILE = 8 << 30, 1 << 30  # bytes: a mutant must not take the machine with it
TESTED = (
    "judge",
    "judge/models",
    "release",
    "report",
    "save",
    "run",
    "cli",
    ".",
)  # folders of tests
NOT_RUN = (
    "adult",
    "anytime",
    "contracts",
    "docs",
    "estimator",
    "imports",
    "mixed_contracts",
    "published",
)  # tests of methods, and of what no mutant changes
THEIRS = ("numpy", "pyarrow", "pyarrow.compute", "numba", "narwhals", "pydantic", "typer", "rich",
          "hypothesis", "pandas", "scipy.optimize", "typer.testing")  # fmt: skip
OURS = ("errors", "progress", "kernels", "table", "measures")  # which import nothing of the rooms
ROOMS = ("shoal.judge", "shoal.release", "shoal.report", "shoal.save", "shoal.partition")


def copy_tree(name):
    """Return the folder of a copy of all that git knows, and what is new, with compiled kernels."""
    folder = WORK / name
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    wanted = {path for path in listed if (ROOT / path).is_file()}
    for room in ("src", "tests"):
        for path in (folder / room).rglob("*.py"):
            if path.relative_to(folder).as_posix() not in wanted:
                path.unlink()
    for path in wanted:
        to = folder / path
        if not to.is_file() or to.read_bytes() != (ROOT / path).read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, to)
    return folder


def environment(folder):
    """Return the variables that make every process use the copy."""
    here = Path(__file__).parent
    return {
        **os.environ, "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{here}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip


# --- which test executes what


def digest(*paths):
    """Return a digest of files."""
    found = hashlib.sha256()
    for path in paths:
        found.update(path.read_bytes())
    return found.hexdigest()


def measure_tests():
    """Return of every test its seconds and lines; only what changed is run again."""
    folder, kept = copy_tree("tree-0"), WORK / "tests.json"
    shared = digest(*sorted((folder / "src").rglob("*.py")), folder / "tests" / "conftest.py")
    paths = [p for room in TESTED for p in (folder / "tests" / room).glob("*.py")]
    files = {
        path.relative_to(folder).as_posix(): digest(path)
        for path in sorted(paths)
        if path.name.startswith("test_") and path.stem.removeprefix("test_") not in NOT_RUN
    }
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    if known.get("shared") != shared:
        known = {"shared": shared, "files": {}, "tests": {}}
    changed = [path for path in files if known["files"].get(path) != files[path]]
    if changed:
        print(f"measuring the tests of {len(changed)} files", flush=True)
        told = WORK / "measured.json"
        subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "baseline", "-p", "no:cacheprovider", *changed],
            cwd=folder, env={**environment(folder), "SHOAL_BASELINE": str(told)}, check=False,
        )  # fmt: skip
        fresh = json.loads(told.read_text(encoding="utf-8"))
        failed = [name for name, test in fresh.items() if not test["ok"] and test["lines"]]
        print(f"{len(fresh)} tests, {len(failed)} of them skipped or failing", flush=True)
        same = set(files).difference(changed)
        tests = {n: t for n, t in known["tests"].items() if n.partition("::")[0] in same}
        done = {name.partition("::")[0] for name in {**tests, **fresh}}
        files = {path: found for path, found in files.items() if path in done}
        known = {"shared": shared, "files": files, "tests": {**tests, **fresh}}
        kept.write_text(json.dumps(known), encoding="utf-8")
    return {name: test for name, test in known["tests"].items() if test["ok"]}


class Chooser:
    """Says which tests execute a mutant, fastest first."""

    def __init__(self, tests, patience):
        self.patience = patience
        self.seconds = {name: test["seconds"] for name, test in tests.items()}
        self.by_line, self.by_file = {}, {}
        for name, test in tests.items():
            for file, lines in test["lines"].items():
                self.by_file.setdefault(file, set()).add(name)
                for line in lines:
                    self.by_line.setdefault((file, line), set()).add(name)

    def choose(self, mutant):
        """Return its tests; where none is seen to execute it, those that execute its file.

        Tests of the rooms come before those of the whole, fastest first. None is
        seen to execute what an import does, or a process that a test starts.
        """
        found = set().union(*(self.by_line.get((mutant.file, n), ()) for n in mutant.lines))
        found = found or self.by_file.get(mutant.file, set())
        return sorted(found, key=lambda name: (name.count("/") < 2, self.seconds[name], name))

    def rounds(self, mutant):
        """Return the tests that it meets first, and those that it meets if it lives.

        Never more than `patience` seconds of them, by what they took alone.
        """
        first, second, spent = [], [], 0.0
        for name in self.choose(mutant):
            spent += self.seconds[name] + 0.005
            if spent <= BUDGET or not first:
                first.append(name)
            elif spent <= self.patience:
                second.append(name)
        return first, second


# --- mutants


class Failures:
    """Writes down the tests that fail."""

    def __init__(self, path):
        self.path = path

    def pytest_runtest_logreport(self, report):
        """Write down a test that fails, or cannot begin or end."""
        if report.failed:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{report.nodeid}\n")


class Worker:
    """Runs one mutant after another in a tree of its own."""

    def __init__(self, folder):
        self.folder, self.told = folder, folder.parent / f"{folder.name}-failed"
        os.environ.update(environment(folder))
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(WORK / "hypothesis")
        sys.dont_write_bytecode = True
        sys.path[:0] = [str(folder / "src")]
        for name in THEIRS:
            __import__(name)
        for name in OURS:
            room = __import__(f"shoal.{name}", fromlist=["shoal"])
            for module in pkgutil.walk_packages(getattr(room, "__path__", ()), f"shoal.{name}."):
                __import__(module.name)
        assert not [name for name in sys.modules if name.startswith(ROOMS)]

    def run(self, mutant, rounds, seconds):
        """Return the outcome, the test that killed it, and how many seconds that took."""
        start = time.perf_counter()
        path = self.folder / "src" / mutant.file
        original, times = path.read_bytes(), path.stat()
        outcome = "survived" if rounds[0] else "not executed"
        try:
            path.write_text(mutant.source, encoding="utf-8")
            for tests in rounds:
                if outcome == "survived" and tests:
                    outcome = self.fork(tests, GRACE + 5 * sum(seconds[name] for name in tests))
        finally:
            path.write_bytes(original)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        killer = "\n".join(self.failed()) if outcome == "killed" else ""
        return outcome, killer, time.perf_counter() - start

    def control(self, tests, seconds):
        """Return the tests that fail in this tree as it is: what they killed may be alive."""
        outcome = self.fork(tests, GRACE + 5 * sum(seconds[name] for name in tests), "--maxfail=0")
        return [] if outcome == "survived" else self.failed() or tests

    def failed(self):
        """Return the tests that failed last; none where no test could be run."""
        return self.told.read_text(encoding="utf-8").splitlines() if self.told.is_file() else []

    def fork(self, tests, allowed, *options):
        """Run tests in a process of their own, for so many seconds at most."""
        self.told.unlink(missing_ok=True)
        child = os.fork()
        if not child:
            self.test(tests, options or ("-x",))
        end = time.monotonic() + allowed
        wait = 0.01
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                return "survived" if code == 0 else "killed"
            time.sleep(wait)
            wait = min(0.1, wait * 1.5)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "timeout"

    def test(self, tests, options):
        """Become a process that runs tests, and end."""
        code = 70
        try:
            os.setsid()
            os.chdir(self.folder)
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            if log := os.environ.get("SHOAL_MUTATION_LOG"):
                to = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            else:
                to = os.open(os.devnull, os.O_WRONLY)
            os.dup2(to, 1)
            os.dup2(to, 2)
            import pytest

            temporary = self.folder.parent / f"{self.folder.name}-temporary"
            code = pytest.main(
                [*options, "-p", "no:cacheprovider", "-p", "no:cov", f"--basetemp={temporary}",
                 "-W", "ignore::pytest.PytestAssertRewriteWarning", *tests],
                plugins=[Failures(self.told)],
            )  # fmt: skip
        finally:
            os._exit(int(code))
