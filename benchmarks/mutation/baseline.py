"""Which test executes which lines, and how long it takes: run once, before any mutant.

Run by pytest as a plugin (`-p baseline`), in the folder of a copied tree. It writes the file that
`SHOAL_BASELINE` names: of every test its seconds, and of every file of the three rooms its lines.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import time
from pathlib import Path

import coverage
import pytest

import shoal


class Lines:
    """Measures every test by itself."""

    def __init__(self):
        self.root = Path.cwd() / "src"
        shoal = self.root / "shoal"
        rooms = [
            *(shoal / room / "*" for room in ("judge", "release", "report", "save")),
            shoal / "partition.py",
        ]
        self.measured = coverage.Coverage(
            data_file=None, include=[str(room) for room in rooms], config_file=False
        )
        self.measured.set_option(
            "run:disable_warnings", ["no-data-collected", "module-not-measured"]
        )
        self.tests, self.failed = {}, set()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Run a test and note what it executed."""
        start = time.perf_counter()
        self.measured.erase()
        self.measured.start()
        try:
            return (yield)
        finally:
            self.measured.stop()
            data = self.measured.get_data()
            lines = {
                Path(file).relative_to(self.root).as_posix(): sorted(data.lines(file) or ())
                for file in data.measured_files()
            }
            seconds = time.perf_counter() - start
            if item.nodeid in self.tests:
                seconds += self.tests[item.nodeid]["seconds"]
            self.tests[item.nodeid] = {"seconds": round(seconds, 4), "lines": lines, "ok": True}

    def pytest_runtest_logreport(self, report):
        """Note tests that fail or are skipped: they say nothing about a mutant."""
        if not report.passed:
            self.tests.setdefault(report.nodeid, {"seconds": 0.0, "lines": {}})["ok"] = False
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self):
        """Write what was found."""
        for name in self.failed:
            self.tests[name]["ok"] = False
        Path(os.environ["SHOAL_BASELINE"]).write_text(json.dumps(self.tests), encoding="utf-8")


def pytest_configure(config):
    """Measure in this process; what the first test would import is not its own time."""
    for module in pkgutil.walk_packages(shoal.__path__, "shoal."):
        if not module.name.endswith(("__main__",)):
            importlib.import_module(module.name)
    config.pluginmanager.register(Lines())
