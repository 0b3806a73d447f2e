"""Orders of ordinal columns: how they are said, where they come from, and what is refused."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.table.encode import encode
from shoal.table.encode_nodes import code
from shoal.table.ordinal import check_ranges, read_orders, with_orders
from shoal.table.read import read

PAIN = ["none", "mild", "moderate", "severe", "worst"]
CELLS = ["severe", "mild", "mild", "moderate", "severe", "mild"]
AGES = [20, 30, 40, 50, 60, 70]


def table(cells=CELLS):
    return pa.table({"pain": cells, "age": AGES[: len(cells)]})


@pytest.mark.parametrize(
    ("orders", "reason"),
    [
        ({"pian": PAIN}, "an order is given for 'pian', which is no quasi-identifier; "
                         "did you mean 'pain'?"),
        ({"age": ["a"]}, "column 'age': an order is for texts, and this is integer"),
        ({"pain": []}, "the order of 'pain' names no value"),
        ({"pain": ["mild", "x", "mild"]}, "'pain' names one value twice, as number 1 and number 3"),
        ({"pain": ["mild", "*"]}, r"'pain' names \*, which in a release is any value"),
        ({"pain": "mild"}, "the order of 'pain' must be a list of texts"),
        ({"pain": 3}, "the order of 'pain' must be a list of texts"),
        ({"pain": ["mild", 3]}, "the order of 'pain' must be a list of texts"),
        ({"pain": {"mild": 1}}, "the order of 'pain' must be a list of texts"),
        (["pain"], "orders must be a dict"),
    ],
)  # fmt: skip
def test_orders_that_cannot_be(orders, reason):
    """An order that fits no column, or is none, is refused in words by every door."""
    with pytest.raises(shoal.RequestError, match=reason):
        with_orders(read(table()), orders)
    with pytest.raises(shoal.RequestError, match=reason):
        shoal.anonymize(table(), k=2, orders=orders)
    with pytest.raises(shoal.RequestError, match=reason):
        shoal.microaggregate(table(), 2, orders=orders)


def test_an_order_of_a_column_that_is_not_grouped():
    """Only quasi-identifiers have a say in the groups, so only they have orders."""
    with pytest.raises(shoal.RequestError, match="'pain', which is no quasi-identifier"):
        shoal.anonymize(
            table(), k=2, quasi_identifiers=["age"], sensitive=["pain"], orders={"pain": PAIN}
        )


def test_cells_that_the_order_lacks():
    """Such cells are counted and placed; their values are for those who ask."""
    with pytest.raises(shoal.InputError) as caught:
        shoal.anonymize(table(), k=2, orders={"pain": ["mild", "moderate"]})
    message = str(caught.value)
    assert "column 'pain': 2 cells hold values that its order lacks (rows 0, 4)" in message
    assert "severe" not in message
    assert caught.value.values == ["severe"]
    assert caught.value.listed() == "'severe'"


def test_a_missing_cell_needs_no_place():
    """An order names values; a missing cell has none."""
    found = with_orders(read(table(["mild", None, "severe"])), {"pain": PAIN})
    assert found["pain"].missing == 1
    assert found["pain"].order == tuple(PAIN)


def test_the_matrix_holds_ranks():
    """A numeric method sees the rank in the declared order, unused values counted, standardized."""
    found = with_orders(read(table()), {"pain": PAIN})
    ranks = np.array([PAIN.index(cell) for cell in CELLS], dtype=float)
    plain = encode(found, standardize=False).matrix[:, 0]
    assert plain.tolist() == (ranks - ranks.min()).tolist()
    expected = (ranks - ranks.mean()) / ranks.std()
    np.testing.assert_allclose(encode(found).matrix[:, 0], expected, atol=1e-12)


def test_the_tree_follows_the_order():
    """Values stand in the declared order, at their ranks' places between least and greatest."""
    order = ["severe", "none", "mild", "moderate"]
    (pain, _) = code(with_orders(read(table()), {"pain": order})).columns
    assert pain.values.texts == ["severe", "mild", "moderate"]
    assert pain.places.tolist() == [0.0, 2 / 3, 1.0]
    assert str(pain.rule) == "balanced"
    assert pain.by_range
    assert pain.unit == 1 / 4


def test_flat_makes_it_nominal():
    """With a flat tree the order has no say: no places, all values alike."""
    found = with_orders(read(table()), {"pain": PAIN})
    (pain, _) = code(found, {"pain": "flat"}).columns
    assert pain.places is None
    assert not pain.by_range
    nominal = code(read(table()), {"pain": "flat"}).columns[0]
    assert pain.tree.labels == nominal.tree.labels
    assert pain.losses.tolist() == nominal.losses.tolist()
    (ranged, _) = code(found, {"pain": "flat"}, ranges=["pain"]).columns
    assert ranged.by_range


@pytest.mark.parametrize("rule", ["widths:5", "cuts:1,2", "quantiles:2", "dates"])
def test_hierarchies_of_numbers_are_refused(rule):
    """Ranks are no numbers: what cuts numbers does not cut them."""
    with pytest.raises(shoal.RequestError, match=r"column 'pain' is (ordinal|text)"):
        code(with_orders(read(table()), {"pain": PAIN}), {"pain": rule})


def test_a_file_wins(tmp_path):
    """A given tree is used as it is; a node costs the ranks it spans."""
    tree = tmp_path / "pain.csv"
    lines = ("none;low;*", "mild;low;*", "moderate;high;*", "severe;high;*", "worst;high;*")
    tree.write_text("\n".join(lines))
    (pain, _) = code(with_orders(read(table()), {"pain": PAIN}), {"pain": str(tree)}).columns
    assert not pain.by_range
    nodes = pain.tree.nodes
    assert pain.losses[nodes["low"]] == pytest.approx(2 / 3)
    assert pain.losses[nodes["high"]] == 1.0
    assert pain.losses[nodes["mild"]] == pytest.approx(1 / 3)
    found = shoal.anonymize(
        table(), k=3, hierarchies={"pain": str(tree)}, orders={"pain": PAIN}, method="kaim"
    )
    assert set(found.data["pain"].to_pylist()) <= {*PAIN, "low", "high", "*"}


def test_prefixes_of_ordinal_values():
    """A mask that is a value too stands for what a mask stands for."""
    order = ["x*", "xy", "ab", "ac"]
    frame = pa.table({"o": order * 2, "n": [1, 2, 8, 9] * 2})
    found = shoal.anonymize(
        frame, k=4, method="kaim", hierarchies={"o": "prefixes:1"}, orders={"o": order}
    )
    assert set(found.data["o"].to_pylist()) == {"x*", "a*"}


def test_balanced_may_be_said():
    """Balanced intervals that are asked for release their labels, which cover."""
    cells = PAIN * 4
    frame = pa.table({"pain": cells, "x": list(range(20))})
    found = shoal.anonymize(
        frame, k=4, method="kaim", hierarchies={"pain": "balanced"}, orders={"pain": PAIN}
    )
    assert found.report.columns[0].hierarchy == "balanced"


def test_dataframes_bring_their_order():
    """Ordered categories of pandas, polars and Arrow are ordinal; unordered ones are not."""
    frame = pd.DataFrame({"pain": pd.Categorical(CELLS, categories=PAIN, ordered=True)})
    assert read(frame)["pain"].order == tuple(PAIN)
    assert read(frame.astype({"pain": pd.CategoricalDtype(PAIN)}))["pain"].order is None
    assert read(pl.DataFrame({"pain": pl.Series(CELLS, dtype=pl.Enum(PAIN))}))[
        "pain"
    ].order == tuple(PAIN)
    categorical = pl.DataFrame({"pain": pl.Series(CELLS, dtype=pl.Categorical)})
    assert read(categorical)["pain"].order is None
    assert read(pa.Table.from_pandas(frame))["pain"].order == tuple(PAIN)
    assert read(frame.astype({"pain": str}))["pain"].order is None
    assert (
        read(pd.DataFrame({"x": pd.Categorical([3, 1], [3, 1], ordered=True)}))["x"].order is None
    )


def test_what_is_said_wins():
    """An explicit order takes the place of the categories' own."""
    frame = pd.DataFrame({"pain": pd.Categorical(CELLS, categories=PAIN, ordered=True)})
    found = with_orders(read(frame), {"pain": PAIN[::-1]})
    assert found["pain"].order == tuple(PAIN[::-1])


def dictionary(places, levels, ordered=True):
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.int8()), levels, ordered=ordered)


@pytest.mark.parametrize(
    "chunks",
    [
        [dictionary([0, 1], ["a", "b"]), dictionary([0, 1], ["b", "a"])],
        [dictionary([0, 1], ["a", "a"])],
        [dictionary([0, 1], ["a", "*"])],
        [dictionary([0, 1], pa.array(["a", None]))],
        [dictionary([0, 1], ["a", "b"], ordered=False)],
    ],
)
def test_dictionaries_that_declare_no_order(chunks):
    """Chunks that contradict each other and levels that cannot be an order declare none."""
    assert read(pa.table({"x": pa.chunked_array(chunks)}))["x"].order is None


def test_a_parquet_file_declares_none(tmp_path):
    """Parquet can call the order of appearance an order, so nobody's order is taken from it."""
    frame = pa.table({"pain": dictionary([2, 0, 1], ["a", "b", "c"])})
    pq.write_table(frame, tmp_path / "t.parquet", use_dictionary=False)
    assert pq.read_table(tmp_path / "t.parquet")["pain"].type.ordered
    found = read(tmp_path / "t.parquet")
    assert found["pain"].order is None
    assert with_orders(found, {"pain": ["a", "b", "c"]})["pain"].is_ordinal


def test_an_order_settles_a_doubt(write):
    """A column that is nearly numbers can be grouped once its order is said."""
    rows = "".join(f"{['1', '2', '3', '4', '5+'][i % 5]},{i}\n" for i in range(20))
    path = write("t.csv", f"children,x\n{rows}")
    with pytest.raises(shoal.InputError, match="children"):
        shoal.anonymize(path, k=2)
    found = shoal.anonymize(path, k=4, orders={"children": ["1", "2", "3", "4", "5+"]})
    assert found.report.columns[0].kind == "ordinal"


def test_types_that_are_taken():
    """Tuples, arrays and indexes of texts are orders too."""
    levels = pd.Index(["a", "b"])
    for given in (("a", "b"), np.array(["a", "b"]), levels, iter(["a", "b"])):
        assert read_orders({"x": given}) == {"x": ("a", "b")}
    assert read_orders(None) == {}


def can_be_read_twice(values):
    """Whether two ranges of values, or a range and a value, have one text."""
    texts = [f"[{low},{high}]" for low, high in itertools.combinations(values, 2)]
    return len({*texts, *values}) < len(texts) + len(values)


def test_ranges_that_can_be_read_twice():
    """Values are refused if and only if two of their ranges, or one and a value, look the same."""
    rng = random.Random(0)
    pool = ["".join(signs) for n in range(4) for signs in itertools.product("a,", repeat=n)]
    pool += ["[a,a]", "[,a]", "[a", "a]", "[a,,a]", "b", "b,a", "a,b", "[a,b]", "[b,a]"]
    refused = 0
    for _ in range(3000):
        values = rng.sample(pool, rng.randint(1, 12))
        try:
            check_ranges("x", values)
        except shoal.InputError:
            refused += 1
            assert can_be_read_twice(values), values
        else:
            assert not can_be_read_twice(values), values
    assert 300 < refused < 2700, refused


def test_values_with_commas():
    """Such values have ranges that nobody misreads, or are refused where ranges are released."""
    order = ["a", "b,c", "a,b", "c"]
    frame = pa.table({"x": order * 3, "y": list(range(12))})
    with pytest.raises(shoal.InputError, match=r"in two ways; say hierarchies=\{'x'"):
        shoal.anonymize(frame, k=3, orders={"x": order}, method="kaim")
    shoal.anonymize(frame, k=3, orders={"x": order}, method="mdav")
    shoal.anonymize(frame, k=3, orders={"x": order}, method="kaim", hierarchies={"x": "flat"})
    order = ["under 1,000", "1,000 to 9,999", "[10,000", "more, or ]"]
    frame = pa.table({"x": order * 3, "y": list(range(12))})
    found = shoal.anonymize(frame, k=3, orders={"x": order}, method="kaim")
    texts = {f"[{a},{b}]" for a, b in itertools.combinations(order, 2)}
    assert set(found.data["x"].to_pylist()) <= {*texts, *order}
