"""`lower_bound` through its doors: never above the least loss, whatever is asked of it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import shoal
from naive.bounds import least_sse
from shoal.methods.ils.neighbors import least_by_neighbors
from shoal.methods.matheuristic.steps import WHOLE
from shoal.partition import Bound
from shoal.pipeline.lower_bound import GROWN_ROWS
from shoal.progress import Reporter

TOGETHER = "bounds"  # kernels of bounds on trees are compiled once
EFFORTS = "quick", "normal", "best"


def small_table(seed):
    """A table of up to twelve records of every kind: ties, duplicates, outliers, clusters."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    rows = int(rng.integers(k, 13))
    kind = seed % 5
    matrix = rng.normal(size=(rows, int(rng.integers(1, 4))))
    if kind == 1:
        matrix = np.round(2 * matrix)
    elif kind == 2:
        matrix *= 10.0 ** rng.integers(-3, 4, size=matrix.shape)
    elif kind == 3:
        matrix[rng.integers(0, rows, rows // 2)] = matrix[0]
    elif kind == 4:
        matrix += rng.choice([0.0, 20.0], size=(rows, 1))
    return matrix, k


def never_above(seeds):
    """Hold the bounds of some tables against all their groupings; return how many they meet."""
    met = 0
    for seed in seeds:
        matrix, k = small_table(seed)
        least = least_sse(matrix.tolist(), k)
        effort = EFFORTS[seed % 3]
        found = shoal.lower_bound(matrix, k, effort=effort, standardize=False, threads=1)
        assert 0.0 <= found.sse <= least * (1 + 1e-12) + 1e-300, seed
        total = ((matrix - matrix.mean(0)) ** 2).sum()
        assert found.information_loss == pytest.approx(100 * found.sse / total if total else 0)
        met += found.sse >= least * (1 - 1e-6)
        if effort == "best":
            assert found.sse >= least * (1 - 1e-6), seed
    return met


@pytest.mark.slow
def test_never_above_the_least_of_all_groupings():
    """Bounds of 45 small tables hold against all their groupings."""
    assert never_above(range(45)) >= 22


@pytest.mark.slow
def test_never_above_on_two_thousand_tables():
    """So do those of two thousand."""
    assert never_above(range(2_000)) >= 1_000


@pytest.mark.parametrize("effort", [*EFFORTS[:2], pytest.param("best", marks=pytest.mark.slow)])
def test_never_above_where_groups_are_large(effort):
    """Nor are bounds by pairs of records, where k is 7 or more."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        matrix = rng.normal(size=(int(rng.integers(14, 16)), 2)) * 10.0 ** rng.integers(-3, 4)
        if seed % 2:
            matrix[:4] *= 20.0
        least = least_sse(matrix.tolist(), 7)
        found = shoal.lower_bound(matrix, 7, effort=effort, standardize=False, threads=1)
        assert 0.5 * least < found.sse <= least * (1 + 1e-12), seed


def test_large_groups_beyond_those_that_are_priced():
    """By pairs alone; stopped by the clock or a callback there is what was proven by then."""
    matrix = np.random.default_rng(3).normal(size=(GROWN_ROWS + 10, 3))
    best = shoal.microaggregate(matrix, 12, method="ilsmc+", max_iterations=200)
    quick = shoal.lower_bound(matrix, 12, effort="quick")
    whole = shoal.lower_bound(matrix, 12)
    assert 0.6 * best.information_loss < quick.information_loss
    assert 0.8 * best.information_loss < whole.information_loss <= best.information_loss
    short = shoal.lower_bound(matrix, 12, time_limit=1e-3)
    stopped = shoal.lower_bound(matrix, 12, callback=lambda told: told.stage == "bounding")
    for one in (short, stopped):
        assert not one.complete
        assert 0.0 < one.information_loss <= whole.information_loss
    assert stopped.information_loss >= quick.information_loss * (1 - 1e-9)


@pytest.mark.parametrize(
    ("rows", "k"),
    [
        (90, 3),
        (60, 9),
        pytest.param(90, 9, marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_more_effort_proves_more(rows, k):
    """Every effort proves at least what the one before it did."""
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(rows, 3))
    found = [shoal.lower_bound(matrix, k, effort=effort).information_loss for effort in EFFORTS]
    assert found[0] <= found[1] * (1 + 1e-9)
    assert found[1] <= found[2] * (1 + 1e-9)
    near = least_by_neighbors(matrix, k, Reporter(None))
    unscaled = shoal.lower_bound(matrix, k, effort="quick", standardize=False)
    assert unscaled.sse >= near * (1 - 1e-9)
    best = shoal.microaggregate(matrix, k, method="best", max_iterations=3)
    assert found[2] <= best.information_loss
    if k == 3:
        assert found[1] >= 0.97 * best.information_loss


def test_a_bound_that_is_cut_short_is_a_bound():
    """With hardly any time there is a bound, and it says that it was cut short."""
    matrix = np.random.default_rng(1).normal(size=(250, 4))
    short = shoal.lower_bound(matrix, 4, time_limit=0.05)
    whole = shoal.lower_bound(matrix, 4)
    assert 0 < short.information_loss <= whole.information_loss
    assert not short.complete
    assert whole.complete
    stopped = shoal.lower_bound(matrix, 4, callback=lambda progress: progress.stage == "bounding")
    assert 0 < stopped.information_loss <= whole.information_loss
    assert not stopped.complete


def test_the_edges():
    """One group, groups of one, equal records: the bound is the loss itself."""
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(7, 2))
    assert shoal.lower_bound(matrix, 1) == Bound(0.0, 0.0, True)
    assert shoal.lower_bound(np.ones((9, 2)), 3) == Bound(0.0, 0.0, True)
    one = shoal.lower_bound(matrix, 4)
    assert one.complete
    assert one.information_loss == pytest.approx(100.0)
    pairs = shoal.lower_bound(np.repeat(matrix, 2, axis=0), 2)
    assert pairs.information_loss == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(shoal.RequestError, match="n = 7 records < k = 8"):
        shoal.lower_bound(matrix, 8)
    with pytest.raises(shoal.RequestError, match="effort"):
        shoal.lower_bound(matrix, 3, effort="much")
    with pytest.raises(shoal.RequestError, match="time_limit"):
        shoal.lower_bound(matrix, 3, time_limit=0)


def test_large_tables_have_the_neighbors_bound():
    """Where distances are too many the nearest records give the bound, which is no bad one."""
    matrix = np.random.default_rng(3).normal(size=(WHOLE + 1, 3))
    found = shoal.lower_bound(matrix, 3, standardize=False)
    assert not found.complete
    assert found.sse == least_by_neighbors(matrix, 3, Reporter(None))
    some = matrix[:300]
    whole = shoal.lower_bound(some, 3, standardize=False).sse
    assert 0.4 * whole < least_by_neighbors(some, 3, Reporter(None)) < whole


def test_how_a_bound_is_told():
    """The words for people are those of the figures."""
    bound = Bound(4.0, 1.0, True)
    assert bound.above(4.0) == 0.0
    assert bound.above(4.1) == pytest.approx(2.5)
    assert "at most 2.5 % above the optimum" in bound.describe(4.1)
    assert bound.describe(4.0) == "proven optimal: no grouping loses less"
    assert Bound(0.0, 0.0, False).above(1.0) == float("inf")
    assert Bound(0.0, 0.0, False).describe(1.0).startswith("not known to be near the optimum")
    assert "at most 1.3 %" in Bound(4.0, 1.0, True).describe(4.0 * 1.01201)
    assert "at most 100 %" in Bound(1.0, 1.0, True).describe(1.997)
    assert "less than 1.9999 %" in Bound(1.99999, 1.0, True).describe(2.1)
    assert Bound(0.0, 0.0, True).above(0.0) == 0.0


@pytest.fixture
def table(tmp_path):
    matrix = np.random.default_rng(4).normal(size=(60, 2)).round(3)
    path = tmp_path / "t.csv"
    lines = [f"p{i},{a!r},{b!r}" for i, (a, b) in enumerate(matrix.tolist())]
    path.write_text("name,a,b\n" + "\n".join(lines) + "\n")
    return path


def test_the_command(table, shoal):
    """`shoal bound` tells the bound in words and in JSON, and names wrong columns."""
    told = shoal("bound", table, "-k", 3, "--quasi", "a,b")
    assert told.code == 0, told.err
    assert "no grouping into groups of at least 3 loses less than" in told.out
    plain = json.loads(shoal("bound", table, "-k", 3, "--quasi", "a,b", "--json").out)
    assert set(plain) == {"information_loss", "sse", "complete", "loss_name"}
    wrong = shoal("bound", table, "-k", 3, "--quasi", "a,c")
    assert wrong.code == 2
    assert "Traceback" not in wrong.err


@pytest.mark.parametrize("method", ["best", "exact"])
def test_reports_say_how_far_from_the_optimum(table, tmp_path, method):
    """On the page, in the JSON and in the words of a release."""
    result = shoal.anonymize(
        table, k=3, quasi_identifiers=["a", "b"], identifiers=["name"], method=method,
        **({"max_iterations": 3} if method == "best" else {}),
    )  # fmt: skip
    bound = result.report.bound
    assert bound["information_loss"] <= result.report.information_loss * (1 + 1e-9)
    assert bound["at_most_above_percent"] < 5.0
    for text in (result.report.summary(), result.report.to_html()):
        assert bound["told"] in text
    assert json.loads(result.report.to_json())["bound"] == bound


@pytest.fixture
def mixed(tmp_path):
    """A table of texts, numbers and missing cells, 40 records."""
    rng = np.random.default_rng(5)
    path = tmp_path / "m.csv"
    lines = [
        f"{rng.choice(['a', 'b', 'c', 'd'])},{'' if rng.random() < 0.1 else rng.integers(20, 60)}"
        for _ in range(40)
    ]
    path.write_text("kind,age\n" + "\n".join(lines) + "\n")
    return path


def test_texts_and_missing_cells_have_a_bound_on_iloss(mixed):
    """More effort proves more, never more than a grouping loses; SSE is there for the asking."""
    found = [shoal.lower_bound(mixed, 3, effort=effort) for effort in EFFORTS]
    losses = [bound.information_loss for bound in found]
    assert all(bound.loss_name == "ILoss rate, percent" and bound.sse is None for bound in found)
    assert 0.0 < losses[0] <= losses[1] * (1 + 1e-9)
    assert losses[1] <= losses[2] * (1 + 1e-9)
    best = shoal.microaggregate(mixed, 3, method="kaim+", max_iterations=500)
    assert losses[2] <= best.information_loss * (1 + 1e-9)
    assert losses[1] >= 0.8 * best.information_loss
    assert found[2].above(best.information_loss) < 25.0
    squares = shoal.lower_bound(mixed, 3, loss="sse", effort="quick")
    assert squares.loss_name.startswith("SSE/SST of numbers and tree paths")
    short = shoal.lower_bound(mixed, 3, time_limit=1e-6)
    assert not short.complete
    assert 0.0 < short.information_loss <= losses[2]


def test_the_edges_of_iloss(mixed):
    """One group, groups of one, equal records; what is asked in vain is refused in words."""
    some = np.random.default_rng(6).integers(0, 4, size=(7, 2)).astype(str)
    table = {"a": some[:, 0].tolist(), "b": some[:, 1].tolist()}
    one = shoal.lower_bound(table, 4)
    assert one.complete
    assert one.information_loss == pytest.approx(
        shoal.microaggregate(table, 4, method="kaim+").information_loss
    )
    assert shoal.lower_bound(table, 1).information_loss == 0.0
    equal = {"a": ["x"] * 9}
    assert shoal.lower_bound(equal, 3) == Bound(0.0, None, True, "ILoss rate, percent")
    with pytest.raises(shoal.RequestError, match="loss must be one of auto, sse, iloss"):
        shoal.lower_bound(mixed, 3, loss="ncp")
    with pytest.raises(shoal.RequestError, match="leave column_weights out"):
        shoal.lower_bound(mixed, 3, column_weights={"age": 2.0})
    with pytest.raises(shoal.RequestError, match="all columns count the same"):
        shoal.microaggregate(mixed, 3, method="exact", column_weights={"age": 2.0})
    with pytest.raises(shoal.RequestError, match="up to 300 records"):
        shoal.microaggregate({"a": ["x", "y"] * 200}, 3, method="exact")


def test_the_command_on_texts(mixed, shoal):
    """`shoal bound` names ILoss, and takes hierarchies."""
    told = shoal("bound", mixed, "-k", 3, "--quasi", "kind,age", "--effort", "quick",
                 "--hierarchy", "age=widths:5,20")  # fmt: skip
    assert told.code == 0, told.err
    assert "(ILoss rate)" in told.out
    plain = shoal("bound", mixed, "-k", 3, "--quasi", "kind,age", "--loss", "sse", "--json")
    assert json.loads(plain.out)["sse"] > 0


def test_reports_say_so_of_generalized_tables(mixed):
    """A release by `exact` says that no grouping generalizes less."""
    result = shoal.anonymize(mixed, k=3, quasi_identifiers=["kind", "age"], method="exact")
    assert result.partition.loss_name == "ILoss rate, percent"
    assert "proven optimal" in result.report.summary()
