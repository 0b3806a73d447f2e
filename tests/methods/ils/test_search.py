"""A search from start to end: what it returns, when it stops, what it tells, how it is asked."""

from __future__ import annotations

import tomllib
from functools import partial

import numpy as np
import pytest

import shoal
from naive import search as twin
from search_tables import random_groups, table
from shoal.errors import RequestError
from shoal.methods.ils import search as ils
from shoal.methods.ils.driver import random_start
from shoal.methods.ils.parameters import (
    Annealing,
    Dynamic,
    Fixed,
    Late,
    RecordToRecord,
    Search,
    Stop,
    Task,
)
from shoal.methods.ils.state import ITERATION, SINCE, STOP
from shoal.progress import Reporter, StopToken
from thorough import is_thorough, spread

RULES = [Fixed(), Dynamic(), RecordToRecord(), Late(), Annealing()]
CONTINUOUS = ("normal", "outlier")

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def search(matrix, k, start=None, seed=1, callback=None, threads=None, stop=None, **parts):
    """A search; Stop's fields, Search's and those of its sizes are given by name."""
    limits, sizes = (
        {name: parts.pop(name) for name in list(parts) if name in kind.__dataclass_fields__}
        for kind in (Stop, ils.Sizes)
    )
    options = Search(**parts, stop=Stop(**limits)).check()
    task = Task(k, start, options, seed, threads)
    return ils.search(matrix, task, Reporter(callback, stop), sizes=ils.Sizes(**sizes))


def loss(matrix, labels):
    """Information loss in percent, from scratch."""
    total = twin.sst(matrix)
    return 100 * twin.sse(matrix, labels) / total if total > 1e-20 else 0.0


def check_groups(labels, rows, k):
    """Every record has a group, groups count from 0 by first row, each of k to 2k - 1."""
    assert labels.shape == (rows,)
    assert list(dict.fromkeys(labels.tolist())) == list(range(labels.max() + 1))
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k


def normal(rows, columns, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns))


@pytest.fixture(autouse=True)
def ended(monkeypatch):
    """Hold every call of the kernel to its trace, which it would leave without an error.

    Tells in which iterations runs ended before they had to.
    """
    kernel, found = ils.advance, []

    def advance(s, trace, budget):
        place = s.counts[ITERATION] - s.choices[SINCE]
        assert 0 <= place <= s.choices[STOP] - s.choices[SINCE] < len(trace), "outside of the trace"
        done = kernel(s, trace, budget)
        if done and s.counts[ITERATION] < s.choices[STOP]:
            found.append(int(s.counts[ITERATION]))
        return done

    monkeypatch.setattr(ils, "advance", advance)
    return found


WAYS = {
    "all": {"local": "all"},
    "changed": {"neighbors": 0},
    "neighbors": {},
    "few neighbors": {"neighbors": 1},
    "split": {"moves": ("shift", "swap", "split")},
}


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("part", spread(range(10), 1))
def test_no_move_gains_in_the_end(part, way):
    """On 300 tables, wherever a search ends, no shift and no swap gains, and the loss is right."""
    for seed in range(30 * part, 30 * part + 30):
        matrix, k = table(seed)
        iterations = 30 * (seed // 6 % 2)  # both for every kind of table
        labels, log = search(matrix, k, seed=seed, iterations=iterations, **WAYS[way])
        check_groups(labels, len(matrix), k)
        assert not twin.improves(matrix, labels, k, 4 * k), f"table {seed}"
        assert log.loss_end == pytest.approx(loss(matrix, labels), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("way", ["all", "changed"])
def test_no_move_gains_without_the_closing_pass(way):
    """Where all pairs are compared, nothing is left to do for the pass that closes a search."""
    for seed in range(300, 330):
        matrix, k = table(seed)
        labels, _ = search(matrix, k, seed=seed, iterations=seed % 20, closing=0, **WAYS[way])
        assert not twin.improves(matrix, labels, k, 4 * k), f"table {seed}"


@pytest.mark.slow
def test_as_good_as_the_plain_search():
    """From where the twin ends nothing is lost, and thirty iterations beat it nearly always."""
    better = 0
    for seed in range(25):
        matrix, k = table(seed, CONTINUOUS)
        start = random_start(len(matrix), k, np.random.default_rng(seed))
        plain = loss(matrix, twin.local_search(matrix, start, k, 4 * k)[0])
        better += search(matrix, k, start, seed, iterations=30)[1].loss_end <= plain + 1e-9
    assert better >= 23


@pytest.mark.parametrize("iterations", [0, 20])
def test_never_worse_than_the_start(iterations):
    """From any start, one group of all among them, the loss does not rise, and is told right."""
    for seed in range(60):
        matrix, k = table(seed)
        start = random_groups(len(matrix), k, seed)
        kept = start.copy()
        labels, log = search(matrix, k, start, seed, iterations=iterations)
        assert np.array_equal(start, kept)
        before = loss(matrix, start)
        assert loss(matrix, labels) <= before + 1e-9
        assert log.loss_end <= log.loss_first_optimum + 1e-9 <= log.loss_start + 2e-9
        assert log.loss_start <= before + 1e-9
        assert np.bincount(labels).min() >= k


def test_groups_of_2k_are_split():
    """No start leaves a group of 2k records or more behind, be they all equal."""
    for seed in range(80):
        matrix, k = table(seed, ("normal", "ties", "duplicates", "constant"))
        start = random_groups(len(matrix), k, seed)
        check_groups(search(matrix, k, start, seed, iterations=seed % 4)[0], len(matrix), k)


@pytest.mark.parametrize("iterations", [0, 5])
@pytest.mark.parametrize("rows", [4, 5, 6, 11])
def test_equal_records(rows, iterations):
    """Equal records lose nothing and are split into small groups, from any start."""
    for start in (None, np.zeros(rows, dtype=np.int64)):
        labels, log = search(np.full((rows, 2), 4.2), 2, start, iterations=iterations)
        assert log.loss_end == 0.0
        check_groups(labels, rows, 2)


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("k", [2, 3, 7])
def test_few_records(k, way):
    """From n = 2k on, where one or two numbers of groups are possible, a search goes well."""
    for rows in (2 * k, 2 * k + 1, 3 * k - 1, 3 * k, 3 * k + 1):
        matrix = normal(rows, 2, rows)
        for start in (None, np.zeros(rows, dtype=np.int64)):
            labels, log = search(matrix, k, start, iterations=25, **WAYS[way])
            check_groups(labels, rows, k)
            assert not twin.improves(matrix, labels, k, 4 * k)
            assert log.iterations == 25


def test_the_best_of_four():
    """Four numbers in two pairs have one best grouping, and it is found from the worst."""
    matrix = np.array([[0.0], [10.0], [1.0], [11.0]])
    labels, log = search(matrix, 2, np.array([0, 0, 1, 1]), iterations=0)
    assert labels.tolist() == [0, 1, 0, 1]
    assert log.loss_start == pytest.approx(100 * 100 / 101)
    assert log.loss_end == pytest.approx(100 / 101)


@pytest.mark.parametrize("kind", ["shift", "swap"])
@pytest.mark.parametrize("way", list(WAYS)[:4])
def test_one_kind_of_move(way, kind):
    """With shifts alone (or swaps) no such move gains in the end, and no other was made."""
    other = {"shift": "swap", "swap": "shift"}[kind]
    for seed in range(30):
        matrix, k = table(seed)
        labels, log = search(matrix, k, seed=seed, iterations=10, moves=(kind,), **WAYS[way])
        check_groups(labels, len(matrix), k)
        assert not twin.improves(matrix, labels, k, 4 * k, (kind,))
        assert log.gains[other] == {"applied": 0, "gain": 0.0}


@pytest.mark.parametrize("kind", ["dissolve", "distill"])
def test_one_kind_of_perturbation(kind):
    """With one perturbation the other is never made, and a search ends where none is possible."""
    other = {"dissolve": "distill", "distill": "dissolve"}[kind]
    made = 0
    for seed in range(30):
        matrix, k = table(seed)
        start = np.arange(len(matrix)) % -(-len(matrix) // (2 * k - 1))  # few groups
        labels, log = search(matrix, k, start, seed, iterations=10, perturbations=(kind,))
        check_groups(labels, len(matrix), k)
        assert log.gains[other]["applied"] == 0
        assert log.gains[kind]["applied"] == log.iterations
        assert (log.iterations == 10) == (log.stopped_by == "iterations")
        made += log.iterations
    assert made > 0


@every_rule
@pytest.mark.parametrize("runs", [1, 3])
def test_same_seed_same_labels(rule, runs):
    """The seed decides, whatever the threads; another seed goes another way."""
    matrix = normal(80, 3)
    go = partial(search, matrix, 3, acceptance=rule, runs=runs, iterations=60)
    first, log = go(seed=5)
    for threads in (1, 2, None):
        labels, again = go(seed=5, threads=threads)
        assert np.array_equal(labels, first)
        assert again.curve == log.curve
        assert again.gains == log.gains
    assert go(seed=6)[1].curve != log.curve


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("iterations", [0, 10])
def test_more_runs_are_never_worse(iterations, way):
    """The first of three runs is the one that is made alone, and the best of them counts."""
    for seed in range(40 if is_thorough() else 15):
        matrix = normal(30, 2, seed)
        alone, three = (
            search(matrix, 3, seed=seed, runs=runs, iterations=iterations, **WAYS[way])[1]
            for runs in (1, 3)
        )
        assert three.loss_end <= alone.loss_end + 1e-9, f"table {seed}"


@pytest.mark.parametrize("rule", RULES[:-1], ids=lambda rule: rule.name)
@pytest.mark.parametrize("runs", [1, 2])
def test_half_the_iterations_are_the_first_half(rule, runs):
    """Fifty iterations go where a hundred are at the fiftieth; the last point is the result."""
    matrix = normal(90, 3)
    go = partial(search, matrix, 3, acceptance=rule, runs=runs)
    half, whole = (go(iterations=iterations)[1] for iterations in (50, 100))
    assert half.curve[:-1] == [point for point in whole.curve[:-1] if point[0] <= 50]
    assert half.curve[-1] == (50, half.loss_end)
    assert whole.curve[-1] == (100, whole.loss_end)
    assert len(half.curve) > 3
    for log in (half, whole):
        assert (np.diff([value for _, value in log.curve]) < 1e-9).all()
        assert log.curve[0] == (0, log.loss_first_optimum)


@pytest.mark.parametrize("rule", [Fixed(), Annealing()], ids=lambda rule: rule.name)
@pytest.mark.parametrize("runs", [1, 2])
def test_time_limit(rule, runs):
    """A run that the clock ends is repeated by its number of iterations and its schedule."""
    matrix = normal(90, 3)
    go = partial(search, matrix, 3, acceptance=rule, runs=runs)
    labels, log = go(seconds=0.1)
    assert log.stopped_by == "time limit"
    assert log.iterations > 0
    assert 0.1 <= log.seconds < 9
    again, repeated = go(iterations=log.iterations, schedule=log.schedule)
    assert np.array_equal(labels, again)
    assert repeated.stopped_by == "iterations"
    assert repeated.curve == log.curve


def test_target():
    """A search ends as soon as its loss is low enough, at the first optimum if that is."""
    matrix = normal(90, 3)
    whole = search(matrix, 3, iterations=300)[1]
    for iteration, value in whole.curve[:-1:3]:
        labels, log = search(matrix, 3, iterations=300, target=value + 1e-9)
        assert (log.stopped_by, log.iterations) == ("target", iteration)
        assert loss(matrix, labels) <= value + 2e-9
    assert search(matrix, 3, iterations=40, target=0.0)[1].stopped_by == "iterations"


def test_target_of_several_runs():
    """It is enough that one of the runs reaches the target: the others need not."""
    matrix = normal(300, 3)
    for seed in range(4):
        go = partial(search, matrix, 20, seed=seed, iterations=2000)
        target = search(matrix, 20, seed=seed, iterations=150)[1].curve[-2][1] + 1e-9
        alone, three = go(target=target), go(target=target, runs=3)
        assert three[1].stopped_by == "target"
        assert loss(matrix, three[0]) <= target + 1e-9
        assert three[1].iterations <= alone[1].iterations + 100


def test_patience():
    """A search ends after so many iterations without a better grouping, no sooner."""
    matrix = normal(90, 3)
    labels, log = search(matrix, 3, iterations=10_000, patience=40)
    better = [iteration for iteration, _ in log.curve[:-1]]
    assert log.stopped_by == "patience"
    assert log.iterations == better[-1] + 40
    assert max(np.diff(better)) <= 40
    again, _ = search(matrix, 3, iterations=log.iterations)
    assert np.array_equal(labels, again)


def test_runs_that_end_at_different_times(ended):
    """A run that is out of patience writes nothing outside of its trace while the others go on."""
    for seed in range(3):
        go = partial(search, normal(300, 3), 20, seed=seed, iterations=2000, patience=60)
        log = go(runs=3)[1]
        assert log.stopped_by == "patience"
        assert log.iterations >= go()[1].iterations
    assert len(set(ended)) > 3


def test_tight_clusters():
    """Clusters far apart and very tight have a loss above 0, and the search goes on."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        matrix = np.repeat([-1.0, 1.0], 60)[:, None] + 1e-9 * rng.normal(size=(120, 2))
        log = search(matrix, 3, seed=seed, neighbors=0, iterations=20)[1]
        assert log.iterations == 20
        assert min(value for _, value in log.curve) > 0


@every_rule
@pytest.mark.parametrize("runs", [1, 2])
def test_callback(rule, runs):
    """A callback is told everything about the search, first and last, and the best never rises.

    The loss of the random groups at its start is not told as its best.
    """
    told = []
    matrix = normal(150, 3)
    _, log = search(matrix, 3, callback=told.append, acceptance=rule, runs=runs, iterations=3000)
    looks = [one for one in told if one.stage == "searching"]
    for one in looks:
        assert {name for name, value in vars(one).items() if value is None} <= {"best_loss"}
        assert one.total == 3000
        assert 150 // 5 <= one.groups <= 150 // 3
        assert one.moves_tried >= one.moves_applied >= 0
    assert (looks[0].done, looks[-1].done) == (0, 3000)
    assert looks[-1].moves_applied > 0
    assert looks[0].best_loss is None
    assert looks[0].current_loss == pytest.approx(log.loss_start)
    looks = [one for one in looks if one.best_loss is not None]
    assert looks[0].best_loss <= log.loss_first_optimum + 1e-9
    assert runs > 1 or all(one.best_loss <= one.current_loss + 1e-9 for one in looks)
    for name, order in (("done", 1), ("seconds", 1), ("best_loss", -1), ("moves_tried", 1)):
        assert (np.diff([getattr(one, name) for one in looks]) * order >= 0).all()
    assert log.loss_end <= looks[-1].best_loss + 1e-9


@pytest.mark.parametrize("restarts", [False, True])
def test_a_callback_may_end_it(restarts):
    """True from the callback ends a search with its best so far."""
    matrix = normal(150, 3)
    go = partial(search, matrix, 3, restarts=restarts)
    labels, log = go(iterations=10**6, callback=lambda p: p.stage == "searching" and p.done > 20)
    assert log.stopped_by == "callback"
    assert 20 < log.iterations < 10**6
    again, _ = go(iterations=log.iterations, schedule=log.schedule)
    assert np.array_equal(labels, again)


def test_a_callback_may_end_it_before_the_first_optimum():
    """Ended in the middle of the first descent, a search returns groups better than the start."""
    matrix = normal(60, 3)
    looks = []

    def stop(progress):
        looks.append(progress)
        return sum(one.stage == "searching" for one in looks) == 5

    labels, log = search(matrix, 3, callback=stop, iterations=100, pairs=1, quick=0)
    assert (log.stopped_by, log.iterations) == ("callback", 0)
    assert twin.improves(matrix, labels, 3, 8)  # else there was nothing to end
    assert loss(matrix, labels) < log.loss_start
    assert np.bincount(labels).min() >= 3
    assert log.loss_end == pytest.approx(loss(matrix, labels), rel=1e-9)


def test_an_interrupt_may_end_it():
    """Asked to finish, a search returns its best; afterwards nothing is anytime."""
    stop = StopToken()
    stop.finish = True
    matrix = normal(60, 2)
    labels, log = search(matrix, 3, stop=stop, iterations=10**6)
    assert log.stopped_by == "interrupt"
    check_groups(labels, 60, 3)
    assert not stop.anytime

    def fail(progress):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        search(matrix, 3, iterations=5, callback=fail, stop=stop)
    assert not stop.anytime


@pytest.mark.parametrize("runs", [1, 3])
def test_restarts(runs):
    """Restarts are counted, the best of them counts, and more of them are never worse."""
    matrix = normal(60, 3)
    go = partial(search, matrix, 3, restarts=True, runs=runs, neighbors=0)
    logs = [go(iterations=count)[1] for count in (1, 4, 16)]
    assert [log.iterations for log in logs] == [1, 4, 16]
    assert logs[0].loss_end > logs[2].loss_end
    assert logs[0].loss_end >= logs[1].loss_end >= logs[2].loss_end
    assert all(log.gains["dissolve"]["applied"] == 0 for log in logs)
    assert np.array_equal(go(iterations=16)[0], go(iterations=16, threads=1)[0])
    labels, log = go(iterations=1000, target=logs[2].loss_end + 1e-9)
    assert (log.stopped_by, loss(matrix, labels)) == ("target", pytest.approx(logs[2].loss_end))
    assert go(iterations=1000, patience=3)[1].stopped_by == "patience"
    start = random_start(60, 3, np.random.default_rng(9))
    assert go(start=start, iterations=1)[1].loss_start == pytest.approx(loss(matrix, start))


def test_log_in_plain_values():
    """A log says in plain values what was asked and found; gains add up to what was won."""
    log = search(normal(60, 2), 3, iterations=30)[1]
    tree = log.to_dict()
    assert tree["iterations"] == tree["schedule"] == 30
    assert tree["runs"] == 1
    plain = (int, float, str, list, dict, bool, type(None))
    assert all(type(value) in plain for value in tree.values())
    first = search(normal(60, 2), 3, neighbors=0, iterations=0)[1]
    won = sum(part["gain"] for part in first.gains.values())
    assert won == pytest.approx(first.loss_start - first.loss_end, rel=1e-9)
    whole = search(normal(60, 2), 3, neighbors=0, iterations=30)[1]
    perturbed = whole.gains["dissolve"]["gain"] + whole.gains["distill"]["gain"]
    assert perturbed == pytest.approx(whole.loss_first_optimum - whole.loss_end, rel=1e-9)


TOML = """
local = "all"
neighbors = 12
moves = ["shift"]
perturbations = ["distill", "dissolve"]
samples = 5
share = 1
restarts = true
runs = 3
schedule = 100
acceptance = { rule = "annealing", first = 0.01, last = 1e-4 }
stop = { iterations = 50, seconds = 1.5, patience = 10, target = 2 }
"""


def test_order_in_memory():
    """A matrix that lies in memory by columns gives the same labels."""
    matrix = normal(90, 3)
    for start in (None, np.zeros(90, dtype=np.int64)):
        found = [
            search(make(matrix), 3, start, iterations=10)[0]
            for make in (np.ascontiguousarray, np.asfortranarray)
        ]
        assert np.array_equal(*found)


def test_a_search_in_toml():
    """A table of a TOML file changes the parts that it names, and comes back from to_dict."""
    found = Search().replace(tomllib.loads(TOML))
    assert found == Search(
        local="all", neighbors=12, moves=("shift",), perturbations=("distill", "dissolve"),
        samples=5, share=1, acceptance=Annealing(0.01, 1e-4), restarts=True, runs=3, schedule=100,
        stop=Stop(50, 1.5, 10, 2),
    )  # fmt: skip
    assert Search().replace(found.to_dict()) == found
    assert found.replace({}) == found
    assert found.replace({"stop": {"patience": 7}}).stop == Stop(50, 1.5, 7, 2)
    assert found.replace({"acceptance": "late"}).acceptance == Late()
    assert found.replace({"runs": 1}).acceptance == Annealing(0.01, 1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sampels = 3", "'sampels' is no part of search; did you mean 'samples'"),
        ("stop = { iteration = 3 }", "'iteration' is no part of stop; did you mean 'iterations'?"),
        ("acceptance = 'warm'", "there is no acceptance rule 'warm'; there are fixed, dynamic"),
        ("acceptance = { rule = 'late', lenght = 3 }", "did you mean 'length'?"),
        ("acceptance = { rule = 'late', length = 2.5 }", "late: length must be a whole number"),
        ("acceptance = { rule = 'fixed', probability = 1.5 }", "must lie between 0 and 1"),
        ("acceptance = { rule = 'fixed', probability = nan }", "must lie between 0 and 1"),
        ("acceptance = { rule = 'dynamic', temperature = -1 }", "temperature must be above 0"),
        ("acceptance = { rule = 'dynamic', temperature = inf }", "temperature must be above 0"),
        ("acceptance = { rule = 'dynamic', temperature = 'x' }", "temperature must be a number"),
        ("acceptance = { rule = 'record', deviation = true }", "deviation must be a number"),
        ("acceptance = { rule = 'annealing', last = 0 }", "last must be above 0"),
        ("acceptance = { rule = ['fixed'] }", "there is no acceptance rule"),
        ("acceptance = 5", "acceptance must be"),
        ("stop = { iterations = -1 }", "max_iterations must be a whole number, at least 0"),
        ("stop = { patience = 0 }", "patience must be a whole number, at least 1"),
        ("stop = { seconds = -0.5 }", "time_limit must be a number, at least 0"),
        ("stop = { seconds = inf }", "time_limit must be a number"),
        ("stop = { target = nan }", "target must be a number"),
        ("local = 'some'", "local must be 'changed', 'all' or 'due'"),
        ("neighbors = -1", "neighbors must be a whole number, at least 0"),
        ("samples = 0", "samples must be a whole number, at least 1"),
        ("runs = 0", "runs must be a whole number, at least 1"),
        ("schedule = -5", "schedule must be a whole number, at least 1"),
        ("moves = []", "moves must be some of shift, swap"),
        ("moves = [['shift']]", "moves must be some of shift, swap"),
        ("perturbations = ['dissolve', 3]", "perturbations must be some of dissolve, distill"),
        ("share = -0.1", "share must lie between 0 and 1"),
        ("restarts = 1", "restarts must be true or false"),
    ],
)  # fmt: skip
def test_nonsense(text, message):
    """What makes no sense is refused in one line that names it."""
    with pytest.raises(RequestError) as caught:
        Search().replace(tomllib.loads(text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.reference
@pytest.mark.parametrize(
    ("name", "k", "most"), [("census", 3, 5.0), ("tarragona", 3, 14.75), ("eia", 3, 0.51)]
)
def test_reference_tables(name, k, most):
    """A thousand iterations come near the thesis's figures, well below MDAV."""
    from shoal.table.encode import encode

    matrix = encode(shoal.datasets.load(name)).matrix
    labels, log = search(matrix, k, iterations=1000)
    check_groups(labels, len(matrix), k)
    assert log.loss_end <= most
    assert log.loss_end == pytest.approx(loss(matrix, labels), rel=1e-9)
