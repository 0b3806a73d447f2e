"""Docs in step with code: the README's examples run, and its figures are those of the docs."""

from __future__ import annotations

import ast
import csv
import doctest
import importlib
import inspect
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

import shoal
from shoal.pipeline import microaggregate

DRAWS = True  # charts


def blocks(text, language):
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_readme_begins_with_the_two_commands(repository):
    """The first code block shows make run and make test, and the Makefile has both."""
    text = (repository / "README.md").read_text()
    first = blocks(text, "sh")[0]
    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make run", "make test"]
    makefile = (repository / "Makefile").read_text()
    assert re.search(r"^run:", makefile, flags=re.MULTILINE)
    assert re.search(r"^test:", makefile, flags=re.MULTILINE)


def test_readme_example_runs(repository, tmp_path, monkeypatch, capsys):
    """The five-line Python example works as it stands."""
    (example,) = blocks((repository / "README.md").read_text(), "python")
    assert len([line for line in example.splitlines() if line.strip()]) == 5
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 - what a reader would do
    assert "verified: every combination" in capsys.readouterr().out
    quasi = ["age", "sex", "postcode", "admission_date", "length_of_stay", "weight", "income"]
    release = tmp_path / "out-python" / "release.csv"
    assert shoal.verify(release, k=5, quasi_identifiers=quasi).ok


def command_lines(repository, page, place):
    """The words of the command lines in a block of a page."""
    text = blocks((repository / page).read_text(), "sh")[place].replace("\\\n", " ")
    return [shlex.split(line.split("#")[0]) for line in text.splitlines()]


@pytest.mark.slow
def test_command_lines_run(repository, tmp_path, shoal, monkeypatch):
    """The command lines of the guide work on the sample, and those of the README are among them."""
    lines = command_lines(repository, "docs/guide/terminal.md", 0)
    readme = command_lines(repository, "README.md", 1)
    assert (len(lines), len(readme)) == (14, 4)
    assert [line for line in readme if line not in lines] == []
    sample = (repository / "src/shoal/datasets/patients.csv").read_text()
    head, *rows = sample.splitlines()[:601]  # few, as commands take the same ways with more
    (tmp_path / "stays.csv").write_text("\n".join([head, *rows, ""]))
    grouped = [f"{head},cluster", *(f"{row},{i % 90}" for i, row in enumerate(rows))]
    (tmp_path / "grouped.csv").write_text("\n".join(grouped))
    (tmp_path / "few").mkdir()  # what is bounded takes seconds with more
    (tmp_path / "few" / "stays.csv").write_text("\n".join([head, *rows[:150], ""]))
    for _, *arguments in lines:  # the example in Python draws the charts of a report
        monkeypatch.setenv("SHOAL_CHARTS", "on" if arguments[0] == "plot" else "off")
        monkeypatch.chdir(tmp_path / "few" if arguments[0] == "bound" else tmp_path)
        ran = shoal(*arguments)
        assert ran.code == 0, ran.err


def test_readme_names_every_public_function(repository):
    """What can be called is named in the README."""
    text = (repository / "README.md").read_text()
    for name in (
        "anonymize", "microaggregate", "verify", "read", "methods", "compare", "preview",
        "check_pack", "risk",
    ):  # fmt: skip
        assert f"shoal.{name}" in text


def test_docstring_examples():
    """Examples in docstrings give what they say."""
    ran = doctest.testmod(microaggregate)
    assert (ran.failed, ran.attempted > 0) == (0, True)


def test_the_guide_shows_what_python_shows(repository):
    """The first example of a session in the guide gives what it says."""
    text = blocks((repository / "docs/guide/dataframes.md").read_text(), "pycon")[0]
    example = doctest.DocTestParser().get_doctest(text, {}, "guide", None, 0)
    assert len(example.examples) == 3
    assert doctest.DocTestRunner().run(example).failed == 0


def test_every_test_says_what_must_be_true(repository):
    """A test's docstring is one sentence about what must be true."""
    for path in (repository / "tests").rglob("test_*.py"):
        tree = ast.parse(path.read_text())
        classes = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
        for node in [node for body in (tree.body, *classes) for node in body]:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert ast.get_docstring(node), f"{path.name}: {node.name}"


def test_twins_import_nothing_of_ours(repository):
    """The oracle shares no code with what it judges."""
    tree = ast.parse("\n".join(p.read_text() for p in (repository / "tests/naive").glob("*.py")))
    imported = {
        alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names
    }
    imported |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert not [name for name in imported if name.startswith("shoal")]


def test_no_stray_prints(repository):
    """Nothing in the library prints by itself: the command line says what is to be said."""
    for path in (repository / "src").rglob("*.py"):
        code = path.read_text()
        for node in ast.walk(ast.parse(code)) if re.search(r"\bprint\s*\(", code) else ():
            called = node.func if isinstance(node, ast.Call) else None
            assert not (isinstance(called, ast.Name) and called.id == "print"), path.name


def test_the_page_of_methods_shows_the_published_figures(repository):
    """The table of methods on the page of methods is that of `make published`."""
    with (repository / "docs/published/2018.csv").open() as file:
        rows = list(csv.DictReader(file))
    found = {(r["table"], r["method"], r["k"]): float(r["found"]) for r in rows}
    found |= {(r["table"], f"{r['method']}+", r["k"]): float(r["plus"]) for r in rows if r["plus"]}
    page = (repository / "docs/methods/about.md").read_text()
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line[:2] == "| "]
    head = next(line for line in lines if line[0] == "table, k")
    methods = [name.strip("`") for name in head[1:]]
    rows = [line for line in lines if line[0].startswith(("census, ", "tarragona, ", "eia, "))]
    assert len(rows) == 9
    for first, *cells in rows:
        table, k = first.split(", ")
        for method, cell in zip(methods, cells, strict=True):
            assert cell.strip("*") == f"{found[table, method, k]:.3f}"


def test_the_page_of_methods_shows_the_figures_of_the_search(repository):
    """The table of searches on the page of methods is that of `make search`."""
    with (repository / "docs/search/near.csv").open() as file:
        found = {(r["table"], r["k"], r["recipe"]): r for r in csv.DictReader(file)}
    page = (repository / "docs/methods/about.md").read_text()
    lines = [
        line.strip("| ").split(" | ")
        for line in page.splitlines()
        if line[:2] == "| "
        and " k = " in line[:18]
        and "adult" not in line
        and not line.endswith("% |")
    ]
    assert len(lines) == 9
    for first, best, mean, *ours in lines:
        table, k = first.split(" k = ")
        near = found[table, k, "ilsmc-near"]
        assert (best, mean) == (near["printed_best"], near["printed_mean"])
        for recipe, cell in zip(("ilsmc-near", "ilsmc+"), ours, strict=True):
            assert cell == f"{float(found[table, k, recipe]['mean']):.3f}"


def test_the_page_of_methods_shows_the_records(repository):
    """The page of methods has all records, also those that are not below print."""
    with (repository / "docs/records/records.csv").open() as file:
        found = {(r["table"], r["k"]): r for r in csv.DictReader(file)}
    lines = [
        line.strip("| ").split(" | ")
        for line in (repository / "docs/methods/about.md").read_text().splitlines()
        if line[:2] == "| " and " k = " in line[:18] and line.endswith("% |")
    ]
    assert len(lines) == len(found)
    for first, printed, loss, bound, gap in lines:
        row = found[tuple(first.split(" k = "))]
        assert printed == (row["printed"] or "–")
        assert (loss, bound) == (f"{float(row['loss']):.4f}", f"{float(row['bound']):.4f}")
        assert gap == f"{float(row['gap_percent']):.2f} %"


@pytest.mark.reference
def test_records_are_those_of_their_label_files(repository):
    """The checker in docs/records computes every loss again."""
    folder = repository / "docs/records"
    assert subprocess.run([sys.executable, str(folder / "check.py")], check=False).returncode == 0
    with (folder / "records.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {f"{row['table']}-{row['k']}.txt" for row in rows} == {
        path.name for path in (folder / "labels").iterdir()
    }


@pytest.mark.reference
def test_duals_prove_the_bounds_of_records(repository, monkeypatch):
    """All groups are priced again, and no kept file proves less than the records say."""
    monkeypatch.syspath_prepend(str(repository / "benchmarks/records"))
    duals = importlib.import_module("duals")
    assert len(list(duals.KEPT.iterdir())) >= 4
    assert duals.check() == 0


@pytest.mark.reference
def test_a_record_is_only_replaced_by_a_better_one(repository, tmp_path, monkeypatch):
    """Labels that lose as much or more leave the file that is kept, and its command, alone."""
    monkeypatch.syspath_prepend(str(repository / "benchmarks/records"))
    keep = importlib.import_module("keep")
    matrix = keep.matrix("tarragona")
    good, bad = (
        shoal.microaggregate(matrix, 5, method=method, standardize=False).labels
        for method in ("mdav", "hilbert")
    )
    order = [bad, good] if _lost(matrix, bad) > _lost(matrix, good) else [good, bad]
    worse, better = order
    offered = [("first", worse), ("second", better), ("third", worse), ("fourth", better)]
    replaced = [keep.offer("tarragona", 5, labels, name, folder=tmp_path)
                for name, labels in offered]  # fmt: skip
    assert replaced == [True, True, False, False]
    row = keep.kept(tmp_path)["tarragona", 5]
    assert (row["command"], row["runs"]) == ("second", "4")
    assert float(row["loss"]) == pytest.approx(_lost(matrix, better), abs=1e-6)
    assert np.loadtxt(tmp_path / "labels/tarragona-5.txt").tolist() == better.tolist()


def _lost(matrix, labels):
    """The loss in percent, from scratch."""
    groups = (matrix[labels == group] for group in np.unique(labels))
    inside = sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)
    return 100 * inside / ((matrix - matrix.mean(axis=0)) ** 2).sum()


def test_the_page_of_methods_shows_the_figures_of_kaim(repository):
    """The table of kaim on the page of methods is that of `make kaim`."""
    with (repository / "docs/kaim/fig4.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["quasi_identifiers"] == "8"]
    wanted = {row["k"]: [row["kaim"], row["kaim_random"], row["k_member"]] for row in rows}
    page = (repository / "docs/methods/about.md").read_text()
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if "| adult, k" in line]
    assert len(lines) == 3
    for name, *cells in lines:
        assert cells == [f"{float(cell):.2f}" for cell in wanted[name.removeprefix("adult, k = ")]]


def test_the_page_of_methods_shows_the_figures_of_kaim_plus(repository):
    """The table of efforts on the page of methods is that of `make mixed`."""
    with (repository / "docs/mixed/efforts.csv").open() as file:
        rows = list(csv.DictReader(file))
    found = {(r["k"], r["method"], r["effort"]): r for r in rows if r["records"] == "30162"}
    efforts = [("top-down", ""), ("auto", "quick"), ("auto", "normal"), ("auto", "best")]
    page = (repository / "docs/methods/about.md").read_text()
    start = "| complete adult, k = "
    lines = [line.removeprefix(start) for line in page.splitlines() if line.startswith(start)]
    assert len(lines) == 2
    for line in lines:
        k, kaim, *cells, other = line.rstrip("| ").split(" | ")
        assert kaim == f"{float(found[k, 'kaim', '']['loss']):.2f}"
        assert other == f"{float(found[k, 'ARX, local recoding', '']['loss']):.2f}"
        for cell, effort in zip(cells, efforts, strict=True):
            row = found[k, *effort]
            seconds = float(row["cpu_seconds"])
            told = f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.1f}"
            assert cell == f"{float(row['loss']):.2f} ({told} s)"


def test_the_page_of_measures_is_in_step(repository):
    """Every measure stands on its page with its key, formula and source, as the code says them."""
    from shoal.measures.definitions import DEFINITIONS

    text = " ".join((repository / "docs/measures/README.md").read_text().split())
    for key, one in DEFINITIONS.items():
        assert f"### {one.title} `{key}`" in text
        assert f"Formula: {' '.join(one.formula.split())}" in text
        assert f"Source: {one.source}." in text


def test_the_page_of_risk_is_in_step(repository):
    """Every figure of a table's own risk stands on its page, as the code says it."""
    from shoal.measures.disclosure.figures import DISCLOSURE

    text = " ".join((repository / "docs/risk/README.md").read_text().split())
    for key, one in DISCLOSURE.items():
        assert f"### {one.title} `{key}`" in text
        assert f"Formula: {' '.join(one.formula.split())}" in text
        assert f"Source: {one.source}." in text


def test_the_page_of_what_is_published_is_in_step(repository):
    """Every key of a report and every measure stands on its page with its kind, and no other."""
    from shoal.report.public.keys import KEYS, MEASURES

    text = (repository / "docs/public/README.md").read_text()
    found = dict(re.findall(r"^\| `([^`]+)` \| (\w+) \|$", text, re.MULTILINE))
    assert found == {**KEYS, **MEASURES}


FUNCTIONS = [name for name in shoal.__all__ if inspect.isroutine(getattr(shoal, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_are_documented(name):
    """numpydoc: every parameter stands in Parameters, options of the table too, and Returns."""
    function = getattr(shoal, name)
    text = inspect.getdoc(function)
    head, _, rest = text.partition("\nParameters\n----------\n")
    assert re.search(r"^Returns\n-------\n\w", text, flags=re.MULTILINE)
    section = re.split(r"\n\n\w+\n-+\n", rest)[0]
    names = re.findall(r"^\*{0,2}(\w[\w, ]*?)(?: : .*)?$", section, flags=re.MULTILINE)
    documented = [one for line in names for one in line.split(", ")]
    assert sorted(documented) == sorted(inspect.signature(function).parameters)
    assert "{options}" not in text
    assert head.splitlines()[0].endswith(".")
    runner = doctest.DocTestRunner()
    for examples in doctest.DocTestFinder(recurse=False).find(function, name, module=False):
        runner.run(examples)
    assert runner.failures == 0


def test_the_readme_shows_figures_of_the_pages(repository):
    """What the README claims beside other tools is what the pages of measurements have."""
    text = (repository / "README.md").read_text()

    def rows(path):
        with (repository / "docs" / path).open() as file:
            return list(csv.DictReader(file))

    efforts = {
        (r["records"], r["k"], r["method"], r["effort"]): r["loss"]
        for r in rows("mixed/efforts.csv")
    }
    ours, other = (
        efforts["30162", "5", *one] for one in (("auto", "normal"), ("ARX, local recoding", ""))
    )
    assert f"| {float(ours):.2f} % | – | {float(other):.2f} % |" in text
    mdav = next(r["found"] for r in rows("published/2018.csv")
                if (r["table"], r["method"], r["k"]) == ("census", "mdav-nn", "5"))  # fmt: skip
    search = next(r["mean"] for r in rows("search/near.csv")
                  if (r["table"], r["k"], r["recipe"]) == ("census", "5", "ilsmc+"))  # fmt: skip
    record = next(
        r["loss"] for r in rows("records/records.csv") if (r["table"], r["k"]) == ("census", "5")
    )
    assert f"| {float(mdav):.3f}, {float(search):.3f}, {float(record):.4f} % |" in text
