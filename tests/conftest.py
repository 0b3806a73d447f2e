"""What tests share: the command line in-process, the reference tables, the rule about skips."""

from __future__ import annotations

import gc
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import typer.main
import typer.testing
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from typer.testing import CliRunner

import groups
import thorough as thorough_cases

# Test processes fill all processors: threads of linear algebra would wait for each other, spinning.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["SHOAL_CONFIG"] = os.devnull  # whoever runs the tests may have a file of their own

gc.set_threshold(100_000, 50, 1000)  # as the command line itself: looking took a tenth of the time

COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("shoal", derandomize=True, max_examples=20, **COMMON)
settings.register_profile("thorough", derandomize=False, print_blob=True, **COMMON)

HAS_DATA = bool(os.environ.get("SHOAL_DATA"))


def pytest_configure(config):
    """Draw other examples every time where the slow tests run too.

    Elsewhere examples depend on nothing but the test: hypothesis takes numbers and texts of all
    sources into them, which each process would read, and any change would draw others.
    """
    settings.load_profile("thorough" if _is_thorough(config) else "shoal")
    thorough_cases.LEFT_OUT[:] = ["slow"] if config.option.markexpr == "not slow" else []
    if not _is_thorough(config) and hasattr(providers, "_get_local_constants"):
        providers._get_local_constants = lambda: providers._local_constants


def _is_thorough(config):
    return not config.option.markexpr


@pytest.fixture(scope="session")
def thorough(pytestconfig):
    """Whether every test runs, the slow ones too; loops over random cases are shorter otherwise."""
    return _is_thorough(pytestconfig)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Run tests that share a server, a browser or a cluster in one process."""
    return groups.scheduler(config, log) if config.option.dist == "loadgroup" else None


def pytest_collection_modifyitems(items):
    """Skip what needs the reference tables when they are not there; begin with the browser.

    It is closed where a test does not need it, and to start it takes seconds.
    """
    items.sort(key=lambda item: "chromium" not in getattr(item, "fixturenames", ()))
    reason = "needs the reference tables: set SHOAL_DATA to their folder"
    for item in items:
        if item.get_closest_marker("reference") and not HAS_DATA:
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish():
    """Let the collector of garbage look at what tests make, not at thousands of tests."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn the skip of a test that has its reference tables into a failure."""
    report = yield
    if report.skipped and HAS_DATA and item.get_closest_marker("reference"):
        report.outcome = "failed"
        report.longrepr = f"skipped although SHOAL_DATA is set: {report.longrepr}"
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Tell the main process a third of it: no beginning, no setup and teardown that went well."""
    if not hasattr(item.config, "workerinput") or item.config.option.durations is not None:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.fixture(autouse=True, scope="module")
def _charts(request):
    """Draw charts only in modules that look at them (DRAWS = True): it takes long."""
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "DRAWS", False):
            patch.setenv("SHOAL_CHARTS", "off")
        yield


@pytest.fixture(scope="session")
def quick_server(tmp_path_factory):
    """A desk whose reports have no charts, with a folder to choose files from."""
    from desks import Server

    folder = tmp_path_factory.mktemp("folder") / "data"
    folder.mkdir()
    with Server(tmp_path_factory.mktemp("desk"), folder, draws=False) as server:
        yield server


@pytest.fixture(scope="session")
def drawing_server(tmp_path_factory):
    """A desk as it is, with charts in its reports."""
    from desks import Server

    with Server(tmp_path_factory.mktemp("desk"), draws=True) as server:
        yield server


@pytest.fixture(scope="module")
def desk(quick_server):
    """A desk with nothing on it when a module's tests begin; it draws no charts."""
    yield quick_server
    quick_server.clear()


@pytest.fixture(scope="module")
def drawing_desk(drawing_server):
    """A desk with nothing on it when a module's tests begin; comparisons need its charts."""
    yield drawing_server
    drawing_server.clear()


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium."""
    from browsers import CHROMIUM

    return CHROMIUM


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Close the browser after the last test that needs it: where it runs, asyncio cannot."""
    result = yield
    if "chromium" in item.fixturenames and "chromium" not in getattr(nextitem, "fixturenames", ()):
        from browsers import CHROMIUM

        CHROMIUM.close()
    return result


@pytest.fixture(autouse=True, scope="session")
def _little_effort():
    """Let auto search a twentieth of the time."""
    from pacing import paced
    from shoal.methods.auto import pace

    usual = pace()
    with paced(iteration=20 * usual.iteration, pooled=20 * usual.pooled):
        yield


@pytest.fixture(autouse=True, scope="session")
def _commands_made_once():
    """Let the command line be made of its functions once a process, as it is for a user."""
    with pytest.MonkeyPatch.context() as patch:
        made = cache(typer.main.get_command)
        patch.setattr(typer.testing, "_get_command", made, raising=False)
        yield


@dataclass
class Ran:
    """What a command left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str
    bytes: bytes


@pytest.fixture
def shoal():
    """Run the command line in this process: shoal("verify", path, "-k", "5", …)."""
    from shoal.cli import app

    def run(*arguments):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr, result.stdout_bytes)

    return run


@pytest.fixture
def write(tmp_path):
    """Write a file into the test's folder and return its path."""

    def put(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return put


@pytest.fixture(scope="session")
def repository():
    """The folder of the whole project."""
    return Path(__file__).parent.parent
