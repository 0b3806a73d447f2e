"""The search on trees: every move by brute force, on small tables of every kind."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import shoal
from mixed_tables import random_table
from naive import trees as twin
from shoal.methods.ils.hierarchies import moves
from shoal.methods.ils.hierarchies.layout import (  # fmt: skip
    CURRENT,
    LABEL,
    LOOKED,
    LOOKING,
    LOOKS,
    MAY_SHIFT,
    MAY_SWAP,
    SHIFTS,
    SIZE,
    SWAPS,
    WAITING,
)
from shoal.methods.ils.hierarchies.regions import Map, orders_of
from shoal.methods.ils.parameters import Stop, Task
from shoal.methods.masses import masses_of, unit_of
from shoal.methods.problem import Nodes, Problem
from shoal.methods.solve import solve
from shoal.methods.topdown.grouping import records_of
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.plan.recipe import source_of
from shoal.progress import Reporter
from shoal.settings import load
from shoal.table.encode_nodes import code
from shoal.table.read import read
from thorough import spread

QUIET = Reporter(None)


def solve_mixed(coded, k, method, report, weights=None, survey=None, **options):
    """The groups of coded records by a method."""
    return solve(Problem(Nodes(coded, weights, weights=survey), k, **options), method, report)


def repeat(settings, recipe, data):
    """Run a recipe again, as the command line does."""
    return anonymize_with(source_of(settings, recipe, data), settings, folder=recipe.parent)


def random_groups(rng, rows, k):
    """A random grouping into groups of k or more, numbered from 0."""
    groups = int(rng.integers(1, rows // k + 1))
    labels = np.concatenate((np.repeat(np.arange(groups), k),
                             rng.integers(0, groups, rows - groups * k)))  # fmt: skip
    return rng.permutation(labels).astype(np.int64)


def drawn(seed, folder, rows=None):
    """A random table, its coded form, k, weights of 1 on average, and a random grouping."""
    rng = np.random.default_rng(seed)
    made = random_table(rng, folder, ranges=seed % 2 == 0, inner=seed % 3 == 0, rows=rows)
    count = len(made.records)
    k = int(rng.integers(2, max(3, count // 2)))
    raw = [Fraction(int(w)) for w in rng.choice([1, 1, 2, 5], len(made.trees))]
    weights = [w * len(raw) / sum(raw) for w in raw]
    named = {n: float(w) for n, w in zip(made.table.column_names, raw, strict=True)}
    coded = code(read(made.table), made.rules)
    trees = list(zip(made.trees, made.values, strict=True))
    return made, coded, trees, k, weights, named, random_groups(rng, count, k)


def survey_of(seed, rows):
    """Survey weights of 1 on average, none of every other seed; they are as floats and exact."""
    if seed % 2:
        return None, None
    raw = [Fraction(int(w)) for w in np.random.default_rng(seed).choice([1, 2, 3, 40], rows)]
    return np.array([float(w) for w in raw]), [w * rows / sum(raw) for w in raw]


def state_of(coded, labels, k, weights, most, survey=None):
    """A region of all records that holds a grouping, measured."""
    scaled = dict(zip(coded.names, map(float, weights), strict=True))
    masses = masses_of(survey, coded.rows)
    trees, codes = records_of(coded, scaled, unit_of(masses))
    orders = orders_of(trees, codes, k, 1, 1, masses)
    return Map(trees, codes, Task(k), most, 2, orders, masses).cut(labels, 0, 0)[0]


@pytest.mark.parametrize("seed", spread(range(100), 3))
@pytest.mark.slow
def test_every_price_is_right(seed, tmp_path):
    """What a group loses, what leaving spares, what coming and swapping cost: as from scratch."""
    made, coded, trees, k, weights, _, labels = drawn(seed, tmp_path)
    records = made.records
    survey, exact = survey_of(seed, len(records))
    s = state_of(coded, labels, k, weights, len(records), survey).state
    groups = twin.members(labels.tolist())
    near = 1e-10 if survey is None else 1e-7  # masses are whole numbers

    def loss(rows):
        return float(twin.group_loss(trees, weights, records, rows, exact))

    assert s.sums[CURRENT] == pytest.approx(sum(map(loss, groups.values())))
    for one, here in groups.items():
        assert s.costs[one, -1, 0] == pytest.approx(loss(here))
        for x in here:
            left = [row for row in here if row != x]
            assert s.gains[x] == pytest.approx(loss(here) - loss(left), abs=near)
            for two, there in groups.items():
                if one == two:
                    continue
                enter = moves.entry(s, x, two, np.inf)
                assert enter == pytest.approx(loss([*there, x]) - loss(there), abs=near)
                changes = []
                for y in there:
                    rest = [row for row in there if row != y]
                    change = loss([*left, y]) + loss([*rest, x]) - loss(here) - loss(there)
                    assert moves.exchange(s, x, y, np.inf) == pytest.approx(change, abs=near)
                    changes.append(change)
                assert moves.may_swap(s, x, two, min(changes) + 10 * near)
        assert s.groups[one, SIZE] == len(here)


@pytest.mark.parametrize("seed", spread(range(300), 20))
def test_a_local_optimum(seed, tmp_path):
    """The loss is that from scratch, no shift or swap gains, sizes are k or more, it verifies."""
    made, coded, trees, k, weights, named, labels = drawn(seed, tmp_path)
    changes = {"stop": {"iterations": int(seed % 4) * 5}}
    rows = len(made.records)
    survey, exact = survey_of(seed // 2, rows)
    found = solve_mixed(coded, k, "kaim+", QUIET, start=labels, seed=seed, options=changes,
                        weights=named, survey=survey)  # fmt: skip
    near = 1e-9 if survey is None else 1e-6
    assert found.sizes.min() >= k
    assert found.sizes.max() < 2 * k
    assert found.labels.size == rows
    ended = float(twin.total_loss(trees, weights, made.records, found.labels.tolist(), exact))
    before = float(twin.total_loss(trees, weights, made.records, labels.tolist(), exact))
    percent = 100 / (rows * len(trees))
    if found.search is not None:
        assert found.search.complete
        assert found.search.loss_end == pytest.approx(percent * ended, abs=near)
        assert found.search.loss_start <= percent * before + near
        gained = sum(part["gain"] for part in found.search.gains.values())
        assert found.search.loss_start - gained == pytest.approx(percent * ended, abs=near)
    assert ended <= before + near
    best = twin.best_move(trees, weights, made.records, found.labels.tolist(), k, 2 * k - 1, exact)
    assert best < 1e-7
    plain = [Fraction(1)] * len(trees)
    whole = float(twin.total_loss(trees, plain, made.records, found.labels.tolist(), exact))
    assert found.information_loss == pytest.approx(percent * whole, abs=1e-9)


@pytest.mark.parametrize("seed", spread(range(30), 10))
def test_the_release_verifies(seed, tmp_path):
    """What kaim+ releases is k-anonymous by a count of its cells, and covers what was there."""
    made, _, _, k, _, named, _ = drawn(3000 + seed, tmp_path)
    found = shoal.anonymize(made.table, k=k, method="kaim+", hierarchies=made.rules, seed=seed,
                            intervals="text",
                            max_iterations=20, column_weights=named,
                            quasi_identifiers=made.table.column_names)  # fmt: skip
    rows = zip(*found.data.to_pydict().values(), strict=True)
    assert min(Counter(rows).values()) >= k


@pytest.mark.parametrize("kinds", [("shift",), ("swap",)])
def test_only_the_moves_that_are_allowed(kinds, tmp_path):
    """A search of shifts makes no swap, and the other way round."""
    _, coded, _, _, _, _, _ = drawn(4, tmp_path, rows=25)
    labels = np.repeat(np.arange(5), 5)
    found = solve_mixed(coded, 4, "kaim+", QUIET, start=labels, options={
        "moves": list(kinds), "stop": {"iterations": 0},
    })  # fmt: skip
    gains = found.search.gains
    assert all(gains[name]["applied"] == 0 for name in ("shift", "swap") if name not in kinds)
    assert sum(part["applied"] for part in gains.values()) > 0


def large(rows=600, seed=0):
    """A table of categories and numbers with missing cells, of some structure."""
    rng = np.random.default_rng(seed)
    center = rng.integers(0, 12, rows)
    columns = {
        "a": [f"a{(c + int(e)) % 9}" for c, e in zip(center, rng.random(rows) < 0.2, strict=True)],
        "b": [f"b{c % 4}{int(v)}" for c, v in zip(center, rng.integers(0, 3, rows), strict=True)],
        "x": [int(v) for v in center * 5 + rng.integers(0, 6, rows)],
    }
    gaps = rng.random((rows, 3)) < 0.05
    return pa.table({
        name: pa.array([None if gap else v for v, gap in zip(values, gaps[:, j], strict=True)])
        for j, (name, values) in enumerate(columns.items())
    })  # fmt: skip


def test_the_same_for_a_seed_and_a_count():
    """Seed and iterations decide, on one thread or two; more iterations lose less."""
    coded = code(read(large()), {"b": "prefixes:2"})

    def labels(iterations, threads=1, seed=3):
        stop = {"stop": {"iterations": iterations}, "runs": 2}
        found = solve_mixed(coded, 5, "kaim+", QUIET, seed=seed, options=stop, threads=threads)
        return found.labels.tolist(), found.information_loss

    first, lost = labels(400)
    assert first == labels(400)[0] == labels(400, threads=2)[0]
    assert first != labels(400, seed=4)[0]
    assert lost < labels(0)[1] < solve_mixed(coded, 5, "kaim", QUIET).information_loss
    assert labels(4000)[1] < lost


def test_a_time_limit_is_kept_and_repeats():
    """A search that the clock ended is repeated exactly by its count of iterations."""
    coded = code(read(large(rows=900)))
    timed = solve_mixed(coded, 4, "kaim+", QUIET, options={"stop": {"seconds": 0.2}})
    assert timed.search.stopped_by == "time limit"
    log = timed.search
    assert log.iterations > 0.5 * log.schedule  # the time was estimated
    again = {"stop": {"iterations": log.iterations}, "looks": log.looks, "schedule": log.schedule}
    assert solve_mixed(coded, 4, "kaim+", QUIET, options=again) == timed


def test_a_number_of_looks():
    """Few looks leave moves that gain; the log says so, and the rest follows from there."""
    coded = code(read(large(rows=900)))
    stop = {"stop": {"iterations": 50}}
    few = solve_mixed(coded, 4, "kaim+", QUIET, options={**stop, "looks": 20_000})
    every = solve_mixed(coded, 4, "kaim+", QUIET, options=stop)
    assert (few.search.complete, few.search.looks) == (False, 20_000)
    assert "before its last local optimum" in few.search.summary()
    assert (every.search.complete, every.search.looks) == (True, None)
    assert every.information_loss < few.information_loss


def test_the_callback_ends_it_with_its_best():
    """True from the callback ends the search; the groups are whole and no worse than kaim's."""
    calls = []

    def enough(progress):
        calls.append(progress)
        return progress.stage == "searching" and progress.done >= 300

    found = shoal.microaggregate(large(), 5, method="kaim+", callback=enough,
                                 max_iterations=10**9)  # fmt: skip
    assert found.search.stopped_by == "callback"
    assert found.search.iterations < 10_000
    assert (
        found.information_loss < solve_mixed(code(read(large())), 5, "kaim", QUIET).information_loss
    )
    losses = [call.best_loss for call in calls if call.best_loss is not None]
    assert losses == sorted(losses, reverse=True)


def test_target_and_patience():
    """It ends as soon as the loss is low enough, or when nothing has gained for long."""
    coded = code(read(large()))
    kaim = solve_mixed(coded, 5, "kaim", QUIET).information_loss
    stop = {"stop": {"target": 0.95 * kaim}}
    found = solve_mixed(coded, 5, "kaim+", QUIET, options=stop)
    assert found.search.stopped_by == "target"
    assert found.information_loss <= 0.95 * kaim
    patient = {"stop": {"patience": 50}, "runs": 2}
    found = solve_mixed(coded, 5, "kaim+", QUIET, options=patient)
    assert found.search.stopped_by == "patience"
    again = {"stop": {"iterations": found.search.iterations}, "runs": 2, "schedule": 1}
    assert found.search.schedule == 1  # only what gains is kept
    assert solve_mixed(coded, 5, "kaim+", QUIET, options=again) == found
    rows = [("a", 1)] * 5 + [("b", 2)] * 5
    equal = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    nothing = solve_mixed(code(read(equal)), 5, "kaim+", QUIET)
    assert nothing.information_loss == 0.0
    assert nothing.search.stopped_by == "nothing to lose"


def test_any_grouping_is_improved():
    """All records in one group, a group column of a file, the groups of another method."""
    table = large()
    coded = code(read(table))
    one = np.zeros(table.num_rows, dtype=np.int64)
    found = solve_mixed(coded, 5, "kaim+", QUIET, start=one, options={"stop": {"iterations": 50}})
    assert found.groups > 50
    member = solve_mixed(coded, 5, "k-member", QUIET)
    better = solve_mixed(coded, 5, "kaim+", QUIET, start="k-member",
                         options={"stop": {"iterations": 50}})  # fmt: skip
    assert better.information_loss < member.information_loss
    refined = shoal.refine(table, member.labels, 5, how="kaim+", max_iterations=50)
    assert refined.information_loss < member.information_loss
    given = solve_mixed(coded, 5, "kaim+", QUIET, start=member.labels,
                        options={"stop": {"iterations": 50}})  # fmt: skip
    assert refined == given


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"search": {"acceptance": "late"}}, "searches on numbers"),
        ({"search": {"perturbations": ["distill"]}}, "dissolve, regroup"),
        ({"search": {"moves": ["split"]}}, "shift and swap"),
        ({"search": {"neighbors": 0}}, "at least 1"),
        ({"start": "mdav"}, "must be one of random, farthest, common, top-down"),
        ({"start": "kaim+"}, "must be one of"),
        ({"method": "kaim", "max_iterations": 5}, "methods that search"),
        ({"method": "ilsmc", "search": {"perturbations": ["regroup"]}}, "searches on trees"),
    ],
)
def test_what_makes_no_sense(options, words):
    """A wish that the search cannot fulfil is refused with a reason."""
    table = large(60) if options.get("method") != "ilsmc" else np.random.default_rng(0).normal(
        size=(30, 3))  # fmt: skip
    with pytest.raises(shoal.RequestError, match=words):
        shoal.microaggregate(table, 3, **{"method": "kaim+", **options})


def test_looking_at_what_changed_is_enough():
    """Where the queue is empty, another pass over all groups finds nothing."""
    coded = code(read(large(rows=120)))
    labels = solve_mixed(coded, 4, "k-member", QUIET).labels
    region = state_of(coded, np.array(labels), 4, [1.0] * 3, 16)
    s = region.state
    s.counts[LOOKING] = s.counts[MAY_SHIFT] = s.counts[MAY_SWAP] = 1
    while s.counts[WAITING] > 0:
        s.counts[LOOKS] = s.counts[LOOKED] + 1  # one group at a time
        region.advance()
    ended = np.unique(s.records[:, LABEL], return_inverse=True)[1]
    other = state_of(coded, ended, 4, [1.0] * 3, 16)
    again = other.state
    again.counts[LOOKING] = again.counts[MAY_SHIFT] = again.counts[MAY_SWAP] = 1
    again.counts[LOOKS] = 10**9
    other.advance()
    assert again.counts[WAITING] == again.counts[SHIFTS] == again.counts[SWAPS] == 0
    assert again.sums[CURRENT] == pytest.approx(s.sums[CURRENT], abs=1e-9)


@pytest.mark.slow
def test_thousands_of_values():
    """A column of 3,000 texts and one of as many floats need no table of pairs of values."""
    rng = np.random.default_rng(5)
    rows = 6000
    town = rng.integers(0, 3000, rows)
    table = pa.table({
        "town": [f"t{i}" for i in town],
        "region": [f"r{i % 9}" for i in town],
        "pay": rng.permutation(rows) / 7,
    })  # fmt: skip
    tracemalloc.start()
    coded = code(read(table))
    kaim = solve_mixed(coded, 10, "kaim", QUIET)
    changes = {"stop": {"iterations": 300}, "looks": 10**6}
    found = solve_mixed(coded, 10, "kaim+", QUIET, start=np.array(kaim.labels), options=changes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.information_loss < kaim.information_loss
    assert peak < 40_000_000  # 3,000² numbers alone are 72 MB


@pytest.mark.slow
def test_three_hundred_columns():
    """Hundreds of columns of all kinds are searched, and lose less than before."""
    rng = np.random.default_rng(6)
    rows = 120
    hidden = rng.integers(0, 8, rows)
    columns = {}
    for j in range(300):
        noisy = np.where(rng.random(rows) < 0.3, rng.integers(0, 8, rows), hidden)
        cells = noisy.tolist() if j % 2 else [f"v{i}" for i in noisy]
        gaps = rng.random(rows) < (0.02 if j % 10 == 0 else 0.0)
        columns[f"c{j}"] = pa.array([None if g else c for c, g in zip(cells, gaps, strict=True)])
    coded = code(read(pa.table(columns)))
    kaim = solve_mixed(coded, 4, "kaim", QUIET)
    found = solve_mixed(coded, 4, "auto", QUIET, effort="quick")
    assert found.method == "kaim+"
    assert found.information_loss < kaim.information_loss


@pytest.mark.parametrize("neighbors", [1, 2, 50, 10**6])
@pytest.mark.parametrize("k", [2, 7, 12])
def test_any_number_of_neighbors(neighbors, k):
    """However many groups are formed anew at once, all records stay in groups of k to 2k - 1."""
    coded = code(read(large(25)))
    found = solve_mixed(coded, k, "kaim+", QUIET, options={
        "neighbors": neighbors, "samples": 40, "stop": {"iterations": 200},
    })  # fmt: skip
    assert k <= found.sizes.min() <= found.sizes.max() < 2 * k
    assert found.labels.size == 25


@pytest.mark.parametrize("method", ["mdav", "kaim", "kaim+"])
@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf"), 1e308, "x", True, None])
def test_what_is_no_weight(method, weight):
    """A weight that is no number, or out of any proportion, is refused by every door."""
    with pytest.raises(shoal.RequestError, match="the weight of 'a' must be a number between"):
        shoal.microaggregate(large(60), 3, method=method, column_weights={"a": weight})
    with pytest.raises(shoal.RequestError):
        shoal.refine(large(60), [0] * 60, 3, how="kaim+", column_weights={"a": weight})


def test_a_search_object_says_what_differs():
    """Of a Search given to a search on trees, the parts that are as usual count as unsaid."""
    table = large(200)
    few = shoal.Search(samples=5, stop=Stop(iterations=40))
    found = shoal.microaggregate(table, 5, method="auto", search=few)
    same = shoal.microaggregate(table, 5, method="kaim+", max_iterations=40, search={"samples": 5})
    assert found.method == "kaim+"
    assert found == same


def test_a_recipe_of_a_search_object(tmp_path):
    """What was asked of a search by an object is written to the recipe, and repeats the run."""
    csv.write_csv(large(120), tmp_path / "t.csv")
    found = shoal.anonymize(tmp_path / "t.csv", k=4, search=shoal.Search(samples=2),
                            quasi_identifiers=["a", "b", "x"], time_limit=0.1)  # fmt: skip
    found.save(tmp_path / "out", report=False)
    again = load(tmp_path / "out.private" / "run.toml")
    assert again.search["samples"] == 2
    assert repeat(again, tmp_path / "out.private" / "run.toml", None).partition == found.partition


def test_looks_beyond_the_usual_are_kept():
    """A run that was allowed more looks than usual says so, whether it needed them or not."""
    coded = code(read(large(100)))
    stop = {"stop": {"iterations": 10}, "looks": 10**12}
    found = solve_mixed(coded, 4, "kaim+", QUIET, options=stop)
    assert (found.search.complete, found.search.looks) == (True, 10**12)


def test_the_callback_ends_the_last_moves():
    """The callback is asked while records are shifted and swapped at the end, too."""
    coded = code(read(large(6000)))
    looks = []

    def enough(progress):
        looks.append(progress)
        return progress.stage == "searching" and (progress.moves_applied or 0) > 0

    stop = {"stop": {"iterations": 3}}
    pairs = np.random.default_rng(1).permutation(np.arange(6000) // 2)
    found = solve_mixed(coded, 2, "kaim+", Reporter(enough), options=stop, start=pairs)
    assert not found.search.complete
    whole = solve_mixed(coded, 2, "kaim+", QUIET, options=stop, start=pairs)
    assert whole.search.complete
    assert whole.information_loss <= found.information_loss
