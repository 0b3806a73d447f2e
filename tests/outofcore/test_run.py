"""A file larger than memory, made small: what is released, what is said of it, what is refused."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import json
import math
import os
import stat
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import shoal as library
from large_files import LITTLE, PADDING, padded
from naive import large as twin
from naive.missing import means_of_present
from shoal.errors import InputError, OutputError, PrivacyError, RequestError
from shoal.executor import Threads
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.regions import file_plan, release, run_folder
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.request import FileRequest
from shoal.pipeline.regions.run import release_file
from shoal.pipeline.regions.tasks import TaskRunner
from shoal.pipeline.regions.write import _same_typed
from shoal.progress import Reporter
from shoal.release.targets import Targets
from shoal.settings import build
from shoal.table.dialects.dialect import PLAIN
from shoal.table.streams import Whole, in_pieces
from thorough import spread

QUASI = ["age", "income", "born", "score"]
ROLES = {"identifiers": ["name"], "quasi_identifiers": QUASI, "sensitive": ["diagnosis"]}
# a small file has several pieces
small = partial(Budget, piece=20_000, batch=500)
SMALL = small(600)


def people(rows=1500, seed=0):
    """Columns of numbers, dates and words."""
    rng = np.random.default_rng(seed)
    days = rng.integers(0, 20_000, rows)
    return {
        "name": [f"person {i}" for i in range(rows)],
        "age": rng.integers(18, 95, rows).tolist(),
        "income": [f"{x:.2f}" for x in rng.lognormal(10, 1, rows)],
        "born": [str(np.datetime64("1950-01-01") + int(d)) for d in days],
        "score": [f"{x:.4f}" for x in rng.normal(size=rows)],
        "diagnosis": rng.choice(["a,b", 'say "c"', "d", "é"], rows).tolist(),
    }


def write_csv(path, columns):
    """Write columns as csv."""
    opened = gzip.open if path.name.endswith(".gz") else open
    with opened(path, "wt", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def read_csv(path):
    """Return the records of a csv file as dicts of texts."""
    opened = gzip.open if path.name.endswith(".gz") else open
    with opened(path, "rt", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run(source, output, plan=SMALL, callback=None, force=False, **tree):
    """Release a file region by region."""
    tree.setdefault("roles", ROLES)
    tree["protect"] = {"k": 10, **tree.get("protect", {})}
    order = FileRequest(Targets.of(str(output)), force=force, with_page=False, shuffle_seed=1)
    return release_file(source, build(tree), plan, order, callback)


def left(folder):
    """What is in a folder but for the files of a release."""
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_missing_numbers(tmp_path):
    """A group releases the mean of the present cells where there are k, else none, and counts."""
    columns, rng = people(1295), np.random.default_rng(5)
    for name in ("age", "income", "score"):
        columns[name] = ["" if rng.random() < 0.03 else cell for cell in columns[name]]
    source = write_csv(tmp_path / "in.csv", columns)
    asked = {
        "release": {"keep_order": True},
        "protect": {"k": 100, "column_weights": {"score": 0.001}},
    }
    found = run(source, tmp_path / "out.csv", **asked)
    assert found.report.method == "fast"
    after, before = read_csv(tmp_path / "out.csv"), read_csv(source)
    groups = [tuple(row[name] for name in QUASI) for row in after]
    assert min(Counter(groups).values()) >= 100
    filled = 0
    for name in ("age", "income", "score"):
        cells = [Fraction(row[name]) if row[name] else None for row in before]
        for row, mean, cell in zip(after, means_of_present(cells, groups, 100), cells, strict=True):
            if mean is None:
                assert row[name] == "*"
                continue
            step = Fraction(1, 10 ** len(row[name].partition(".")[2]))
            assert abs(Fraction(row[name]) - mean) <= step / 2
            filled += cell is None
    assert found.report.missing["filled"] == filled > 0


def test_kept_columns_of_any_type(tmp_path):
    """Lists, durations and decimals pass through region by region; unique lists are refused."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, 1500)
    table = pa.table(
        {
            "age": rng.integers(18, 95, 1500),
            "list": [[int(code)] for code in codes],
            "long": pa.array(codes, pa.int64()).cast(pa.duration("us")),
            "pay": [Decimal(int(code)) / 4 for code in rng.integers(0, 999, 1500)],
        }
    )
    source, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(table, source)
    roles = {"quasi_identifiers": ["age", "pay"], "other": ["list", "long"]}
    run(source, output, roles=roles, release={"keep_order": True})
    after = pq.read_table(output)
    assert after.schema.field("pay").type == table.schema.field("pay").type
    for name in ("list", "long"):
        assert after[name].to_pylist() == table[name].to_pylist()
    alone = table.set_column(1, "list", pa.array([[row] for row in range(1500)]))
    pq.write_table(alone, source)
    with pytest.raises(RequestError, match=r"'list'.*unique"):
        run(source, output, roles=roles, force=True)


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_csv(tmp_path, ending):
    """Groups of at least k, the exact means of their members, every other cell as it stood."""
    columns = people()
    source = write_csv(tmp_path / f"in.{ending}", columns)
    found = run(source, tmp_path / f"out.{ending}", release={"keep_order": True})
    after = read_csv(tmp_path / f"out.{ending}")
    before = read_csv(source)
    assert list(after[0]) == [*QUASI, "diagnosis"]
    assert [row["diagnosis"] for row in after] == columns["diagnosis"]
    groups = [tuple(row[name] for name in QUASI) for row in after]
    sizes = Counter(groups)
    assert min(sizes.values()) >= 10
    assert len(sizes) > 125
    numbers = ["age", "income", "score"]
    kept = twin.group_values(list(zip(before, after, strict=True)), numbers, groups)
    for means, agree, _, released in kept.values():
        assert agree
        for mean, text in zip(means, released, strict=True):
            step = Fraction(1, 10 ** len(text.partition(".")[2]))
            assert abs(Fraction(text) - mean) <= step / 2
    assert found.report.verification["ok"]
    assert found.report.groups["count"] == len(sizes)
    assert left(tmp_path) == []


def read_typed(path):
    """Return the table of a Parquet or Feather file."""
    return pq.read_table(path) if path.suffix == ".parquet" else feather.read_table(path)


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_files_with_types(tmp_path, kind):
    """Parquet in, such files out: types and sensitive values stay, the file has classes of k."""
    rng = np.random.default_rng(3)
    rows = 1300
    table = pa.table({
        "x": rng.normal(size=rows),
        "y": pa.array(rng.integers(0, 100, rows), type=pa.int16()),
        "when": pa.array(rng.integers(0, 10**9, rows), type=pa.timestamp("s")),
        "s": rng.choice(["u", "v"], rows),
    })  # fmt: skip
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=500)
    roles = {"quasi_identifiers": ["x", "y", "when"], "sensitive": ["s"]}
    output = tmp_path / f"out.{kind}"
    run(tmp_path / "in.parquet", output, roles=roles)
    after = read_typed(output)
    assert after.schema.field("y").type == pa.int16()
    assert after.schema.metadata is None
    assert after.num_rows == rows
    assert Counter(after["s"].to_pylist()) == Counter(table["s"].to_pylist())
    assert math.isclose(np.mean(after["x"]), np.mean(table["x"]), abs_tol=1e-9)
    verified = library.verify(output, k=10, quasi_identifiers=["x", "y", "when"])
    assert verified.ok
    assert verified.records == rows


def test_json_lines(tmp_path):
    """JSON lines are written bucket by bucket, verified, and hold what Parquet would."""
    rng = np.random.default_rng(4)
    rows = 1300
    kept = rng.choice([1.5, 2.25, np.nan], rows)
    table = pa.table({
        "x": rng.normal(size=rows),
        "day": pa.array(rng.integers(0, 20_000, rows).astype(np.int32), type=pa.date32()),
        "s": rng.choice(["ü", "v"], rows),
        "kept": kept,
    })  # fmt: skip
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=500)
    roles = {"quasi_identifiers": ["x", "day"], "sensitive": ["s"], "other": ["kept"]}
    output = tmp_path / "out.jsonl"
    found = run(tmp_path / "in.parquet", output, roles=roles)
    after = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert Counter(row["s"] for row in after) == Counter(table["s"].to_pylist())
    assert Counter(row["kept"] for row in after) == Counter(None if v != v else v for v in kept)
    assert math.isclose(np.mean([row["x"] for row in after]), np.mean(table["x"]), abs_tol=1e-9)
    assert min(Counter((row["x"], row["day"]) for row in after).values()) >= 10
    assert all(dt.date.fromisoformat(row["day"]) for row in after)
    assert found.report.verification["records"] == rows
    assert left(tmp_path) == []


def test_cells_that_json_does_not_have(tmp_path):
    """A column that JSON has no type for is refused before any record is grouped."""
    table = pa.table({"x": range(40), "list": [[1, 2]] * 40})
    pq.write_table(table, tmp_path / "in.parquet")
    roles = {"quasi_identifiers": ["x"], "other": ["list"]}
    with pytest.raises(library.RequestError, match="JSON has no type for its cells"):
        run(tmp_path / "in.parquet", tmp_path / "out.jsonl", roles=roles)
    assert left(tmp_path) == []


def test_an_arrow_file_that_is_not_what_was_written_is_noticed(tmp_path):
    """A batch less, one more, or another value: the check of a written file sees each."""
    meant = pa.table({"a": range(12)})
    parts = [meant.slice(0, 7), meant.slice(7)]
    changed = pa.table({"a": [*range(11), 0]})
    for written, same in (
        (parts, True), (parts[:1], False), ([*parts, meant], False),
        ([changed.slice(0, 7), changed.slice(7)], False),
    ):  # fmt: skip
        path = tmp_path / "t.arrow"
        with pa.ipc.new_file(path, meant.schema) as writer:
            for one in written:
                writer.write_table(one)
        with path.open("rb") as file:
            assert _same_typed(file, "arrow", parts) == same


def mixed(rows=1500, seed=0):
    """Columns of words, of numbers, with gaps."""
    rng = np.random.default_rng(seed)
    columns = {
        "sex": rng.choice(["m", "f", ""], rows, p=[0.5, 0.46, 0.04]).tolist(),
        "region": rng.choice(["north", "south", "east", "west"], rows).tolist(),
        "age": [("" if rng.random() < 0.03 else str(a)) for a in rng.integers(18, 95, rows)],
        "note": [f"n{i % 7}" for i in range(rows)],
    }
    return columns, {"quasi_identifiers": ["sex", "region", "age"], "other": ["note"]}


@pytest.mark.slow
def test_words_and_gaps(tmp_path):
    """Words and missing cells are generalized; what is released covers what was there."""
    columns, roles = mixed()
    source = write_csv(tmp_path / "in.csv", columns)
    asked = {"keep_order": True, "numbers": "interval"}
    made = run(source, tmp_path / "out.csv", roles=roles, release=asked)
    assert made.report.method == "kaim-fast"
    after = read_csv(tmp_path / "out.csv")
    sizes = Counter((row["sex"], row["region"], row["age"]) for row in after)
    assert min(sizes.values()) >= 10
    for before, row in zip(read_csv(source), after, strict=True):
        assert row["note"] == before["note"]
        for name in ("sex", "region"):
            assert row[name] in (before[name], "*")
        if row["age"] not in ("*", before["age"]):
            low, high = row["age"].strip("[]").split(",")
            assert int(low) <= int(before["age"]) <= int(high)
        if not before["age"]:
            assert row["age"] == "*"
    missing = sum(cell == "" for name in ("sex", "age") for cell in columns[name])
    assert made.report.missing["cells"] == missing


def told(report):
    """What a report says, but for what may differ: how it was done, and a sample's figures."""
    found = report.to_dict()
    for name in ("notes", "seconds", "measures", "search", "information_loss"):
        found.pop(name)
    return found


@pytest.mark.parametrize("what", ["numbers", "mixed"])
def test_one_region_says_what_the_whole_says(tmp_path, what):
    """The report of a file in one region is that of the same groups in memory, figure by figure."""
    if what == "numbers":
        columns, roles, method = people(900), ROLES, "fast"
    else:
        (columns, roles), method = mixed(900), "kaim-fast"
    source = write_csv(tmp_path / "in.csv", columns)
    made = run(source, tmp_path / "out.csv", plan=small(10_000), roles=roles)
    tree = {"roles": roles, "protect": {"k": 10, "method": method}, "release": {"numbers": "mean"}}
    usual = anonymize_with(source, build(tree))
    ours, theirs = told(made.report), told(usual.report)
    for name in ("verification", "release"):
        ours.pop(name), theirs.pop(name)
    if len(set(made.report.groups["sizes"])) == 1 and ours["groups"] != theirs["groups"]:
        pytest.fail("the groups differ in number")
    for one, other in zip(ours.pop("columns"), theirs.pop("columns"), strict=True):
        assert one["kind"] == other["kind"]
        assert one["missing"] == other["missing"]
        whole = not one["missing"]  # else it depends on the groups which cells are suppressed
        if whole and one["mean_before"] is not None and not isinstance(one["mean_before"], str):
            assert one["mean_before"] == pytest.approx(other["mean_before"], rel=1e-12)
            assert one["variance_before"] == pytest.approx(other["variance_before"], rel=1e-9)
        assert (one["histogram"] is None) == (other["histogram"] is None)
        assert one["hierarchy"] == other["hierarchy"]
        assert one["levels"] == other["levels"]
    assert ours["roles"] == theirs["roles"]
    assert ours["input"] == theirs["input"]
    assert ours["guarantee"]["does_not_cover"] == theirs["guarantee"]["does_not_cover"]
    before = np.array(ours["correlations"]["before"], dtype=float)
    assert np.allclose(before, np.array(theirs["correlations"]["before"], dtype=float), atol=1e-9)
    assert made.report.information_loss == pytest.approx(usual.report.information_loss, rel=0.05)


def test_figures_of_the_file(tmp_path):
    """What the report says of columns is what plain arithmetic finds in the two files."""
    columns = people()
    source = write_csv(tmp_path / "in.csv", columns)
    made = run(source, tmp_path / "out.csv", release={"keep_order": True})
    after = read_csv(tmp_path / "out.csv")
    losses = []
    for one in made.report.columns:
        if one.name == "born":
            losses.append(one.information_loss)
            continue
        b = np.array([float(x) for x in columns[one.name]])
        a = np.array([float(row[one.name]) for row in after])
        lost = 100 * ((b - a) ** 2).sum() / ((b - b.mean()) ** 2).sum()
        losses.append(lost)
        assert one.information_loss == pytest.approx(lost, rel=1e-9)
        assert one.mean_before == pytest.approx(b.mean(), rel=1e-12, abs=1e-12)
        assert one.mean_after == pytest.approx(a.mean(), rel=1e-12, abs=1e-12)
        assert one.variance_before == pytest.approx(b.var(ddof=1), rel=1e-9)
        assert one.variance_after == pytest.approx(a.var(ddof=1), rel=1e-9)
        assert one.unchanged == int((a == b).sum())
        assert sum(one.histogram.after) == len(after)
    assert made.report.information_loss_released == pytest.approx(np.mean(losses), rel=1e-9)
    names = made.report.correlations["columns"]
    place = [names.index(name) for name in ("age", "income", "score")]
    plain = np.corrcoef([[float(row[n]) for row in after] for n in ("age", "income", "score")])
    found = np.array(made.report.correlations["after"])[np.ix_(place, place)]
    assert found == pytest.approx(plain, abs=1e-9)


@pytest.mark.slow
def test_regions_lose_no_more_than_blocks(tmp_path):
    """Groups of many regions, mended, lose at most two percent more than those of the whole."""
    source = write_csv(tmp_path / "in.csv", people(3000, 5))
    made = run(source, tmp_path / "out.csv", plan=small(750))
    usual = anonymize_with(source, build({"roles": ROLES, "protect": {"k": 10, "method": "fast"}}))
    assert made.report.information_loss < 1.02 * usual.report.information_loss


def test_threads_have_no_say(tmp_path):
    """One and two threads release the same file, byte by byte, for one seed."""
    source = write_csv(tmp_path / "in.csv", people())
    found = []
    for threads in (1, 2):
        output = tmp_path / f"out{threads}.csv"
        order = FileRequest(
            Targets.of(str(output)), with_page=False, threads=threads, shuffle_seed=1
        )
        release_file(source, build({"roles": ROLES, "protect": {"k": 10}}), SMALL, order)
        found.append(output.read_bytes())
    assert found[0] == found[1]


def test_rows_are_shuffled(tmp_path):
    """The order of the rows has nothing of the input's, and differs from run to run."""
    columns = people(1000)
    columns["diagnosis"] = [str(i) for i in range(1000)]
    roles = {**ROLES, "sensitive": [], "keep_unique": ["diagnosis"]}
    source = write_csv(tmp_path / "in.csv", columns)
    orders = []
    for name in ("one.csv", "two.csv"):
        order = FileRequest(Targets.of(str(tmp_path / name)), with_page=False)
        release_file(source, build({"roles": roles, "protect": {"k": 5}}), SMALL, order)
        orders.append([int(row["diagnosis"]) for row in read_csv(tmp_path / name)])
    assert sorted(orders[0]) == list(range(1000))
    assert orders[0] != orders[1]
    for order in orders:
        assert abs(np.corrcoef(order, np.arange(1000))[0, 1]) < 0.15
        assert abs(np.corrcoef(order[:-1], order[1:])[0, 1]) < 0.15


def test_incomplete_records_can_be_deleted(tmp_path):
    """With incomplete = delete, only complete records are released, and the report counts both."""
    columns, roles = mixed()
    source = write_csv(tmp_path / "in.csv", columns)
    made = run(source, tmp_path / "out.csv", roles=roles, protect={"incomplete": "delete"})
    gone = sum("" in (sex, age) for sex, age in zip(columns["sex"], columns["age"], strict=True))
    assert len(read_csv(tmp_path / "out.csv")) == 1500 - gone
    assert made.report.missing["deleted"] == gone
    assert made.report.input["records"] == 1500


def test_ordinal_columns(tmp_path):
    """Texts with an order are grouped by rank and release medians."""
    rng = np.random.default_rng(0)
    columns = {"pain": rng.choice(["mild", "some", "bad"], 1000).tolist(),
               "x": [f"{x:.3f}" for x in rng.normal(size=1000)]}  # fmt: skip
    source = write_csv(tmp_path / "in.csv", columns)
    made = run(
        source, tmp_path / "out.csv", roles={}, orders={"pain": ["mild", "some", "bad"]},
        release={"keep_order": True},
    )  # fmt: skip
    assert made.report.method == "fast"
    after = read_csv(tmp_path / "out.csv")
    ranks = {"mild": 0, "some": 1, "bad": 2}
    groups = {}
    for old, row in zip(columns["pain"], after, strict=True):
        groups.setdefault((row["pain"], row["x"]), []).append(ranks[old])
    for (said, _), members in groups.items():
        assert ranks[said] == sorted(members)[(len(members) - 1) // 2]


def test_a_late_change_of_type_names_its_line(tmp_path):
    """A word among thousands of numbers is refused with its line, and nothing is left."""
    columns = people(4000)
    columns["age"][3210] = "old"
    source = write_csv(tmp_path / "in.csv", columns)
    with pytest.raises(InputError, match=r"'age'.*1 of 4000 cells \(line 3212\)"):
        run(source, tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_broken_line_names_its_number(tmp_path):
    """A line with too few cells, late in the file, is refused with its number."""
    source = write_csv(tmp_path / "in.csv", people(3000))
    with source.open("a") as file:
        file.write("only,three,cells\n")
    with pytest.raises(InputError, match="line 3002"):
        run(source, tmp_path / "out.csv")


@pytest.mark.parametrize(
    "tree",
    [
        {"protect": {"l": 2}},
        {"release": {"aggregate": "medoid"}},
    ],
)
def test_what_takes_all_records_at_once(tmp_path, tree):
    """What is only done in memory is refused in words, before anything is read or written."""
    source = write_csv(tmp_path / "in.csv", people(200))
    with pytest.raises(RequestError, match="takes all records at once"):
        run(source, tmp_path / "out.csv", **tree)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_what_looks_like_an_identifier(tmp_path):
    """A column in which every record has its own value needs a role, as in memory."""
    source = write_csv(tmp_path / "in.csv", people(1000))
    roles = {"quasi_identifiers": QUASI, "sensitive": ["diagnosis"]}
    with pytest.raises(RequestError, match="'name': no two records share a value"):
        run(source, tmp_path / "out.csv", roles=roles)


def test_a_doubtful_role(tmp_path):
    """A misspelled column is refused with the nearest name."""
    source = write_csv(tmp_path / "in.csv", people(200))
    with pytest.raises(RequestError, match="did you mean 'income'"):
        run(source, tmp_path / "out.csv", roles={"quasi_identifiers": ["incom"]})


def test_fewer_records_than_k(tmp_path):
    """A file with fewer records than k is refused."""
    source = write_csv(tmp_path / "in.csv", people(9))
    with pytest.raises(RequestError, match="n = 9 records < k = 10"):
        run(source, tmp_path / "out.csv")


@pytest.mark.slow
@pytest.mark.parametrize("rows", [10, 19, 20, 25])
def test_few_records(tmp_path, rows):
    """As few records as k, and regions smaller than k, are released all the same."""
    source = write_csv(tmp_path / "in.csv", people(rows))
    run(source, tmp_path / "out.csv", plan=small(6))
    assert library.verify(tmp_path / "out.csv", k=10, quasi_identifiers=QUASI).records == rows


def test_all_records_equal(tmp_path):
    """Records that are all equal are grouped whatever the regions, and lose nothing."""
    source = write_csv(tmp_path / "in.csv", {"a": [1] * 1500, "b": [2] * 1500})
    made = run(source, tmp_path / "out.csv", plan=small(500), roles={})
    assert made.report.information_loss == 0.0
    assert made.report.information_loss_released == 0.0
    assert read_csv(tmp_path / "out.csv") == [{"a": "1", "b": "2"}] * 1500


def test_an_output_that_exists(tmp_path):
    """An output that exists is kept, unless force is said."""
    source = write_csv(tmp_path / "in.csv", people(200))
    (tmp_path / "out.csv").write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        run(source, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "mine"
    run(source, tmp_path / "out.csv", force=True)
    assert (tmp_path / "out.csv").read_text() != "mine"


def test_a_file_that_changes(tmp_path):
    """A file that changes while it is read is refused, and nothing is left."""
    source = write_csv(tmp_path / "in.csv", people(3000))

    def change(progress):
        if progress.stage == "parting":
            with source.open("a") as file:
                file.write("x,1,1.00,1990-01-01,0.5000,d\n")

    with pytest.raises(InputError, match="changed"):
        run(source, tmp_path / "out.csv", callback=change)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_no_identifier_in_any_file(tmp_path):
    """Temporary files are the owner's alone, and no name is ever written to one."""
    source = write_csv(tmp_path / "in.csv", people(1000))
    seen = []

    def look(_):
        for folder in tmp_path.glob(".*.shoal-work"):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            for path in folder.rglob("*"):
                if path.is_dir():
                    assert stat.S_IMODE(path.stat().st_mode) == 0o700
                    continue
                assert stat.S_IMODE(path.stat().st_mode) == 0o600
                seen.append(path.name)
                if path.suffix != ".half":
                    assert b"person 1" not in path.read_bytes()

    run(source, tmp_path / "out.csv", callback=look)
    assert {"piece-0-0", "moved-1-0", "rows-0", "empty"} <= set(seen)


def test_canceled(tmp_path):
    """A callback that says stop leaves nothing."""
    source = write_csv(tmp_path / "in.csv", people(1000))
    with pytest.raises(library.Canceled):
        run(source, tmp_path / "out.csv", callback=lambda p: p.stage.startswith("moving"))
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_release_that_is_not_safe_never_leaves(tmp_path, monkeypatch):
    """If a group's rows differ in the file, the judge finds it and nothing is kept."""
    source = write_csv(tmp_path / "in.csv", people(1000))
    before = release.Releasing._released

    def spoiled(self, region, table, partition, form):
        found = before(self, region, table, partition, form)
        ages = found["age"].values.to_pylist()
        ages[0] = 1000 + region
        return found.mapped(lambda c: c.replace(values=pa.array(ages)) if c.name == "age" else c)

    monkeypatch.setattr(release.Releasing, "_released", spoiled)
    with pytest.raises(PrivacyError, match="smaller than 10"):
        run(source, tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_writer_that_cuts_digits_is_found(tmp_path, monkeypatch):
    """A file that does not say what was meant is not kept, though its classes are large enough."""
    from shoal.pipeline.regions import write

    source = write_csv(tmp_path / "in.csv", people(1000))
    before = write.csv_bytes

    def cut(table, order, header=True, threads=None):
        text = before(table, order, header, threads).decode()
        lines = [line.split(",") for line in text.splitlines()]
        for cells in lines[header:]:
            cells[1] = cells[1][:-1] + "0"
        return ("\n".join(",".join(cells) for cells in lines) + "\n").encode()

    monkeypatch.setattr(write, "csv_bytes", cut)
    with pytest.raises(OutputError, match="not what was to be written"):
        run(source, tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_long_decimals_stay_exact_in_parquet(tmp_path):
    """Numbers of more digits than a float holds are decimals in Parquet, short ones floats."""
    rng = np.random.default_rng(0)
    long = [f"{rng.integers(10**14, 10**15)}.{rng.integers(100, 999)}" for _ in range(1500)]
    short = [f"{x:.2f}" for x in rng.normal(size=1500)]
    source = write_csv(tmp_path / "in.csv", {"long": long, "short": short, "kept": long})
    roles = {"quasi_identifiers": ["long", "short"], "keep_unique": ["kept"]}
    run(source, tmp_path / "out.parquet", roles=roles)
    after = pq.read_table(tmp_path / "out.parquet")
    assert pa.types.is_decimal(after.schema.field("long").type)
    assert after.schema.field("short").type == pa.float64()
    assert sorted(after["kept"].to_pylist()) == sorted(Decimal(text) for text in long)


def test_a_recipe_repeats_the_run(tmp_path, shoal):
    """The recipe of a large run gives the same classes again, from the command line."""
    source = padded(write_csv(tmp_path / "in.csv", people()))
    said = ["-k", "10", "--quasi", ",".join(QUASI), "--identifier", f"name,{PADDING}",
            "--no-report", "--sensitive", "diagnosis", "--memory", LITTLE]  # fmt: skip
    ran = shoal("anonymize", source, *said, "-o", tmp_path / "out.csv", "--json")
    assert ran.code == 0, ran.err
    assert "regions, whose borders were mended" in " ".join(json.loads(ran.out)["notes"])
    first = Counter(tuple(row.values()) for row in read_csv(tmp_path / "out.csv"))
    again = shoal(
        "run", tmp_path / "out.private/run.toml", "-o", tmp_path / "two.csv", "--no-report"
    )
    assert again.code == 0, again.err
    assert Counter(tuple(row.values()) for row in read_csv(tmp_path / "two.csv")) == first
    assert f'memory = "{LITTLE}"' in (tmp_path / "out.private/run.toml").read_text()


def test_a_file_that_fits_goes_the_usual_way(tmp_path, shoal):
    """With enough memory a limit changes nothing: any method, the same report."""
    source = write_csv(tmp_path / "in.csv", people(300))
    ran = shoal(
        "anonymize", source, "-k", "5", "--quasi", ",".join(QUASI), "--identifier", "name",
        "--sensitive", "diagnosis", "--method", "mdav", "--memory", "2GB", "--l", "2",
        "-o", tmp_path / "out.csv", "--no-report",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "regions" not in ran.err


@pytest.mark.parametrize("said", ["4 apples", "", "-1GB", "10MB", "GB"])
def test_nonsense_is_no_memory(tmp_path, shoal, said):
    """What is no amount of memory, or too little for the program, is refused."""
    source = write_csv(tmp_path / "in.csv", people(30))
    ran = shoal("anonymize", source, "-k", "5", "--memory", said, "-o", tmp_path / "out.csv")
    assert ran.code == 2
    assert "memory" in ran.err


def test_in_python(tmp_path):
    """One call takes a file to a release on disk."""
    source = write_csv(tmp_path / "in.csv", people(300))
    made = library.anonymize_file(
        source, tmp_path / "out.parquet", k=5, memory="4GB", quasi_identifiers=QUASI,
        identifiers=["name"], sensitive=["diagnosis"], report=False,
    )  # fmt: skip
    assert isinstance(made, library.Released)
    assert made.path == tmp_path / "out.parquet"
    assert "verified" in str(made)
    assert library.verify(made.path, k=5, quasi_identifiers=QUASI).ok


def test_a_machine_without_room(tmp_path, monkeypatch):
    """A file that the machine has no memory for is refused with the option that helps."""
    source = write_csv(tmp_path / "in.csv", people(300))
    monkeypatch.setattr(os, "sysconf", lambda _: 10)
    with pytest.raises(RequestError, match="say memory='"):
        library.anonymize_file(source, tmp_path / "out.csv", k=5)


def test_a_large_file_for_the_screen(tmp_path, shoal):
    """What does not fit in the memory given is not put on the screen as if it did."""
    source = padded(write_csv(tmp_path / "in.csv", {"x": list(range(50))}))
    ran = shoal("anonymize", source, "-k", "5", "--quasi", "x", "--memory", LITTLE, "-o", "-")
    assert ran.code != 0
    assert ran.out == ""
    assert "write it to a file" in ran.err


def test_a_file_that_is_not_there(tmp_path):
    """A file that is not there is refused in words."""
    with pytest.raises(InputError, match="no such file"):
        run(Path(tmp_path / "none.parquet"), tmp_path / "out.csv")


def test_orders_of_texts_that_look_like_numbers(tmp_path):
    """A piece in which all ordinal texts look like numbers is ranked as the rest of the file is."""
    order = ["3+", "2", "1"]
    words = ["1"] * 15_000 + ["1", "2", "3+"] * 500
    source = write_csv(tmp_path / "in.csv", {"o": words, "y": [i % 97 for i in range(16_500)]})
    roles = {"quasi_identifiers": ["o", "y"]}
    settings = build({"roles": roles, "orders": {"o": order}, "protect": {"k": 10}})
    with run_folder.RunFolder(tmp_path / "out.csv", 1) as folder:
        runner = TaskRunner(folder, Threads(1), Threads(1), Reporter(None))
        file_plan.profile_file(
            Whole(in_pieces(source, PLAIN, ("",), {}, SMALL.piece)), settings, runner
        )
        own = file_plan.plan_file(settings, folder, None).profile.columns["o"].moments
    mean, deviation = twin.mean_and_deviation([order.index(word) for word in words])
    assert float(own.base) + own.mean == pytest.approx(mean)
    assert own.deviation == pytest.approx(deviation)
    with pytest.raises(RequestError, match="an order is for texts"):
        run(source, tmp_path / "no.csv", roles=roles, orders={"o": order, "y": ["0", "1"]})


@pytest.mark.filterwarnings("error")
@pytest.mark.slow
def test_ordinal_columns_that_are_generalized(tmp_path):
    """Sets of ordinal values, which have no rank, are released without a warning."""
    rng = np.random.default_rng(0)
    columns = {
        "o": rng.choice(["lo", "mid", "hi", ""], 1500).tolist(),
        "t": rng.choice(["a", "b"], 1500).tolist(),
        "y": rng.integers(0, 99, 1500).tolist(),
    }
    source = write_csv(tmp_path / "in.csv", columns)
    orders = {"o": ["lo", "mid", "hi"]}
    roles = {"quasi_identifiers": ["o", "t", "y"]}
    made = run(source, tmp_path / "out.csv", roles=roles, orders=orders, protect={"k": 40})
    assert made.report.verification["ok"]


def test_buckets_without_rows(tmp_path):
    """Where deleted records leave a bucket without rows, Parquet is written all the same."""
    ages = [str(i % 90) if i < 400 else "" for i in range(1000)]
    source = write_csv(tmp_path / "in.csv", {"age": ages, "x": list(range(1000))})
    run(source, tmp_path / "out.parquet", roles={"quasi_identifiers": ["age", "x"]},
        protect={"incomplete": "delete"}, release={"keep_order": True})  # fmt: skip
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 400


@pytest.mark.parametrize("seed", range(3))
def test_groups_larger_than_what_is_measured(tmp_path, seed):
    """However few records are measured, one whole group is."""
    source = write_csv(tmp_path / "in.csv", people(1500))
    plan = small(600, measured=10)
    made = run(source, tmp_path / "out.csv", plan, protect={"k": 300, "seed": seed})
    assert made.report.measures


@pytest.mark.slow
def test_any_seed(tmp_path):
    """A seed may be larger than any register, as in memory."""
    source = write_csv(tmp_path / "in.csv", people(1000))
    for seed in (2**64 - 1, 10**30):
        run(source, tmp_path / "out.csv", protect={"seed": seed}, force=True)


def test_large_unsigned_numbers_of_several_pieces(tmp_path):
    """Numbers that two pieces share are found equal, though one piece has some beyond 63 bits."""
    values = [*range(500), *range(499), 2**63 + 10**6]
    table = {"u": pa.array(values, type=pa.uint64()), "x": [i % 9 for i in range(1000)]}
    pq.write_table(pa.table(table), tmp_path / "in.parquet")
    roles = {"quasi_identifiers": ["x"]}
    run(tmp_path / "in.parquet", tmp_path / "out.parquet", roles=roles)


@pytest.mark.parametrize("place", spread(["file", "folder"], 1))
@pytest.mark.slow
def test_hierarchies_that_changed_after_a_kill(tmp_path, monkeypatch, place):
    """A run does not go on with what was grouped by another tree."""
    words = [chr(97 + i % 8) for i in range(1000)]
    source = write_csv(tmp_path / "in.csv", {"t": words, "y": [i % 97 for i in range(1000)]})
    (tmp_path / "trees").mkdir()
    file = tmp_path / "trees" / "t.csv"
    tree = {"hierarchies": {"t": str(file)}}
    if place == "folder":
        tree = {"input": {"hierarchies": str(file.parent)}}
    tree |= {"roles": {"quasi_identifiers": ["t", "y"]}, "protect": {"k": 60}}

    def killed(self, form, figures, region):
        raise KeyboardInterrupt

    file.write_text("".join(f"{c},{'L' if c < 'e' else 'R'},*\n" for c in "abcdefgh"))
    with monkeypatch.context() as patch:
        patch.setattr(run_folder.RunFolder, "__exit__", lambda self, *error: self._lock.release())
        patch.setattr(release.Releasing, "_to_buckets", killed)
        with pytest.raises(KeyboardInterrupt):
            run(source, tmp_path / "out.csv", **tree)
    assert left(tmp_path)
    file.write_text("".join(f"{c},{'odd' if c in 'aceg' else 'even'},*\n" for c in "abcdefgh"))
    run(source, tmp_path / "out.csv", **tree)
    assert {row["t"] for row in read_csv(tmp_path / "out.csv")} <= {*"abcdefgh*", "odd", "even"}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_killed_between_look_and_parting(tmp_path, monkeypatch, ending):
    """A run that was killed after the first look, before all were parted, goes on well."""
    from shoal.pipeline.regions.solve import Solver

    columns = people(1000)
    source = tmp_path / f"in.{ending}"
    if ending == "csv":
        write_csv(source, columns)
    else:
        numbers = {"income": list(map(float, columns["income"])), "score": list(range(1000))}
        pq.write_table(pa.table({**columns, **numbers}).drop_columns(["born"]), source)
    roles = {"identifiers": ["name", "diagnosis"], "quasi_identifiers": ["age", "income", "score"]}
    roles |= {"drop": ["born"]} if ending == "csv" else {}

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(run_folder.RunFolder, "__exit__", lambda self, *error: self._lock.release())
        patch.setattr(Solver, "part", killed)
        with pytest.raises(KeyboardInterrupt):
            run(source, tmp_path / "out.parquet", roles=roles)
    (folder,) = left(tmp_path)
    assert list((tmp_path / folder).glob("*/look-0.json"))
    run(source, tmp_path / "out.parquet", roles=roles)
    run(source, tmp_path / "again.parquet", roles=roles)
    one, other = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("out", "again"))
    assert one.equals(other)
    assert left(tmp_path) == []


def test_deleted_records_have_no_say(tmp_path):
    """Numbers of incomplete records that are deleted do not change how the others are grouped."""
    rng = np.random.default_rng(0)
    ages = rng.integers(0, 99, 900)
    gone = rng.random(900) < 0.1
    columns = {
        "x": np.where(gone, 50 * ages, ages).tolist(),
        "y": np.where(gone, "", rng.integers(0, 99, 900).astype(str)).tolist(),
    }
    source = write_csv(tmp_path / "in.csv", columns)
    tree = {"roles": {"quasi_identifiers": ["x", "y"]}, "protect": {"incomplete": "delete"}}
    made = run(source, tmp_path / "out.csv", plan=small(10_000), **tree)
    protect = {**tree["protect"], "k": 10, "method": "fast"}
    usual = anonymize_with(source, build({**tree, "protect": protect}))
    loss = usual.report.information_loss
    assert made.report.information_loss == pytest.approx(loss, rel=0.05)
    for ours, theirs in zip(made.report.columns, usual.report.columns, strict=True):
        assert ours.information_loss == pytest.approx(theirs.information_loss, rel=0.05)


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_not_a_number_is_released_as_it_is(tmp_path, kind):
    """A column beside the quasi-identifiers may hold not-a-number, infinity and missing cells."""
    cells = [float("nan"), float("inf"), None, 1.5, -0.0] * 300
    other = pa.array([None if c is None else np.float16(c) for c in cells], type=pa.float16())
    table = pa.table({"x": [i % 97 for i in range(1500)], "other": other.cast(kind)})
    pq.write_table(table, tmp_path / "in.parquet")
    roles = {"quasi_identifiers": ["x"], "other": ["other"]}
    run(tmp_path / "in.parquet", tmp_path / "out.parquet", roles=roles)
    after = pq.read_table(tmp_path / "out.parquet")["other"]
    assert Counter(map(str, after.to_pylist())) == Counter(map(str, table["other"].to_pylist()))


@pytest.mark.parametrize(
    "tree",
    [{"hierarchies": {"agee": "prefixes:1"}}, {"protect": {"column_weights": {"agee": 2}}}],
)
def test_what_is_said_of_a_column_that_is_not_grouped(tmp_path, tree):
    """A weight or a hierarchy of a column that is not grouped is refused, as in memory."""
    source = write_csv(tmp_path / "in.csv", mixed()[0])
    with pytest.raises(RequestError, match="no quasi-identifier; did you mean 'age'"):
        run(source, tmp_path / "out.csv", roles=mixed()[1], **tree)


def test_values_that_a_hierarchy_lacks(tmp_path):
    """How many cells hold values that a hierarchy lacks is said, and no line that is not theirs."""
    columns, roles = mixed()
    source = write_csv(tmp_path / "in.csv", columns)
    (tmp_path / "tree.csv").write_text("north,*\nsouth,*\neast,*\n")
    lacking = columns["region"].count("west")
    with pytest.raises(InputError, match=f"1 of its values, in {lacking} cells;"):
        run(source, tmp_path / "out.csv", roles=roles,
            hierarchies={"region": str(tmp_path / "tree.csv")})  # fmt: skip


@pytest.mark.parametrize("encoded", [True, False])
def test_long_texts_that_take_little_in_a_file(tmp_path, encoded):
    """Records of long texts are read and grouped few at a time, however small their file is."""
    from shoal.pipeline.regions.budget import budget_for
    from shoal.table import memory
    from shoal.table.files import many_files as batches

    texts = pa.array([sign * 50_000 for sign in "abc"] * 700).dictionary_encode()
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"x": list(range(2100)), "s": texts}), path, store_schema=encoded)
    assert path.stat().st_size < 200_000
    assert memory.needed(path) > memory.PROGRAM + 2100 * 50_000
    assert budget_for(2 * 10**9, *memory.shape(path)).records < 2 * 10**9 / 50_000
    pieces = list(batches.ParquetPieces(path, 10**6).first())
    assert max(piece.rows for piece in pieces) <= 64 * 2**20 / 50_000
    assert sum(piece.rows for piece in pieces) == 2100


def test_times_are_rounded_as_in_the_whole_file(tmp_path):
    """Means of times are as fine as the finest time of the file, in every region."""
    rng = np.random.default_rng(0)
    days = rng.integers(0, 3000, 600) * 86_400
    seconds = 86_400 * 9000 + rng.integers(0, 3000 * 86_400, 600)
    when = pa.array(np.concatenate((days, seconds)), type=pa.timestamp("s"))
    table = pa.table({"when": when, "x": rng.normal(size=1200)})
    pq.write_table(table, tmp_path / "in.parquet")
    run(tmp_path / "in.parquet", tmp_path / "out.parquet", roles={})
    old = [
        moment
        for moment in pq.read_table(tmp_path / "out.parquet")["when"].to_pylist()
        if moment.year < 1980
    ]
    assert sum(moment.hour > 0 for moment in old) > len(old) / 2


@pytest.mark.slow
def test_how_many_records_are_measured(tmp_path):
    """About a quarter of a region is measured, or what the limit is; the report says which."""
    source = write_csv(tmp_path / "in.csv", people(5000))
    made = run(source, tmp_path / "out.csv", plan=small(4800))
    note = next(note for note in made.report.notes if "were measured on" in note)
    assert "as many as fit in the memory that was given" in note
    measured = made.report.measures["records"]
    assert f"on {measured:,} of the 5,000 records" in note
    assert 1000 < measured < 1400
    made = run(source, tmp_path / "again.csv", plan=small(4800, measured=700))
    note = next(note for note in made.report.notes if "were measured on" in note)
    assert "memory" not in note
    assert 500 < made.report.measures["records"] < 900
