"""Whether the tests of a later commit notice the mutants of `moved.py` as often.

    python benchmarks/mutation/later.py draw COMMIT
    python benchmarks/mutation/later.py run compiled|interpreted
    python benchmarks/mutation/later.py again
    python benchmarks/mutation/later.py page

`docs/mutation/moved.csv` says where each mutant was after the rebuild, and which test noticed it
there. `draw` finds them in a later commit (`pairs.py`), and weaves them into a copy of it; `run`
holds the tests of that commit against them as `moved.py` does; `again` holds what is noticed no
longer against all cases of the test that noticed it. `page` writes `docs/mutation/later.md`.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import moved  # noqa: E402
import page  # noqa: E402
import pairs  # noqa: E402
from moved_page import MODES, NOTICED, WORK, read  # noqa: E402

import telling  # noqa: E402

REBUILT = "4c3202c"  # the commit that moved.csv is of, after the rebuild
ROWS = WORK / "later.jsonl"
ENDS = {  # how pytest ends with a mutant and without it
    (1, 0): "noticed",
    (0, 0): "survived",
    (1, 1): "unknown: fails without it too",
    (5, 5): "unknown: the test is slow now",
}


def drawn():
    """Return the mutants of moved.csv, each as it stands there."""
    with (page.FOLDER / "moved.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def draw(asked):
    """Find the mutants in a later commit and weave them into copies of it."""
    moved.export(REBUILT, WORK / "rebuilt")
    found = {}
    for mode in MODES:
        moved.export(asked.commit, WORK / f"later-{mode}")
        moved.without_threads(WORK / f"later-{mode}")
    for old, new in pairs.paired(WORK / "rebuilt/src", WORK / f"later-{MODES[0]}/src")[0]:
        found.setdefault((f"{old.file}:{old.line}", old.where, old.old, old.new), []).append(new)
    rows = []
    for row in drawn():
        several = found.get((row["after"], row["where"], row["was"], row["became"]))
        if several:
            change = asdict(several.pop(0))
            rows.append({"number": int(row["number"]), "mode": row["mode"], "later": change})
    with ROWS.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    (WORK / "later.commit").write_text(asked.commit, encoding="utf-8")
    for mode in MODES:
        moved.weave("later", mode, rows)
    print(len(rows), "mutants found again", Counter(row["mode"] for row in rows))


def run(asked):
    """Hold the tests of the later commit against the mutants of a mode."""
    asked.side, asked.patience = "later", None
    numbers = [row["number"] for row in read(ROWS) if row["mode"] == asked.mode]
    moved.meet(asked, WORK / f"later-{asked.mode}-found", numbers)


def outcomes():
    """Return what became of every mutant of the later commit, by its number."""
    return {
        row["number"]: row
        for mode in MODES for row in read(WORK / f"later-{mode}-found" / "mutants.jsonl")
    }  # fmt: skip


def test_of(row):
    """Return the test that noticed a mutant after the rebuild, or "" where none did."""
    by = row["noticed after by"]
    return by if "::" in by else ""


def is_noticed(row):
    """Tell whether a mutant was noticed after the rebuild."""
    return bool(test_of(row)) or row["noticed after by"] in NOTICED


def again(_):
    """Hold mutants that are noticed no longer against all cases of the tests that noticed them."""
    known, found = {row["number"]: row for row in read(ROWS)}, outcomes()
    path = WORK / "later-again.jsonl"
    done = {row["number"] for row in read(path)}
    for row in drawn():
        number = int(row["number"])
        lost = number in found and is_noticed(row) and found[number]["outcome"] not in NOTICED
        if not lost or number in done:
            continue
        ended = outcome_of(number, known[number]["mode"], test_of(row).partition("[")[0])
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"number": number, "outcome": ended}) + "\n")
        print(number, row["where"], ended)


def outcome_of(number, mode, test):
    """Return how all cases of a test function end with a mutant."""
    tree, here = WORK / f"later-{mode}", Path(__file__).parent
    name = test.rpartition("::")[2]
    places = [
        str(path.relative_to(tree)) for path in (tree / "tests").rglob("test_*.py")
        if name and f"def {name}(" in path.read_text(encoding="utf-8")
    ]  # fmt: skip
    if not places:
        return "no test of that name"
    variables = {
        **os.environ, "PYTHONPATH": os.pathsep.join(map(str, (tree / "src", here / "switched"))),
        **({"NUMBA_DISABLE_JIT": "1"} if mode == "interpreted" else {}),
    }  # fmt: skip
    variables.pop("SHOAL_MUTANT", None)
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", "-p", "no:xdist",
               "-m", "not slow", "-k", name, *places]  # fmt: skip
    codes = []
    for mutant in ({"SHOAL_MUTANT": str(number)}, {}):
        try:
            ran = subprocess.run(command, cwd=tree, env={**variables, **mutant}, timeout=120,
                                 capture_output=True, check=False)  # fmt: skip
            codes.append(ran.returncode)
        except subprocess.TimeoutExpired:
            codes.append(1)
    return ENDS.get(tuple(codes), f"unknown: pytest ends with {codes}")


def write_page(_):
    """Write the page: how many are noticed, and every mutant that is noticed no longer."""
    rows, found = {int(row["number"]): row for row in drawn()}, outcomes()
    more = {row["number"]: row["outcome"] for row in read(WORK / "later-again.jsonl")}
    later = {row["number"]: row["later"] for row in read(ROWS)}
    before = {n for n in found if is_noticed(rows[n])}
    now = {n for n in found if found[n]["outcome"] in NOTICED}
    lost, gained = sorted(before - now), sorted(now - before)
    back = [n for n in lost if more.get(n) == "noticed"]
    commit = (WORK / "later.commit").read_text(encoding="utf-8")
    lines = [
        [f"{later[n]['file'].removeprefix('shoal/')}:{later[n]['line']}", rows[n]["where"],
         page.code(rows[n]["was"]), page.code(rows[n]["became"]), more.get(n, "not run again"),
         test_of(rows[n]).removeprefix("tests/")]
        for n in lost
    ]  # fmt: skip
    head = ["file", "where", "was", "became", "with all cases", "noticed then by"]
    text = [
        "# The same mutants, later",
        telling.wrapped(f"""Tests of `make test` were shortened after [the rebuild](moved.md). Do
            they still find its {len(rows)} mistakes? {len(later)} of them are found again in
            {commit}, and {len(found)} were held against its tests, with the same share of time.
            After the rebuild {len(before)} of these were noticed, now {len(now)}: {len(gained)}
            others, {len(lost)} no longer. Of those, {len(back)} are noticed by the test that
            noticed them then when all of its cases run; each test has a share of the time, and
            which of them fit in it is not the same on both sides.
            That is {len(before)} then and {len(now) + len(back)} now."""),
        "    python benchmarks/mutation/later.py draw " + commit + "\n"
        + "".join(f"    python benchmarks/mutation/later.py {part}\n"
                  for part in (*(f"run {mode}" for mode in MODES), "again", "page")),
        "## Noticed then, and not in the same time now",
        telling.table(head, lines, left=6) if lines else "None.",
    ]  # fmt: skip
    (page.FOLDER / "later.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")
    print(len(later), "found again,", len(before), "then,", len(now), "now,", len(back), "again")


def main():
    """Do what the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(required=True)
    drawing = parts.add_parser("draw")
    drawing.add_argument("commit")
    drawing.set_defaults(do=draw)
    runner = parts.add_parser("run")
    runner.add_argument("mode", choices=MODES)
    runner.set_defaults(do=run)
    parts.add_parser("again").set_defaults(do=again)
    parts.add_parser("page").set_defaults(do=write_page)
    asked = parser.parse_args()
    asked.do(asked)


if __name__ == "__main__":
    main()
