"""A job said as a command line and as Python: both ask for the very same."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from shoal.cli import anonymize, app
from shoal.settings import build
from shoal.web.equivalent import command_line, python_snippet, summary_of
from thorough import examples

NAMES = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n\"=", exclude_categories=("C",)),
            min_size=1, max_size=8).filter(lambda t: t.strip() == t),
    min_size=1, max_size=4, unique=True,
)  # fmt: skip

RECIPES = [
    {"protect": {"k": 5}},
    {
        "roles": {"quasi_identifiers": ["age", "last, first", "-x", "a b"], "sensitive": ["ill"],
                  "identifiers": ["name"], "other": ["o"], "drop": ["d"], "weight": "w",
                  "by": ["region", "s,t"], "household": "home"},
        "protect": {"k": 7, "l": 3, "l_kind": "entropy", "t": {"ill": 0.2}, "alpha": 0.5,
                    "dominance": {"age": 10}, "k_of": {"age,zip": 9}, "enforce": "merge",
                    "method": "kaim+", "effort": "best", "start": "farthest", "max_iterations": 10,
                    "time_limit": 2.5, "runs": 2, "seed": 3, "column_weights": {"age": 2.0},
                    "incomplete": "delete", "allow_empty": True, "small_strata": "merge"},
        "release": {"aggregate": {"age": "median"}, "decimals": {"age": 2},
                    "spreadsheet_safe": True},
        "input": {"missing": ["", "NA", "-9"], "types": {"age": "number"}, "delimiter": ";"},
        "hierarchies": {"age": "widths:5,10", "zip": "/desk/tree-1.csv"},
        "orders": {"pain": ["mild", "very, very"]},
    },
    {"protect": {"k": 2, "l": {"a": 2, "b": 3}}, "release": {"aggregate": "mean", "decimals": 0}},
]  # fmt: skip
TREES = {"/desk/tree-1.csv": "zip.csv"}


def settings_of(recipe):
    """The settings that a recipe asks for, with the names of trees to take home."""
    trees = {name: TREES.get(said, said) for name, said in recipe.get("hierarchies", {}).items()}
    return build({**recipe, "hierarchies": trees})


def heard(command, monkeypatch, tmp_path):
    """What the command line makes of a command."""
    found = []
    monkeypatch.setattr(anonymize, "make_pack", lambda *args: found.append(args))
    words = shlex.split(command.replace("\\\n", " "))
    ran = CliRunner().invoke(app, words[1:])
    assert ran.exit_code == 0, ran.stderr
    [(asked, source, folder, form, *_)] = found
    return asked, source, str(folder), form


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_the_command_asks_for_the_same(recipe, monkeypatch, tmp_path):
    """Parsed by the command line itself, the command gives the job's settings."""
    command = command_line("anonymize", "my data.csv", recipe, {"format": "parquet"}, TREES)
    asked, source, folder, form = heard(command, monkeypatch, tmp_path)
    assert (source, folder, form) == ("my data.csv", "pack", "parquet")
    assert asked == settings_of(recipe)


@given(NAMES, NAMES)
@examples(25)
def test_any_names(quasi, drop):
    """Whatever columns are called, the command names them."""
    recipe = {"roles": {"quasi_identifiers": quasi, "drop": drop}, "protect": {"k": 3}}
    with pytest.MonkeyPatch.context() as patch:
        asked, *_ = heard(command_line("anonymize", "t.csv", recipe, {}, {}), patch, None)
    assert asked == build(recipe)


def test_compare_and_memory():
    """A comparison and a file in parts are said by the commands that do them."""
    more = {"compare": {"k": [3, 5], "methods": ["mdav", "fast"], "budget": 60}}
    said = command_line("compare", "-t.csv", RECIPES[0], more, {})
    assert said == "shoal compare ./-t.csv -k 3,5 --methods mdav,fast --budget 60s -o compared/"
    assert "shoal.compare(" in python_snippet("compare", "t.csv", RECIPES[0], more, {})
    recipe = {"protect": {"k": 3, "memory": "2GB"}}
    assert command_line("anonymize", "t.csv", recipe, {}, {}) == (
        "shoal anonymize t.csv -k 3 --memory 2GB -o release/"
    )
    code = python_snippet("anonymize", "t.csv", recipe, {}, {})
    assert "anonymize_file(\n    't.csv',\n    'release/',\n    k=3,\n    memory='2GB'," in code
    assert summary_of("compare", RECIPES[0], more) == "compare methods, k = 3, 5"
    assert summary_of("anonymize", RECIPES[2], {}).startswith("k = 2, l = ")
