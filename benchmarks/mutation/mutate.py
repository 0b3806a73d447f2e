"""Faults planted in the source, one at a time, that the goldens must notice.

The faults are drawn from a seed before anything is looked at: a file by its weight in statements,
so that every room has its share, then one of the small changes that `mutants.py` can make there.
Each is carried by a copy of `src`; the quick cases that execute its line go in through their doors,
until one comes out otherwise than recorded. Where a line is compiled, or is executed by an import,
those that pass through its file are tried, and others.

    python benchmarks/mutation/mutate.py --count 60 --seed 53
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import os
import random
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, Queue

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "tests")]

from mutants import Mutant, mutants_of  # noqa: E402

from goldens.cases import all_cases  # noqa: E402
from goldens.record import differences, records_of  # noqa: E402
from goldens.tables import NotHereError  # noqa: E402
from goldens.zygote import LINES, Zygote  # noqa: E402

Entry = tuple[str, str]  # a case, and a door
MOST = 80  # cases that are tried for a fault
SECONDS = 60  # a case that takes longer with a fault has noticed it


def planted(seed: int, count: int) -> list[Mutant]:
    """Return faults of files that are drawn by their statements."""
    draw = random.Random(seed)
    files = sorted(SOURCE.rglob("*.py"))
    weights = [
        sum(isinstance(n, ast.stmt) for n in ast.walk(ast.parse(f.read_bytes()))) for f in files
    ]
    found: list[Mutant] = []
    while len(found) < count:
        possible = mutants_of(draw.choices(files, weights)[0], SOURCE)
        if possible:
            found.append(draw.choice(possible))
    return found


def entries(slow: bool) -> list[Entry]:
    """Return the quick cases with their doors, or the slow ones too."""
    some = (case for case in all_cases().values() if slow or not case.slow)
    return [(case.name, door) for case in some for door in case.doors]


class Passed:
    """Which entries execute a line, and which pass through a file at all."""

    def __init__(self, folder: Path, good: set[Entry]) -> None:
        from coverage.numbits import numbits_to_nums

        self.lines: dict[tuple[str, int], set[Entry]] = defaultdict(set)
        self.files: dict[str, set[Entry]] = defaultdict(set)
        for path in folder.iterdir():
            name, door = re.match(r"(.+)\+([a-z]+)\.", path.name).groups()
            if (name, door) not in good:
                continue
            with contextlib.closing(sqlite3.connect(path)) as base:  # faster than file by file
                rows = base.execute("select path, numbits from line_bits join file on id = file_id")
                for file, bits in rows:
                    within = Path(file).relative_to(SOURCE).as_posix()
                    self.files[within].add((name, door))
                    for line in numbits_to_nums(bits):
                        self.lines[within, line].add((name, door))

    def of(self, fault: Mutant, every: list[Entry]) -> list[Entry]:
        """Return the entries that may notice a fault, the likely ones first.

        What is compiled is not watched, nor is the desk: any case that passes through the file may
        notice it, or any of the desk. An import executes a line for all cases.
        """
        likely = [{one for line in fault.lines for one in self.lines[fault.file, line]}]
        if "/web/" in fault.file:
            likely.append({one for one in every if one[1] == "desk"})
        elif "/kernels/" in fault.file or "/methods/" in fault.file:
            likely.append(self.files[fault.file])
        if not fault.lines or "/kernels/" in fault.file or not likely[0]:
            likely += [self.files[fault.file], set(every)]
        found: dict[Entry, None] = {}
        for some in likely:
            rest = sorted(some)
            random.Random(fault.line).shuffle(rest)
            found.update(dict.fromkeys(rest))
        return list(found)[:MOST]


def trace(every: list[Entry], jobs: int) -> tuple[Passed, list[Entry]]:
    """Carry out all entries, watched but at the desk; return where they passed.

    Those that come out otherwise than recorded without any fault, as on a machine with other
    libraries, are left out: they would notice everything.
    """
    good: list[Entry] = []
    with tempfile.TemporaryDirectory() as folder:
        waiting = _queue(every)

        def work(_: int) -> None:
            zygote = Zygote(SOURCE, {LINES: folder})
            for name, door in _taken(waiting):
                if not _noticed(zygote, name, door):
                    good.append((name, door))
            zygote.close()

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(work, range(jobs)))
        return Passed(Path(folder), set(good)), sorted(good)


def _noticed(zygote: Zygote, name: str, door: str) -> str:
    """Return in what a case comes out otherwise than recorded; nothing where it does not."""
    try:
        found = zygote.carry_out(name, door)
    except NotHereError:
        return ""
    except (RuntimeError, AssertionError, OSError) as error:
        return f"{name}, {door}: {str(error).strip().splitlines()[-1][:80]}"
    told = differences(records_of(all_cases()[name].area)[name][door], found)
    return f"{name}, {door}: {told[0][:80]}" if told else ""


def _queue(values: list) -> Queue:
    waiting: Queue = Queue()
    for value in values:
        waiting.put(value)
    return waiting


def _taken(waiting: Queue) -> Iterator:
    while True:
        try:
            yield waiting.get_nowait()
        except Empty:
            return


def who_notices(fault: Mutant, order: list[Entry], source: Path) -> tuple[str, int]:
    """Return the case that notices a fault first, or nothing, and how many were tried."""
    path = source / fault.file
    whole = path.read_text("utf-8")
    path.write_text(fault.source, "utf-8")
    zygote = Zygote(source, {"GOLDENS_SECONDS": str(SECONDS)})
    tried = 0
    try:
        for name, door in order:
            tried += 1
            if told := _noticed(zygote, name, door):
                return told, tried
        return "", tried
    finally:
        zygote.close()
        path.write_text(whole, "utf-8")


def main() -> None:
    """Plant faults and say which were noticed, by which case."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--count", type=int, default=60)
    asked.add_argument("--seed", type=int, default=53)
    asked.add_argument("--jobs", type=int, default=os.cpu_count())
    asked.add_argument("--only", type=int, nargs="*", help="numbers of faults, from 1 on")
    asked.add_argument("--slow", action="store_true", help="the slow cases too")
    said = asked.parse_args()
    faults = list(enumerate(planted(said.seed, said.count), 1))
    faults = [one for one in faults if not said.only or one[0] in said.only]
    every, began = entries(said.slow), time.monotonic()
    asked_for = len(every)
    passed, every = trace(every, said.jobs)
    print(f"{len(every)} of {asked_for} cases and doors come out as recorded; watched in "
          f"{time.monotonic() - began:.0f} s", flush=True)  # fmt: skip
    waiting, missed = _queue(faults), []

    def work(_: int) -> None:
        with tempfile.TemporaryDirectory() as place:
            source = Path(place) / "src"
            shutil.copytree(SOURCE, source)
            for number, fault in _taken(waiting):
                by, tried = who_notices(fault, passed.of(fault, every), source)
                if not by:
                    missed.append(number)
                what = f"{fault.file}:{fault.line} {fault.kind}: {fault.old} -> {fault.new}"
                print(f"{number:3} {what}\n    {by or 'NOT NOTICED'} ({tried} tried)", flush=True)

    with ThreadPoolExecutor(said.jobs) as pool:
        list(pool.map(work, range(said.jobs)))
    print(f"{len(faults) - len(missed)} of {len(faults)} noticed; not: {sorted(missed) or 'none'}")


if __name__ == "__main__":
    main()
