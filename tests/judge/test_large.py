"""A file that is far larger than the memory it is judged in."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import pytest

ROWS = 60_000_000  # about 3 GB of csv
LESS = 1_100_000_000  # bytes: what the program itself takes comes on top of the limit


@pytest.mark.slow
def test_three_gigabytes_in_little_memory(tmp_path):
    """A csv file of 3 GB is judged under --memory 500MB, in bounded memory."""
    path = tmp_path / "t.csv"
    cells = ", ".join(f"(1000000 + i // 12 * {7 + n} % 4999999) AS q{n}" for n in range(6))
    duckdb.sql(
        f"COPY (SELECT {cells}, i % 3 AS s FROM range({ROWS}) AS r(i)) TO '{path}' (HEADER)"  # noqa: S608
    )
    assert path.stat().st_size > 2.9e9
    code = (
        "import resource, sys\nfrom shoal.__main__ import main\n"
        "try: main()\nexcept SystemExit as end: print(end.code, file=sys.stderr)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, file=sys.stderr)"
    )
    words = ["verify", str(path), "-k", "12", "--quasi", "q0,q1,q2,q3,q4,q5", "--sensitive", "s"]
    ran = subprocess.run(
        [sys.executable, "-c", code, *words, "--l", "2", "--memory", "500MB"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    *_, code_text, peak = ran.stderr.split()
    assert code_text == "0", ran.stderr
    assert int(peak) < LESS
