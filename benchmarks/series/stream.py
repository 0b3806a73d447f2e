"""A stream of 1,000,000 records in batches of 10,000: memory, throughput, and 20 kills.

    python benchmarks/series/stream.py [records=1000000] [batch=10000] [kills=20] [l=2]

Records of invented people are written to a folder of csv files, and `shoal stream` releases them:
three quasi-identifiers, one sensitive column, k = 5, mdav. At random moments the process is killed
(SIGKILL) and the same command is run again. In the end every batch is read back here, by code that
imports nothing of Shoal: a column that is kept and different for everybody tells that each person
is there once, and classes are counted. Prints the peak memory of the largest process, and the
seconds of the clock and of the processor, with those of killed processes and restarts.
"""

from __future__ import annotations

import csv
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

FILE = 50_000  # records of a file


def write_people(folder, records):
    """Write csv files of invented people."""
    draw = random.Random(7)
    for start in range(0, records, FILE):
        with (folder / f"part-{start:09}.csv").open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["id", "age", "income", "stay", "ill", "tag"])
            for n in range(start, min(start + FILE, records)):
                stay = int(draw.expovariate(0.2))
                income = round(draw.lognormvariate(10, 0.5), -1)
                out.writerow([f"p{n}", draw.randint(18, 95), int(income), stay,
                              draw.choice("abcdefg"), n])  # fmt: skip


def command(arriving, out, batch, least):
    """Return the words of the command."""
    return [
        sys.executable, "-m", "shoal", "stream", str(arriving), "-o", str(out), "-k", "5", "--l",
        str(least), "--person", "id", "--quasi", "age,income,stay", "--sensitive", "ill", "--other",
        "tag", "--keep-unique", "tag", "--changing", "tag", "--ledger", f"{out}.ledger", "--method",
        "mdav", "--batch", str(batch), "--progress", "none",
    ]  # fmt: skip


def run(words, out, moments, draw):
    """Run the command until it ends, killed at moments: so many batches, and a part of the next."""
    killed, pace, log = [], 1.0, out.with_suffix(".log")
    while True:
        with log.open("a") as said:
            since, before = None, count(out)
            process = subprocess.Popen(words, stderr=said)
            while process.poll() is None:
                made = count(out)
                if made > before:
                    now = time.monotonic()
                    pace = pace if since is None else (now - since) / (made - before)
                    since, before = now, made
                if len(killed) < len(moments) and made >= moments[len(killed)]:
                    time.sleep(draw.uniform(0, pace))
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    killed.append(count(out))
                    print(f"  killed at {killed[-1]} batches", flush=True)
                    break
                time.sleep(0.02)
            else:
                if process.returncode:
                    raise SystemExit(log.read_text()[-2000:])
                return killed, log.read_text().strip().splitlines()[-2]


def count(out):
    """Return how many batches there are."""
    return sum(1 for _ in out.glob("batch-*"))


def audit(out, records):
    """Return how many are lost, how many are there twice, and the least class of all batches."""
    seen, least, batches = bytearray(records), records, 0
    for path in sorted(out.glob("batch-*.csv")):
        classes = Counter()
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                seen[int(row["tag"])] += 1
                classes[row["age"], row["income"], row["stay"]] += 1
        least, batches = min(least, *classes.values()), batches + 1
    return seen.count(0), sum(1 for one in seen if one > 1), least, batches


def main():
    """Write the people, run the stream, audit it, and print."""
    asked = {"records": 1_000_000, "batch": 10_000, "kills": 20, "l": 2}
    asked |= {name: int(value) for name, value in (one.split("=") for one in sys.argv[1:])}
    records, batch, kills = asked["records"], asked["batch"], asked["kills"]
    draw = random.Random(11)
    with tempfile.TemporaryDirectory() as place:
        arriving, out = Path(place, "arriving"), Path(place, "out")
        arriving.mkdir()
        write_people(arriving, records)
        moments = sorted(draw.randrange(records // batch) for _ in range(kills))
        start = time.monotonic()
        killed, said = run(command(arriving, out, batch, asked["l"]), out, moments, draw)
        seconds = time.monotonic() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        lost, twice, least, batches = audit(out, records)
        size = Path(f"{out}.ledger").stat().st_size
        state = Path(f"{out}.private", "stream.db").stat().st_size
    cpu = used.ru_utime + used.ru_stime
    print(
        f"{records:,} records in {batches} batches of {batch:,}, k = 5, l = {asked['l']}, killed "
        f"{len(killed)} times: {lost} lost, {twice} released twice, the least class has {least}\n"
        f"{said}\npeak memory {used.ru_maxrss / 1024:,.0f} MB; {seconds:,.0f} s "
        f"({records / seconds:,.0f} records/s), {cpu:,.0f} s of the processor "
        f"({records / cpu:,.0f} records/s); ledger {size / 2**20:,.1f} MB, state "
        f"{state / 2**20:,.1f} MB"
    )


if __name__ == "__main__":
    main()
