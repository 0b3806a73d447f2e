"""The site: every public thing has its page, links lead somewhere, and its first pages run."""

from __future__ import annotations

import importlib
import re
import shlex

import pytest
import typer.main

import shoal
from shoal.cli import app
from shoal.cli.manual import commands

OTHERS = ("_build", "_ext", "_static", "generated")


@pytest.fixture(scope="module")
def pages(repository):
    """The pages that people wrote, by path."""
    folder = repository / "docs"
    every = [p for p in folder.rglob("*.md") if p.relative_to(folder).parts[0] not in OTHERS]
    return {path: path.read_text(encoding="utf-8") for path in [*every, repository / "README.md"]}


@pytest.fixture(scope="module")
def made(repository, tmp_path_factory):
    """The folder of the pages that the code writes, but those of methods, which it draws."""
    folder = tmp_path_factory.mktemp("generated")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(repository / "docs/_ext"))
        for name, place in (("api", "api"), ("command", "commands"), ("root", "developers"),
                            ("schema", "schemas")):  # fmt: skip
            importlib.import_module(f"{name}_pages").write(folder / place)
    return folder


def test_every_public_name_has_a_page(made):
    """Functions, classes, errors and warnings are each defined on one page of the reference."""
    for name in set(shoal.__all__) - {"datasets"}:
        value = getattr(shoal, name)
        if callable(value):
            stem = f"{name}-class" if isinstance(value, type) else name
            assert (made / "api" / f"{stem}.md").is_file(), name
            assert f"]({stem}.md)" in (made / "api/index.md").read_text()


def test_every_command_has_a_page(made):
    """The reference has every command with each of its options."""
    text = (made / "commands/shoal-anonymize.md").read_text()
    assert all(f"`{name}`" in text for name in ("-k", "--quasi", "--hierarchy", "--output", "--l"))
    assert len(list((made / "commands").glob("shoal-*.md"))) > 15


def test_every_method_has_an_idea(repository):
    """The page of a method says its idea and formula: none is forgotten, and none is left over."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(repository / "docs/_ext"))
        method_pages = importlib.import_module("method_pages")
    names = [info.name for info in shoal.methods()]
    for name in names:
        idea, formula = method_pages.entry(name)
        assert len(idea) > 40
        assert formula
    stems = {re.sub(r"[23]\+?$", "", name) for name in names}
    assert set(method_pages.IDEAS) - {"suffix"} <= {*stems, *names}


def test_a_method_is_drawn(repository):
    """Its picture has every record of the toy table once, in groups of at least k."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(repository / "docs/_ext"))
        method_pages = importlib.import_module("method_pages")
    info = next(one for one in shoal.methods() if one.name == "mdav")
    points, labels, loss = method_pages.grouped(info)
    drawn = method_pages.picture(points, labels, "a title")
    assert drawn.count("<circle") == len(points)
    assert 0 < loss < 100


def test_links_lead_somewhere(pages, made, repository):
    """Every link to a file of ours names one that is there, or that the code writes."""
    built = repository / "docs/generated"
    for path, text in pages.items():
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if re.match(r"[a-z]+:", target) or target.startswith("/"):
                continue
            there = (path.parent / target).resolve()
            if there.is_relative_to(built):
                inside = there.relative_to(built)
                assert inside.parts[0] == "methods" or (made / inside).exists(), (path, target)
            else:
                assert there.exists(), (path.name, target)


def test_pages_are_in_the_contents(pages, repository):
    """A page that people wrote is in the contents of its folder, so that readers find it."""
    for folder in ("start", "jobs", "understand", "guide", "coming-from", "gallery"):
        index = pages[repository / "docs" / folder / "index.md"]
        listed = set(re.findall(r"```\{toctree\}\n(.*?)```", index, re.DOTALL)[0].split())
        for path in (repository / "docs" / folder).glob("*.md"):
            assert path.stem in listed | {"index"}, path


def test_the_first_commands_run(repository, tmp_path, shoal, monkeypatch):
    """The commands of the first page about the terminal work, one after the other."""
    text = (repository / "docs/start/terminal.md").read_text()
    lines = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).replace("\\\n", " ")
    sample = (repository / "src/shoal/datasets/patients.csv").read_text().splitlines()[:401]
    (tmp_path / "stays.csv").write_text("\n".join([*sample, ""]))
    monkeypatch.chdir(tmp_path)
    every = [shlex.split(line) for line in lines.splitlines()]
    assert len(every) == 6
    for _, *arguments in every:
        if arguments[0] == "run" and arguments[1].startswith("src/"):
            continue  # `make run`
        ran = shoal(*arguments)
        assert ran.code == 0, ran.err


def names_of(param):
    """The names of an option, those that switch it off too."""
    return (*param.opts, *param.secondary_opts)


def test_command_lines_exist(pages):
    """Every command line on a page names a command that there is, with options that it has."""
    root = typer.main.get_command(app)
    ctx = root.make_context("shoal", [], resilient_parsing=True)
    known = {path: {name for param in one.get_params(below) for name in names_of(param)}
             for path, one, below in commands(root, ctx)}  # fmt: skip
    seen = 0
    for path, text in pages.items():
        for block in re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                for part in re.findall(r"(?:^|\| )\$? ?(shoal [^|#…]*)", line):
                    words = part.split()
                    name = next(
                        (n for n in (" ".join(words[:3]), " ".join(words[:2])) if n in known), None
                    )
                    assert name, f"{path.name}: {part}"
                    options = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
                    assert options <= known[name], f"{path.name}: {part}: {options - known[name]}"
                    seen += 1
    assert seen > 40


@pytest.mark.parametrize("page", ["understand/k.md", "understand/grouping.md", "jobs/survey.md"])
def test_cells_run(repository, page):
    """The cells of a page run from the first to the last; `make docs` runs those of all."""
    text = (repository / "docs" / page).read_text()
    cells = re.findall(r"```\{code-cell\}\n(.*?)```", text, re.DOTALL)
    assert cells
    names = {}
    for cell in cells:
        exec(re.sub(r"^:tags:.*\n", "", cell), names)  # noqa: S102


def test_the_readme_is_short(repository):
    """The README is what a newcomer reads: at most 130 lines."""
    assert len((repository / "README.md").read_text().splitlines()) <= 130
