"""Counts on disk give what counts in memory give, and leave nothing behind."""

from __future__ import annotations

import dataclasses
import os
import random
import stat
import tempfile
from contextlib import ExitStack

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.judge import disk as spill
from shoal.judge.limits import limited


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A temporary folder of our own, to look into."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def small():
    """Spill after a few entries."""
    with ExitStack() as after:
        yield lambda entries: after.enter_context(
            limited(entries=entries, rows=4, few=3, batch=7, piece=50)
        )


def random_frame(rng):
    """A table with texts, numbers, missing cells and cells that need quotes."""
    rows = rng.randint(1, 60)
    return pa.table({
        "a": pa.array([rng.choice(["x", "y,z", '"', "\t\n", "", None, "*", "é"])
                       for _ in range(rows)]),
        "b": pa.array([rng.choice([1.5, 0.0, -0.0, None, float("nan"), 2.0])
                       for _ in range(rows)], pa.float64()),
        "d": pa.array([rng.choice([0, 1]) for _ in range(rows)], pa.date32()),
        "s": pa.array([rng.choice(["p", "q", "r", None]) for _ in range(rows)]),
        "n": pa.array([rng.choice([1, 2, 3, None]) for _ in range(rows)]),
    })  # fmt: skip


def write_csv(table, path):
    """Write a table as csv, by ourselves."""

    def cell(value):
        return "" if value is None else '"' + str(value).replace('"', '""') + '"'

    lines = [",".join(table.column_names)]
    lines += [",".join(cell(v) for v in row.values()) for row in table.to_pylist()]
    path.write_text("\n".join(lines) + "\n", newline="")


def test_spilled_is_unspilled(tmp_path, folder, small, thorough):
    """On random tables in every form the verdict, the rulings and the offenders are the same."""
    rng = random.Random(3)
    options = {
        "quasi_identifiers": ["a", "b", "d"], "sensitive": ["s", "n"], "l": 2, "t": 0.2,
        "alpha": {"n": 0.5}, "k_of": {("a",): 4, ("b", "d"): 3},
    }  # fmt: skip
    for trial in range(60 if thorough else 6):
        table = random_frame(rng)
        data = table
        if trial % 3 == 1:
            data = tmp_path / "t.parquet"
            pq.write_table(table, data)
        elif trial % 3 == 2:
            data = tmp_path / "t.csv"
            write_csv(table, data)
        small(10**9)
        whole = shoal.verify(data, k=2, **options)
        small(rng.randint(1, 10))
        found = shoal.verify(data, k=2, **options)
        assert dataclasses.replace(found, readings={}) == dataclasses.replace(whole, readings={})
        assert found.offending == whole.offending
        assert list(folder.iterdir()) == []


def test_k_alone(write, folder, small):
    """Without sensitive columns too, and the other readings are said not to be counted."""
    path = write("t.csv", "a\n" + "".join(f"{i % 20}\n" for i in range(100)) + "*\n")
    whole = shoal.verify(path, k=5, quasi_identifiers=["a"])
    small(7)
    found = shoal.verify(path, k=5, quasi_identifiers=["a"])
    assert found.readings == {"own": 1, "root": None, "wildcard": None}
    assert dataclasses.replace(found, readings={}) == dataclasses.replace(whole, readings={})
    assert (found.offending[0].number, found.offending[0].first_record) == (21, 101)
    with pytest.raises(shoal.RequestError, match="verify with missing_as own"):
        shoal.verify(path, k=5, quasi_identifiers=["a"], missing_as="root")


def test_private_and_gone(write, folder, small, monkeypatch):
    """The folder is its owner's alone, its files too; it is gone after an error."""
    small(3)
    modes = []
    before = spill.Spill._append

    def look(self, path, content):
        before(self, path, content)
        modes.append((stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(self.folder.stat().st_mode)))

    monkeypatch.setattr(spill.Spill, "_append", look)
    good = "a\n" + "".join(f"{i}\n" for i in range(50))
    shoal.verify(write("t.csv", good), k=1, quasi_identifiers=["a"])
    assert set(modes) == {(0o600, 0o700)}
    assert list(folder.iterdir()) == []
    with pytest.raises(shoal.InputError, match="line 52: 2 cells"):
        shoal.verify(write("t.csv", good + "1,2\n"), k=1, quasi_identifiers=["a"])
    assert list(folder.iterdir()) == []


def test_full_disk(write, folder, small, monkeypatch):
    """Where counts cannot be written, the error says what to do, and nothing stays."""
    small(3)

    before = os.open

    def fail(path, flags, *more, **options):
        if flags & os.O_APPEND:
            raise OSError(28, "No space left on device")
        return before(path, flags, *more, **options)

    monkeypatch.setattr(spill.os, "open", fail)
    path = write("t.csv", "a\n" + "".join(f"{i}\n" for i in range(50)))
    with pytest.raises(shoal.InputError, match=r"No space left on device.*TMPDIR"):
        shoal.verify(path, k=1, quasi_identifiers=["a"])
    assert list(folder.iterdir()) == []
