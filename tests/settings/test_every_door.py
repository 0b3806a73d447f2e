"""Every option of the table through every door: Python, the command line, recipes, the desk."""

from __future__ import annotations

import inspect
import shlex
import typing

import pytest
from option_pages import PAGE, SIGNATURES, page
from option_pages import signatures as written
from typer.testing import CliRunner

import shoal
from shoal.cli import anonymize as command
from shoal.cli import app
from shoal.cli.options import READING
from shoal.hints import Hint
from shoal.pipeline import anonymize, preview
from shoal.pipeline import compare as comparing
from shoal.pipeline import stream as streaming
from shoal.pipeline.regions import file
from shoal.settings import RunOptions, build, load, signatures
from shoal.settings.hints import as_command, as_recipe
from shoal.settings.model import STREAM
from shoal.settings.option import COMMANDS, FUNCTIONS, PANELS
from shoal.settings.table import (
    NEEDED,
    RUN,
    TABLE,
    commands_of,
    options_of,
    options_of_command,
)
from shoal.settings.tree import arguments_of, tree_of, values_of
from shoal.table.dialects.dialect import HOW
from shoal.web.equivalent import command_line, python_snippet
from shoal.web.labels import as_field
from shoal.web.request import PARTS, form_options, read_recipe
from thorough import each

EXAMPLES = {
    "k": 7, "preset": "threshold-5", "l": 3, "l_kind": "entropy", "c": 2.5, "t": {"ill": 0.2},
    "alpha": 0.5,
    "beta": {"ill": 1.5}, "beta_kind": "basic", "delta": 2.0, "e": {"pay": 10},
    "l_of": {"ill,pay": 3}, "dominance": {"age": 10},
    "k_of": {"age,zip": 9, '"a,b"': 8}, "missing_sensitive": "value",
    "count": "records", "enforce": "merge", "small_strata": "merge", "allow_k1": True,
    "identifiers": ["name"], "quasi_identifiers": ["age", "a b", "last, first", "-x"],
    "sensitive": ["ill"], "other": ["o"], "drop": ["d"], "group": "g", "weight": "w",
    "by": ["region", "s,t"], "household": "home", "person": "who", "keep_unique": ["o"],
    "hierarchies": {"age": "widths:5,10"}, "orders": {"pain": ["mild", "very, very"]},
    "method": "kaim+", "effort": "best", "start": "farthest", "max_iterations": 10,
    "time_limit": 2.5, "runs": 2, "refine": "decompose", "seed": 3, "column_weights": {"age": 2.0},
    "search": {"samples": 3},
    "steps": [
        {"kind": "top", "column": "a b", "share": 0.01},
        {"kind": "recode", "column": "ill", "values": {"a=b": "c d"}},
        {"kind": "noise", "columns": ["o", "s,t"], "how": "zero-sum"},
    ],
    "secret": "0f" * 32, "delimiter": ";", "encoding": "cp1252", "decimal": ",",
    "thousands": ".", "date_format": {"born": "%d.%m.%Y"}, "skip_lines": 3, "comment": "#",
    "quote": "'", "widths": [5, 2], "sheet": "Table 1", "dialect": "plain",
    "missing": ["", "NA", "-9"],
    "types": {"age": "number"}, "hierarchy_folder": "trees", "incomplete": "delete",
    "suppress": 0.05, "totals": "totals.csv", "totals_within": 0.5,
    "allow_empty": True, "aggregate": {"age": "median"}, "numbers": "interval",
    "intervals": "columns",
    "decimals": {"age": 2, "pay": "none"},
    "keep_order": True, "spreadsheet_safe": True, "round": {"o": 100, "p": 0.5},
    "weights_as": "rounded:5", "group_column": "class", "memory": "2GB", "engine": "dask",
    "ledger": "series.ledger", "withhold": 0.05, "changing": ["ill", "o"], "expect_overlap": 0.8,
    "over_series": "sets", "stable": True, "counterfeits": 0.1, "batch": 500, "delay": "15min",
    "follow": True, "format": "parquet",
    "threads": 2, "work": "room", "scheduler": "tcp://head:8786",
    "report": False, "force": True, "show_values": True, "as_json": True,
}  # fmt: skip
NEEDS = {
    "l_kind": {"l": 3}, "beta_kind": {"beta": 1}, "weights_as": {"weight": "w"},
    "c": {"l": 2, "l_kind": "recursive"},
    "scheduler": {"engine": "dask"},
    "ledger": {"person": "who"},
    "counterfeits": {"person": "who", "ledger": "series.ledger"},
    **{
        name: {"person": "who", "ledger": "series.ledger"}
        for name in ("withhold", "changing", "expect_overlap", "over_series", "stable")
    },
}  # fmt: skip


TO_A_FOLDER = "anonymize_file", STREAM


class Enough(BaseException):
    """What was asked for has been heard."""


def values_for(name):
    """Values of options that say one thing, with what that needs."""
    return {"k": 5, **NEEDS.get(name, {}), name: EXAMPLES[name]}


def settings_for(name):
    return build(tree_of(values_for(name)))


def run_for(name):
    return RunOptions(**({name: EXAMPLES[name]} if TABLE[name].part == RUN else {}))


def names(entries):
    """Return the names of options."""
    return [entry.name for entry in entries]


@pytest.fixture
def heard(monkeypatch, tmp_path):
    """What arrives behind the doors: settings, and options of a run."""
    found = []

    def note(settings, run):
        found.append((settings, run))
        raise Enough

    def released(_source, _output, settings, run, *_):
        note(settings, run)

    def compared(_data, settings, plan, threads, *_):
        assert list(plan.sizes) == [5, 6]
        note(settings, RunOptions(threads=threads))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        anonymize, "anonymize_with", lambda _, s, __, t: note(s, RunOptions(threads=t))
    )
    monkeypatch.setattr(file, "file_request", released)
    monkeypatch.setattr(
        preview, "preview_of", lambda _, s, __, t, ___: note(s, RunOptions(threads=t))
    )
    monkeypatch.setattr(comparing, "compare_as", compared)
    monkeypatch.setattr(streaming, "stream_with", lambda _, __, s, run, *___: note(s, run))
    monkeypatch.setattr(command, "make", lambda s, _, __, run, *___: note(s, run))
    return found


def test_every_option_has_an_example():
    """A new option is tried: there is a value for it that is not its default."""
    assert set(EXAMPLES) == set(TABLE)
    for name, entry in TABLE.items():
        assert EXAMPLES[name] != entry.default
        assert entry.option.panel in PANELS
        assert set(entry.option.commands) <= {*COMMANDS, STREAM}
        assert set(entry.option.functions) <= {*FUNCTIONS, STREAM}


@pytest.mark.parametrize("function", [*FUNCTIONS, STREAM])
def test_python(function, heard):
    """Every argument of a function arrives."""
    for name in names(options_of(function)):
        heard.clear()
        arrives_from_python(function, name, heard)


def arrives_from_python(function, name, heard):
    """Hold what a function was given for an option against what arrived."""
    given = arguments_of(values_for(name))
    if function == "compare":
        given["k"] = [6, 5]
    more = ["out/"] if function in TO_A_FOLDER else []
    with pytest.raises(Enough):
        getattr(shoal, function)("t.csv", *more, **given)
    assert heard == [(settings_for(name), run_for(name))], name


def test_a_folder_of_hierarchies(heard, tmp_path):
    """A path as `hierarchies` is a folder of them."""
    with pytest.raises(Enough):
        shoal.anonymize("t.csv", k=5, hierarchies=tmp_path)
    assert heard[0][0].input.hierarchies == str(tmp_path)


def say(words):
    """Let the command line parse words; what stops it goes through."""
    ran = CliRunner().invoke(app, words)
    raise AssertionError(ran.output)


@pytest.mark.parametrize("command", [*COMMANDS, STREAM])
def test_command_line(command, heard, tmp_path):
    """Every option of a command arrives; a recipe is heeded for what a pack would not tell."""
    for name in names(options_of_command(command)):
        heard.clear()
        arrives_from_words(command, name, heard, tmp_path)


def arrives_from_words(command, name, heard, tmp_path):
    """Hold what a command was told of an option against what arrived."""
    needed = {"k": 5, "group": "g", "refine": "iterative"} if command == "refine" else {"k": 5}
    values = {**needed, **values_for(name)}
    (tmp_path / "r.toml").write_text(build(tree_of(needed)).to_toml())
    own = {"run": ["r.toml"], "compare": ["t.csv", "-k", "6,5"], STREAM: [str(tmp_path)]}
    words = own.get(command, ["t.csv"])
    for entry in [TABLE[option] for option in values]:
        if command in commands_of(entry):
            said = entry.option.kind.words(values[entry.name])
            words += [f"{entry.flags[-1]}={word}" for word in said] or [entry.flag]
    with pytest.raises(Enough):
        say([command, *words, *(["-o", "out/"] if command != "compare" else [])])
    ((settings, run),) = heard
    if command == "run":
        if name == "hierarchies":
            assert list(settings.hierarchies) == list(EXAMPLES[name])
        settings = settings.model_copy(update={"hierarchies": {}})
        hidden = {"hierarchies", "orders", "missing"}
        values = {key: value for key, value in values.items() if key not in hidden}
    assert settings == build(tree_of(values)), name
    noted = command != "compare" or name == "threads"
    assert run == (run_for(name) if noted else RunOptions()), name


@each("name", [name for name, entry in TABLE.items() if entry.part != RUN])
def test_recipe(name, tmp_path):
    """Every setting survives a recipe."""
    settings = settings_for(name)
    (tmp_path / "r.toml").write_text(settings.to_toml())
    assert load(tmp_path / "r.toml") == settings
    assert TABLE[name].key in _keys(settings.model_dump())


def _keys(tree, path=""):
    for key, value in tree.items():
        yield f"{path}{key}"
        if isinstance(value, dict):
            yield from _keys(value, f"{path}{key}.")


@each("option", form_options())
def test_desk(option, heard):
    """Whatever the page may ask for arrives, and is said as a command and as Python."""
    heard.clear()
    name = option["name"]
    recipe = tree_of(values_for(name))
    asked = read_recipe(recipe, {}, {})
    wanted = {**values_for(name), "spreadsheet_safe": True}
    assert build(asked) == build(tree_of(wanted))
    place = asked if not option["part"] else asked[option["part"]]
    assert place[name] == EXAMPLES[name]
    with_memory = {**asked, "protect": {**asked["protect"], "memory": "2GB"}}
    words = shlex.split(
        command_line("anonymize", "t.csv", with_memory, {}, {}).replace("\\\n", " ")
    )
    with pytest.raises(Enough):
        say(words[1:])
    with pytest.raises(Enough):
        exec(python_snippet("anonymize", "t.csv", with_memory, {}, {}), {})  # noqa: S102
    assert [settings for settings, _ in heard] == [build(with_memory)] * 2


@pytest.fixture
def plans(heard, monkeypatch):
    """The sizes, methods and budget of comparisons that arrive."""
    found, told = [], comparing.compare_as

    def compared(data, settings, plan, *more):
        found.append((list(plan.sizes), list(plan.methods), plan.budget))
        told(data, settings, plan, *more)

    monkeypatch.setattr(comparing, "compare_as", compared)
    return found


@each("option", form_options())
def test_desk_compares(option, heard, plans):
    """A comparison's command and snippet ask for what was compared: its k and methods aside."""
    heard.clear()
    plans.clear()
    recipe = tree_of(values_for(option["name"]))
    asked = {"compare": {"k": [5, 6], "methods": ["mdav"], "budget": 60}}
    words = shlex.split(command_line("compare", "t.csv", recipe, asked, {}).replace("\\\n", " "))
    with pytest.raises(Enough):
        say(words[1:])
    with pytest.raises(Enough):
        exec(python_snippet("compare", "t.csv", recipe, asked, {}), {})  # noqa: S102
    left_out = {
        "protect": {"k": 5, "preset": None, "method": "auto", "memory": None, "suppress": 0.0}
    }
    wanted = build(recipe).replace(
        **left_out, release={"spreadsheet_safe": False, "dialect": "same", "group_column": None}
    )
    assert [settings for settings, _ in heard] == [wanted] * 2
    assert plans == [([5, 6], ["mdav"], 60)] * 2


@each("entry", [e for e in TABLE.values() if e.option.instead])
def test_what_a_comparison_cannot_take_is_said(entry):
    """An option of a run that means nothing to a comparison is refused by its name."""
    with pytest.raises(shoal.RequestError, match=f"{entry.name} says nothing to a comparison"):
        shoal.compare("t.csv", k=3, **{entry.name: EXAMPLES[entry.name]})


def test_the_desk_knows_what_it_is_told():
    """The page is told of the options that the server takes from it, each with its default."""
    told = form_options()
    assert {one["name"] for one in told} == {e.name for e in TABLE.values() if e.option.desk}
    known = {name for part, names in PARTS.items() for name in (names or [part])}
    assert known == {one["name"] for one in told}
    assert all(one["default"] is not NEEDED for one in told)


@pytest.mark.parametrize("function", [*FUNCTIONS, STREAM])
def test_signatures(function):
    """What `inspect.signature` shows are the table's names and defaults; no other is taken."""
    call = getattr(shoal, function)
    shown = inspect.signature(call).parameters
    for entry in options_of(function):
        default = None if entry.default is NEEDED else entry.argument_default  # a preset says k
        assert shown[entry.name].default == default
        named = entry.default is not NEEDED  # k can be given by its place
        assert (shown[entry.name].kind is inspect.Parameter.KEYWORD_ONLY) == named
    assert not any(one.kind is one.VAR_KEYWORD for one in shown.values())
    title = "".join(word.capitalize() for word in function.split("_")) + "Options"
    assert set(typing.get_type_hints(getattr(signatures, title))) <= set(shown)
    with pytest.raises(TypeError, match=rf"{function}\(\) got an unexpected .* 'quasi'"):
        call("t.csv", *["out/"] * (function in TO_A_FOLDER), k=2, quasi=["a"])
    missing = (TypeError, shoal.RequestError)  # a comparison takes no preset
    with pytest.raises(missing, match=r"missing .* 'k'|k is needed and not given; say k, or"):
        call("t.csv", *["out/"] * (function in TO_A_FOLDER))


@each("name", TABLE)
def test_messages(name):
    """Of every option of the table, flag, key and label are found, with a value and without."""
    entry = TABLE[name]
    assert as_command(Hint(name)) == (entry.flag if entry.option.commands else entry.key)
    assert as_recipe(Hint(name)) == (entry.key or entry.flag)
    with_value = Hint(name, EXAMPLES[name])
    assert as_command(with_value).startswith(as_command(Hint(name)))
    assert as_recipe(with_value).startswith(as_recipe(Hint(name)))
    assert as_field(with_value) == as_command(with_value) or "“" in as_field(with_value)


def test_arguments_and_values():
    """Values become arguments and arguments values, for every option."""
    for name, value in EXAMPLES.items():
        if name != "hierarchy_folder":
            assert build_like(values_of(arguments_of({name: value}))[name]) == build_like(value)


def build_like(value):
    """A value with lists as tuples, as settings hold it."""
    if isinstance(value, dict):
        return {key: build_like(one) for key, one in value.items()}
    return tuple(value) if isinstance(value, list) else value


def test_what_is_written_is_in_step():
    """`python docs/_ext/option_pages.py` has been run since the table was changed."""
    assert SIGNATURES.read_text(encoding="utf-8") == written()
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("command", [*COMMANDS, STREAM])
def test_help_has_panels(command):
    """The help of a command shows its options in panels, in the table's order."""
    ran = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"})
    wanted = [
        panel
        for panel in PANELS
        if any(e.option.panel == panel for e in options_of_command(command))
    ]
    places = [ran.output.index(f"─ {panel} ─") for panel in wanted]
    assert places == sorted(places)
    assert all(flag in ran.output for entry in options_of_command(command) for flag in entry.flags)


def test_commands_that_read_take_all_of_a_dialect():
    """What a dialect says is listed twice: the command line lists it before the table is loaded."""
    assert set(READING) == {"delimiter", "missing", "types", *HOW}
