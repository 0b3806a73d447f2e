"""Measuring files larger than memory: whole classes of the release, the right originals."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as library
from shoal.errors import RequestError
from shoal.measures.streaming import Reading
from shoal.measures.streaming import draw as draw_records
from shoal.table.dialects.dialect import Dialect
from shoal.table.roles import Kind

TOGETHER = True  # the release is made once

PLAIN = Reading(Dialect(), ("",), {})
QUASI = ["x", "y"]
LITTLE = "500MB"  # in which no two files fit

draw = partial(draw_records, records=1000)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """An original and its release, in the same order, with a key and a sensitive column."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    rows = 6000
    before = pa.table({
        "id": np.arange(rows), "x": rng.normal(size=rows), "y": rng.integers(0, 90, rows),
        "s": rng.choice(["a", "b", "c"], rows),
    })  # fmt: skip
    made = library.anonymize(
        before,
        k=4,
        quasi_identifiers=QUASI,
        sensitive=["s"],
        other=["id"],
        method="mdav",
        keep_unique=["id"],
    )
    pq.write_table(before, folder / "in.parquet")
    pq.write_table(made.data, folder / "out.parquet")
    return folder / "in.parquet", folder / "out.parquet", before, made.data


def test_whole_classes(files):
    """The classes that are drawn are whole: each has the size it has in the release."""
    original, release, _, after = files
    some = draw(original, release, PLAIN, QUASI, [], False, 0)
    sizes = Counter(zip(after["x"].to_pylist(), after["y"].to_pylist(), strict=True))
    found = Counter(
        zip(some.after["x"].values.to_pylist(), some.after["y"].values.to_pylist(), strict=True)
    )
    assert 500 < some.after.rows < 2000
    assert all(sizes[key] == size for key, size in found.items())
    assert abs(some.before.rows - some.after.rows) < 300
    assert not some.paired


@pytest.mark.parametrize("how", ["same", "key"])
def test_the_same_people(files, how):
    """Where it is known who is who, the originals are those of the released records."""
    original, release, _, _ = files
    key = ["id"] if how == "key" else []
    some = draw(original, release, PLAIN, QUASI, key, how == "same", 0)
    assert some.paired
    assert sorted(some.before["id"].values.to_pylist()) == sorted(
        some.after["id"].values.to_pylist()
    )


def test_keys_of_different_files(files, tmp_path):
    """A key is the same in csv and in Parquet, whatever type holds it."""
    from pyarrow import csv

    original, release, before, _ = files
    csv.write_csv(before, tmp_path / "in.csv")
    narrow = before.set_column(0, "id", before["id"].cast(pa.int32()))
    pq.write_table(narrow, original)
    one = draw(tmp_path / "in.csv", release, PLAIN, QUASI, ["id"], False, 0)
    two = draw(original, release, PLAIN, QUASI, ["id"], False, 0)
    assert one.before.rows == two.before.rows == two.after.rows


@pytest.mark.slow
def test_figures_are_near_those_of_the_whole(files):
    """What is measured on a part is near what is measured on all, and is said to be of a part."""
    original, release, _, _ = files
    asked = {"quasi_identifiers": QUASI, "key": ["id"]}
    whole = library.measure(original, release, **asked)
    some = draw(original, release, PLAIN, QUASI, ["id"], False, 0)
    part = library.measure(some.before, some.after, **asked)
    for name in ("sse_sst", "prosecutor", "marketer"):
        assert part[name].value == pytest.approx(whole[name].value, rel=0.2)
    assert f"measured on {some.after.rows:,} of 6,000 released records, in whole" in some.note
    every = library.measure(original, release, **asked, memory=LITTLE)
    assert every["sse_sst"].value == pytest.approx(whole["sse_sst"].value)
    assert any("of 6,000 released records, in whole classes" in note for note in every.notes)


def test_texts_that_the_release_lacks_or_writes_as_numbers(tmp_path):
    """An identifier that is gone from a csv release is no mistake; a text stays one, as 007."""
    rng = np.random.default_rng(0)
    before, after = tmp_path / "in.csv", tmp_path / "out.csv"
    zips = [f"{z:03d}" for z in rng.integers(7, 90, 900)]
    lines = [f"p{i},{z},{i % 50}" for i, z in enumerate(zips)]
    before.write_text("person,zip,x\n" + "\n".join(lines) + "\n")
    after.write_text("zip,x\n" + "\n".join(f"{100 + i % 9},{i % 5}" for i in range(900)) + "\n")
    some = draw(before, after, PLAIN, ["zip", "x"], [], True, 0)
    assert some.after["zip"].kind is some.before["zip"].kind is Kind.TEXT
    assert some.after.names == ["zip", "x"]


@pytest.mark.slow
def test_on_the_command_line(files, shoal):
    """shoal measure takes a limit of memory; without quasi-identifiers it says what it needs."""
    original, release, _, _ = files
    ran = shoal(
        "measure", original, release, "--quasi", "x,y", "--memory", LITTLE, "--rows", "same"
    )
    assert ran.code == 0, ran.err
    assert "in whole classes" in ran.out
    ran = shoal("measure", original, release, "--memory", LITTLE)
    assert ran.code == 2
    assert "--quasi" in ran.err


def test_dataframes_are_in_memory_already(files):
    """A limit of memory for dataframes is refused."""
    _, _, before, after = files
    with pytest.raises(RequestError, match="in memory already"):
        library.measure(before, after, memory="1GB")


@pytest.mark.slow
def test_enough_memory_changes_nothing(files):
    """Files that fit are measured whole."""
    original, release, _, _ = files
    whole = library.measure(original, release, quasi_identifiers=QUASI)
    same = library.measure(original, release, quasi_identifiers=QUASI, memory="4GB")
    assert {**whole.to_dict(), "seconds": 0} == {**same.to_dict(), "seconds": 0}
