"""What a release consists of: one version, papers that agree, files that are there."""

from __future__ import annotations

import csv
import datetime as dt
import re
import tomllib
from importlib import metadata

import shoal


def project_of(repository):
    """The table of the package in pyproject.toml, and the whole file."""
    content = tomllib.loads((repository / "pyproject.toml").read_text())
    return content["project"], content


def test_the_version_has_one_source(repository):
    """pyproject.toml has no version of its own; what is installed has that of the package."""
    project, content = project_of(repository)
    assert "version" not in project
    assert project["dynamic"] == ["version"]
    assert content["tool"]["hatch"]["version"]["path"] == "src/shoal/version.py"
    assert metadata.version("shoal") == shoal.__version__


def test_changelog_and_citation_name_the_version(repository):
    """The newest section of the changelog, and the citation with its date, are of this version."""
    changelog = (repository / "CHANGELOG.md").read_text()
    sections = re.findall(r"^## (.+)$", changelog, re.MULTILINE)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \((unreleased|\d{4}-\d\d-\d\d)\)", x) for x in sections)
    assert sections[0].split()[0] == shoal.__version__
    citation = (repository / "CITATION.cff").read_text()
    assert re.search(r"^version: (\S+)$", citation, re.MULTILINE)[1] == shoal.__version__
    released = re.search(r'^date-released: "?([\d-]+)"?$', citation, re.MULTILINE)[1]
    assert dt.date.fromisoformat(released)


def test_the_index_gets_what_it_shows(repository):
    """Systems and Pythons are named, the README is the page, and no address is made up."""
    project, _ = project_of(repository)
    named = project["classifiers"]
    for system in ("MacOS", "Microsoft :: Windows", "POSIX :: Linux"):
        assert f"Operating System :: {system}" in named
    for minor in (11, 12, 13, 14):
        assert f"Programming Language :: Python :: 3.{minor}" in named
    assert project["readme"] == "README.md"
    assert "urls" not in project


def test_the_sdist_holds_its_tests(repository):
    """Everything that the tests read goes into the sdist, and the short suite names tests only."""
    _, content = project_of(repository)
    included = content["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for name in included:
        assert (repository / name).exists(), name
    assert {"src", "tests", "docs", "benchmarks", "Makefile"} <= set(included)
    short = (repository / "tests/short.txt").read_text().split()
    assert len(short) > 20
    assert all((repository / name).exists() for name in short)


def test_workflows_say_that_they_are_untried(repository):
    """Workflows that nobody has run say so in their first line."""
    for path in (repository / ".github/workflows").glob("*.yml"):
        assert path.read_text().startswith("# Untried: no hosted runner has run this yet.")


def test_the_size_on_the_page_is_the_one_measured(repository):
    """The page's packages and megabytes of the core are those of `make size`."""
    with (repository / "docs/install/size.csv").open(newline="") as file:
        core = next(csv.DictReader(file))
    assert core["installed"] == "shoal"
    readme = " ".join((repository / "docs/start/install.md").read_text().split())
    files, bytecode, empty = (float(core[name]) for name in ("files", "bytecode", "empty"))
    assert (
        f"The core is {core['packages']} packages and {files:.0f} MB of files; pip adds "
        f"{bytecode:.0f} MB of bytecode, and with pip itself the environment has "
        f"{files + bytecode + empty:.0f} MB"
    ) in readme
