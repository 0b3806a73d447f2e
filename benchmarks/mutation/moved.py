"""Whether the tests notice the same mistakes after the house was rebuilt as before.

    python benchmarks/mutation/moved.py draw BEFORE AFTER [--sample 500] [--seed 1]
    python benchmarks/mutation/moved.py run before|after compiled|interpreted [--patience S]
    python benchmarks/mutation/moved.py more before|after compiled|interpreted [--patience S]
    python benchmarks/mutation/moved.py again before|after compiled|interpreted [--patience 15]
    python benchmarks/mutation/moved.py page

BEFORE and AFTER are commits. `draw` pairs their mutants (`pairs.py`), draws a sample of the pairs,
of every file its share, and weaves it into copies of both trees (`schemata.py`); `run` holds the
tests of a side against it (`meeting.py`). What is compiled is run interpreted, by the tests
of kernels and methods. `run` may be stopped and goes on where it was. `more` holds what it leaves
against a case of each test function of which none ran. `again` runs mutants that
only the other side notices, with more patience, with all tests of files that have a test called as
the one that notices it there, and after with the tests as they are now. `page` writes
`docs/mutation/moved.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import moved_page  # noqa: E402
import pairs  # noqa: E402
import running  # noqa: E402
import schemata  # noqa: E402
from moved_page import MODES, SIDES, WORK, called, read  # noqa: E402
from mutate import drawn  # noqa: E402

LIMIT = {"compiled": 6.0, "interpreted": 1.5}  # seconds of a test
SHARE = {"compiled": 12.0, "interpreted": 4.0}  # seconds of a file's tests
PATIENCE = {"compiled": 5.0, "interpreted": 2.0}  # seconds of tests that a mutant meets
METHODS = (
    "kernels/", "methods/", "search/", "numeric/", "bounds/", "enforce/", "mixed/",
    *(f"test_{name}.py" for name in (
        "contracts", "mixed_contracts", "rules_contracts", "methods", "blocks", "auto", "efforts",
        "closeness_ways")),
)  # fmt: skip
DATETIME = re.compile(r' +"polars Datetime": \(pl\.[^\n]+\n[^\n]+\),\n')


# --- draw


def export(commit, folder):
    """Write all files of a commit into a folder."""
    with tempfile.TemporaryDirectory() as place:
        packed = Path(place) / "commit.tar"
        subprocess.run(["git", "archive", "-o", packed, commit], cwd=running.ROOT, check=True)
        shutil.unpack_archive(packed, folder)


def without_threads(tree):
    """Leave out a case that starts the threads of Polars while tests are collected.

    A process that is forked later would wait for them forever.
    """
    for path in (tree / "tests").rglob("test_*hierarch*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(DATETIME.sub("", text), encoding="utf-8")


def draw(asked):
    """Draw pairs of mutants and weave them into copies of both trees."""
    for side, commit in zip(SIDES, (asked.before, asked.after), strict=True):
        export(commit, WORK / side)
    sources = [WORK / side / "src" for side in SIDES]
    found, ours, theirs = pairs.paired(*sources)
    every = defaultdict(list)
    for pair in found:
        every[pair[0].file].append(pair)
    rows = []
    for number, pair in enumerate(drawn(dict(sorted(every.items())), asked.sample, asked.seed)):
        kernel = any(pairs.is_kernel(s, c.file) for s, c in zip(sources, pair, strict=True))
        sides = {side: asdict(change) for side, change in zip(SIDES, pair, strict=True)}
        rows.append({"number": number, "mode": MODES[kernel], **sides})
    drawn_from = {
        "paired": len(found), "mutants": [ours, theirs], "files": len(every),
        "seed": asked.seed, "commits": [asked.before, asked.after],
    }  # fmt: skip
    (WORK / "drawn.json").write_text(json.dumps(drawn_from), encoding="utf-8")
    with (WORK / "mutants.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    for side, commit in zip(SIDES, (asked.before, asked.after), strict=True):
        for mode in MODES:
            export(commit, WORK / f"{side}-{mode}")
            without_threads(WORK / f"{side}-{mode}")
            weave(side, mode, rows)
    print(len(rows), "mutants of", drawn_from, Counter(row["mode"] for row in rows))


def weave(side, mode, rows):
    """Write the mutants of a mode into the tree of a side."""
    by_file = defaultdict(list)
    for row in rows:
        if row["mode"] == mode:
            change = row[side]
            place = change["start"], change["end"], change["written"], change["whole"]
            by_file[change["file"]].append((row["number"], *place))
    for file, changes in by_file.items():
        path = WORK / f"{side}-{mode}" / "src" / file
        path.write_text(schemata.woven(path.read_bytes(), changes), encoding="utf-8")


# --- run


def run(asked):
    """Run the tests of a side without and with the mutants of a mode."""
    rows = read(WORK / "mutants.jsonl")
    numbers = [row["number"] for row in rows if row["mode"] == asked.mode]
    meet(asked, WORK / f"{asked.side}-{asked.mode}-found", numbers)


def more(asked):
    """Hold what a side does not notice against one case of each test function that did not run."""
    folder = WORK / f"{asked.side}-{asked.mode}-more"
    folder.mkdir(exist_ok=True)
    known = read(WORK / f"{asked.side}-{asked.mode}-found" / "tests.jsonl")
    if not (folder / "tests.jsonl").is_file():
        ran = {t["test"].partition("[")[0] for t in known if t["why"] != "share"}
        first = {}
        for test in known:
            first.setdefault(test["test"].partition("[")[0], test["test"])
        wanted = {test for function, test in first.items() if function not in ran}
        rest = [{**t, "ok": False} for t in known if t["test"] not in wanted]
        text = "".join(json.dumps(test) + "\n" for test in rest)
        (folder / "tests.jsonl").write_text(text, encoding="utf-8")
    found = read(WORK / f"{asked.side}-{asked.mode}-found" / "mutants.jsonl")
    numbers = [row["number"] for row in found if row["outcome"] not in moved_page.NOTICED]
    meet(asked, folder, numbers)


def again(asked):
    """Run the mutants that only the other side notices, with more patience and more tests."""
    folder = WORK / f"{asked.side}-{asked.mode}-again"
    folder.mkdir(exist_ok=True)
    modes = {row["number"]: row["mode"] for row in read(WORK / "mutants.jsonl")}
    numbers = [n for n in moved_page.differing(asked.side) if modes[n] == asked.mode]
    if not (folder / "tests.jsonl").is_file():
        known = without_namesakes(asked.side, asked.mode, numbers)
        text = "".join(json.dumps(test) + "\n" for test in known)
        (folder / "tests.jsonl").write_text(text, encoding="utf-8")
    tree = WORK / f"{asked.side}-{asked.mode}"
    if asked.side == "after":
        shutil.copytree(running.ROOT / "tests", tree / "tests", dirs_exist_ok=True)
        without_threads(tree)
    meet(asked, folder, numbers, share=60.0)


def without_namesakes(side, mode, numbers):
    """Return the tests known of a side, but for those left out of files that are needed in full.

    Such a file has a test that is called as one that notices a mutant on the other side.
    """
    theirs = moved_page.outcomes(*({*SIDES} - {side}))
    wanted = {called(theirs[number]["by"]) for number in numbers}
    known = read(WORK / f"{side}-{mode}-found" / "tests.jsonl")
    files = {t["test"].partition("::")[0] for t in known if called(t["test"]) in wanted}
    return [
        test for test in known
        if test["why"] != "share" or test["test"].partition("::")[0] not in files
    ]  # fmt: skip


def meet(asked, folder, numbers, share=None):
    """Hold tests against mutants and write what is found into a folder."""
    tree = WORK / f"{asked.side}-{asked.mode}"
    folder.mkdir(exist_ok=True)
    interpreted = asked.mode == "interpreted"
    wanted = {
        "numbers": numbers, "only": METHODS if interpreted else (), "limit": LIMIT[asked.mode],
        "share": share or SHARE[asked.mode],
        "patience": asked.patience or PATIENCE[asked.mode],
    }  # fmt: skip
    (folder / "asked.json").write_text(json.dumps(wanted), encoding="utf-8")
    here = Path(__file__).parent
    places = os.pathsep.join(map(str, (tree / "src", here / "switched", here)))
    variables = {
        **os.environ, "PYTHONPATH": places, "SHOAL_MEETING": str(folder / "asked.json"),
        "SHOAL_MET": str(folder / "met"), "OPENBLAS_NUM_THREADS": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(WORK / "hypothesis"),
        **({"NUMBA_DISABLE_JIT": "1"} if interpreted else {}),
    }  # fmt: skip
    if not interpreted:
        warm = [sys.executable, "-m", "shoal", "warmup"]
        subprocess.run(warm, cwd=tree, env=variables, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "meeting", "-p", "no:cacheprovider", "-p", "no:cov",
         "-p", "no:xdist", f"--basetemp={folder / 'temporary'}"],
        cwd=tree, env=variables, check=True,
    )  # fmt: skip


def write_page(_):
    """Write the page, with the commands that its figures come from."""
    drawn_from = json.loads((WORK / "drawn.json").read_text(encoding="utf-8"))
    tool = "python benchmarks/mutation/moved.py"
    parts = {"run": "found", "more": "more", "again": "again"}
    moved_page.write([
        f"{tool} draw {' '.join(drawn_from['commits'])}",
        *(f"{tool} {part} {side} {mode}"
          for part, end in parts.items() for side in SIDES for mode in MODES
          if (WORK / f"{side}-{mode}-{end}" / "mutants.jsonl").is_file()),
        f"{tool} page",
    ])  # fmt: skip


def main():
    """Do what the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(required=True)
    drawing = parts.add_parser("draw")
    drawing.add_argument("before")
    drawing.add_argument("after")
    drawing.add_argument("--sample", type=int, default=500)
    drawing.add_argument("--seed", type=int, default=1)
    drawing.set_defaults(do=draw)
    for name, do, patience in (("run", run, None), ("more", more, None), ("again", again, 15.0)):
        runner = parts.add_parser(name)
        runner.add_argument("side", choices=SIDES)
        runner.add_argument("mode", choices=MODES)
        runner.add_argument("--patience", type=float, default=patience)
        runner.set_defaults(do=do)
    parts.add_parser("page").set_defaults(do=write_page)
    asked = parser.parse_args()
    asked.do(asked)


if __name__ == "__main__":
    main()
