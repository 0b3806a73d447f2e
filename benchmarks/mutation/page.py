"""The page of `make mutate`: scores by room and by file, and why survivors survived."""

from __future__ import annotations

import csv
import math
import platform
from collections import Counter

import running

import telling

FOLDER = running.ROOT / "docs" / "mutation"
BAR = 80.0
HEAD = (
    "room",
    "file",
    "mutants",
    "tried",
    "killed",
    "timeout",
    "survived",
    "not executed",
    "score",
)
NAME = ("file", "where", "old", "new", "nth")


def scores(told, sizes, by_file):
    """Return rows of a table: a room or a file, its mutants by outcome, percent killed."""
    groups = {}
    for room, mutant, outcome in told:
        groups.setdefault((room, mutant.file if by_file else ""), Counter())[outcome] += 1
    rows = []
    for (room, file), counts in sorted(groups.items()):
        whole = sum(n for f, n in sizes.items() if f == file or (not file and room_of(f) == room))
        tried, dead = sum(counts.values()), counts["killed"] + counts["timeout"]
        rows.append([room, file, whole, tried, counts["killed"], counts["timeout"],
                     counts["survived"], counts["not executed"],
                     round(100 * dead / tried, 1)])  # fmt: skip
    return [list(HEAD), *rows]


def room_of(file):
    """Return models, partition or release, which is all that makes and judges a release."""
    if file.startswith("shoal/judge/models/"):
        return "models"
    return "partition" if file == "shoal/partition.py" else "release"


def interval(dead, tried, whole):
    """Return Wilson's 95 % interval of a share in percent; of a whole that was tried, the share."""
    share = dead / tried
    if tried == whole:
        return 100 * share, 100 * share
    z = 1.959964
    middle = share + z * z / (2 * tried)
    half = z * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    return tuple(100 * (middle + sign * half) / (1 + z * z / tried) for sign in (-1, 1))


def explained():
    """Return by the name of a mutant why it survives, as written by hand."""
    path = FOLDER / "explained.csv"
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {tuple(row[key] for key in NAME): row["why"] for row in csv.DictReader(file)}


def code(text):
    """Return a text as code of a table."""
    return f"`` {text} ``"


def write(told, sizes, seed):
    """Write the page and its tables."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    rooms, files = scores(told, sizes, by_file=False), scores(told, sizes, by_file=True)
    telling.write(FOLDER, "scores", files)
    alive = [m for _, m, outcome in told if outcome not in {"killed", "timeout"}]
    why = explained()
    telling.write(
        FOLDER, "survivors",
        [[*NAME, "line", "why"], *([*m.name, m.line, why.get(m.name, "")] for m in alive)],
    )  # fmt: skip
    shown = []
    for room, _, whole, tried, killed, timeout, survived, missed, score in rooms[1:]:
        low, high = interval(killed + timeout, tried, whole)
        sure = "all" if tried == whole else f"{low:.1f} to {high:.1f}"
        shown.append([room, *map(str, (whole, tried, killed, timeout, survived, missed)),
                      f"{score:.1f} %", sure])  # fmt: skip
    reasons = Counter(why.get(m.name, "not explained").partition(":")[0] for m in alive)
    sampled = sum(row[3] for row in rooms[1:] if row[0] == "release")
    opening = f"""One small thing in the code is changed at a time, and the tests are run that
        execute it: a change that no test notices is a survivor. `make mutate` tries every mutant of
        `models` and `partition` and a sample of {sampled} of those of `release`, drawn file by file
        in proportion with the seed {seed}. A mutant that does not end counts as killed (timeout),
        one that cannot be imported too. Survivors that no test could kill, because they do the
        same, are not taken out of the score. The bar is 80 %. Made with Python
        {platform.python_version()}; `benchmarks/mutation/mutants.py` says what is changed and what
        is not."""
    text = [
        "# Mutants",
        telling.wrapped(opening),
        telling.table(
            ["room", "mutants", "tried", "killed", "timeout", "survived", "not executed", "score",
             "95 % interval"], shown),
        "## By file",
        telling.table(
            list(HEAD[1:]),
            [[str(cell) for cell in row[1:]] for row in files[1:]]),
        "## Survivors",
        telling.wrapped("Why they survive, written by hand in `explained.csv`. " + "; ".join(
            f"{reason}: {count}" for reason, count in reasons.most_common()) + "."),
        telling.table(
            ["file", "where", "was", "became", "why"],
            [[f"{m.file.removeprefix('shoal/')}:{m.line}", m.where, code(m.old), code(m.new),
              why.get(m.name, "not explained")] for m in alive], left=5),
    ]  # fmt: skip
    (FOLDER / "README.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")
