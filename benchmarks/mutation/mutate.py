"""How many small mistakes in the judges and in what writes releases the tests find: `make mutate`.

    python benchmarks/mutation/mutate.py [--sample 300] [--seed 1] [--workers 2]
                                          [--patience 60] [--again] [PART…]

Every mutant of `models` and `partition`, and a sample of those of `release`, drawn file by file in
proportion (0 for all). `--again` takes what was killed before as killed where neither the file nor
the mutant changed, and what lived and is explained as alive: after tests were added only the other
survivors are run. A PART of a file's path runs only the mutants of such files and writes no page.
`--patience` is how many seconds of tests a mutant meets at most. Writes `docs/mutation/`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import page  # noqa: E402
import running  # noqa: E402
from mutants import mutants_of  # noqa: E402

KEPT = running.WORK / "mutants.json"
WORKER = []


def all_mutants():
    """Return the mutants of every file, by file."""
    source = running.ROOT / "src"
    shoal = source / "shoal"
    paths = [shoal / "partition.py"]
    for room in ("judge", "release", "report", "save"):
        paths += (shoal / room).rglob("*.py")
    every = {path.relative_to(source).as_posix(): mutants_of(path, source) for path in paths}
    return {file: found for file, found in sorted(every.items()) if found}


def drawn(every, wanted, seed):
    """Return a sample, of every file its share, rounded so that the shares add up."""
    total = sum(map(len, every.values()))
    if not 0 < wanted < total:
        return [mutant for found in every.values() for mutant in found]
    exact = {file: wanted * len(found) / total for file, found in every.items()}
    sizes = {file: int(share) for file, share in exact.items()}
    rest = sorted(exact, key=lambda file: sizes[file] - exact[file])
    for file in rest[: wanted - sum(sizes.values())]:
        sizes[file] += 1
    rng = random.Random(seed)
    return [
        every[file][i]
        for file in every
        for i in sorted(rng.sample(range(len(every[file])), sizes[file]))
    ]


def key_of(mutant):
    """Return what is the same for the same mutant of the same file."""
    return hashlib.sha256(f"{mutant.file}\0{mutant.source}".encode()).hexdigest()


def start_worker(names):
    """Make a worker of this process, in a tree that no other has."""
    WORKER.append(running.Worker(Path(names.get())))


def run_one(mutant, rounds, seconds):
    """Run a mutant in the worker of this process."""
    return WORKER[0].run(mutant, rounds, seconds)


def run_control(tests, seconds):
    """Run tests without a mutant in the worker of this process."""
    return WORKER[0].control(tests, seconds)


def run(chosen, before, workers, patience):
    """Return the outcome of every mutant: killed, timeout, survived or not executed."""
    tests = running.measure_tests()
    chooser = running.Chooser(tests, patience)
    found = {key: before[key] for key in map(key_of, chosen) if key in before}
    waiting = [mutant for mutant in chosen if key_of(mutant) not in found]
    random.Random(0).shuffle(waiting)  # what is told while it runs is a sample of all
    context = multiprocessing.get_context("fork")
    names = context.Queue()
    for number in range(workers):
        names.put(str(running.copy_tree(f"tree-{number}")))
    start, killers = time.perf_counter(), {}
    with ProcessPoolExecutor(workers, context, start_worker, (names,)) as pool:
        quick = {name.partition("::")[0]: name for name in sorted(tests, key=slowest_first(tests))}
        if broken := control(pool, sorted(quick.values()), chooser.seconds):
            sys.exit(f"fails without a mutant: {broken[0]}")
        running_now = {}
        for mutant in waiting:
            rounds = chooser.rounds(mutant)
            seconds = {name: chooser.seconds[name] for part in rounds for name in part}
            running_now[pool.submit(run_one, mutant, rounds, seconds)] = mutant
        for done, future in enumerate(as_completed(running_now), 1):
            mutant = running_now[future]
            outcome, killer, seconds = future.result()
            found[key_of(mutant)] = outcome
            killers.setdefault(killer, []).append(key_of(mutant))
            if outcome != "killed":
                print(f"{outcome}: {mutant.file}:{mutant.line} {mutant.old} → {mutant.new} "
                      f"({seconds:.0f} s)", flush=True)  # fmt: skip
            if done % 25 == 0:
                so_far = Counter(found.values())
                print(f"--- {done} of {len(waiting)}, {time.perf_counter() - start:.0f} s, "
                      f"{dict(so_far)}", flush=True)  # fmt: skip
                keep(found)
        for test in control(pool, sorted(filter(None, killers)), chooser.seconds):
            print(f"fails without a mutant, and kills none: {test}", flush=True)
            for key in killers[test]:
                found[key] = "survived"
    keep(found)
    return found


def slowest_first(tests):
    """Return what tests are sorted by so that the fastest come last."""
    return lambda name: -tests[name]["seconds"]


def control(pool, tests, seconds):
    """Return those of some tests that fail without a mutant."""
    print(f"--- do {len(tests)} tests pass without a mutant?", flush=True)
    known = {name: seconds.get(name, 1.0) for name in tests}
    return pool.submit(run_control, tests, known).result() if tests else []


def keep(found):
    """Write outcomes, so that `--again` can go on from them."""
    KEPT.write_text(json.dumps({**read_kept(), **found}), encoding="utf-8")


def read_kept():
    """Return the outcomes of earlier runs."""
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}


def main():
    """Run the mutants and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=300, help="mutants of release; 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--patience", type=float, default=60, help="seconds of tests for a mutant")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART")
    asked = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has none
    running.WORK.mkdir(parents=True, exist_ok=True)
    every = all_mutants()
    release = {file: found for file, found in every.items() if page.room_of(file) == "release"}
    chosen = [m for file, found in every.items() if file not in release for m in found]
    chosen += drawn(release, asked.sample, asked.seed)
    if asked.parts:
        chosen = [m for m in chosen if any(part in m.file for part in asked.parts)]
    dead = ("killed", "timeout")
    kept, why = read_kept() if asked.again else {}, page.explained()
    explained = {key_of(mutant) for mutant in chosen if mutant.name in why}
    before = {key: o for key, o in kept.items() if o in dead or key in explained}
    print(f"{len(chosen)} mutants of {sum(map(len, every.values()))}", flush=True)
    found = run(chosen, before, asked.workers, asked.patience)
    told = [(page.room_of(m.file), m, found[key_of(m)]) for m in chosen]
    sizes = {file: len(mutants) for file, mutants in every.items()}
    if not asked.parts:
        page.write(told, sizes, asked.seed)
    scores = page.scores(told, sizes, by_file=False)
    for row in scores:
        print(*row, sep="\t")
    sys.exit(any(row[-1] < page.BAR for row in scores[1:]))


if __name__ == "__main__":
    main()
