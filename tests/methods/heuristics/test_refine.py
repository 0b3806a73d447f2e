"""Refining a grouping: never worse, the twin's groups, clear errors."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import shoal
from naive.refine import (
    phase2,
    printed_decompose,
    printed_iterative,
    refine_decompose,
    refine_iterative,
)
from shoal.methods.heuristics.fixed_size import fixed_size, overall_extremes
from shoal.methods.heuristics.refine.refinements import HOW, phase_two
from shoal.methods.problem import Points, Problem
from shoal.methods.registry import find_refinement
from shoal.methods.solve import solve
from shoal.partition import check_labels
from shoal.pipeline.microaggregate import encoded_table
from shoal.progress import Reporter
from strategies import problems
from thorough import examples, spread

TWINS = {
    "phase2": phase2,
    "decompose": printed_decompose,
    "iterative": printed_iterative,
    "decompose+": refine_decompose,
    "iterative+": refine_iterative,
}

every_way = pytest.mark.parametrize("how", list(HOW))


def random_groups(rows, k, seed):
    """Labels of groups of at least k, at random."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, rows // k + 1))
    labels = np.append(np.repeat(np.arange(count), k), rng.integers(0, count, rows - count * k))
    return rng.permutation(labels)


def refined(matrix, labels, k, how, few):
    """Refine as `shoal.refine` does, by sweeps over up to so many groups."""
    method = find_refinement(how, {})
    encoding = Points(encoded_table(shoal.read(matrix), k, True, None, None).matrix)
    problem = Problem(encoding, k, start=check_labels(labels, len(matrix), k))
    method = replace(method, refine=partial(method.refine, few=few))
    return solve(problem, method, Reporter(None))


@every_way
@pytest.mark.parametrize("few", spread([0, 1000], 1))
@given(problem=problems(25), seed=st.integers(0, 10**6))
@examples(25)
def test_labels_equal_the_twins(how, few, problem, seed):
    """Anybody's grouping is refined to the twin's groups, by the tree and by sweeps."""
    matrix, k = problem
    labels = random_groups(len(matrix), k, seed)
    exact = naive.Exact(naive.written(matrix))
    groups = [np.flatnonzero(labels == g).tolist() for g in dict.fromkeys(labels.tolist())]
    expected = TWINS[how](exact, groups, k)
    found = refined(matrix, labels, k, how, few)
    assert found.labels.tolist() == naive.labels(expected, len(matrix))


@every_way
def test_tree_and_sweeps_agree_on_a_large_table(how):
    """Two thousand records in random groups are refined to the same labels either way."""
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(2000, 3))
    labels = shoal.microaggregate(matrix, 3, method="hilbert").labels
    by_tree, by_sweeps = (refined(matrix, labels, 3, how, few).labels for few in (0, 10**9))
    assert np.array_equal(by_tree, by_sweeps)
    assert np.array_equal(by_tree, shoal.refine(matrix, labels, 3, how=how).labels)


@every_way
@given(problem=problems(60), seed=st.integers(0, 10**6))
@examples(60)
def test_never_worse(how, problem, seed):
    """Whatever the grouping was, it loses no more, and every group keeps k."""
    matrix, k = problem
    labels = random_groups(len(matrix), k, seed)
    before = naive.information_loss(
        naive.standardize(matrix), [np.flatnonzero(labels == g) for g in range(labels.max() + 1)]
    )
    found = shoal.refine(matrix, labels, k, how=how)
    assert found.information_loss <= before + 1e-9
    assert found.sizes.min() >= k
    assert found.labels.size == len(matrix)


@every_way
def test_one_group_of_all(how):
    """A single group of all records is split, and loses less."""
    matrix = np.random.default_rng(2).normal(size=(500, 2))
    found = shoal.refine(matrix, np.zeros(500), 5, how=how)
    assert found.information_loss < 10
    assert found.sizes.max() < 10


@every_way
@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, pl.Series])
def test_labels_of_any_kind(how, kind):
    """Labels may be texts or numbers in any container."""
    matrix = np.array([[1.0], [9.0], [2.0], [8.0], [1.5], [8.5]])
    for names in (["b", "a"], [-5, 70], [0.5, -0.5], [True, False]):
        found = shoal.refine(matrix, kind([names[i % 2] for i in range(6)]), 3, how=how)
        assert found.sizes.tolist() == [3, 3]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 0, 0, 0], "4 for 6 records"),
        ([0, 0, 0, 0, 0, 1], "1 of 2 groups have fewer than k = 3 records, the smallest 1"),
        ([0, 0, 0, 1, 1, None], "a record has no group"),
        ([0, 0, 0, 1, 1, float("nan")], "a record has no group"),
        ([[0], [0], [0], [1], [1], [1]], "one number or text a record"),
        ([0, 0, 0, [1], [1], [1]], "one number or text a record"),
        (7, "one number or text a record"),
    ],
)
def test_bad_labels(labels, message):
    """What is no grouping of the records into groups of k is refused, with the reason."""
    with pytest.raises(shoal.RequestError, match=message):
        shoal.refine(np.arange(6.0)[:, None], labels, 3)


def test_unknown_refinement():
    """A refinement that is not there is answered with those that are."""
    with pytest.raises(
        shoal.RequestError, match="phase2, decompose, iterative, decompose\\+, iterative\\+"
    ):
        shoal.refine(np.arange(6.0)[:, None], [0] * 6, 3, how="iterativ")


def test_worked_example_of_2007():
    """The paper's nine records, k = 3: phase I and phase II give its groups and its losses."""
    names = "ABCDEFHIJ"
    points = {"A": (11, 9), "B": (11, 8), "C": (12, 6), "D": (9, 6), "E": (8, 10), "F": (5, 4),
              "H": (4, 3), "I": (2, 5), "J": (1, 3)}  # fmt: skip
    matrix = np.array([points[name] for name in names], dtype=float)

    def groups(labels):
        return {"".join(n for n, g in zip(names, labels, strict=True) if g == h) for h in labels}

    labels = fixed_size(matrix, 3, Reporter(None), references=overall_extremes)
    assert groups(labels) == {"ABC", "HIJ", "DEF"}
    refined = phase_two(matrix, labels, 3, Reporter(None))
    assert groups(refined) == {"ABCDE", "FHIJ"}
    loss = naive.Floats(matrix)
    assert loss.sse([0, 1, 2, 3, 4]) == pytest.approx(23.6)
    assert loss.sse([5, 6, 7, 8]) == pytest.approx(12.75)


def test_column_by_column():
    """Each column is grouped as well as can be, each value shared by k, and it says what it is."""
    matrix = np.random.default_rng(3).normal(size=(60, 3))
    found = shoal.microaggregate_columns(pd.DataFrame(matrix, columns=list("abc")), 4)
    assert isinstance(found.data, pd.DataFrame)
    assert not found.jointly_k_anonymous
    assert "do not release" in found.summary()
    expected = naive.microaggregate_columns(matrix, 4)
    assert np.allclose(found.data.to_numpy(), np.array(expected, dtype=float))
    for column in found.data:
        assert found.data[column].value_counts().min() >= 4
    assert found.data.value_counts().min() < 4
    lost = ((found.data.to_numpy() - matrix) ** 2 / matrix.var(axis=0)).sum() / (60 * 3)
    assert found.information_loss == pytest.approx(100 * lost)


def test_column_by_column_is_refused():
    """Nobody gets it by asking for an anonymous release."""
    with pytest.raises(shoal.RequestError, match="not k-anonymous"):
        shoal.anonymize(np.random.default_rng(0).normal(size=(20, 2)), k=3,
                        method="individual-ranking")  # fmt: skip


@every_way
def test_names_of_groups_do_not_matter(how):
    """Renamed groups are refined to the same labels, however they are named."""
    matrix = np.random.default_rng(4).normal(size=(90, 2))
    labels = random_groups(90, 4, 5)
    names = [2**63 + 5 * (7 - label) if label % 2 else f"a{label}\0" for label in labels.tolist()]
    plain = shoal.refine(matrix, labels, 4, how=how)
    assert np.array_equal(plain.labels, shoal.refine(matrix, names, 4, how=how).labels)
    assert np.array_equal(plain.labels, shoal.refine(matrix, labels[::1] * -3.5, 4, how=how).labels)


@pytest.mark.parametrize(
    "method", spread(["gsms-nn", "mdav", "centroid", "diameter", "v-mdav", "mst"], 3)
)
def test_outliers_without_standardizing(method):
    """Values twenty orders apart are grouped all the same."""
    rng = np.random.default_rng(0)
    for matrix in (np.r_[[1e20] * 20, rng.normal(size=80)][:, None],
                   rng.standard_cauchy((150, 2)) ** 9):  # fmt: skip
        found = shoal.microaggregate(matrix, 2, method=method, standardize=False)
        assert found.sizes.min() >= 2
