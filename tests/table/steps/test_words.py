"""Steps from words, tables and values, and back."""

from __future__ import annotations

import tomllib

import pytest

from shoal import steps
from shoal.errors import RequestError
from shoal.settings import build
from shoal.table.steps.registry import STEPS, step_of, steps_of
from shoal.table.steps.words import as_words

EVERY = {
    "round income -3": steps.Round("income", digits=-3),
    "round income to=0.25": steps.Round("income", to=0.25),
    "top income 100000": steps.Top("income", 100_000),
    "top income share=1%": steps.Top("income", share=0.01),
    "top age 90 label='90 or more'": steps.Top("age", 90, label="90 or more"),
    "bottom born 1940-01-01 becomes=limit": steps.Bottom("born", "1940-01-01", becomes="limit"),
    "recode region north=N 'south east'=S rest=keep": steps.Recode(
        "region", {"north": "N", "south east": "S"}, "keep"
    ),
    "recode x a==b=c": steps.Recode("x", {"a=b": "c"}),
    "level zip prefixes:3,2 2": steps.Level("zip", "prefixes:3,2", 2),
    "prefix zip 3": steps.Prefix("zip", 3),
    "coarsen 'day of birth' quarter": steps.Coarsen("day of birth", "quarter"),
    "rare job 10": steps.Rare("job", 10),
    "derive age born 2026-12-31": steps.Derive("age", "born", "2026-12-31"),
    "derive year born what=year keep=yes": steps.Derive("year", "born", what="year", keep=True),
    "drop name,'\"a,b\"'": steps.Drop(["name", "a,b"]),
    "noise income,rent 0.2 correlated": steps.Noise(["income", "rent"], 0.2, "correlated"),
    "rankswap income within=all": steps.RankSwap("income", within="all"),
    "recordswap income match=region": steps.RecordSwap(["income"], match=["region"]),
    "pram illness 0.7": steps.Pram("illness", 0.7),
}


@pytest.mark.parametrize("words", EVERY)
def test_words_tables_and_values_say_the_same(words):
    """A step is the same from words, from its table of TOML and as a value, and back."""
    step = EVERY[words]
    assert step_of(words) == step
    assert step_of(as_words(step)) == step
    assert step_of(step.to_dict()) == step
    assert step_of(step) is step
    assert "\n" not in step.describe()
    toml = build({"protect": {"k": 5}, "steps": [step]}).to_toml()
    assert build(tomllib.loads(toml)).steps == (step,)


def test_every_kind_is_tried():
    """There are words for every step."""
    assert {step.kind for step in EVERY.values()} == set(STEPS)
    assert steps_of(list(EVERY)) == tuple(EVERY.values())
    assert steps_of("prefix zip 3") == steps_of([{"kind": "prefix", "column": "zip", "length": 3}])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "empty"),
        ("rund x", "did you mean 'round'"),
        ("round 'x", "quotes that do not close"),
        ("round", "column is needed"),
        ("round x 1 2 3", "'3' is too much"),
        ({"column": "x"}, "needs its kind"),
        ({"kind": "round", "column": "x", "digit": 1}, "did you mean 'digits'"),
        ({"kind": "round", "column": 1, "digits": 1}, "column must be a text"),
        (3, "must be a shoal.steps value"),
    ],
)
def test_what_is_no_step(given, said):
    """What says no step is refused in one line that says what does."""
    with pytest.raises(RequestError, match=said) as caught:
        step_of(given)
    assert "\n" not in str(caught.value)


def test_a_recipe_names_the_place(tmp_path):
    """The error of a step in a recipe names the recipe and the step's place."""
    from shoal.settings import load

    path = tmp_path / "run.toml"
    path.write_text('[protect]\nk = 5\n\n[[steps]]\nkind = "round"\ncolumn = "x"\n')
    with pytest.raises(RequestError, match=r"run\.toml: steps\.0: step round: say digits"):
        load(path)


def test_values_of_a_recoding_are_not_published():
    """A published recipe has neither the recoded values nor the file of a level."""
    hidden = steps.Recode("x", {"Miller": "M", "Smith": "M"}).published()
    assert "Miller" not in str(hidden.to_dict())
    assert hidden.describe() == "x: 2 values become 1"
    assert "jobs" not in str(steps.Level("x", "jobs.csv").published().to_dict())
    assert steps.Level("x", "widths:5").published() == steps.Level("x", "widths:5")
