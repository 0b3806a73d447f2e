"""Tables of few kinds of records, and huge groups: the paper's groups, and no blow-up."""

from __future__ import annotations

import numpy as np
import pytest

import naive
import shoal
from naive.fixed_size import gsms_nn
from naive.refine import (
    printed_decompose,
    printed_iterative,
    refine_decompose,
    refine_iterative,
)
from shoal.methods.heuristics import candidates
from shoal.methods.heuristics.refine.refinements import HOW
from shoal.progress import Reporter
from thorough import spread

REFINED = {
    "decompose": printed_decompose,
    "iterative": printed_iterative,
    "decompose+": refine_decompose,
    "iterative+": refine_iterative,
}


def of_kinds(seed, rows, kinds, width=2):
    """Records of so many kinds, in any order."""
    rng = np.random.default_rng(seed)
    return rng.integers(-9, 10, (kinds, width)).astype(float)[rng.integers(0, kinds, rows)]


@pytest.mark.parametrize("seed", spread(range(12), 2))
@pytest.mark.slow
def test_candidates_of_equal_records_are_the_papers(seed):
    """With many equal records the groups of GSMS are those of its twin, which keeps all lists."""
    matrix = of_kinds(seed, rows=26, kinds=2 + seed % 6)
    if not np.ptp(matrix, axis=0).all():
        matrix[0] += 1.0
    for k in (2, 3, 5):
        expected = gsms_nn(naive.Exact(naive.written(matrix)), k)
        found = shoal.microaggregate(matrix, k, method="gsms-nn")
        assert found.labels.tolist() == naive.labels(expected, len(matrix))


@pytest.mark.parametrize("how", list(REFINED))
@pytest.mark.parametrize("seed", spread(range(8), 2))
def test_equal_records_are_refined_as_on_paper(how, seed):
    """With many equal records the refined groups are those of the twin, which sends one by one."""
    matrix = of_kinds(seed, rows=30, kinds=2 + seed % 5)
    if not np.ptp(matrix, axis=0).all():
        matrix[0] += 1.0
    labels = np.random.default_rng(seed).permutation(np.arange(30) % 5)
    groups = [np.flatnonzero(labels == g).tolist() for g in dict.fromkeys(labels.tolist())]
    expected = REFINED[how](naive.Exact(naive.written(matrix)), groups, 3)
    found = shoal.refine(matrix, labels, 3, how=how)
    assert found.labels.tolist() == naive.labels(expected, len(matrix))


def test_only_leaders_keep_lists():
    """Of equal records one asks for its nearest: twenty thousand of three kinds take a second."""
    matrix = of_kinds(1, rows=20_000, kinds=3)
    leaders, following = candidates.equals(matrix)
    assert leaders.size == 3
    assert (following >= 0).sum() == 20_000 - 3
    labels = candidates.gsms(matrix, 5, Reporter(None))
    assert np.bincount(labels).min() == 5


@pytest.mark.parametrize(
    ("how", "groups"),
    [("decompose+", "two"), ("decompose+", "many"), ("iterative+", "many"), ("iterative", "many")],
)
def test_huge_groups_and_ties(how, groups):
    """Two groups of six thousand, and three kinds of records in many groups, end in seconds.

    Member by member it took minutes: every one that went had all others looked at again.
    """
    rng = np.random.default_rng(2)
    if groups == "two":
        matrix, labels = rng.normal(size=(12_000, 3)), np.arange(12_000) // 6_000
    else:
        matrix, labels = of_kinds(3, rows=4_000, kinds=3), np.arange(4_000) // 10
    refined = HOW[how](matrix, labels.astype(np.int64), 5, Reporter(None))
    assert np.bincount(refined).min() >= 5
