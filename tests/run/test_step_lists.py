"""Lists of steps compared and suggested, by what they lose of the original."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import shoal
from naive import original as naive
from shoal import steps
from shoal.errors import RequestError
from shoal.measures.original_loss import column_loss, original_loss
from shoal.pipeline.suggest import Alternative, Suggestion, compare_lists, suggest_as
from shoal.settings import build


@pytest.fixture(scope="module")
def table():
    """Return 80 people with an age, a date and a region."""
    rng = np.random.default_rng(5)
    days = np.datetime64("2020-01-01") + rng.integers(0, 1_400, 80)
    return shoal.read(
        {"age": rng.integers(0, 95, 80).tolist(), "seen": days.astype(object).tolist(),
         "region": rng.choice([*"abcd"], 80).tolist()}
    )  # fmt: skip


def test_losses_are_those_of_the_twin():
    """Numbers lose SSE/SST, texts the share of their entropy; records left out tell nothing."""
    x, y = [1, 5, 9, 4, 7, 8], [2, 2, 8, 8, 8]
    before, after = shoal.read({"x": x})["x"], shoal.read({"x": y})["x"]
    rows = np.array([0, 1, 2, 4, 5])
    assert column_loss(before, after, rows) == pytest.approx(
        naive.numbers_lost(x, [2, 2, 8, None, 8, 8])
    )
    texts, cut = ["aa", "ab", "ba", "ba", "bb", "aa"], ["a", "a", "b", "b", "a"]
    before, after = shoal.read({"x": texts})["x"], shoal.read({"x": cut})["x"]
    assert column_loss(before, after, rows) == pytest.approx(
        naive.texts_lost(texts, ["a", "a", "b", None, "b", "a"])
    )


def test_columns_that_are_gone_lose_all(table):
    """What is left out loses everything, what is as it was nothing, and a derived column a part."""
    rows, names = np.arange(80), ["age", "seen"]
    assert original_loss(table, table, rows, names, {}) == 0.0
    less = table.only(lambda column: column.name != "seen")
    assert original_loss(table, less, rows, names, {}) == 50.0
    from shoal.table.steps.step import Context

    derived = steps.Derive("year", "seen", what="year").apply(table, Context(3))
    assert 0 < original_loss(table, derived, rows, names, {"seen": "year"}) < 10


def settings(**more):
    """Return settings by a method that takes no time."""
    return build(
        {"protect": {"k": 3, "method": "mdav"}, "roles": {"quasi_identifiers": ["age", "seen"],
         "drop": ["region"]}, **more}
    )  # fmt: skip


def test_lists_are_compared(table):
    """Every list is a point at every k; coarser lists lose more; what is refused says why."""
    lists = [Alternative("none", ()), Alternative("year", (steps.Coarsen("seen", "year"),)),
             Alternative("wrong", (steps.Prefix("age", 2),))]  # fmt: skip
    made = compare_lists(table, settings(), lists, [3, 5])
    points = {(point.method, point.k): point for point in made.points}
    assert len(points) == 6
    assert points["none", 3].information_loss < points["year", 3].information_loss
    assert points["none", 3].information_loss < points["none", 5].information_loss
    assert points["wrong", 3].information_loss is None
    assert "numbers lose leading zeros" in points["wrong", 3].said
    assert made.pick is not None
    with pytest.raises(RequestError, match="one name"):
        compare_lists(table, settings(), [Alternative("a", ())] * 2, [3])


def test_a_list_is_suggested(table):
    """The pick keeps the risk and loses least of those that do; else the answer is a larger k."""
    made = suggest_as(table, settings(), 0.9)
    assert made.pick is not None
    assert made.point is not None
    fitting = [p for p in made.done if p.risk <= 90]
    assert made.point.information_loss == min(p.information_loss for p in fitting)
    assert {"no steps", "dates by year", "top 1 % coded"} <= {one.name for one in made.alternatives}
    assert json.loads(json.dumps(made.to_dict()))["pick"] == made.pick.name
    none = replace(made, max_risk=0.001)
    assert none.pick is None
    assert "k=1000 keeps it in any case" in none.summary()
    with pytest.raises(RequestError, match="share above 0"):
        suggest_as(table, settings(), 0)


def test_functions(table, tmp_path):
    """Python compares lists by name, in order and from recipes, by one method."""
    roles = {"quasi_identifiers": ["age", "seen"], "drop": ["region"]}
    recipe = tmp_path / "b.toml"
    recipe.write_text('[protect]\nsuppress = 0.05\n[[steps]]\nkind = "coarsen"\n'
                      'column = "seen"\nto = "year"\n')  # fmt: skip
    for lists, names in (
        ({"none": [], "tens": ["round age -1"]}, ["none", "tens"]),
        ([[steps.Round("age", digits=-1)], recipe], ["list 1", "b.toml"]),
    ):
        made = shoal.compare(table, k=3, methods=["mdav"], step_lists=lists, **roles)
        assert [point.method for point in made.points] == names
        assert all(point.information_loss is not None for point in made.points), made
    with pytest.raises(RequestError, match="one method and without a budget"):
        shoal.compare(table, k=3, methods=["mdav", "tfrp"], step_lists=[[]], **roles)
    with pytest.raises(RequestError, match="by name or in order"):
        shoal.compare(table, k=3, step_lists="round age -1", **roles)
    with pytest.raises(TypeError, match=r"suggest\(\) got an unexpected"):
        shoal.suggest(table, 3, nothing=1)


def test_suggest_refuses_what_is_no_share(table):
    """The function of Python reads the data and checks the risk before anything runs."""
    with pytest.raises(RequestError, match="share above 0"):
        shoal.suggest(table, 3, max_risk=2.0, quasi_identifiers=["age"])
    assert shoal.suggest.__annotations__["return"] == Suggestion.__name__


def test_commands(tmp_path, table, shoal):
    """Both commands print what there is to choose, as a table and as JSON."""
    rows = zip(*(column.values.to_pylist() for column in table.columns), strict=True)
    source = tmp_path / "in.csv"
    source.write_text("age,seen,region\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    (tmp_path / "a.toml").write_text('[[steps]]\nkind = "round"\ncolumn = "age"\ndigits = -1\n')
    (tmp_path / "b.toml").write_text("")
    words = [source, "-k", "3", "--quasi", "age,seen", "--drop", "region"]
    ran = shoal("suggest", *words, "--effort", "quick", "--max-risk", "0.9", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["max_risk"] == 0.9
    lists = f"{tmp_path / 'a.toml'},{tmp_path / 'b.toml'}"
    ran = shoal("compare", *words, "--effort", "quick", "--steps", lists, "--json")
    assert ran.code == 0, ran.err
    assert [point["method"] for point in json.loads(ran.out)["points"]] == ["a.toml", "b.toml"]
    ran = shoal("steps")
    assert "recordswap COLUMNS SHARE MATCH  (after grouping)" in ran.out
