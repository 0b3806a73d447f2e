"""Public figures: against plain loops, stable against k people, every key of a known kind."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from naive import public as naive
from report_leaves import leaves
from shoal import anonymize
from shoal.measures.compared import classes_of
from shoal.measures.definitions import DEFINITIONS
from shoal.partition import Partition
from shoal.release.aggregate import Aggregators, aggregate
from shoal.report.chunk import Chunk
from shoal.report.figures import figures_of
from shoal.report.figures.ranges import compared
from shoal.report.public.keys import MEASURES, PRIVATE, kind_of
from shoal.report.public.rounding import Stable, rounded, step_of
from shoal.table.assign import with_roles
from shoal.table.encode_nodes import code
from shoal.table.read import read
from shoal.table.roles import Role
from thorough import spread

DRAWS = True  # charts

TREES = {"zip": "prefixes:2,1", "day": "dates:month,year", "band": "widths:10,50"}


def grouped(table):
    """Return a table all of whose columns are quasi-identifiers."""
    return with_roles(table, dict.fromkeys(table.names, Role.QUASI_IDENTIFIER))


def stable_figures(table, released, how, coded, k):
    """Return every stable figure, those of columns and those that compare the tables."""
    quasi = [released[column.name] for column in table.with_role(Role.QUASI_IDENTIFIER)]
    chunk = Chunk(table, released, classes_of(quasi, released.rows), how, coded)
    trees = {} if coded is None else {column.name: column for column in coded.columns}
    return figures_of([chunk], k, 0, coded)["stable"] | compared(table, released, trees, k)


def random_table(rng, rows):
    """Return columns of several kinds, some with missing cells."""
    day = np.datetime64("2020-01-01") + rng.integers(0, 900, rows)
    columns = {
        "age": pa.array(rng.integers(0, 90, rows)),
        "pay": pa.array(np.round(rng.lognormal(7, 1.5, rows), 2)),
        "day": pa.array(day.astype("datetime64[D]")),
        "zip": pa.array([f"{v:04d}" for v in rng.integers(0, 400, rows) * 17 % 9_000]),
        "sex": pa.array(rng.choice(["f", "m", "x"], rows).tolist()),
        "band": pa.array(rng.integers(0, 200, rows)),
    }
    chosen = list(rng.permutation(list(columns))[: rng.integers(1, 5)])
    found = {}
    for name in chosen:
        gone = rng.random(rows) < rng.choice([0.0, 0.0, 0.05])
        if gone.all():
            gone[0] = False
        found[name] = pa.array(columns[name].to_pylist(), mask=gone, type=columns[name].type)
    return found


def random_labels(rng, rows, k):
    """Return groups of at least k records, as even or uneven as it comes."""
    count = int(rng.integers(1, rows // k + 1))
    labels = np.repeat(np.arange(count), k)
    labels = np.concatenate([labels, rng.integers(0, count, rows - labels.size)])
    return rng.permutation(labels)


class Case:
    """A table, its groups and what they release, to change and measure again."""

    def __init__(self, rng):
        self.k = int(rng.integers(2, 8))
        rows = int(rng.integers(max(4, self.k), 501))
        self.columns = random_table(rng, rows)
        self.labels = random_labels(rng, rows, self.k)
        if rng.random() < 0.7:  # groups of neighbors, as methods make them
            order = np.argsort(next(iter(self.columns.values())).to_numpy(zero_copy_only=False)
                               .astype(str), kind="stable")  # fmt: skip
            self.labels[order] = np.sort(self.labels)
        numbers = {name for name, values in self.columns.items() if name in ("age", "pay", "day")}
        self.how = {
            name: str(rng.choice(["mean", "median", "generalize", "mode"]))
            if name in numbers
            else str(rng.choice(["generalize", "generalize", "mode"]))
            for name in self.columns
        }
        self.trees = {n: r for n, r in TREES.items() if n in self.columns and rng.random() < 0.6}
        table, coded = self.coded(self.columns)
        self.table = table
        partition = Partition(self.labels, self.k, "random")
        self.released = aggregate(table, partition, Aggregators(self.how), coded)
        self.base = self.figures(self.columns, self.released)

    def coded(self, columns):
        table = grouped(read(pa.table(columns)))
        return table, code(table, self.trees)

    def figures(self, columns, released):
        table, coded = self.coded(columns)
        return stable_figures(table, released, self.how, coded, self.k)

    def values(self, rng, name, rows, where):
        """Return values for rows of a column, within what its release spans."""
        there = [v for v in self.columns[name].to_pylist() if v is not None]
        shown = self.released[name].values.to_pylist()
        if name in ("zip", "sex"):
            some = [v for v in there if v in shown] or there
            return [some[int(rng.integers(len(some)))] for _ in rows]
        inside = [v for v in shown if v is not None and not isinstance(v, str)]
        low, high = (min(inside), max(inside)) if inside else (min(there), max(there))
        ends = {"low": [low], "high": [high], "both": [low, high]}.get(where)
        if ends is None:
            some = sorted(v for v in there if low <= v <= high) or [low]
            if where == "largest":
                some = some[-3:]
            elif where == "smallest":
                some = some[:3]
            ends = [some[int(rng.integers(len(some)))] for _ in rows]
        kind = self.columns[name].type
        return [
            pa.scalar(ends[i % len(ends)]).cast(kind, safe=False).as_py() for i in range(len(rows))
        ]

    def chosen(self, rng, where):
        """Return k rows: at random, or those with the largest or smallest values of a column."""
        rows = self.labels.size
        name = str(rng.choice(list(self.columns)))
        order = np.argsort([str(v) if isinstance(v, str) else float(hash(v)) if v is None else 0.0
                            if not isinstance(v, int | float) else float(v)
                            for v in self.columns[name].to_pylist()], kind="stable")  # fmt: skip
        if where in ("largest", "high"):
            return order[-self.k :]
        if where in ("smallest", "low"):
            return order[: self.k]
        return rng.choice(rows, self.k, replace=False)

    def missing(self, rng, name, rows):
        """Return which cells miss: as they did, or by chance where a group's mean hides it."""
        gone = [self.columns[name][int(row)].as_py() is None for row in rows]
        if self.how[name] not in ("mean", "median", "majority"):
            return gone
        told = [self.released[name].values[int(row)].as_py() is not None for row in rows]
        return [
            bool(rng.integers(2)) if some else lost for lost, some in zip(gone, told, strict=True)
        ]

    def replaced(self, rng, where):
        rows = self.chosen(rng, where)
        changed = {}
        for name, values in self.columns.items():
            cells = values.to_pylist()
            given = self.values(rng, name, rows, where)
            gone = self.missing(rng, name, rows)
            for row, value, lost in zip(rows, given, gone, strict=True):
                cells[row] = None if lost else value
            changed[name] = pa.array(cells, type=values.type)
        return self.figures(changed, self.released)

    def added(self, rng, where):
        rows = self.chosen(rng, where)
        more = {}
        for name, values in self.columns.items():
            given = self.values(rng, name, rows, where)
            gone = self.missing(rng, name, rows)
            cells = [None if lost else v for v, lost in zip(given, gone, strict=True)]
            more[name] = pa.array([*values.to_pylist(), *cells], type=values.type)
        taken = np.concatenate([np.arange(self.labels.size), rows])
        return self.figures(more, self.released.take(taken))

    def removed(self, rng, where):
        rows = self.chosen(rng, where)
        left = np.bincount(self.labels)
        gone = []
        for row in rows:
            if left[self.labels[row]] > 1:
                left[self.labels[row]] -= 1
                gone.append(int(row))
        kept = np.setdiff1d(np.arange(self.labels.size), gone)
        fewer = {name: values.take(pa.array(kept)) for name, values in self.columns.items()}
        if any(values.null_count == len(values) for values in fewer.values()):
            return {}
        return self.figures(fewer, self.released.take(kept))


WHERE = ("low", "high", "both", "largest", "smallest")


def check(case, found, what):
    for key, figure in found.items():
        base = case.base[key]
        change = abs(figure.value - base.value)
        assert change <= base.bound * (1 + 1e-6) + 1e-9, (key, what, change, base)
        assert base.bound <= base.step * (1 + 1e-6)


def run(seed, random_changes):
    rng = np.random.default_rng(seed)
    case = Case(rng)
    for where in (*WHERE, *["random"] * random_changes):
        for change in (case.replaced, case.added, case.removed):
            check(case, change(rng, where), (change.__name__, where))


@pytest.mark.parametrize("seed", spread(range(30), 2))
def test_stable_against_k_people(seed):
    """k records added, removed or replaced change no public figure by more than one step."""
    run(seed, 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_stable_against_k_people_at_length(seed):
    """The same on 300 tables, with fifty random changes each."""
    run(seed, 50)


@pytest.mark.parametrize("seed", range(12))
def test_figures_by_plain_loops(seed):
    """Loss, means, gaps and linkages are what plain loops find."""
    rng = np.random.default_rng(1000 + seed)
    rows, k = int(rng.integers(12, 60)), 3
    columns = {"a": rng.integers(0, 50, rows), "b": np.round(rng.normal(0, 3, rows), 1)}
    labels = random_labels(rng, rows, k)
    table = grouped(read(pa.table(columns)))
    how = dict.fromkeys(columns, "mean")
    released = aggregate(table, Partition(labels, k, "x"), Aggregators(how))
    found = stable_figures(table, released, how, None, k)
    after = {name: released[name].values.to_pylist() for name in columns}
    each = [naive.loss(columns[name].tolist(), after[name]) for name in columns]
    assert found["loss",].value == pytest.approx(sum(each) / 2, abs=1e-9)
    for name, values in columns.items():
        before = values.tolist()
        assert found["columns", name, "mean"].value == pytest.approx(
            naive.mean(before, after[name])
        )
        assert found["gaps", name].value == pytest.approx(naive.gap(before, after[name]))
        low, high = min(after[name]), max(after[name])
        assert found["columns", name, "mean"].step == pytest.approx(
            naive.step((high - low) * k / rows) if high > low else 0.0
        )
    originals = {name: values.tolist() for name, values in columns.items()}
    points = list(zip(*originals.values(), strict=True))
    released_ = list(zip(*(after[n] for n in columns), strict=True))
    assert found["linked", "distance_linkage"].value == pytest.approx(
        naive.linked(points, released_)
    )
    assert found["linked", "rank_linkage"].value == pytest.approx(
        naive.linked(points, released_, True)
    )


def test_losses_of_forms():
    """Intervals by their width, masks by their stars, periods by their days, words by the tree."""
    table = grouped(
        read(pa.table({
            "n": [1, 2, 3, 11, 12, 21],
            "z": ["1234", "1235", "1299", "1301", "2000", "2100"],
            "d": pa.array(np.array(["2020-01-05", "2020-01-09", "2020-02-03", "2021-05-05",
                                    "2021-06-30", "2021-12-31"], dtype="datetime64[D]")),
        }))
    )  # fmt: skip
    coded = code(table, {"z": "prefixes:2,1", "d": "dates:month,quarter,year"})
    how = dict.fromkeys(("n", "z", "d"), "generalize")
    labels = np.array([0, 0, 0, 1, 1, 1])
    released = aggregate(table, Partition(labels, 3, "x"), Aggregators(how), coded)
    assert released["n"].values.to_pylist()[::3] == ["[1,3]", "[11,21]"]
    assert released["z"].values.to_pylist()[::3] == ["12**", "*"]
    assert released["d"].values.to_pylist()[::3] == ["2020-Q1", "2021"]
    found = stable_figures(table, released, how, coded, 3)
    assert found["columns", "n", "loss"].value == pytest.approx(
        naive.interval_loss([1, 2, 3, 11, 12, 21], [(1, 3)] * 3 + [(11, 21)] * 3)
    )
    assert found["columns", "z", "loss"].value == pytest.approx(100 * (0.5 + 1.0) / 2)
    whole = (366 + 365) - 1
    assert found["columns", "d", "loss"].value == pytest.approx(100 * (90 + 364) / 2 / whole)


def test_steps():
    """Steps are the least powers of ten that cover a bound."""
    assert [step_of(b) for b in (0.0, 0.1, 0.11, 1, 3, 10, 10.5)] == [0, 0.1, 1, 1, 10, 10, 100]
    assert step_of(math.inf) == math.inf
    for bound in np.random.default_rng(0).lognormal(0, 8, 200):
        assert step_of(bound) == pytest.approx(naive.step(bound))
        assert bound <= step_of(bound) * (1 + 1e-9) < 10.001 * bound * (1 + 1e-6)


def test_roundings_nest():
    """What is rounded to a fine step and then to a coarse one is what is rounded at once."""
    rng = np.random.default_rng(1)
    for value in rng.normal(0, 1000, 300):
        for up in (True, False):
            fine = rounded(value, 0.1, up=up)
            assert rounded(fine, 10.0, up=up) == rounded(value, 10.0, up=up)
            assert abs(fine - value) <= 0.1 + 1e-9
            assert (fine >= value - 1e-9) if up else (fine <= value + 1e-9)


def test_what_says_nothing_is_left_out():
    """A figure whose step is more than a tenth of its scale is not published."""
    assert Stable(42.0, 9.0, 100.0, True).published == 50.0
    assert Stable(42.0, 11.0, 100.0, True).published is None
    assert Stable(7.5, 0.0, 0.0, False).published == 7.5


def test_small_tables_publish_nothing_of_the_original():
    """Below 10 k records the public report holds no figure of the original."""
    rng = np.random.default_rng(2)
    report = anonymize(pa.table({"a": rng.integers(0, 99, 49)}), k=5, method="mdav").report
    told = report.published().to_dict()
    column = told["columns"][0]
    assert told["loss"]["value"] is None
    assert column["mean_before"] is None
    assert column["histogram"] is None
    assert column["unchanged"] is None
    assert "distributions" not in told["measures"]["utility"]
    assert not {"distance_linkage", "rank_linkage", "block_linkage"} & set(told["measures"]["risk"])


def reports():
    """Return reports of many shapes, so that every key occurs."""
    rng = np.random.default_rng(3)
    rows = 240
    base = {
        "age": rng.integers(18, 90, rows),
        "pay": np.round(rng.lognormal(7, 1, rows), 2),
        "ill": rng.choice(["a", "b", "c", "d"], rows),
        "w": rng.integers(1, 5, rows).astype(float),
        "area": rng.choice(["n", "s"], rows),
        "town": rng.choice(["x", "y", "z"], rows),
    }
    numeric = pa.table({name: base[name] for name in ("age", "pay")})
    yield anonymize(numeric, k=4, method="mdav").report
    yield anonymize(numeric, k=4, effort="quick").report
    holes = pa.table({
        "age": pa.array(base["age"], mask=rng.random(rows) < 0.1),
        "town": base["town"], "ill": base["ill"],
    })  # fmt: skip
    roles = {"quasi_identifiers": ["age", "town"], "sensitive": ["ill"]}
    yield anonymize(holes, k=4, l=2, t=0.6, alpha=0.8, **roles).report
    yield anonymize(holes, k=4, incomplete="delete", **roles).report
    survey = pa.table({name: base[name] for name in ("age", "pay", "w", "area", "ill")})
    yield anonymize(
        survey, k=4, weight="w", by="area", sensitive=["ill"], quasi_identifiers=["age", "pay"],
        method="mdav",
    ).report  # fmt: skip
    yield anonymize(numeric, k=4, method="mdav", dominance={"pay": 5}, k_of={("age",): 8}).report


@pytest.fixture(scope="module")
def every_report():
    return list(reports())


def test_every_key_has_a_kind(every_report):
    """A key of a report of which nobody said whether it is public fails."""
    unknown = {path for one in every_report for path in leaves(one.to_dict())
               if kind_of(list(path)) is None}  # fmt: skip
    assert unknown == set()
    assert set(MEASURES) == set(DEFINITIONS)


def test_public_reports_hold_no_private_key(every_report):
    """What is published has public keys alone, and reads as a report."""
    for report in every_report:
        told = report.published("ab" * 32, {}).to_dict()
        kinds = {path: kind_of(list(path)) for path in leaves(told)}
        assert kinds
        assert not [path for path, kind in kinds.items() if kind in (None, PRIVATE)]
        assert told["audience"] == "public"
        assert "seed" not in told
        assert told["input"]["commitment"] == "ab" * 32


def test_public_pages(every_report):
    """The page of a public report says how figures were rounded and what that is not."""
    page = every_report[0].published().to_html()
    assert "no differential privacy" in page
    assert "do not publish" not in page
    assert "do not publish" in every_report[0].to_html()
    summary = every_report[0].published().summary()
    assert "information loss at most" in summary


def test_a_published_report_stays_as_it_is(every_report):
    """Publishing twice is publishing once."""
    once = every_report[0].published()
    assert once.published() is once
    assert replace(once).to_json() == once.to_json()


def test_weights_that_are_not_released_tell_nothing(every_report):
    """Figures by exact survey weights are left out of the public report."""
    weighted = next(report for report in every_report if report.survey.get("weight"))
    told = weighted.published().to_dict()
    assert all(column["mean_after"] is None for column in told["columns"])
    assert "totals" not in told


def test_many_sizes_of_classes():
    """Classes of more sizes than the judge lists make a public report and its page, too."""
    sizes = np.arange(3, 99, 3)
    table = pa.table({"a": np.repeat(np.arange(sizes.size) * 100, sizes)})
    report = anonymize(table, k=3, method="mdav", aggregate="mode").report
    told = report.published()
    assert len(told.groups["sizes"]) == 20
    assert (
        sum(told.groups["sizes"].values()) == told.groups["count"] == report.verification["classes"]
    )
    assert "records in a group" in told.to_html()
