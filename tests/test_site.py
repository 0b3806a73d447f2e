"""The site: every public thing has its page, links lead somewhere, and its first pages run."""

from __future__ import annotations

import importlib
import re
import shlex

import pytest
from command_tree import every_command

import shoal

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


@pytest.fixture(scope="module")
def site(repository):
    """The modules that say where things are defined, and what code in the text names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(repository / "docs/_ext"))
        return importlib.import_module("places"), importlib.import_module("named")


def test_every_public_name_is_defined_on_one_page(made, site):
    """Functions, classes, steps, datasets, errors and warnings each have a page, and but one."""
    text = "".join(page.read_text() for page in (made / "api").glob("*.md"))
    index = (made / "api/index.md").read_text()
    found = {name: place for (kind, name), place in site[0].places().items()
             if kind in ("name", "error")}  # fmt: skip
    wanted = {name for name in shoal.__all__ if callable(getattr(shoal, name))}
    assert wanted | {f"steps.{name}" for name in shoal.steps.__all__} <= set(found)
    for name, place in found.items():
        title = f"# `shoal.{name}`"
        assert text.count(f"{title}\n") == 1, name
        assert title in (made / f"{place.page.removeprefix('generated/')}.md").read_text()
        assert f"| [`{name}`]({place.page.rpartition('/')[2]}.md) |" in index, name


def test_every_command_and_option_is_defined_on_one_page(made, pages, repository, site):
    """A command's page has each of its options, and the page of options has every option once."""
    index = (made / "commands/index.md").read_text()
    for path, command, below in every_command():
        name = path.replace(" ", "-")
        text = (made / f"commands/{name}.md").read_text()
        assert f"| [`{path}`]({name}.md) |" in index
        for param in command.get_params(below):
            if param.param_type_name == "option" and not param.hidden:
                assert all(f"`{flag}`" in text for flag in names_of(param)), (path, param.name)
    options = pages[repository / "docs/reference/options.md"]
    for kind, name in site[0].places():
        assert kind != "option" or len(re.findall(rf"^\| `{name}`", options, re.MULTILINE)) == 1


def test_every_measure_is_defined_on_one_page(pages, repository, site):
    """Measures of a release and figures of a table's own risk each stand once on their page."""
    for (kind, name), place in site[0].places().items():
        if kind in ("measure", "risk figure"):
            text = pages[repository / f"docs/{place.page}.md"]
            assert len(re.findall(rf"^`{re.escape(name)}`, ", text, re.MULTILINE)) == 1, name


def test_errors_have_remedies(pages, repository, site):
    """The page of errors has every error and warning that a user may catch."""
    text = pages[repository / "docs/reference/errors.md"]
    for kind, name in site[0].places():
        assert kind != "error" or f"`{name}`]" in text or f"`shoal.{name}`]" in text, name


def test_every_public_thing_is_named_on_other_pages(pages, repository, site):
    """What code in the text names becomes a link: nothing public is without one, but methods,
    which the table and the gallery of methods link."""
    named = set()
    for path, text in pages.items():
        if path.is_relative_to(repository / "docs"):
            page = path.relative_to(repository / "docs").with_suffix("").as_posix()
            prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
            found = {site[1].place_of(code, page) for code in re.findall(r"`([^`\n]+)`", prose)}
            named |= {place for place in found if place is not None and place.page != page}
    assert [(kind, name) for (kind, name), place in site[0].places().items()
            if kind != "method" and place not in named] == []  # fmt: skip


def test_the_check_of_the_built_site_finds_what_is_missing(repository, site, tmp_path, monkeypatch):
    """A page, an anchor or a link that is missing is told; margins of a page do not count."""
    monkeypatch.syspath_prepend(str(repository / "docs/_ext"))
    covered, place = importlib.import_module("covered"), site[0].Place
    found = {("name", "a"): place("a"), ("name", "b"): place("b"), ("name", "c"): place("c"),
             ("option", "x"): place("a", "x"), ("option", "y"): place("a", "y")}  # fmt: skip
    monkeypatch.setattr(covered, "places", lambda: found)
    page = '<a href="c.html"></a><article role="main">{}</article>'
    (tmp_path / "a.html").write_text(page.format('<p id="x"></p><a href="b.html#z">b</a>'))
    (tmp_path / "b.html").write_text(page.format('<a class="k" href="a.html#x">x</a>'))
    (tmp_path / "c.html").write_text(page.format('<a href="gone.html">d</a>'))
    assert sorted(covered.problems(tmp_path)) == [
        "a.html: leads to b.html#z, which is not there",
        "c.html: leads to gone.html, which is not there",
        "name c is linked from no other page",
        "option y is not defined once on a.html",
    ]


def test_commands_in_the_text_exist(pages, site):
    """`shoal WORD` in the text is a command, not one of yesterday."""
    for path, text in pages.items():
        if "CHANGELOG" not in path.name:
            prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
            for code in re.findall(r"`(shoal [a-z][^`\n]*)`", prose):
                assert site[1].place_of(code), f"{path}: {code}"


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
    for folder in ("start", "jobs", "understand", "guide", "coming-from", "gallery", "developers"):
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


def test_command_lines_exist(pages, repository):
    """Every command line on a page names a command that there is, with options that it has."""
    known = {path: {name for param in one.get_params(below) for name in names_of(param)}
             for path, one, below in every_command()}  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(repository / "docs/_ext"))
        stored = importlib.import_module("stored")
    texts = {path: re.sub(r"<!-- stored: (.*?) -->", lambda job: stored.told(job[1]), text)
             for path, text in pages.items()}  # fmt: skip
    seen = 0
    for path, text in texts.items():
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


def test_counts_are_those_of_the_code(pages, repository):
    """How many methods there are is as the code says."""
    text = pages[repository / "README.md"]
    for page in (text, pages[repository / "docs/coming-from/index.md"]):
        assert re.findall(r"(\d+) methods", page) == [str(len(shoal.methods()))]


def test_the_readme_is_short(repository):
    """The README is what a newcomer reads: at most 130 lines."""
    assert len((repository / "README.md").read_text().splitlines()) <= 130
