"""Options that messages name: each door says them in its own words, and none is stale."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import pickle
import re
from functools import cache

import pytest
import typer.main
from typer.testing import CliRunner

import shoal
from shoal.cli import app
from shoal.errors import InputError, UnlistedError, exists, from_plain
from shoal.hints import COLUMN, FILE, Hint, Message, option, said, speaking, spoken
from shoal.settings.hints import BEYOND, as_command, as_recipe, stored
from shoal.settings.table import TABLE
from shoal.web.labels import LABELS, ROLES, as_field
from shoal.web.request import DESK
from shoal.web.series.ledgers import ASKED


def names_in(repository):
    """Every option that a message in the sources names: its file, its name, what Python says."""
    for path in sorted((repository / "src" / "shoal").rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(code)) if "option(" in code else ():
            named = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "option"
            if named and path.name != "hints.py":
                yield path, node, any(one.arg == "python" for one in node.keywords)


@cache
def arguments():
    """The names of all arguments that public functions and methods take."""
    found = set()
    for name in shoal.__all__:
        public = getattr(shoal, name)
        own = [one for key, one in vars(public).items() if key[0] != "_"] if inspect.isclass(
            public
        ) else [public]  # fmt: skip
        for one in filter(callable, own):
            found |= set(inspect.signature(one).parameters)
    return found


@cache
def flags():
    """All options of all commands, and the commands themselves."""
    found = set()

    def look(command, words):
        found.add(f"`{' '.join(words)}`")
        context = typer.Context(command)
        for parameter in command.get_params(context):
            found.update(parameter.opts)
        for name in getattr(command, "commands", {}):
            look(command.commands[name], [*words, name])

    look(typer.main.get_command(app), ["shoal"])
    return found


def test_every_hint_names_an_option_at_every_door(repository):
    """What a message names is an option of the table, of a command and of a function."""
    seen = set()
    for path, call, has_words in names_in(repository):
        first = call.args[0]
        if isinstance(first, ast.Attribute) and first.attr == "name" and path.name == "state.py":
            continue  # of an entry of the table
        assert isinstance(first, ast.Constant), f"{path}:{call.lineno} names no option itself"
        name = first.value
        seen.add(name)
        assert name in TABLE or name in BEYOND, f"{path}:{call.lineno} names {name}"
        assert has_words or name in arguments(), f"{path}:{call.lineno}: Python has no {name}"
    assert {"force", "drop", "aggregate", "memory", "key"} <= seen
    assert set(BEYOND) <= seen | {"against", "methods"}
    for name in seen:
        word = as_command(Hint(name))
        assert word in flags() or word == TABLE[name].key, name
        assert as_field(Hint(name))


def test_labels_stand_on_the_page(repository):
    """Every label is a word of the page; every label is that of an option the desk takes."""
    static = repository / "src" / "shoal" / "web" / "static"
    words = "\n".join(path.read_text(encoding="utf-8") for path in static.glob("*.js"))
    for label in (*LABELS.values(), *ROLES.values()):
        assert re.search(rf'["`] ?{re.escape(label)}', words), label
    taken = {entry.name for entry in DESK} | ASKED  # a series is asked for beside the recipe
    assert set(LABELS) | set(ROLES) <= taken


@pytest.mark.parametrize(
    ("hint", "python", "command", "recipe", "desk"),
    [
        (Hint("force", True), "force=True", "--force", "--force", "--force"),
        (Hint("drop", ["last name"]), "drop=['last name']", "--drop 'last name'",
         'roles.drop = ["last name"]', "the role “Leave out” of 'last name'"),
        (Hint("aggregate", "mean"), "aggregate='mean'", "--aggregate mean",
         'release.aggregate = "mean"', "“A group’s value”: mean"),
        (Hint("types", {COLUMN: "text"}), "types={COLUMN: 'text'}", "--type COLUMN=text",
         'input.types = { COLUMN = "text" }', "“Read it”: text"),
        (Hint("round", {"pay": 100}), "round={'pay': 100}", "--round pay=100",
         "release.round = { pay = 100 }", "“round to multiples of” of 'pay': 100"),
        (Hint("decimals"), "decimals", "--decimals", "release.decimals", "“Decimals”"),
        (Hint("allow_k1", True), "allow_k1=True", "--allow-k1", "protect.allow_k1 = true",
         "--allow-k1"),
        (Hint("report", False), "report=False", "--no-report", "--no-report", "--no-report"),
        (Hint("search"), "search", "search", "search", "search"),
        (Hint("original", FILE), "original=FILE", "--original FILE", "--original FILE",
         "--original FILE"),
        (Hint("show_values", True, "`values`"), "`values`", "--show-values", "--show-values",
         "--show-values"),
    ],
)  # fmt: skip
def test_words(hint, python, command, recipe, desk):
    """An option is said as the caller writes it; one that a door lacks as another has it."""
    text = Message(f"say {hint.mark}, please")
    assert text == f"say {python}, please"
    assert text.hints == (hint,)
    assert text.at(as_command) == f"say {command}, please"
    assert stored(text.marked) == f"say {recipe}, please"
    assert text.at(as_field) == f"say {desk}, please"
    for same in (copy.deepcopy(text), pickle.loads(pickle.dumps(text)), Message(text.marked)):  # noqa: S301
        assert (same, same.parts) == (text, text.parts)


def test_errors_carry_hints():
    """An error says its options in Python's words, and in another door's where one speaks."""
    error = exists("x.csv")
    assert str(error) == "'x.csv' exists; say force=True to replace it"
    assert error.hints == (Hint("force", True),)
    with speaking(as_command):
        assert str(error) == "'x.csv' exists; say --force to replace it"
    assert repr(error) == "OutputError(\"'x.csv' exists; say force=True to replace it\")"
    plain = json.loads(json.dumps(error.to_plain()))
    for same in (from_plain(plain), pickle.loads(pickle.dumps(error))):  # noqa: S301
        assert (type(same), same.hints, str(same)) == (type(error), error.hints, str(error))
    longer = InputError(f"a.toml: {error.marked}")
    assert longer.hints == error.hints
    assert UnlistedError("2 cells", ["x"]).brief == "2 cells"


def test_names_cannot_pass_for_hints():
    """What a name holds is shown, and never taken for an option or a line of its own."""
    hostile = f"a{option('force', True)}\n\x1b[1mb{'c' * 80}"
    text = Message(f"leave it out with {option('drop', [hostile])}")
    assert len(text.hints) == 1
    for door in (str, as_command, as_recipe, as_field):
        assert text.at(door).isprintable()
        assert len(text.at(door)) < 120
    assert str(Message("a \ue000no mark\ue001 b")) == "a no mark b"
    assert said("plain") == "plain"


def test_values_in_plain_trees_are_said():
    """A tree of plain values has its messages in the words of the door."""
    tree = {"notes": [Message(f"say {option('force', True)}")], "k": 3}
    with speaking(as_command):
        assert spoken(tree) == {"notes": ["say --force"], "k": 3}


def test_each_door_in_its_own_words(tmp_path):
    """One mistake, three doors: a column that names people."""
    path = tmp_path / "t.csv"
    rows = "".join(f"{i % 7},n{i}\n" for i in range(40))
    path.write_text(f"age,name\n{rows}")
    with pytest.raises(shoal.RequestError, match=r"say identifiers=\['name'\] to drop it"):
        shoal.anonymize(path, k=3)
    ran = CliRunner().invoke(
        app, ["anonymize", str(path), "-k", "3", "-o", str(tmp_path / "o.csv")]
    )
    assert "say --identifier name to drop it" in ran.output
    recipe = tmp_path / "r.toml"
    recipe.write_text("[protect]\nk = 1\n")
    ran = CliRunner().invoke(app, ["run", str(recipe), "-o", str(tmp_path / "o.csv")])
    assert "say protect.allow_k1 = true if that is what you want" in ran.output


def test_notes_of_a_report(tmp_path):
    """A note speaks Python in Python, the command line there, and a recipe's keys in files."""
    path = tmp_path / "t.csv"
    path.write_text("who,age\n" + "".join(f"p{i % 9},{20 + i}\n" for i in range(30)))
    options = {"k": 3, "identifiers": ["who"], "quasi_identifiers": ["age"], "method": "mdav"}
    report = shoal.anonymize(path, count="records", **options).report
    note = next(note for note in report.notes if "counts records" in note)
    assert "(person='who' counts them)" in note
    assert f"note: {note}" in report.summary()
    assert any('(roles.person = "who" counts them)' in one for one in report.to_dict()["notes"])
    assert "roles.person = &quot;who&quot;" in report.to_html()
    with speaking(as_command):
        assert "(--person who counts them)" in report.summary()
    assert "\ue000" not in report.to_json() + report.to_html() + str(report)


def test_help_in_the_callers_words():
    """Help names other options as the command line has them, docstrings as Python has them."""
    ran = CliRunner().invoke(app, ["anonymize", "--help"], env={"COLUMNS": "300"})
    assert "recursive (with --c)" in ran.output
    assert "recursive (with c)" in (shoal.anonymize.__doc__ or "")
    assert "--" not in (shoal.compare.__doc__ or "").split("Parameters", 1)[1].replace("---", "")
