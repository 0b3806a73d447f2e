"""One distance for numbers, texts and missing cells: a matrix whose rows are so far apart."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

import shoal
from mixed_tables import random_table
from naive.distance import distances
from shoal.table import embed_texts
from shoal.table.embed_texts import Texts, chirps, edges
from shoal.table.encode import encode
from shoal.table.encode_nodes import code
from shoal.table.read import read
from thorough import is_thorough


def pairs(matrix):
    """The squared distances of all pairs of rows."""
    return ((matrix[:, None, :] - matrix[None, :, :]) ** 2).sum(axis=2)


@pytest.mark.parametrize("seed", range(60))
def test_distances_equal_the_definition(seed, tmp_path):
    """Rows are as far apart as paths in trees, differences of numbers and missing cells say."""
    rng = np.random.default_rng(seed)
    made = random_table(rng, tmp_path, ranges=True)
    k = int(rng.integers(1, 8))
    names = made.table.column_names
    weights = {name: float(rng.choice([1.0, 2.0, 0.25])) for name in names}
    if seed % 2:
        weights = dict.fromkeys(names, 1.0)
    expected = distances(made.trees, made.records, k, list(weights.values()))
    table = read(made.table)
    inside = encode(table, hierarchies=made.rules, weights=weights, k=k)
    given = encode(table, coded=code(table, made.rules), weights=weights, k=k)
    assert pairs(inside.matrix) == pytest.approx(np.array(expected), abs=1e-9)
    assert np.array_equal(inside.matrix, given.matrix)
    assert inside.mixed == bool(made.rules or any(None in record for record in made.records))
    assert inside.matrix.flags.c_contiguous


def test_a_flat_tree_is_one_hot():
    """Without a hierarchy two different texts are equally far apart, and inertia is 1."""
    table = read(pa.table({"w": list("aabcdd")}))
    found = encode(table).matrix
    apart = pairs(found)
    different = {round(float(apart[i, j]), 12) for i, j in itertools.combinations(range(6), 2)}
    assert len(different) == 2
    assert 0.0 in different
    assert found.var(axis=0).sum() == pytest.approx(1.0)
    assert found.mean(axis=0) == pytest.approx(np.zeros(found.shape[1]))


def test_two_values_are_one_coordinate():
    """A column of two texts is what a standardized column of truth values is."""
    words = encode(read(pa.table({"w": list("xxyxy")}))).matrix
    truths = encode(read(pa.table({"w": [True, True, False, True, False]}))).matrix
    assert words.shape == truths.shape == (5, 1)
    assert np.abs(words) == pytest.approx(np.abs(truths))


def test_values_inside_a_tree(write):
    """A value that others lie below is nearer to those than they are to each other."""
    tree = write("w.csv", "a1;a;*\na2;a;*\na;a;*\nb;b;*\n")
    table = read(pa.table({"w": ["a1", "a2", "a", "b"]}))
    apart = pairs(encode(table, hierarchies={"w": str(tree)}).matrix)
    assert 0 < apart[0, 2] < apart[0, 1] < apart[0, 3]
    assert apart[0, 2] * 2 == pytest.approx(apart[0, 1])


def test_chains_and_absent_values_take_no_place(write):
    """An edge that no record tells apart from another one, or from none, is no coordinate."""
    lines = ["a;A;AA;*", "b;B;BB;*", "c;C;BB;*", "d;D;DD;*", "e;D;DD;*"]
    tree = write("w.csv", "".join(f"{line}\n" for line in lines))
    table = read(pa.table({"w": ["a", "b", "c", "b"]}))
    found = edges(code(table, {"w": str(tree)}).columns[0])
    assert len(found) == 3  # a with A and AA against BB, b with B, c with C


@pytest.mark.parametrize("standardize", [True, False])
def test_numbers_are_the_same_beside_texts(standardize):
    """Complete numbers, dates and truth values keep every bit, whatever stands beside them."""
    rng = np.random.default_rng(0)
    columns = {
        "a": pa.array(rng.normal(size=50)),
        "b": pa.array(rng.integers(0, 2**60, 50)),
        "c": pa.array(rng.integers(0, 9000, 50).astype(np.int32)).cast(pa.date32()),
        "d": pa.array(rng.random(50) < 0.3),
    }
    words = {"w": pa.array(rng.choice(list("xyz"), 50)), "h": pa.array([None, *range(49)])}
    plain = encode(read(pa.table(columns)), standardize=standardize)
    beside = encode(read(pa.table({**words, **columns})), standardize=standardize)
    assert (plain.mixed, beside.mixed) == (False, True)
    assert np.array_equal(beside.matrix[:, 1:5], plain.matrix)
    assert plain.names == ("a", "b", "c", "d")


def test_not_standardized():
    """Numbers as they are, texts of inertia 1, missing cells as far as the column is wide."""
    table = pa.table({"x": [0.0, 30.0, None, 60.0], "w": ["a", "b", "b", "a"]})
    found = encode(read(table), standardize=False, k=4).matrix
    assert found[:, 0] == pytest.approx([-30.0, 0.0, 0.0, 30.0])
    assert np.abs(found[:, 1]) == pytest.approx(np.ones(4))
    assert found[:, 2] == pytest.approx([0, 0, np.sqrt(2 * 600.0), 0])


@pytest.mark.parametrize("scale", [1e305, 1e-310])
@pytest.mark.parametrize("standardize", [True, False])
def test_extreme_numbers_beside_texts(scale, standardize):
    """Numbers at the ends of the range neither overflow nor make texts do so."""
    table = pa.table({"x": [scale, 2 * scale, None, 5 * scale], "w": ["a", "b", "c", None]})
    found = encode(read(table), standardize=standardize).matrix
    assert np.isfinite(found).all()
    assert np.isfinite((found * found).sum())
    assert found.any()


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.date32(), pa.bool_(), pa.string()])
def test_columns_that_say_nothing(kind):
    """A column without any value, or with one value, adds no distance."""
    one = {pa.string(): "a", pa.bool_(): True}.get(kind, 3)
    table = pa.table({
        "gone": pa.array([None] * 4, kind),
        "same": pa.array([one] * 4).cast(kind if kind != pa.date32() else pa.int64()),
        "x": [1, 2, 3, 4],
    })  # fmt: skip
    found = pairs(encode(read(table)).matrix)
    assert found == pytest.approx(pairs(encode(read(table.select(["x"]))).matrix))
    assert not pairs(encode(read(table.select(["gone", "same"]))).matrix).any()


@pytest.mark.parametrize("method", ["mdav", "kaim", "auto"])
def test_cells_that_nobody_can_group(method):
    """Nested cells are refused by name, by methods of every kind."""
    table = pa.table({"x": [1, 2, 3], "nested": [[1], [2], None]})
    with pytest.raises(shoal.InputError, match="'nested': cells of a type that is not supported"):
        shoal.microaggregate(table, 2, method=method)


def test_one_value_and_missing_cells():
    """Where a column has one value and gaps, only the gaps count."""
    found = pairs(encode(read(pa.table({"w": ["a", None, "a"]})), k=6).matrix)
    assert found == pytest.approx(np.array([[0, 3, 0], [3, 0, 3], [0, 3, 0]]))


@pytest.mark.parametrize("prime", [3, 5, 7, 13])
def test_chirps_are_nearly_orthogonal(prime):
    """All 2p² vectors have length 1, and no two of them an inner product above 1/√p."""
    vectors = chirps(np.arange(2 * prime * prime), prime)
    products = vectors @ vectors.T
    assert np.diag(products) == pytest.approx(np.ones(2 * prime * prime))
    np.fill_diagonal(products, 0.0)
    assert np.abs(products).max() <= 1 / np.sqrt(prime) + 1e-12
    assert np.abs(products[: 2 * prime, : 2 * prime]).max() < 1e-12


@pytest.mark.parametrize("rule", [None, "prefixes:2,1"])
def test_folded_distances(rule):
    """Folded, a distance is wrong by less than 1/√p for each further edge, and 5 % as a rule."""
    rng = np.random.default_rng(0)
    cells = [f"{v:04d}" for v in rng.integers(0, 3000, 4000)]
    table = read(pa.table({"w": cells}))
    coded = code(table, {} if rule is None else {"w": rule})
    exact = Texts(coded.columns, [1.0], width=10**6)
    folded = Texts(coded.columns, [1.0])
    assert folded.width <= embed_texts.WIDTH < exact.width
    matrices = []
    for texts in (exact, folded):
        matrix = np.zeros((4000, texts.width))
        texts.write(matrix)
        matrices.append(matrix)
    some = rng.integers(0, 4000, (2, 3000))
    true, found = (((m[some[0]] - m[some[1]]) ** 2).sum(axis=1) for m in matrices)
    apart = true > 0
    assert np.array_equal(apart, found > 0)
    error = np.abs(found / np.where(apart, true, 1.0) - 1)[apart]
    longest = 2 * exact.edges[0].paths.shape[1]
    assert error.max() <= (longest - 1) / np.sqrt(folded.prime) + 1e-9
    assert np.sqrt((error**2).mean()) < 0.05
    assert matrices[1].mean(axis=0) == pytest.approx(np.zeros(folded.width), abs=1e-9)
    assert (matrices[1] ** 2).sum() / 4000 == pytest.approx(1.0, rel=0.02)


@pytest.mark.slow
def test_many_values_in_bounded_memory():
    """5,000 texts in 20,000 records need the matrix and little more; equal cells are equal rows."""
    rng = np.random.default_rng(1)
    values = rng.integers(0, 5000, 20_000)
    table = read(pa.table({"w": [f"v{v}" for v in values], "x": rng.normal(size=20_000)}))
    coded = code(table)
    tracemalloc.start()
    found = encode(table, coded=coded).matrix
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.shape[1] <= embed_texts.WIDTH + 1
    assert most < 1.6 * found.nbytes
    texts = found[:, 1:]
    for value in values[:20]:
        assert len(np.unique(texts[values == value], axis=0)) == 1


@pytest.mark.slow
def test_three_hundred_columns():
    """Hundreds of columns of texts share the width, and distances stay what they are."""
    rng = np.random.default_rng(2)
    columns = {f"c{j}": rng.choice([f"v{i}" for i in range(12)], 300) for j in range(300)}
    columns["w"] = rng.choice(["a", "b"], 300)
    table = read(pa.table(columns))
    found = encode(table).matrix
    assert found.shape[1] <= embed_texts.WIDTH
    coded = code(table)
    exact = Texts(coded.columns, [1.0] * 301, width=10**6)
    matrix = np.zeros((300, exact.width))
    exact.write(matrix)
    upper = np.triu_indices(300, 1)
    upper = [side[:: 1 if is_thorough() else 9] for side in upper]
    true = np.array([((matrix[a] - matrix[b]) ** 2).sum() for a, b in zip(*upper, strict=True)])
    near = np.array([((found[a] - found[b]) ** 2).sum() for a, b in zip(*upper, strict=True)])
    assert np.sqrt(((near / true - 1) ** 2).mean()) < 0.08
    labels = shoal.microaggregate(table, 5, method="mdav").labels
    assert np.bincount(labels).min() >= 5


def test_weights_multiply_squared_distances():
    """A weight of 4 makes a column count four times, folded or not, gaps included."""
    cells = ["a", "b", None, "c", "a", "b"]
    table = read(pa.table({"w": cells}))
    assert pairs(encode(table, weights={"w": 4.0}).matrix) == pytest.approx(
        4.0 * pairs(encode(table).matrix)
    )
    with pytest.raises(shoal.RequestError, match="a weight is given for 'z'"):
        encode(table, weights={"z": 1.0})
    with pytest.raises(shoal.RequestError, match="a hierarchy is given for 'z'"):
        encode(table, hierarchies={"z": "flat"})
