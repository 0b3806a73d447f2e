"""Every option of the desk's form, said as a command and as Python by each kind of job."""

from __future__ import annotations

import shlex

import pytest
from typer.testing import CliRunner

from shoal import filing
from shoal.cli import app, making
from shoal.comparing import run as comparing
from shoal.errors import RequestError
from shoal.settings import build
from shoal.web.asked import PARTS
from shoal.web.equivalent import command_line, python_snippet

OPTIONS = {
    "roles": {
        "identifiers": ["name"], "quasi_identifiers": ["age", "a b"], "sensitive": ["ill"],
        "other": ["o"], "drop": ["d"], "weight": "w", "by": ["region"], "household": "home",
        "person": "who", "keep_unique": ["o"],
    },
    "protect": {
        "k": 7, "l": 3, "l_kind": "entropy", "c": 2.5, "t": {"ill": 0.2}, "alpha": 0.5,
        "dominance": {"age": 10}, "k_of": {"age,zip": 9}, "enforce": "merge", "method": "kaim+",
        "effort": "best", "start": "farthest", "max_iterations": 10, "time_limit": 2.5, "runs": 2,
        "seed": 3, "column_weights": {"age": 2.0}, "incomplete": "delete", "allow_k1": True,
        "allow_empty": True, "small_strata": "merge", "memory": "2GB",
        "missing_sensitive": "value", "count": "records",
    },
    "release": {
        "aggregate": {"age": "median"}, "decimals": {"age": 2}, "spreadsheet_safe": True,
        "round": {"o": 100}, "weights_as": "rounded:5",
    },
    "input": {"missing": ["", "NA", "-9"], "types": {"age": "number"}, "delimiter": ";"},
    "hierarchies": {"age": "widths:5,10"},
    "orders": {"pain": ["mild", "very, very"]},
}  # fmt: skip
NEEDS = {"l_kind": {"protect": {"l": 3}},
         "weights_as": {"roles": {"weight": "w"}},
         "c": {"protect": {"l": 2, "l_kind": "recursive"}}}  # fmt: skip
CASES = [
    (part, name) for part, values in OPTIONS.items()
    for name in (values if PARTS[part] is not None else [None])
]  # fmt: skip
WRITTEN = {"spreadsheet_safe": False}  # where a release is packed, said to the pack
COMPARED = {"compare": {"k": [3, 5], "methods": ["mdav"], "budget": 60}}


def recipe_of(part, name, memory):
    """A recipe that says one thing, with what that needs."""
    recipe = {"protect": {"k": 5}}
    for place, values in NEEDS.get(name, {}).items():
        recipe[place] = {**recipe.get(place, {}), **values}
    own = OPTIONS[part] if name is None else {name: OPTIONS[part][name]}
    recipe[part] = {**recipe.get(part, {}), **own}
    if memory:
        recipe["protect"]["memory"] = "2GB"
    return recipe


class Enough(BaseException):
    """What was asked for has been heard."""


def test_every_option_is_tried():
    """Whatever a page may say is in the list."""
    assert set(OPTIONS) == set(PARTS)
    for part, known in PARTS.items():
        assert known is None or known == set(OPTIONS[part])


def parsed(command):  # what stops it goes through
    """Let the command line parse a command."""
    ran = CliRunner().invoke(app, shlex.split(command.replace("\\\n", " "))[1:])
    raise AssertionError(ran.stderr)


def ran(code):
    """Run a snippet as a person would."""
    exec(compile(code, "snippet", "exec"), {})  # noqa: S102


@pytest.mark.parametrize(("part", "name"), CASES)
def test_in_the_memory_that_is_given(part, name, monkeypatch):
    """With a limit of memory, command and snippet ask for what the job asked for."""
    recipe = recipe_of(part, name, memory=True)
    heard = []

    def note(asked):
        heard.append(asked)
        raise Enough

    monkeypatch.setattr(making, "make", lambda asked, *_, **__: note(asked))
    monkeypatch.setattr(filing, "release", lambda _, asked, *__: note(asked))
    with pytest.raises(Enough):
        parsed(command_line("anonymize", "t.csv", recipe, {}, {}))
    with pytest.raises(Enough):
        ran(python_snippet("anonymize", "t.csv", recipe, {}, {}))
    assert heard == [build(recipe), build(recipe)]


@pytest.mark.parametrize(("part", "name"), CASES)
def test_compared(part, name, monkeypatch, tmp_path):
    """A comparison's command and snippet ask for what was compared: its k and methods aside."""
    recipe = recipe_of(part, name, memory=False)
    heard = []

    def note(_own, first, plan, *_):
        heard.append((first, plan.sizes, plan.methods, plan.budget))
        raise Enough

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(comparing, "compare_by", note)
    monkeypatch.setattr(comparing, "read", lambda *_, **__: None)
    with pytest.raises(Enough):
        parsed(command_line("compare", "t.csv", recipe, COMPARED, {}))
    with pytest.raises(Enough):
        ran(python_snippet("compare", "t.csv", recipe, COMPARED, {}))
    wanted = build(recipe).having(
        protect={"k": 3, "method": "auto", "memory": None}, release=WRITTEN
    )
    assert heard == [(wanted, [3, 5], ["mdav"], 60)] * 2


@pytest.mark.parametrize("option", ["method", "memory", "engine", "group", "refine", "keep_order"])
def test_what_a_comparison_cannot_take_is_said(option):
    """An option of a run that means nothing to a comparison is refused by its name."""
    import shoal

    with pytest.raises(RequestError, match=option):
        shoal.compare("t.csv", k=3, **{option: "dask"})
