"""A file that is far larger than the memory it is judged in."""

from __future__ import annotations

import resource
import subprocess
import sys

import duckdb
import pytest

ROWS = 60_000_000  # about 3 GB of csv
LESS = 600_000_000  # bytes: what DuckDB does not count comes on top of the limit


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "codes"), [(83_000, {0}), (5_000_000, {0, 2})])
def test_three_gigabytes_in_little_memory(tmp_path, classes, codes):
    """A csv file of 3 GB is judged under --memory 500MB; of five million classes or refused.

    DuckDB holds a block of every partition of a GROUP BY: whether those of so many fit, a few
    megabytes decide.
    """
    path = tmp_path / "t.csv"
    cells = ", ".join(f"(1000000 + i % {classes} * {7 + n} % 4999999) AS q{n}" for n in range(6))
    rows = f"SELECT {cells}, i // {classes} % 5 AS s FROM range({ROWS}) AS r(i)"  # noqa: S608
    duckdb.sql(f"COPY ({rows}) TO '{path}' (HEADER)")
    assert path.stat().st_size > 2.9e9
    words = ["verify", str(path), "-k", "12", "--quasi", "q0,q1,q2,q3,q4,q5", "--sensitive", "s"]
    ran = subprocess.run(
        [sys.executable, "-m", "shoal", *words, "--l", "2", "--memory", "500MB"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    assert ran.returncode in codes, ran.stderr
    assert peak < LESS
    if ran.returncode == 2:
        assert "the counts of this file do not fit in memory" in ran.stderr
