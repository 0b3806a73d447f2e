"""The core without extras: everything works, or names the extra in one line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import asdict
from pathlib import Path

import pytest
import typer.main

import shoal
import without_extras
from desks import Server
from pacing import paced
from shoal.extras import EXTRAS, is_installed
from shoal.methods.auto import Pace

CLASSES = {name for name in shoal.__all__ if isinstance(getattr(shoal, name), type)}
NO_FUNCTIONS = {*CLASSES, "__version__", "datasets"}


def walk(folder, hidden, **environment):
    """What every command and function came to in a fresh process without some extras."""
    command = [sys.executable, without_extras.__file__, str(folder), *hidden]
    own = {key: value for key, value in os.environ.items() if key != "SHOAL_CHARTS"}
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**own, **environment}
    )
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def check_outcomes(outcomes):
    """Hold every case to its extra: exit code 2 and one line that names it, or success."""
    for one in outcomes:
        said = one["said"].strip()
        if one["extra"] is None:
            assert one["code"] == 0, (one["name"], said)
            continue
        assert one["code"] == 2, (one["name"], said)
        assert re.findall(r'pip install "shoal\[(\w+)\]"', said) == [one["extra"]], one["name"]
        assert "\n" not in said, one["name"]


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """A folder in which everything was done by the core alone, and what it came to."""
    folder = tmp_path_factory.mktemp("core")
    return folder, walk(folder, EXTRAS)


@pytest.mark.slow
def test_every_command_and_function_works_or_names_its_extra(core):
    """With all extras hidden, a case of the core works and any other names what it needs."""
    check_outcomes(core[1])
    assert {one["extra"] for one in core[1]} == {None, *EXTRAS}


@pytest.mark.slow
@pytest.mark.parametrize("extra", EXTRAS)
def test_each_extra_alone_may_be_missing(extra, tmp_path):
    """With one extra hidden, only what needs it is refused, and names that one."""
    outcomes = walk(tmp_path, [extra], SHOAL_CHARTS="off", SHOAL_WARMUP="1")
    check_outcomes(outcomes)
    assert {one["extra"] for one in outcomes} == {None, extra}


def test_no_command_and_no_function_is_forgotten():
    """The cases are of every command there is, and of every public function."""
    from shoal.cli import app

    found = set()
    for name, command in typer.main.get_command(app).commands.items():
        inner = getattr(command, "commands", None)
        found |= {(name, one) for one in inner} if inner else {(name,)}
    cases = [*without_extras.COMMANDS, without_extras.WARMUP]
    tried = {case.act[:2] if case.act[:1] not in found else case.act[:1] for case in cases}
    assert tried == found
    functions = {case.name.split()[0] for case in without_extras.functions()}
    public = {f"shoal.{name}" for name in shoal.__all__ if name not in NO_FUNCTIONS}
    assert public <= functions


@pytest.mark.slow
def test_groups_do_not_depend_on_what_is_installed(core, tmp_path, monkeypatch):
    """What auto groups with all extras hidden, it groups in the same way where they are there."""
    made = {one["name"]: one["groups"] for one in core[1] if one.get("groups")}
    assert set(made) >= {"shoal.anonymize", "shoal.microaggregate"}
    monkeypatch.chdir(tmp_path)
    without_extras.files()
    with paced(**asdict(Pace())):
        for case in without_extras.functions():
            if case.name in made and case.name != "shoal.microaggregate_columns":
                assert without_extras.outcome(case)["groups"] == made[case.name]


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", ["python/report.html", "pack/report.html", "compared/comparison.html"]
)
def test_a_page_without_charts_says_how_they_come(core, page):
    """A report without charts is a whole page, with one line that names the extra."""
    text = (core[0] / page).read_text()
    assert text.count("pip install &quot;shoal[charts]&quot;") == 1
    assert "<svg" not in text
    assert "<figure" not in text
    assert text.endswith("</html>\n")
    assert text.count("<table") > 0


def test_extras_are_those_of_the_package(repository):
    """The table of extras has those that pyproject.toml has, and `all` is all of them."""
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert set(extras) == {*EXTRAS, "all"}
    (every,) = extras["all"]
    assert set(re.fullmatch(r"shoal\[([\w,]+)\]", every)[1].split(",")) == set(EXTRAS)
    core_names = {re.match(r"[\w-]+", one)[0] for one in project["dependencies"]}
    assert core_names == {
        "duckdb", "filelock", "narwhals", "numba", "numpy", "platformdirs",
        "pyarrow", "pydantic", "rich", "typer",
    }  # fmt: skip


def test_installed_modules_are_found_without_an_import():
    """What can be imported is installed, what cannot is not, and neither is loaded by asking."""
    assert is_installed("json")
    assert not is_installed("no_such_package")
    assert not is_installed("no_such_package.inner")


@pytest.mark.slow
def test_the_desk_without_charts(tmp_path, monkeypatch):
    """A desk without the extra `charts` opens, and says on the page how charts come."""
    hiding = without_extras.hiding_text(EXTRAS["charts"])
    (tmp_path / "sitecustomize.py").write_text(hiding)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    with Server(tmp_path / "desk") as desk:
        answer = desk.ask("GET", "/static/vega.js")
    assert answer.status == 200
    assert 'Charts are drawn after pip install \\"shoal[charts]\\"' in answer.body.decode()


def test_imports_are_of_the_core_or_of_an_extra():
    """The library imports no package that neither the core nor an extra brings."""
    known = {*sys.stdlib_module_names, "shoal", "duckdb", "filelock", "narwhals", "numba",
             "llvmlite", "numpy", "platformdirs", "pyarrow", "pydantic", "pydantic_core", "rich",
             "typer", "starlette", "h11",
             *(module for modules in EXTRAS.values() for module in modules)}  # fmt: skip
    pattern = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)
    folder = Path(shoal.__file__).parent
    found = {
        name
        for path in folder.rglob("*.py")
        for name in pattern.findall(re.sub(r'""".*?"""', "", path.read_text(), flags=re.DOTALL))
    }
    assert found <= known
