"""Searches through the doors: anytime, repeatable, from anybody's groups."""

from __future__ import annotations

import os
import signal
import time
import tomllib
from typing import get_args

import numpy as np
import pytest

import forks
import shoal as library
from faults import ended
from shoal.methods.auto import EFFORTS, choose
from shoal.methods.registry import METHODS
from shoal.progress import Reporter
from shoal.settings import Effort, Refine, load

RNG = np.random.default_rng(0)
MATRIX = RNG.normal(size=(120, 3))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    np.savetxt(path, MATRIX, delimiter=",", header="a,b,c", comments="")
    return path


@pytest.fixture
def grouped(tmp_path):
    """The table with a column of poor groups."""
    path = tmp_path / "g.csv"
    rows = [f"{i % 24},{a!r},{b!r}\n" for i, (a, b, _) in enumerate(MATRIX.tolist())]
    path.write_text("cluster,a,b\n" + "".join(rows))
    return path


def interrupted(table, out, signals):
    """Start a long search, interrupt it as soon as it searches, and return what came of it."""
    look = Reporter.look

    def told(self, seen, last):
        if seen.done > 0:
            os.write(1, b"!")
        if self.stop.finish:
            time.sleep(20 * (len(signals) - 1))
        return look(self, seen, last)

    words = ["anonymize", table, "-k", "3", "--quasi", "a,b,c", "-o", out, "--no-report",
             "--time-limit", "120"]  # fmt: skip
    (out_reader, out_writer), (reader, writer) = os.pipe(), os.pipe()
    process = forks.start(words, out_writer, writer, lambda: setattr(Reporter, "look", told))
    os.close(out_writer)
    os.close(writer)
    with open(out_reader, "rb") as stdout, open(reader, "rb") as stderr:  # noqa: PTH123
        assert stdout.read(1) == b"!"
        said = b""
        for left, number in enumerate(reversed(signals)):
            os.kill(process, number)
            while left < len(signals) - 1 and b"finishing" not in said:
                said += stderr.readline()
        said += stderr.read()
    return ended(process), said.decode()


def test_the_first_interrupt_ends_with_the_best(table, tmp_path, shoal):
    """Ctrl-C once: exit 0, a verified release, and a recipe that repeats the groups."""
    code, said = interrupted(table, tmp_path / "r.csv", [signal.SIGINT])
    assert code == 0, said
    assert "finishing with the best so far" in said
    assert "ended by interrupt" in said
    assert shoal("verify", tmp_path / "r.csv", "-k", "3", "--quasi", "a,b,c").code == 0
    recipe = tomllib.loads((tmp_path / "r.private/run.toml").read_text())
    assert recipe["protect"]["max_iterations"] > 0
    assert "time_limit" not in recipe["protect"]
    again = shoal(
        "run", tmp_path / "r.private/run.toml", "-o", tmp_path / "again.csv", "--no-report"
    )
    assert again.code == 0, again.err
    first, second = (
        sorted((tmp_path / name).read_text().splitlines()) for name in ("r.csv", "again.csv")
    )
    assert first == second


@pytest.mark.parametrize("signals", [[signal.SIGINT, signal.SIGINT], [signal.SIGTERM]])
def test_the_second_interrupt_writes_nothing(table, tmp_path, signals):
    """Ctrl-C twice, or a polite kill: exit 130 and no file."""
    code, said = interrupted(table, tmp_path / "r.csv", signals)
    assert code == 130, said
    assert "nothing was written" in said
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_auto_says_why(table, tmp_path, shoal):
    """Auto tells what it chose and why; effort is a number of iterations."""
    ran = shoal("anonymize", table, "-k", "4", "-o", tmp_path / "r.csv", "--effort", "quick",
                "--no-report")  # fmt: skip
    iterations = choose(120, 3, 4, "quick").options["stop"]["iterations"]
    said = f"the search for the least squared error (SSE), {iterations:,} iterations"
    assert f"auto chose ilsmc+: {said}" in ran.err
    assert load(tmp_path / "r.private/run.toml").protect.max_iterations == iterations
    one = library.anonymize(MATRIX[:, :1], k=4)
    assert one.partition.method == "optimal-1d"
    assert "one column varies" in " ".join(one.report.notes)


def test_effort_grows_with_the_table():
    """About as many iterations as take 1, 10 and 60 seconds; more for more records, less for k."""
    count = {
        (rows, k, effort): choose(rows, 2, k, effort).options["stop"]["iterations"]
        for rows in (100, 1000, 4000) for k in (3, 10) for effort in EFFORTS
    }  # fmt: skip
    assert count[1000, 3, "normal"] == pytest.approx(10 * count[1000, 3, "quick"], rel=0.01)
    assert count[1000, 3, "best"] == pytest.approx(6 * count[1000, 3, "normal"], rel=0.01)
    assert count[4000, 3, "quick"] == pytest.approx(2 * count[1000, 3, "quick"], rel=0.01)
    assert count[100, 3, "quick"] < count[1000, 10, "quick"] < count[1000, 3, "quick"]
    assert set(EFFORTS) == set(get_args(Effort))


def test_time_limit_and_repeat(table, tmp_path, shoal):
    """A run that the clock ends is repeated by its recipe, on any number of threads."""
    ran = shoal("anonymize", table, "-k", "3", "-o", tmp_path / "r.csv", "--time-limit", "0.3",
                "--runs", "2", "--threads", "2", "--no-report")  # fmt: skip
    assert ran.code == 0, ran.err
    assert "ended by time limit" in ran.err
    recipe = load(tmp_path / "r.private/run.toml")
    assert recipe.protect.runs == 2
    again = library.anonymize(
        table, k=3, method=recipe.protect.method, runs=2, search=recipe.search, threads=1,
        max_iterations=recipe.protect.max_iterations,
    )  # fmt: skip
    first = sorted((tmp_path / "r.csv").read_text().splitlines()[1:])
    assert library.anonymize(table, k=3, method="mdav").report.information_loss > (
        again.report.information_loss
    )
    again.save(tmp_path / "again")
    second = sorted((tmp_path / "again" / "release.csv").read_text().splitlines()[1:])
    assert first == second


def test_order_of_the_rows_does_not_matter(table):
    """Shuffled rows have the same groups: a search sees them in canonical order."""
    order = np.random.default_rng(1).permutation(120)
    plain = library.anonymize(MATRIX, k=4, max_iterations=50).partition
    mixed = library.anonymize(MATRIX[order], k=4, max_iterations=50).partition
    groups = {frozenset(group.tolist()) for group in plain.members()}
    assert groups == {frozenset(order[group].tolist()) for group in mixed.members()}


def test_start_from_a_method_or_from_labels():
    """A search never loses more than what it starts from, which may be anything."""
    start = library.microaggregate(MATRIX, 4, method="hilbert")
    names = [f"g{label}" for label in start.labels]
    lost = start.information_loss
    for given, loss in (("hilbert", lost), (start.labels, lost), (names, lost), ([0] * 120, 100.0)):
        found = library.microaggregate(
            MATRIX, 4, method="ilsmc-near", start=given, max_iterations=0
        )
        assert found.search.loss_start <= loss * (1 + 1e-9)
        assert found.information_loss < loss
    with pytest.raises(library.RequestError, match="start: 119 for 120 records"):
        library.microaggregate(MATRIX, 4, method="ilsmc-near", start=start.labels[1:])
    with pytest.raises(library.RequestError, match="is a search itself"):
        library.microaggregate(MATRIX, 4, method="ilsmc-near", start="ls")
    with pytest.raises(library.RequestError, match="there is no method 'mdavv'"):
        library.microaggregate(MATRIX, 4, method="ilsmc-near", start="mdavv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "ilsmc", "max_iterations": -1}, "max_iterations must be"),
        ({"method": "ilsmc", "time_limit": float("nan")}, "time_limit must be"),
        ({"method": "ilsmc", "runs": 0}, "runs must be"),
        ({"method": "ilsmc", "search": {"sample": 3}}, "did you mean 'samples'"),
        ({"method": "ilsmc", "search": {"stop": 3}}, "stop must be a table"),
        ({"method": "ilsmc", "search": {"acceptance": "sure"}}, "no acceptance rule 'sure'"),
        ({"method": "auto", "effort": "huge"}, "effort must be"),
    ],
)
def test_nonsense_is_refused(options, message):
    """One line says what is wrong, from the library and from the walk."""
    for call in (
        lambda: library.microaggregate(MATRIX, 4, **options),
        lambda: library.anonymize(MATRIX, k=4, **options),
    ):
        with pytest.raises(library.RequestError, match=message.split(";")[0]):
            call()


def test_search_table_of_a_recipe(table, tmp_path, shoal):
    """A recipe's [search] changes the parts of a search, and is written back."""
    (tmp_path / "s.toml").write_text(
        '[protect]\nk = 3\nmethod = "ilsmc"\nmax_iterations = 40\n'
        '[search]\nsamples = 3\nmoves = ["swap"]\n'
        '[search.acceptance]\nrule = "late"\nlength = 7\n'
    )
    ran = shoal("anonymize", table, "--recipe", tmp_path / "s.toml", "-o", tmp_path / "r.csv",
                "--no-report")  # fmt: skip
    assert ran.code == 0, ran.err
    written = load(tmp_path / "r.private/run.toml")
    assert written.search["acceptance"] == {"rule": "late", "length": 7}
    assert written.search["samples"] == 3
    report = library.anonymize(table, k=3, method="ilsmc", max_iterations=40,
                               search=written.search).report  # fmt: skip
    assert report.search["gains"]["shift"]["applied"] == 0
    assert report.search["gains"]["swap"]["applied"] > 0


def test_column_weights(table, tmp_path, shoal):
    """A column that counts more loses less; the caller's matrix stays."""
    plain = library.anonymize(table, k=5, max_iterations=200)
    heavy = library.anonymize(table, k=5, max_iterations=200, column_weights={"a": 100})
    assert heavy.report.columns[0].information_loss < plain.report.columns[0].information_loss / 2
    ran = shoal("anonymize", table, "-k", "5", "-o", tmp_path / "r.csv", "--column-weight", "a=100",
                "--max-iterations", "200", "--no-report")  # fmt: skip
    assert ran.code == 0, ran.err
    assert load(tmp_path / "r.private/run.toml").protect.column_weights == {"a": 100.0}
    for wrong, said in (("z=2", "'z'"), ("a=x", "not a number"), ("a=-1", "column_weights")):
        ran = shoal(
            "anonymize", table, "-k", "5", "-o", tmp_path / "n.csv", "--column-weight", wrong
        )
        assert (ran.code, said in ran.err) == (2, True), ran.err


def test_refine_command(grouped, tmp_path, shoal):
    """The groups of a column are refined, released and verified; the recipe repeats it."""
    for how in ("iterative", "ilsmc+"):
        out = tmp_path / f"{how}.csv"
        ran = shoal("refine", grouped, "--group", "cluster", "-k", "5", "-o", out, "--how", how,
                    "--no-report")  # fmt: skip
        assert ran.code == 0, ran.err
        assert "as they came" in ran.err
        assert shoal("verify", out, "-k", "5", "--quasi", "a,b").code == 0
        again = tmp_path / f"{how}2.csv"
        assert (
            shoal("run", tmp_path / f"{how}.private/run.toml", "-o", again, "--no-report").code == 0
        )
        assert sorted(out.read_text().splitlines()) == sorted(again.read_text().splitlines())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--group", "cluster", "-k", "6"), "fewer than k = 6"),
        (("--group", "clusters", "-k", "5"), "did you mean 'cluster'"),
        (("--group", "cluster", "-k", "5", "--how", "better"), "--how must be one of phase2"),
        (("--group", "cluster", "-k", "5", "--quasi", "cluster,a"), "cannot have another role"),
        (("-k", "5"), "--group"),
    ],
)
def test_refine_command_refuses(grouped, tmp_path, shoal, arguments, said):
    """Groups below k, unknown columns and ways, and roles in conflict: exit 2, nothing written."""
    ran = shoal("refine", grouped, "-o", tmp_path / "r.csv", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert not (tmp_path / "r.csv").exists()


def test_refine_offers_every_search():
    """What settings accept as a refinement is what the menu has."""
    searches = {name for name, method in METHODS.items() if method.info.is_search}
    assert (
        set(get_args(Refine))
        == {"phase2", "decompose", "iterative", "decompose+", "iterative+"} | searches
    )
