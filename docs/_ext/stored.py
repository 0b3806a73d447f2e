"""Outputs of the jobs that are too long to run with the site: `make docs-all` makes them anew.

    python docs/_ext/stored.py [ten-million] [cluster]

Each job runs its commands in a temporary folder (SHOAL_WORK, else the system's) and writes what
they print, with date, versions, seconds and peak memory, to docs/jobs/stored/, which its
page has. Where they are missing, the page has the commands alone. The cluster's needs Spark.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import shoal

PLACE = Path(__file__).parents[1] / "jobs" / "stored"
CHUNK = 1_000_000
OURS = re.compile(r"^(?:[\d,]+ records|verified)", re.M)  # before it Spark logs


def people(rows: int, seed: int) -> pa.Table:
    """Return invented people: a name, an age, an income, a date of birth, an opinion."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, rows)
    born = np.datetime64("2026-01-01") - (age * 365.25 + rng.integers(0, 365, rows)).astype(int)
    income = np.round(np.exp(rng.normal(9.8 + 0.008 * np.minimum(age, 60), 0.5)), -2)
    return pa.table({
        "name": np.char.add("person ", (np.arange(rows) + seed * rows).astype(str)),
        "age": age.astype(np.int16), "income": income, "born": born,
        "opinion": rng.choice(["yes", "no", "none"], rows),
    })  # fmt: skip


def one_file(folder: Path) -> None:
    """Write ten million people into one file."""
    with pq.ParquetWriter(folder / "big.parquet", people(1, 0).schema) as file:
        for seed in range(10):
            file.write_table(people(CHUNK, seed))


def many_files(folder: Path) -> None:
    """Write eight files of 25,000 people each."""
    (folder / "stays").mkdir()
    for seed in range(8):
        pq.write_table(people(25_000, seed), folder / f"stays/part-{seed}.parquet")


QUASI = "--quasi age,income --identifier name --sensitive opinion --drop born"
JOBS = {
    "ten-million": (one_file, (
        "shoal anonymize big.parquet -k 10 --quasi age,income,born --identifier name "
        "--sensitive opinion --memory 2GB -o safe.parquet",
        "shoal verify safe.parquet -k 10 --quasi age,income,born",
    )),
    "cluster": (many_files, (
        f"shoal anonymize 'stays/*.parquet' -k 10 {QUASI} --engine dask -o release/",
        "shoal verify release/ -k 10 --quasi age,income",
        f"shoal anonymize 'stays/*.parquet' -k 10 {QUASI} --engine spark -o spark/",
        f"shoal anonymize 'stays/*.parquet' -k 10 {QUASI} --engine threads -o threads/",
    )),
}  # fmt: skip


def ran(line: str, folder: Path) -> str:
    """Run a command; return what a reader sees of it, without details, and what it took."""
    _, *words = shlex.split(line)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "shoal", *words], cwd=folder, check=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "COLUMNS": "100", "SHOAL_PROGRESS": "none", "NO_COLOR": "1"},
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    printed = done.stdout[OURS.search(done.stdout).start() :].replace(f"{folder}/", "")
    first, _, rest = printed.strip().partition("\n\n")
    files = [one for one in rest.splitlines() if one.startswith(("wrote", "private, not"))]
    said = "\n".join([first, *(["…", *files] if rest else [])])
    took = f"{max(1, cpu):,.0f} s of the CPU; the largest process {after.ru_maxrss / 1e6:.2f} GB"
    if "spark" in words:  # a Java process of its own, for which nobody waits
        took += ", without those of Spark itself"
    return f"```console\n$ {line}\n{said}\n```\n\n*{took}.*\n"


def told(name: str) -> str:
    """Return the stored outputs of a job; where they were not made, its commands alone."""
    file = PLACE / f"{name}.md"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    return "\n".join(["```console", *(f"$ {line}" for line in JOBS[name][1]), "```"])


def make(name: str) -> None:
    """Run a job and store its outputs."""
    prepare, lines = JOBS[name]
    with tempfile.TemporaryDirectory(dir=os.environ.get("SHOAL_WORK")) as made:
        folder = Path(made)
        prepare(folder)
        told = [ran(line, folder) for line in lines]
    head = (
        f"Made on {datetime.date.today().isoformat()} by `make docs-all` with shoal "
        f"{shoal.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores "
        f"({platform.system()}, {platform.machine()}).\n"
    )
    PLACE.mkdir(parents=True, exist_ok=True)
    (PLACE / f"{name}.md").write_text("\n".join([head, *told]), encoding="utf-8")
    print(f"docs/jobs/stored/{name}.md", flush=True)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or JOBS:
        make(wanted)
