"""Every method through every contract."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive
import shoal
from naive import domain
from strategies import problems
from thorough import composed_once, each, examples, spread

PROVEN = "exact"  # goes through these contracts in test_best, where proofs are short
METHODS = [method.name for method in shoal.methods() if method.name != PROVEN]
ONE_COLUMN = [method.name for method in shoal.methods() if method.columns == 1]
SEARCHES = [method.name for method in shoal.methods() if method.is_search]
MIXED = [method.name for method in shoal.methods() if method.on_nodes]
RECODED = [method.name for method in shoal.methods() if method.recodes]
BLOCKS = [method.name for method in shoal.methods() if method.in_blocks]
STEADY = [name for name in METHODS if name not in (*SEARCHES, *MIXED, *BLOCKS)]
UP_TO_2K = {"mdav", "mst", "mdav-mhm", "hilbert", "optimal-1d", "tfrp", "centroid-phase2"}
THESIS = {"ls", "lsc", "ilsm", "ilsmc"}  # groups of any size, as written there
UP_TO_2K |= {*SEARCHES, *BLOCKS} - THESIS

every_method = each("method", composed_once(METHODS))
one_by_one = pytest.mark.parametrize("method", composed_once(METHODS))  # where one takes its time


def solve(matrix, k, method, **options):
    matrix = table_for(method, matrix)
    if method in SEARCHES:  # rounds of `best` are long
        options = {"max_iterations": 1 if method == "best" else 30, **options}
    return shoal.microaggregate(np.asarray(matrix, dtype=float), k, method=method, **options)


def table_for(method, matrix):
    """The matrix, or its last column for a method that takes one."""
    return matrix[:, -1:] if method in ONE_COLUMN else matrix


def rows_for(method, rows):
    """How many records a table has: few for `best`, whose rounds are long."""
    return 60 if method == "best" else rows


def same_as_twin(method, found, exact, k):
    """Whether the labels are those of the twin, or as good where several groupings are best."""
    groups = naive.METHODS[method](exact, k)
    if found.labels.tolist() == naive.labels(groups, len(exact.rows)):
        return True
    if method not in ONE_COLUMN:
        return False
    ours = naive.total_sse(exact, [group.tolist() for group in found.members()])
    return ours == naive.total_sse(exact, groups)


def sets(partition):
    """The groups as a set of sets of rows."""
    return {frozenset(group.tolist()) for group in partition.members()}


@pytest.mark.parametrize(
    ("method", "place"),
    spread(product(STEADY, ("1e308", "1e-320", "1e16", "mixed")), 9, several=True),
)
@given(seed=st.integers(0, 10**6))
@examples(10)
def test_extreme_numbers_equal_exact_arithmetic(method, place, seed):
    """Columns at 1e308, at 1e-320 and at 1e16 + {0, 1, 2} form the groups of exact arithmetic."""
    rng = np.random.default_rng(seed)
    rows, k = int(rng.integers(4, 25)), int(rng.integers(2, 4))
    columns = {
        "1e308": lambda: rng.integers(-15, 16, rows) * 2.0**1020,
        "1e-320": lambda: rng.integers(0, 2000, rows) * 5e-324,
        "1e16": lambda: 10**16 + rng.integers(0, 3, rows),
    }
    kinds = list(columns) if place == "mixed" else [place, place]
    kinds = kinds[:1] if method in ONE_COLUMN else kinds
    table = pa.table({f"{i}{kind}": columns[kind]() for i, kind in enumerate(kinds)})
    exact = [list(row) for row in zip(*(c.to_pylist() for c in table.columns), strict=True)]
    found = shoal.microaggregate(table, k, method=method)
    assert same_as_twin(method, found, naive.Exact(exact), k)


def test_every_method_has_a_slow_twin():
    """A method without a twin cannot be trusted; searches, blocks, mixed ones have others."""
    assert set(naive.METHODS) == set(STEADY)


@pytest.mark.parametrize("method", spread(STEADY, 24))
@given(problem=problems(25))
@example(problem=(np.zeros((9, 2)), 2))
@example(problem=(np.arange(5.0)[:, None], 5))
@example(problem=(np.arange(9.0)[:, None], 5))
@example(problem=(np.array([[5.0, 4.0], [2.0, 0.0], [7.0, 4.0], [1.0, 5.0], [1.0, 7.0]]), 2))
@examples(15)
def test_labels_equal_the_twins(method, problem):
    """The groups are those of exact rational arithmetic, group by group, ties included."""
    matrix, k = problem
    exact = naive.Exact(naive.written(table_for(method, matrix)))
    assert same_as_twin(method, solve(matrix, k, method), exact, k)


@pytest.mark.slow
@pytest.mark.parametrize("method", STEADY)
def test_labels_equal_the_twins_on_300_tables(method):
    """So they are on three hundred random small tables of every kind."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        rows, columns = int(rng.integers(1, 26)), int(rng.integers(1, 4))
        spread = int(rng.choice([1, 3, 50, 10_000]))
        matrix = rng.integers(-spread, spread + 1, size=(rows, columns)) / rng.choice([1.0, 7.0])
        k = int(rng.integers(1, min(6, rows) + 1))
        exact = naive.Exact(naive.written(table_for(method, matrix)))
        assert same_as_twin(method, solve(matrix, k, method), exact, k), (seed, k)


@one_by_one
@given(problem=problems())
@examples(30)
def test_sizes_records_and_loss(method, problem):
    """Every record is in one group of k or more; where it is promised, of less than 2k.

    The loss that is reported is the loss of the labels, computed anew in exact arithmetic.
    """
    matrix, k = problem
    found = solve(matrix, k, method)
    assert len(found.labels) == len(matrix)
    assert sorted(row for group in found.members() for row in group) == list(range(len(matrix)))
    assert found.sizes.min() >= k
    assert np.array_equal(found.sizes, np.bincount(found.labels))
    if method in UP_TO_2K:
        assert found.sizes.max() <= max(2 * k - 1, 1)
    elif method == "v-mdav":  # less than k that are left join groups that were extended already
        assert found.sizes.max() <= max(3 * k - 2, 1)
    groups = [group.tolist() for group in found.members()]
    if method in RECODED:  # by levels, of which groups could have said more
        columns = [domain.of_numbers(cells) for cells in zip(*matrix.tolist(), strict=True)]
        levels = found.recoding.levels.values()
        expected = domain.loss_rate(columns, matrix.tolist(), levels, k)
    elif method in MIXED:
        expected = naive.range_loss(matrix.tolist(), groups)
    else:
        expected = naive.information_loss(naive.standardize(table_for(method, matrix)), groups)
    assert found.information_loss == pytest.approx(expected, abs=1e-9)


@every_method
def test_same_seed_same_labels(method):
    """Two runs with one seed give the same labels."""
    matrix = np.random.default_rng(1).normal(size=(rows_for(method, 90), 3))
    first, second = (solve(matrix, 4, method, seed=3) for _ in range(2))
    assert np.array_equal(first.labels, second.labels)


@each("method", composed_once(one for one in STEADY if not one.startswith("diameter")))
def test_permuted_input_has_the_same_groups(method):
    """Where no distances tie, the order of the records does not matter, but to Diameter.

    Its printed figures are nearest where the end of the lower row grows first.
    """
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(90, 3))
    order = rng.permutation(90)
    matrix = table_for(method, matrix)
    plain = sets(solve(matrix, 4, method))
    permuted = sets(solve(matrix[order], 4, method))
    assert plain == {frozenset(order[list(group)].tolist()) for group in permuted}


@every_method
def test_scaled_and_shifted_input_has_the_same_groups(method):
    """Units do not matter: columns are standardized."""
    matrix = np.random.default_rng(3).normal(size=(rows_for(method, 90), 3))
    other = matrix * [1e-9, 1e6, 1000.0] + [0.0, -5e6, 77.0]
    assert sets(solve(matrix, 5, method)) == sets(solve(other, 5, method))


@one_by_one
@each("size", product((1, 2, 7, 20), (1, 3, 7)))
def test_equal_records(method, size):
    """All records equal: groups of at least k, nothing lost."""
    rows, k = size
    if rows < k:
        with pytest.raises(shoal.RequestError, match=f"n = {rows} records < k = {k}"):
            solve(np.ones((rows, 2)), k, method)
        return
    found = solve(np.ones((rows, 2)), k, method)
    assert found.sizes.min() >= k
    assert found.information_loss == 0.0


@every_method
def test_duplicates_share_a_group_where_they_can(method):
    """Where every record is there k times, nothing is lost."""
    matrix = np.repeat(np.random.default_rng(4).normal(size=(12, 3)), 4, axis=0)
    assert solve(matrix, 4, method).information_loss == pytest.approx(0.0, abs=1e-12)


@every_method
@each("k", [2, 3, 10])
def test_one_group_from_k_to_2k_minus_1(method, k):
    """n = k and n = 2k - 1 give one group and lose everything."""
    for rows in (k, 2 * k - 1):
        found = solve(np.arange(float(rows))[:, None], k, method)
        assert found.groups == 1
        assert found.information_loss == pytest.approx(100.0)


@every_method
def test_constant_column_changes_nothing(method):
    """A column with one value has no say."""
    matrix = table_for(method, np.random.default_rng(5).normal(size=(60, 2)))
    wide = np.column_stack([matrix, np.full(60, 1e9)])
    found = (
        solve(wide, 3, method)
        if method in SEARCHES
        else shoal.microaggregate(wide, 3, method=method)
    )
    assert np.array_equal(solve(matrix, 3, method).labels, found.labels)


@every_method
def test_input_is_not_changed(method):
    """The caller's matrix is read, not written."""
    matrix = np.random.default_rng(6).normal(size=(50, 2))
    before = matrix.copy()
    matrix.setflags(write=False)
    solve(matrix, 3, method)
    assert np.array_equal(matrix, before)


@every_method
def test_progress_and_cancel(method):
    """The callback sees the run from start to end, and True from it cancels, or ends a search."""
    rows = rows_for(method, 150)
    matrix = np.random.default_rng(7).normal(size=(rows, 2))
    seen = []
    solve(matrix, 3, method, callback=seen.append)
    assert (seen[0].done, seen[-1].done, seen[-1].total) == (0, rows, rows)
    if method in SEARCHES:
        found = solve(matrix, 3, method, callback=lambda look: look.stage == "searching")
        assert found.search.stopped_by == "callback"
        return
    with pytest.raises(shoal.Canceled, match="no result"):
        solve(matrix, 3, method, callback=lambda progress: True)
