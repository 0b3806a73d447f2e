"""The walk with ordinal columns: random tables judged by code of this file, recipes, commands."""

from __future__ import annotations

import csv
import io
import itertools
import random
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal as library
from shoal.judge.cells import uncovered
from shoal.measures.generalization import cell_losses
from shoal.table.encode_nodes import code
from shoal.table.ordinal import with_orders
from shoal.table.read import read
from thorough import each, is_thorough, spread

PAIN = ["mild", "moderate", "severe"]
SIGNS = ["low", "a,b", "[c]", "two words", "<5", "5", "5.0", "2026-01-01", "x*", "ß", '"q"']


def random_ordinal(rng, rows, gaps):
    """An order, of which some values may be unused, and cells of it."""
    order = rng.sample(SIGNS, rng.randint(1, 7))
    used = rng.sample(order, rng.randint(1, len(order)))
    cells = [None if rng.random() < gaps else rng.choice(used) for _ in range(rows)]
    cells[rng.randrange(rows)] = rng.choice(used)
    return order, cells


def random_table(seed, *, complete=False):
    """One or two ordinal columns and a column of numbers, with their orders."""
    rng = random.Random(seed)
    rows = rng.randint(4, 30)
    gaps = 0.0 if complete else rng.choice([0.0, 0.0, 0.2])
    columns, orders = {}, {}
    for name in ["a", "b"][: rng.randint(1, 2)]:
        orders[name], columns[name] = random_ordinal(rng, rows, gaps)
    columns["n"] = [rng.randint(0, 20) for _ in range(rows)]
    return pa.table(columns), orders, rng.randint(2, min(5, rows))


def lower_median(members, order):
    """The middle one of the members by rank, the lower of two."""
    return sorted(members, key=order.index)[(len(members) - 1) // 2]


def released_cell(way, members, order):
    """What a group must release, by the definition of each way."""
    if None in members:
        return "*"
    if way == "median":
        return lower_median(members, order)
    low, high = min(members, key=order.index), max(members, key=order.index)
    return low if low == high else f"[{low},{high}]"


def groups_of(result, cells, name):
    """Every group's members before, and the one cell that all of them have after."""
    labels, after = result.partition.labels.tolist(), result.data[name].to_pylist()
    for group in set(labels):
        rows = [row for row, label in enumerate(labels) if label == group]
        released = {after[row] for row in rows}
        assert len(released) == 1
        yield [cells[row] for row in rows], released.pop()


@pytest.mark.parametrize("seed", spread(range(60), 12))
def test_random_tables_by_trees(seed):
    """kaim and k-member release ranges, medians, modes and medoids that stand for their groups."""
    table, orders, k = random_table(seed)
    way = ["generalize", "range", "median", "mean", "mode", "medoid"][seed % 6]
    method = ["kaim", "k-member", "kaim-paper"][seed % 3]
    result = library.anonymize(table, k=k, method=method, orders=orders, aggregate=way,
                               intervals="text")  # fmt: skip
    names = [*orders, "n"]
    tuples = Counter(zip(*(result.data[name].to_pylist() for name in names), strict=True))
    assert min(tuples.values()) >= k
    for name, order in orders.items():
        cells = table[name].to_pylist()
        for members, released in groups_of(result, cells, name):
            if way in ("mode", "medoid") and None not in members:
                assert released in members
                counts = Counter(members)
                best = [v for v in order if counts[v] == max(counts.values())]
                assert way == "medoid" or released == best[0]
                continue
            wanted = {"generalize": "range", "mean": "median"}.get(way, way)
            assert released == released_cell(wanted, members, order)
        (column,) = [c for c in result.report.columns if c.name == name]
        assert column.kind == "ordinal"
        assert column.mean_before is None
    result.report.to_html()


@each("seed", range(40 if is_thorough() else 16))
def test_random_tables_by_ranks(seed):
    """Numeric methods group complete ordinal columns and release their lower medians."""
    table, orders, k = random_table(seed, complete=True)
    method = ["mdav", "cbfs-nc", "auto", "ilsmc+"][seed % 4]
    result = library.anonymize(table, k=k, method=method, orders=orders)
    for (name, order), column in zip(orders.items(), result.report.columns, strict=False):
        cells = table[name].to_pylist()
        for members, released in groups_of(result, cells, name):
            assert released == lower_median(members, order)
        assert column.released_as == "median"
        before = np.array([order.index(cell) for cell in cells], dtype=float)
        after = np.array([order.index(cell) for cell in result.data[name].to_pylist()])
        total = float(((before - before.mean()) ** 2).sum())
        lost = 100 * float(((before - after) ** 2).sum()) / total if total else 0.0
        assert column.information_loss == pytest.approx(lost)


@each("seed", range(40))
def test_iloss_by_hand(seed):
    """ILoss is (rank difference + 1) / (that of the column), 1 beside a missing cell, else 0."""
    table, orders, _ = random_table(1000 + seed)
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(table.num_rows) % max(1, table.num_rows // 3))
    coded = {c.name: c for c in code(with_orders(read(table), orders)).columns}
    for name, order in orders.items():
        cells = table[name].to_pylist()
        ranks = [None if cell is None else order.index(cell) for cell in cells]
        there = [rank for rank in ranks if rank is not None]
        whole = max(there) - min(there) + 1
        expected = []
        for rank, label in zip(ranks, labels, strict=True):
            mates = [r for r, of in zip(ranks, labels, strict=True) if of == label]
            if rank is None or len(set(mates)) == 1:
                expected.append(0.0)
            elif None in mates:
                expected.append(1.0)
            else:
                expected.append((max(mates) - min(mates) + 1) / whole)
        assert cell_losses(coded[name], labels).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("seed", spread(range(20), 1))
@pytest.mark.parametrize("method", ["kaim", "kaim-paper", "k-member", "mdav", "ilsmc+"])
def test_an_ordinal_column_is_its_ranks(seed, method):
    """Values and the whole numbers of their ranks give the same groups, ranges and losses."""
    rng = np.random.default_rng(seed)
    trees = method not in ("mdav", "ilsmc+")
    words = [f"v{rank:02}" for rank in range(12)]
    ranks = [None if trees and rng.random() < 0.1 else int(r) for r in rng.integers(2, 12, 40)]
    ordinal = [None if rank is None else words[rank] for rank in ranks]
    x = rng.normal(size=40)
    asked = {"k": 4, "method": method, "aggregate": "generalize", "intervals": "text"}
    one = library.anonymize(pa.table({"o": ranks, "x": x}), **asked)
    other = library.anonymize(pa.table({"o": ordinal, "x": x}), **asked, orders={"o": words})
    assert one.partition.labels.tolist() == other.partition.labels.tolist()
    told = [cell.strip("[]").split(",") for cell in one.data["o"].to_pylist()]
    spoken = [
        cell[0] if cell == ["*"] else ",".join(words[int(end)] for end in cell) for cell in told
    ]
    assert spoken == [cell.strip("[]") for cell in other.data["o"].to_pylist()]
    assert one.report.costs == other.report.costs
    lost = [report.columns[0].information_loss for report in (one.report, other.report)]
    assert lost[0] == lost[1]


@pytest.mark.parametrize("seed", spread(range(20), 3))
@pytest.mark.parametrize("method", ["kaim", "k-member", "mdav"])
def test_the_order_of_rows_has_no_say(seed, method):
    """The same records in another order are released alike; of equal ones any may be which."""
    table, orders, k = random_table(2000 + seed, complete=method == "mdav")
    rows = np.random.default_rng(seed).permutation(table.num_rows)
    one = library.anonymize(table, k=k, method=method, orders=orders).data
    other = library.anonymize(table.take(rows), k=k, method=method, orders=orders).data
    assert Counter(map(str, one.to_pylist())) == Counter(map(str, other.to_pylist()))


@pytest.mark.parametrize("method", ["kaim", "k-member", "mdav"])
def test_unused_values_at_the_ends_have_no_say(method):
    """Values that no record has, before the least, after the greatest, in any order: no change."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"pain": rng.choice(PAIN, 30), "x": rng.normal(size=30).round(2)})
    orders = [PAIN, ["none", *PAIN], [*PAIN, "worst", "CANARY"], ["u", "v", *PAIN, "CANARY"],
              ["v", "u", *PAIN]]  # fmt: skip
    found = []
    for order in orders:
        typed = frame.assign(pain=pd.Categorical(frame["pain"], categories=order, ordered=True))
        result = library.anonymize(typed, k=3, method=method)
        assert not {*order} - {*PAIN} & {*result.data["pain"].cat.categories}
        found.append((result.partition.labels.tolist(), result.data["pain"].tolist()))
    assert all(other == found[0] for other in found)


@pytest.mark.parametrize("seed", spread(range(20), 5))
@pytest.mark.parametrize("method", spread(["k-member", "mdav"], 4))
def test_the_reverse_order_mirrors(seed, method):
    """Least becomes greatest: the same groups, ranges written the other way round.

    Of five values, so that their places are exact in floats.
    """
    rng = np.random.default_rng(seed)
    order = ["e", "d", "a", "c", "b"]
    cells = [*order, *rng.choice(order, 20).tolist()]
    table = pa.table({"o": cells, "x": rng.normal(size=25)})
    one, other = (
        library.anonymize(table, k=3, method=method, orders={"o": said}, aggregate="generalize")
        for said in (order, order[::-1])
    )
    assert one.partition.labels.tolist() == other.partition.labels.tolist()
    mirrored = {f"[{a},{b}]": f"[{b},{a}]" for a, b in itertools.combinations(order, 2)}
    turned = [mirrored.get(cell, cell) for cell in one.data["o"].to_pylist()]
    assert turned == other.data["o"].to_pylist()


@pytest.mark.parametrize(
    ("released", "original", "answer"),
    [
        ("[low,<5]", "a,b", True), ("[low,<5]", "low", True), ("[low,<5]", "<5", True),
        ("[low,<5]", "5", False), ("[<5,low]", "a,b", False), ("[low,low]", "low", False),
        ("[low,a,b]", "a,b", True), ("[low,a,b]", "[c]", False), ("[a,b,[c]]", "[c]", True),
        ("[a,b,[c]]", "low", False), ("[low,unknown]", "low", False), ("[low,5]", None, False),
        ("*", None, True), ("*", "5", True), ("5", "5", True), ("5", "5.0", False),
        ("5.0", "5", False), ("[5,5.0]", "5", True), ("[5,2026-01-01]", "5.0", True),
        ("[5,5.0]", "2026-01-01", False), ("[<5,5]", "5.0", False), ("[<5,5.0]", "5", True),
        ("[low,5)", "a,b", False), ("x*", "xy", False), ("[low,5]", "unknown", False),
        ("2026", "2026-01-01", True), ("group", "low", True), ("group", "5", False),
        ("low", "5", False), ("low", "<5", True),
    ],
)  # fmt: skip
def test_what_a_range_of_an_order_covers(released, original, answer):
    """A range covers the values between its ends, whatever signs they hold, and nothing else."""
    lines = {"low": {"group", "*"}, "<5": {"low", "*"}}
    assert (not uncovered([(released, original)], lines, SIGNS)) is answer


def test_a_wrong_release_is_stopped(monkeypatch):
    """The last look refuses a range that does not hold its cell, and writes nothing."""
    from shoal.release import aggregate as generalize

    wrong = "[mild,moderate]"
    monkeypatch.setattr(generalize, "_ranges", lambda column, found: [wrong] * found.low.size)
    table = pa.table({"pain": PAIN * 4})
    with pytest.raises(library.PrivacyError, match="column 'pain': 1 released values do not cover"):
        library.anonymize(table, k=3, method="kaim", orders={"pain": PAIN}, aggregate="range")


def test_means_are_for_numbers():
    """Said of all columns an ordinal one takes its median; said of it, a mean is refused."""
    table = pa.table({"pain": PAIN * 4, "x": list(range(12))})
    asked = {"k": 3, "orders": {"pain": PAIN}, "method": "mdav"}
    assert library.anonymize(table, **asked, aggregate="mean").report.aggregate == (
        "pain: median, x: mean"
    )
    assert library.anonymize(table, **asked, aggregate={"x": "median"}).report.aggregate == "median"
    with pytest.raises(library.RequestError, match="'pain' is ordinal, which has no mean; say med"):
        library.anonymize(table, **asked, aggregate={"pain": "mean"})
    with pytest.raises(library.RequestError, match="decimals are for numbers; 'pain' is ordinal"):
        library.anonymize(table, **asked, decimals={"pain": 1})
    with pytest.raises(library.RequestError, match="no column is released so"):
        library.anonymize(table, **asked, decimals=1, aggregate="generalize")


def test_auto_takes_ranks():
    """A complete table of numbers and ordinal columns is searched; one with gaps is kaim+'s."""
    cells = PAIN * 6
    table = pa.table({"pain": cells, "x": list(range(18))})
    found = library.anonymize(table, k=3, orders={"pain": PAIN})
    assert found.report.method == "ilsmc+"
    table = pa.table({"pain": [None, *cells[1:]], "x": list(range(18))})
    found = library.anonymize(table, k=3, orders={"pain": PAIN})
    assert found.report.method == "kaim+"
    found = library.anonymize(table, k=3, orders={"pain": PAIN}, method="mdav")
    assert {column.released_as for column in found.report.columns} == {"mean", "median"}


def test_grouping_alone():
    """microaggregate, refine and columns on their own take ordinal columns by rank."""
    cells = ["c", "a", "b", "c", "a", "b"]
    order = ["c", "b", "a"]
    ranks = np.array([[float(order.index(cell))] for cell in cells])
    table = pa.table({"x": cells})
    wanted = library.microaggregate(ranks, 2).labels.tolist()
    assert library.microaggregate(table, 2, orders={"x": order}).labels.tolist() == wanted
    frame = pd.DataFrame({"x": pd.Categorical(cells, categories=order, ordered=True)})
    assert library.microaggregate(frame, 2).labels.tolist() == wanted
    assert library.refine(frame, wanted, 2).labels.tolist() == wanted
    assert library.microaggregate_columns(frame, 2).data["x"].tolist() == cells
    by_trees = library.microaggregate(table, 2, method="kaim", orders={"x": order})
    assert by_trees.labels.tolist() == wanted


def test_types_that_come_back():
    """Medians come back as ordered categories of what is there, ranges as unordered ones."""
    rng = np.random.default_rng(1)
    cells = rng.choice(PAIN, 30).tolist()
    levels = ["CANARY", *PAIN, "CANARY 2"]
    frame = pd.DataFrame({"pain": pd.Categorical(cells, categories=levels, ordered=True),
                          "x": rng.normal(size=30)})  # fmt: skip
    by_ranks = library.anonymize(frame, k=3, method="mdav").data["pain"]
    assert by_ranks.dtype == pd.CategoricalDtype(PAIN, ordered=True)
    by_trees = library.anonymize(frame, k=3, method="kaim").data["pain"]
    assert isinstance(by_trees.dtype, pd.CategoricalDtype)
    assert not by_trees.dtype.ordered
    assert frame["pain"].cat.categories.tolist() == levels

    polars = pl.DataFrame({"pain": pl.Series(cells, dtype=pl.Enum(levels)), "x": frame["x"].values})
    assert library.anonymize(polars, k=3, method="mdav").data["pain"].dtype == pl.Enum(PAIN)
    assert library.anonymize(polars, k=3, method="kaim").data["pain"].dtype == pl.String
    kept = library.anonymize(polars, k=3, quasi_identifiers=["x"], other=["pain"]).data["pain"]
    assert kept.dtype == pl.Enum(PAIN)
    assert kept.to_list() == cells

    arrow = pa.table(pa.Table.from_pandas(frame).columns, names=["pain", "x"])
    released = library.anonymize(arrow, k=3, method="mdav").data
    assert released.schema.types == arrow.schema.types
    assert released["pain"].combine_chunks().dictionary.to_pylist() == PAIN
    released = library.anonymize(arrow, k=3, method="kaim").data
    assert not released["pain"].type.ordered
    kept = library.anonymize(arrow, k=3, quasi_identifiers=["x"], other=["pain"]).data["pain"]
    assert kept.type == arrow["pain"].type
    assert kept.combine_chunks().dictionary.to_pylist() == PAIN
    assert kept.to_pylist() == cells


def test_untouched_orders_stay():
    """An ordered dictionary that is kept keeps its order, without the levels that nobody has."""
    for levels in ([30, 20, 99, 10], ["c", "b", "z", "a"]):
        places = pa.array([3, 0, 1, None, 3, 0, 1, 0], pa.int8())
        kept = pa.DictionaryArray.from_arrays(places, levels, ordered=True)
        table = pa.table({"x": list(range(8)), "o": kept})
        found = library.anonymize(table, k=2, quasi_identifiers=["x"], other=["o"]).data["o"]
        assert found.type == kept.type
        assert found.to_pylist() == kept.to_pylist()
        wanted = [levels[0], levels[1], levels[3]]
        assert found.combine_chunks().dictionary.to_pylist() == wanted


def test_levels_stay_out_of_every_file(tmp_path):
    """Of an order that came with the data no file says more than the release does."""
    cells = ["mild", "moderate", "severe"] * 4
    levels = ["mild", "CANARY", "moderate", "severe"]
    frame = pd.DataFrame({"pain": pd.Categorical(cells, categories=levels, ordered=True)})
    for method in ("kaim", "mdav"):
        result = library.anonymize(frame, k=12, method=method)
        result.save(tmp_path / method)
        for file in (tmp_path / method).iterdir():
            assert b"CANARY" not in file.read_bytes()
        assert "orders" not in (tmp_path / f"{method}.private" / "run.toml").read_text()
        assert "the order of the values of pain came with the data" in result.summary()


ROWS = [f"{PAIN[i % 3]},{i % 7},x" for i in range(24)]
FILE = "pain,n,s\n" + "\n".join(ROWS) + "\n"
ASKED = ("-k", 3, "--quasi", "pain,n", "--sensitive", "s")
SAID = ("--order", "pain=mild,moderate,severe,worst")


@pytest.mark.parametrize("method", ["kaim", "mdav"])
def test_a_run_from_the_command_line(shoal, write, tmp_path, method):
    """Release, report and recipe are written, the file verifies, and the recipe repeats it."""
    ran = shoal("anonymize", write("t.csv", FILE), *ASKED, *SAID, "--method", method, "-o",
                f"{tmp_path}/a/")  # fmt: skip
    assert ran.code == 0, ran.err
    recipe = tmp_path / "a.private" / "run.toml"
    assert '[orders]\npain = ["mild", "moderate", "severe", "worst"]\n' in recipe.read_text()
    ran = shoal("verify", tmp_path / "a" / "release.csv", "-k", 3, "--quasi", "pain,n")
    assert ran.code == 0
    assert "ordinal" in (tmp_path / "a" / "report.html").read_text()
    assert shoal("run", recipe, "-o", f"{tmp_path}/b/").code == 0
    texts = [(tmp_path / name / "release.csv").read_text() for name in "ab"]
    one, other = (sorted(csv.reader(io.StringIO(text))) for text in texts)
    assert one == other
    assert "worst" not in texts[0]


def test_a_recipe_is_completed(shoal, write):
    """A recipe's order is used by anonymize, and one said beside it wins for its column."""
    recipe = write("r.toml", '[protect]\nk = 3\n[orders]\npain = ["mild", "moderate"]\n')
    table = write("t.csv", FILE)
    ran = shoal("anonymize", table, *ASKED, "--recipe", recipe, "-o", "-")
    assert ran.code == 2
    assert "cells hold values that its order lacks" in ran.err
    assert shoal("anonymize", table, *ASKED, *SAID, "--recipe", recipe, "-o", "-").code == 0


def test_values_with_commas_from_the_command_line(shoal, write, tmp_path):
    """Quotes and files say values with commas, and csv cells of their ranges are in quotes."""
    order = ["1,000 or less", "more", "much, much more"]
    rows = "".join(f'"{order[i % 3]}",{i}\n' for i in range(12))
    table = write("t.csv", f"pay,n\n{rows}")
    listed = write("order.txt", "\n".join(order) + "\n")
    quoted = 'pay="1,000 or less",more,"much, much more"'
    outputs = []
    for number, said in enumerate((quoted, f"pay=@{listed}")):
        target = tmp_path / f"{number}.csv"
        ran = shoal("anonymize", table, "-k", 6, "--method", "kaim", "--order", said, "-o", target)
        assert ran.code == 0, ran.err
        with target.open(newline="") as file:
            outputs.append(sorted(csv.reader(file)))
        assert shoal("verify", target, "-k", 6, "--quasi", "pay,n").code == 0
    assert outputs[0] == outputs[1]
    texts = {f"[{a},{b}]" for a, b in itertools.combinations(order, 2)}
    assert {row[0] for row in outputs[0]} - {"pay"} <= texts | {*order}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("pian=mild,severe", "'pian', which is no quasi-identifier; did you mean 'pain'?"),
        ("s=x", "an order is given for 's', which is no quasi-identifier"),
        ("n=1,2,3", "column 'n': an order is for texts, and this is integer; if its cells are "
                    "words, say --type n=text"),
        ("pain=mild,mild", "names one value twice, as number 1 and number 2"),
        ("pain=", "--order 'pain': the order names no value"),
        ("pain", "--order 'pain': say COLUMN=VALUE, once for a column"),
        ("pain=@nowhere.txt", "nowhere.txt: there is no such file"),
        ('pain="mild', "quotes that do not close"),
        ("pain=mild,severe", "t.csv, column 'pain': 8 cells hold values that its order lacks "
                             "(lines 3, 6, 9, 12, 15, …); --show-values lists them"),
    ],
)  # fmt: skip
def test_mistakes_of_a_command_line(shoal, write, said, reason):
    """A wrong order is exit code 2 and one line without values."""
    ran = shoal("anonymize", write("t.csv", FILE), *ASKED, "--order", said, "-o", "-")
    assert (ran.code, ran.out) == (2, ""), ran.err
    assert len(ran.err.splitlines()) == 1
    assert reason in ran.err
    assert "moderate" not in ran.err


def test_values_for_those_who_ask(shoal, write):
    """--show-values names the values that an order lacks, and nothing else does."""
    rows = "".join(f"{PAIN[i % 3]},{i},{i // 3}\n" for i in range(12))
    table = write("t.csv", f"pain,n,g\n{rows}")
    said = ("--order", "pain=mild,severe", "-k", 3, "-o", "-")
    for command in (("anonymize", table), ("refine", table, "--group", "g")):
        ran = shoal(*command, *said)
        assert (ran.code, "moderate" in ran.err) == (2, False)
        ran = shoal(*command, *said, "--show-values")
        assert (ran.code, "'moderate'" in ran.err) == (2, True)
    ran = shoal("refine", table, "--group", "g", *SAID, "-k", 3, "-o", "-")
    assert ran.code == 0, ran.err


def test_inspect_shows_the_kind(shoal, write):
    """A column with an order is ordinal to those who look."""
    ran = shoal("inspect", write("t.csv", FILE), *SAID)
    assert ran.code == 0, ran.err
    assert "ordinal" in ran.out
    assert "3 ordered categories" in ran.out
    assert "ordinal" not in shoal("inspect", write("t.csv", FILE)).out
    assert shoal("inspect", write("t.csv", FILE), "--order", "pian=a").code == 2
