"""`--memory` is a ceiling of what the whole process takes, from its floor on."""

from __future__ import annotations

import os
import random
import sys

import pytest

FLOOR = 500  # megabytes: what is allowed at least


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
    child = os.posix_spawn(
        command[0], command, os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 2, str(output.parent / "err"), os.O_WRONLY | os.O_CREAT,
                       0o600)],
    )  # fmt: skip
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024 / 1e6


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
