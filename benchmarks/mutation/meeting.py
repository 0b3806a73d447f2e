"""Which tests meet which of the mutants that are woven into a tree, and which notice them.

Run by pytest as a plugin (`-p meeting`), in the folder of the tree. Tests are collected once; one
process then runs each of them without a mutant, and one process for each mutant runs the tests that
meet it, quickest first, until one fails. What is asked stands in the file that `SHOAL_MEETING`
names; what is found is written beside it as it is found, and is not sought again.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import time
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path

import pytest
import running
import sitecustomize as switch
from hypothesis.internal.conjecture.engine import ConjectureRunner

ROUNDS = (0.5, 3.0)  # seconds of tests after which those of the next files are looked at
PAUSE = 60.0  # seconds without news, after which a process is stopped
FIXTURES = {"desk", "drawing_desk", "chromium", "cluster", "besieged", "used"}
NOT_RUN = {"test_dask", "test_spark", "test_guide", "test_faults", "test_kill", "test_ceiling",
           "test_docs", "test_house", "test_imports", "test_processes"}  # fmt: skip


class Overtime(BaseException):
    """A test takes longer than it may."""


def overtime(*_):
    """Stop a test."""
    raise Overtime


class Meeting:
    """Runs tests, without and with mutants."""

    def __init__(self, path):
        self.folder = path.parent
        asked = json.loads(path.read_text(encoding="utf-8"))
        self.numbers, self.only = asked["numbers"], asked["only"]
        self.limit, self.share, self.patience = asked["limit"], asked["share"], asked["patience"]
        self.steps, self.failed, self.allowed = Counter(), [], 0.0

    # --- hooks

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        """Do everything in the place of running the tests."""
        items = [item for item in session.items if self.is_asked(item)]
        self.measure(shuffled(items))
        tests = {t["test"]: t for t in read(self.folder / "tests.jsonl") if t["ok"]}
        self.meet({item.nodeid: item for item in items}, tests)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self):
        """Let a test take so many seconds of the processor, and wait three times as long."""
        signal.signal(signal.SIGPROF, overtime)
        signal.signal(signal.SIGALRM, overtime)
        signal.setitimer(signal.ITIMER_PROF, self.allowed)
        signal.setitimer(signal.ITIMER_REAL, 4 * self.allowed)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)

    def pytest_runtest_logreport(self, report):
        """Note how a step of a test ended, and how long it took."""
        self.steps[report.when] += report.duration
        if not report.passed:
            self.failed.append(report.outcome)

    def is_asked(self, item):
        """Tell whether a test is run at all, with or without mutants."""
        file = item.nodeid.partition("::")[0]
        asked = not self.only or any(f"/{part}" in file for part in self.only)
        return asked and item.path.stem not in NOT_RUN and not FIXTURES & {*item.fixturenames}

    # --- without mutants

    def measure(self, items):
        """Run every test that was not run before, in a process that is begun anew if it dies."""
        path = self.folder / "tests.jsonl"
        while True:
            known = {test["test"] for test in read(path)}
            waiting = [item for item in items if item.nodeid not in known]
            if not waiting:
                return
            self.wait(self.fork(self.measure_all, waiting, path), path, None)
            known = {test["test"] for test in read(path)}
            for item in [item for item in waiting if item.nodeid not in known][:1]:
                add(path, {"test": item.nodeid, "ok": False, "why": "died"})

    def measure_all(self, items, path):
        """Run tests and write down what each meets and takes."""
        outside = Path(os.environ["SHOAL_MET"])
        self.allowed, spent = self.limit, Counter()
        for item, after in zip(items, [*items[1:], None], strict=True):
            file = item.nodeid.partition("::")[0]
            if spent[file] > self.share:
                add(path, {"test": item.nodeid, "ok": False, "why": "share"})
                continue
            switch.met.clear()
            outside.unlink(missing_ok=True)
            self.test(item, after)
            met = {*switch.met, *read(outside)}
            spent[file] += sum(self.steps.values())
            add(path, {
                "test": item.nodeid, "ok": not self.failed, "why": " ".join(self.failed[:1]),
                "setup": round(self.steps["setup"], 4),
                "seconds": round(self.steps["call"] + self.steps["teardown"], 4),
                "met": sorted(met),
            })  # fmt: skip
        return 0

    def test(self, item, after):
        """Run one test."""
        self.steps.clear()
        self.failed.clear()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)

    # --- with mutants

    def meet(self, items, tests):
        """Run the mutants that were not run before; tests that fail without one say nothing."""
        path, control = self.folder / "mutants.jsonl", self.folder / "control.jsonl"
        while True:
            broken = {test["test"] for test in read(control) if not test["ok"]}
            tests = {name: test for name, test in tests.items() if name not in broken}
            found = {mutant["number"]: mutant for mutant in read(path)}
            known = {number for number, mutant in found.items() if mutant["by"] not in broken}
            waiting = [number for number in self.numbers if number not in known]
            for number in waiting:
                plan, cost = self.plan(number, tests)
                add(path, {"number": number, **self.outcome(number, plan, cost, items, tests)})
            self.control({mutant["by"] for mutant in read(path)} - {""}, items, tests, control)
            if not waiting:
                return

    def control(self, killers, items, tests, path):
        """Run tests that failed without a mutant, each by itself."""
        for name in sorted(killers - {test["test"] for test in read(path)}):
            cost = tests[name]["seconds"] + tests[name]["setup"]
            found = self.outcome(-1, [name], cost, items, tests)
            add(path, {"test": name, "ok": found["outcome"] == "survived"})

    def plan(self, number, tests):
        """Return the tests that a mutant meets, quickest first but by files, and their seconds.

        What the tests of a file share takes as long as the longest set-up of one of them.
        """
        shared = defaultdict(float)
        for name, test in tests.items():
            file = name.partition("::")[0]
            shared[file] = max(shared[file], test["setup"])
        meeting = sorted(
            (test["seconds"] + shared[name.partition("::")[0]], name)
            for name, test in tests.items() if number in test["met"]
        )  # fmt: skip
        found, begun, cost = [], {}, 0.0
        for _, name in meeting:
            file = name.partition("::")[0]
            more = tests[name]["seconds"] + 0.005 + (0 if file in begun else shared[file])
            if cost + more > self.patience and found:
                continue
            cost += more
            begun.setdefault(file, len(begun))
            found.append((sum(cost > end for end in ROUNDS), begun[file], len(found), name))
        return [name for *_, name in sorted(found)], cost

    def outcome(self, number, plan, cost, items, tests):
        """Run a mutant's tests in a process of its own; return whether one fails, and which."""
        if not plan:
            return {"outcome": "not reached", "by": "", "tests": 0}
        told = self.folder / "noticed"
        told.unlink(missing_ok=True)
        child = self.fork(self.run, number, [items[name] for name in plan], tests, told)
        code = self.wait(child, None, 30.0 + 6 * cost)
        by = told.read_text(encoding="utf-8") if told.is_file() else ""
        words = {0: "survived", 1: "noticed", None: "timeout"}
        return {"outcome": words.get(code, "died"), "by": by, "tests": len(plan)}

    def run(self, number, items, tests, told):
        """Run tests with a mutant until one fails."""
        switch.on[0] = number
        os.environ["SHOAL_MUTANT"] = str(number)
        for item, after in zip(items, [*items[1:], None], strict=True):
            self.allowed = 3.0 + 5 * tests[item.nodeid]["seconds"]
            self.test(item, after)
            if "failed" in self.failed:
                told.write_text(item.nodeid, encoding="utf-8")
                return 1
        return 0

    # --- processes

    def fork(self, work, *arguments):
        """Do work in a process of its own, which leads a group and says nothing."""
        child = os.fork()
        if child:
            return child
        code = 70
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_DATA, (running.MEMORY, running.MEMORY))
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            switch.owner[0] = os.getpid()
            code = work(*arguments)
        finally:
            os._exit(code)

    def wait(self, child, path, allowed):
        """Return the code of a process, none where it must be stopped; end what it left behind."""
        start, code = time.monotonic(), None
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                break
            quiet = time.time() - path.stat().st_mtime if path and path.exists() else 0.0
            if quiet > PAUSE or (allowed and time.monotonic() - start > allowed):
                break
            time.sleep(0.02)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        if code is None:
            os.waitpid(child, 0)
        return code


def shuffled(items):
    """Return tests file by file, those of a file in an order drawn by a seed."""
    files = defaultdict(list)
    for item in items:
        files[item.nodeid.partition("::")[0]].append(item)
    for several in files.values():
        random.Random(1).shuffle(several)
    return [item for several in files.values() for item in several]


def read(path):
    """Return the lines of a file, each from JSON."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return [json.loads(line) for line in text.splitlines()]


def add(path, row):
    """Write a line more."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def pytest_configure(config):
    """Take over; an example of hypothesis that fails need not be made small."""
    ConjectureRunner.shrink_interesting_examples = lambda _: None
    config.pluginmanager.register(Meeting(Path(os.environ["SHOAL_MEETING"])))
