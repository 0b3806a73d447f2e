"""`shoal.risk`: every kind of table, what it says, what may be published, and what it refuses."""

from __future__ import annotations

import json
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.report.public.rounding import Stable
from thorough import is_thorough

ROWS = {
    "age": [31, 31, 40, 52, 52, 52, 67, 67],
    "sex": ["f", "f", "m", "f", "m", "f", None, "m"],
    "town": ["A", "A", "B", "A", "B", "B", "A", "A"],
    "w": [10.0, 10.0, 4.0, 2.0, 50.0, 3.0, 8.0, 8.0],
    "home": [1, 1, 2, 3, 3, 4, 5, 5],
}
KEY = ["age", "sex", "town"]
FRAMES = {
    "pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table, "columns": dict,
}  # fmt: skip


def some(rows, seed=0):
    """A table of so many records, whose values are not equally frequent."""
    rng = random.Random(seed)
    return {
        "a": [rng.choice("uvwxyz") for _ in range(rows)],
        "b": [min(int(rng.expovariate(0.3)), 9) for _ in range(rows)],
        "c": [rng.choice([1, 1, 1, 2, 2, 3]) for _ in range(rows)],
    }


@pytest.mark.parametrize("kind", FRAMES)
def test_every_dataframe_type(kind):
    """Records come back in the caller's type and order, and the caller's table is as it was."""
    table = FRAMES[kind](ROWS)
    before = FRAMES[kind](ROWS)
    found = shoal.risk(table, quasi_identifiers=KEY, k=2)
    records = found.records
    assert type(records) is type(table)
    sizes = records["class_size"]
    sizes = sizes.to_pylist() if kind == "arrow" else list(sizes)
    assert sizes == [2, 2, 1, 1, 1, 1, 1, 1]
    assert str(table) == str(before)


def test_a_file_is_as_a_dataframe(tmp_path):
    """A csv file has the figures of the same dataframe; its records are a Table."""
    path = tmp_path / "people.csv"
    pd.DataFrame(ROWS).to_csv(path, index=False)
    one = shoal.risk(path, quasi_identifiers=KEY, weight="w", household="home")
    other = shoal.risk(pd.DataFrame(ROWS), quasi_identifiers=KEY, weight="w", household="home")
    assert one.figures == other.figures
    assert isinstance(one.records, shoal.Table)
    assert one.records["risk"].values.to_pylist() == other.records["risk"].tolist()


def test_what_is_known_of_the_population():
    """Weights, a sampling fraction and a population table each lower the risk of classes."""
    alone = shoal.risk(ROWS, quasi_identifiers=KEY)
    weighed = shoal.risk(ROWS, quasi_identifiers=KEY, weight="w")
    drawn = shoal.risk(ROWS, quasi_identifiers=KEY, sampling_fraction=0.1)
    people = {name: cells * 5 for name, cells in ROWS.items()}
    linked = shoal.risk(ROWS, quasi_identifiers=KEY, population=people)
    assert "marketer" not in alone.figures
    for one in (weighed, drawn, linked):
        assert one["marketer"].value < alone["average"].value
        assert one["expected"].value == pytest.approx(8 * one["marketer"].value / 100)
    assert weighed.records["population"][:3] == [20.0, 20.0, 4.0]
    assert linked["k_map"].value == 5
    assert linked["delta_presence"].value == pytest.approx(20.0)
    assert linked["dis"].rest == "sampling fraction 0.2"
    assert linked.records["population"] == [10.0, 10.0, *[5.0] * 6]
    assert set(drawn.models.population_uniques) == {"zayatz", "pitman", "snb"}
    assert not linked.models.steps


def test_people_who_are_not_in_the_population():
    """Where the population lacks records of the file, a note counts them; no risk is above 1."""
    few = {name: cells[1:] for name, cells in ROWS.items()}
    found = shoal.risk(ROWS, quasi_identifiers=KEY, population=few)
    assert any(note.startswith("2 records match fewer people") for note in found.notes)
    assert max(found.records["risk"]) == 1.0
    assert found["k_map"].value == 1


def test_missing_cells_by_reading():
    """A missing cell matches only itself, or more by the other readings; a note says where."""
    own, root, wild = (
        shoal.risk(ROWS, quasi_identifiers=KEY, missing_as=reading)
        for reading in ("own", "root", "wildcard")
    )
    assert own.records["class_size"][-2:] == [1, 1]
    assert root.records["class_size"][-2:] == [1, 2]
    assert wild.records["class_size"][-2:] == [2, 2]
    assert not own.notes
    assert "as wildcard" in wild.notes[0]
    assert own.public()["figures"] == {} == wild.public()["figures"]


def test_texts_hold_no_cell():
    """Summary, words, JSON, repr and the page name columns and shares, and no value of a record."""
    table = {"town": ["Xanadu", "Xanadu", "Quilmes"], "age": [90817, 90817, 70603]}
    found = shoal.risk(table, k=2, quasi_identifiers=["town", "age"])
    texts = (found.summary(), str(found), repr(found), found.to_json(), found._repr_html_())
    for text in (*texts, json.dumps(found.public()), json.dumps(found.chart().spec)):
        assert not any(value in text for value in ("Xanadu", "Quilmes", "90817", "70603"))
    assert "private" in found.summary()
    figures = json.loads(found.to_json())["figures"]
    assert figures["sample_uniques"]["value"] == pytest.approx(100 / 3)


def test_the_chart_shows_what_columns_do():
    """The chart has of every column the share of unique records as it is, coarser, and left out."""
    found = shoal.risk(some(200), k=3)
    values = found.chart().spec["data"]["values"]
    assert {one["column"] for one in values} == {"a", "b", "c"}
    now = {one["unique"] for one in values if one["what"] == "as it is"}
    assert now == {round(found["sample_uniques"].value, 4)}
    column = next(one for one in found.columns if one.name == "a")
    left = next(v for v in values if v["column"] == "a" and v["what"] == "left out")
    assert left["unique"] == pytest.approx(100 * column.unique_without / 200)


def test_coarser_is_what_inspect_proposes():
    """Without a hierarchy ages are coarser in steps of five years, codes by their first signs."""
    data = {
        "age": [20 + i % 40 for i in range(80)],
        "postcode": [f"{10000 + 7 * i}" for i in range(80)],
    }
    age, postcode = shoal.risk(data, quasi_identifiers=["age", "postcode"]).columns
    assert age.coarser.distinct == 8
    assert postcode.coarser.distinct == len({code[:4] for code in data["postcode"]})


def test_a_hierarchy_says_what_coarser_means():
    """One level up a given hierarchy: decades of ages."""
    found = shoal.risk(ROWS, quasi_identifiers=KEY, hierarchies={"age": "widths:10,20"}, k=2)
    age, town = found.columns[0], found.columns[2]
    assert age.coarser.distinct == 4
    assert town.coarser.distinct == 1
    assert age.coarser.unique == 6


def test_quasi_identifiers_that_nobody_named():
    """Without names they are those that inspect proposes, and a note names what is left out."""
    table = {"id": [f"p{i}" for i in range(60)], **some(60)}
    found = shoal.risk(table)
    assert found.quasi_identifiers == ("a", "b", "c")
    assert "left out: 'id'" in found.notes[0]


def test_a_recipe_names_roles(tmp_path):
    """A recipe's quasi-identifiers, weights and reading are taken where none are given."""
    path = tmp_path / "people.csv"
    pd.DataFrame(ROWS).to_csv(path, index=False, sep=";")
    recipe = tmp_path / "run.toml"
    recipe.write_text(
        '[input]\ndelimiter = ";"\n[roles]\nquasi_identifiers = ["age", "town"]\nweight = "w"\n'
        "[protect]\nk = 3\n"
    )
    found = shoal.risk(path, recipe=recipe)
    assert found.quasi_identifiers == ("age", "town")
    assert "marketer" in found.figures


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weight": "w", "sampling_fraction": 0.1}, "say one of weight and sampling_fraction"),
        ({"sampling_fraction": 0}, "sampling_fraction must be a number above 0 and up to 1"),
        ({"threshold": 2}, "threshold must be a number above 0"),
        ({"k": 1}, "k must be at least 2"),
        ({"size": 0}, "size must be at least 1"),
        ({"formula": "rough"}, "formula must be one of exact, approximate"),
        ({"missing_as": "any"}, "missing_as must be one of own, root, wildcard"),
        ({"household": "age"}, "'age' is a quasi-identifier"),
        ({"weight": "sexx"}, "has no column 'sexx'"),
        ({"population": {"age": ["x"], "sex": ["f"], "town": ["A"]}}, "holds integer in the table"),
    ],
)
def test_refusals(options, words):
    """What makes no sense is refused in one line that says what to do."""
    with pytest.raises(shoal.ShoalError, match=words):
        shoal.risk(ROWS, quasi_identifiers=KEY, **options)


def test_no_records():
    """A table without records has no risk to tell."""
    with pytest.raises(shoal.InputError, match="there are no records"):
        shoal.risk(pa.table({"a": pa.array([], pa.int64())}), quasi_identifiers=["a"])


def test_public_figures_are_stable():
    """Adding, removing or replacing k records changes no public figure by more than its bound."""
    rng = random.Random(1)
    for seed in range(12 if is_thorough() else 5):
        table, k = some(150, seed), rng.choice([2, 3])
        first = shoal.risk(table, k=k, sampling_fraction=0.3, threshold=0.2)
        rows = list(zip(*table.values(), strict=True))
        for way in ("add", "remove", "replace"):
            other = list(rows)
            rng.shuffle(other)
            new = list(zip(*some(k, seed + 99).values(), strict=True))
            other = other[k:] if way != "add" else other
            other += new if way != "remove" else []
            changed = dict(zip(table, map(list, zip(*other, strict=True)), strict=True))
            second = shoal.risk(changed, k=k, sampling_fraction=0.3, threshold=0.2)
            assert first.stable.keys() == second.stable.keys()
            for key, one in first.stable.items():
                assert isinstance(one, Stable)
                assert abs(one.value - second.stable[key].value) <= one.bound + 1e-9, (way, key)
        published = first.public()["figures"]
        assert "sample_uniques" in published
        assert published["sample_uniques"]["value"] >= first["sample_uniques"].value


def test_order_of_records_does_not_matter():
    """Shuffled records have the same figures, and each its own risks."""
    table = some(120)
    order = np.random.default_rng(0).permutation(120)
    shuffled = {name: [cells[i] for i in order] for name, cells in table.items()}
    one, other = (shoal.risk(t, sampling_fraction=0.2) for t in (table, shuffled))
    for key, figure in one.figures.items():
        assert other.figures[key].value == pytest.approx(figure.value)
    for name, cells in one.records.items():
        moved = [cells[i] for i in order]
        assert moved == pytest.approx(other.records[name], nan_ok=True)
