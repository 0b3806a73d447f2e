"""`--memory` as a ceiling: a csv of mixed columns, released under several limits, beside its peak.

python benchmarks/scale/memory.py [--rows 5000000] [--limits 500MB,700MB,2GB] prints the peak of
resident memory of each run (ru_maxrss of the process) beside its limit; it fails if one is above.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PIECE = 100_000
CITIES = [f"city {i:03d}" for i in range(300)]
ILLNESSES = ["flu", "cold", "gout", "asthma", "none"]


def write_table(path: Path, rows: int, seed: int = 0) -> None:
    """Write records of whole numbers, decimals, texts and a date, with ties and long tails."""
    rng = np.random.default_rng(seed)
    days = np.datetime64("1930-01-01") + np.arange(36_500)
    with path.open("w", encoding="utf-8") as file:
        file.write("age,income,hours,city,born,visits,illness\n")
        for start in range(0, rows, PIECE):
            count = min(PIECE, rows - start)
            age = rng.integers(0, 100, count)
            income = np.round(rng.lognormal(10, 1, count), -2).astype(int)
            hours = np.round(rng.normal(38, 6, count), 1)
            city, born = rng.integers(0, len(CITIES), count), rng.integers(0, days.size, count)
            visits, ill = rng.poisson(3, count), rng.integers(0, len(ILLNESSES), count)
            for i in range(count):
                file.write(
                    f"{age[i]},{income[i]},{hours[i]:.1f},{CITIES[city[i]]},{days[born[i]]},"
                    f"{visits[i]},{ILLNESSES[ill[i]]}\n"
                )


def peak_of(command: list[str], log: Path) -> tuple[int, float, float]:
    """Run a command; return its exit code, the megabytes it took at most, and its seconds."""
    begun = time.monotonic()
    with log.open("w") as out:
        child = os.posix_spawn(
            command[0], command, os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1),
                          (os.POSIX_SPAWN_DUP2, out.fileno(), 2)],
        )  # fmt: skip
        _, status, used = os.wait4(child, 0)
    seconds = time.monotonic() - begun
    return os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024 / 1e6, seconds


def main() -> int:
    """Measure every limit."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--limits", default="500MB,700MB,2GB")
    parser.add_argument("--k", default="5")
    parser.add_argument("--quasi", default="age,income,hours,born,visits")
    parser.add_argument("--sensitive", default="illness,city")
    asked = parser.parse_args()
    over = 0
    with tempfile.TemporaryDirectory() as place:
        table = Path(place) / "table.csv"
        write_table(table, asked.rows)
        size = table.stat().st_size / 1e6
        print(f"{asked.rows:,} records of 7 columns, {size:.0f} MB of csv, k = {asked.k}")
        print("| limit | peak MB | seconds | exit |\n| --: | --: | --: | --: |")
        for limit in asked.limits.split(","):
            command = [
                sys.executable, "-m", "shoal", "anonymize", str(table), "-k", asked.k,
                "--quasi", asked.quasi, "--sensitive", asked.sensitive,
                "--memory", limit, "-o", str(Path(place) / f"out-{limit}.csv"), "--force",
            ]  # fmt: skip
            code, peak, seconds = peak_of(command, Path(place) / "log")
            print(f"| {limit} | {peak:.0f} | {seconds:.0f} | {code} |", flush=True)
            if code:
                print((Path(place) / "log").read_text()[-500:])
            unit = 1000 if limit.endswith("GB") else 1
            over += code != 0 or peak > float(limit.rstrip("GMB")) * unit
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
