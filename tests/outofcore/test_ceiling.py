"""`--memory` is a ceiling of what the whole process takes, from its floor on."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

FLOOR = 500  # megabytes: what is allowed at least
STARTER = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss)
"""


def write_table(path, rows):
    """Records of whole numbers, a decimal, texts and a date."""
    rng = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        file.write("age,income,hours,city,born,visits,illness\n")
        for _ in range(rows):
            born = f"{rng.randint(1930, 2020)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
            file.write(
                f"{rng.randint(0, 99)},{rng.randint(10, 900)}00,{rng.gauss(38, 6):.1f},"
                f"city {rng.randint(0, 299)},{born},{rng.randint(0, 9)},{rng.choice('abcde')}\n"
            )


def peak_of(source, output, limit):
    """Run `shoal anonymize` under a limit; return its exit code and the megabytes of its peak."""
    command = [
        sys.executable, "-m", "shoal", "anonymize", str(source), "-k", "5", "--quasi",
        "age,income,hours,city,born,visits", "--sensitive", "illness", "--effort", "quick",
        "--memory", limit, "-o", str(output), "--no-report",
    ]  # fmt: skip
    # by a small process of its own: Linux counts the memory of whoever starts a process, too
    told = subprocess.run(
        [sys.executable, "-S", "-c", STARTER, *command], capture_output=True, text=True, check=True
    )
    (output.parent / "err").write_text(told.stderr, encoding="utf-8")
    code, peak = told.stdout.split()[-2:]
    return int(code), int(peak) * 1024 / 1e6


@pytest.mark.slow
@pytest.mark.parametrize("rows", [20_000, 200_000])
def test_a_run_stays_below_its_limit(tmp_path, rows):
    """A file in memory and one that is grouped region by region take no more than they may."""
    write_table(tmp_path / "t.csv", rows)
    code, peak = peak_of(tmp_path / "t.csv", tmp_path / "r.csv", f"{FLOOR}MB")
    assert code == 0, (tmp_path / "err").read_text()
    assert peak < FLOOR


def test_less_than_the_floor_is_refused(tmp_path):
    """What nothing could be done with is refused, and the least amount is said."""
    write_table(tmp_path / "t.csv", 20)
    assert peak_of(tmp_path / "t.csv", tmp_path / "r.csv", f"{FLOOR - 1}MB")[0] == 2
    assert f"at least {FLOOR}MB" in (tmp_path / "err").read_text()
