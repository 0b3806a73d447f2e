"""The lines of the scales as data: ten jobs, and what is measured beside what.

A word that begins with `@` is a table of `tables.py`, made when it is asked for; one that begins
with `%` is a file to write.
"""

from __future__ import annotations

import json
from typing import NamedTuple


class Task(NamedTuple):
    """A process of Python: a script of this folder or a module, its words, how often it runs."""

    words: tuple[str, ...]
    times: int = 1


class Figure(NamedTuple):
    """A figure of a task: `cpu` and `peak` of the process, or what it prints by that name."""

    task: Task
    name: str = "cpu"


class Size(NamedTuple):
    """The size of a file in MB."""

    file: str


class Line(NamedTuple):
    """A ratio of two figures, or, where nothing is beside it, a count."""

    name: str
    what: str
    ours: Figure | None
    beside: Figure | Size | None = None


class Job(NamedTuple):
    """A table made safe, file to file: its options, those of its grouping, the plain prototype."""

    name: str
    what: str
    table: str
    quasi: tuple[str, ...]
    options: tuple[str, ...]
    grouping: dict
    plain: tuple[str, ...]
    times: int = 1

    def lines(self):
        """Return its CPU over that of its grouping alone, and over that of the prototype."""
        target = f"%out.{self.table.rpartition('.')[2]}"
        words = (
            "-m", "shoal", "anonymize", self.table, "--quasi", ",".join(self.quasi),
            *self.options, "--force", "--json", "-o", target,
        )  # fmt: skip
        grouping = json.dumps({"quasi": self.quasi, **self.grouping})
        ours = Figure(Task(words, self.times))
        alone = Task(("ours.py", "group", self.table, grouping), self.times)
        way, *more = self.plain
        plain = Task(
            ("plain.py", way, self.table, target, str(self.grouping["k"]), *more), self.times
        )
        yield Line(f"{self.name}/grouping", f"{self.what}: CPU over that of its grouping alone",
                   ours, Figure(alone, "grouping"))  # fmt: skip
        yield Line(f"{self.name}/plain", f"{self.what}: CPU over that of the plain prototype",
                   ours, Figure(plain, "plain"))  # fmt: skip
        if self.name in LARGE:
            what = f"{self.what}: peak memory over the size of the file, MB"
            yield Line(f"{self.name}/peak", what, ours._replace(name="peak"), Size(self.table))


NUMBERS = tuple(f"x{j}" for j in range(8))
MIXED = "age", "income", "town", "job", "sex", "zip"
WORDS = tuple(f"w{j}" for j in range(5))
WIDE = tuple(f"x{j}" for j in range(100))
TREES = {"town": "@town_tree.csv", "job": "@job_tree.csv", "zip": "prefixes:4,3,2"}
BY_TREES = tuple(f"{name}={tree}" for name, tree in TREES.items())
HIERARCHIES = tuple(word for one in BY_TREES for word in ("--hierarchy", one))
SECRET = "--sensitive", "s"
LARGE = "parquet", "csv", "regions"

JOBS = (
    Job("few", "300 × 7 mixed with trees, csv", "@mixed-300.csv", MIXED,
        ("-k", "5", *SECRET, *HIERARCHIES),
        {"k": 5, "method": "auto", "hierarchies": TREES}, ("mixed", *BY_TREES), 3),
    Job("mixed", "10,000 × 7 mixed with trees, csv", "@mixed-10000.csv", MIXED,
        ("-k", "5", *SECRET, *HIERARCHIES),
        {"k": 5, "method": "auto", "hierarchies": TREES}, ("mixed", *BY_TREES)),
    Job("parquet", "300,000 × 9, Parquet", "@numbers-300000.parquet", NUMBERS,
        ("-k", "5", *SECRET), {"k": 5, "method": "auto"}, ("numbers",)),
    Job("csv", "300,000 × 9, csv", "@numbers-300000.csv", NUMBERS,
        ("-k", "5", *SECRET), {"k": 5, "method": "auto"}, ("numbers",)),
    Job("regions", "300,000 × 9, Parquet, --memory 500MB", "@numbers-300000.parquet", NUMBERS,
        ("-k", "5", *SECRET, "--memory", "500MB"), {"k": 5, "method": "auto"}, ("numbers",)),
    Job("wide", "1,000 × 100, csv", "@wide-1000.csv", WIDE,
        ("-k", "5"), {"k": 5, "method": "auto"}, ("numbers",)),
    Job("suppression", "10,000 × 6 texts, local suppression, csv", "@words-10000.csv", WORDS,
        ("-k", "5", *SECRET, "--method", "local-suppression"),
        {"k": 5, "method": "local-suppression"}, ("cells",)),
    Job("l", "3,000 × 9, l = 3, csv", "@numbers-3000.csv", NUMBERS,
        ("-k", "5", *SECRET, "--l", "3"), {"k": 5, "method": "auto"}, ("diverse",)),
    Job("mdav", "20,000 × 9 by mdav, k = 10, Parquet", "@numbers-20000.parquet", NUMBERS,
        ("-k", "10", *SECRET, "--method", "mdav"), {"k": 10, "method": "mdav"},
        ("numbers", "20000")),
    Job("search", "2,000 × 9 by ilsmc, 2,000 iterations, csv", "@numbers-2000.csv", NUMBERS,
        ("-k", "5", *SECRET, "--method", "ilsmc", "--max-iterations", "2000"),
        {"k": 5, "method": "ilsmc", "max_iterations": 2000}, ("search", "2000")),
)  # fmt: skip


def asked(command, file, *options):
    """Return a task of a command about a file of eight numbers and a sensitive text."""
    return Task(("-m", "shoal", command, *file, "--quasi", ",".join(NUMBERS), *options, "--json"))


def questions(file, *sensitive):
    """Return the same classes counted in DuckDB."""
    return Figure(Task(("questions.py", file, ",".join(NUMBERS), *sensitive), 3))


def verifying(file):
    """Return the task of `shoal verify` with three questions."""
    return asked("verify", (file,), "-k", "4", *SECRET, "--l", "1", "--alpha", "1")


def ratio(what, *words, over):
    """Return two figures that one task prints."""
    task = Task(("ours.py", what, *words))
    return Figure(task, over[0]), Figure(task, over[1])


FEW = JOBS[0]
FEWEST = json.dumps({"k": 5, "quasi_identifiers": MIXED, "sensitive": ["s"], "hierarchies": TREES})
HOPS = Task(("ours.py", "hops", FEW.table, FEWEST))
JUDGED = "@released-1000000.parquet", "@released-1000000.csv"
CLASSES = "1,000,000 × 9 in 83,333 classes"
ORIGINAL, RELEASE = "@numbers-200000.parquet", "@released-200000.parquet"

LINES = (
    *(line for job in JOBS for line in job.lines()),
    Line("verify/parquet", f"verify, {CLASSES}, Parquet: CPU over that of one SQL query",
         Figure(verifying(JUDGED[0])), questions(JUDGED[0], "s")),
    Line("verify/csv", f"verify, {CLASSES}, csv: CPU over that of one SQL query",
         Figure(verifying(JUDGED[1])), questions(JUDGED[1], "s")),
    Line("read/csv", "read, 300,000 × 9, csv: CPU over that of Arrow's reader",
         *ratio("reading", "@numbers-300000.csv", over=("shoal", "arrow"))),
    Line("read/parquet", "read, 300,000 × 9, Parquet: CPU over that of Arrow's reader",
         *ratio("reading", "@numbers-300000.parquet", over=("shoal", "arrow"))),
    Line("measure", "measure, 200,000 × 9: CPU over that of its GROUP BY",
         Figure(asked("measure", (ORIGINAL, RELEASE), *SECRET)), questions(RELEASE)),
    Line("risk", "risk, 200,000 × 8: CPU over that of its GROUP BY",
         Figure(asked("risk", (ORIGINAL,))), questions(ORIGINAL)),
    Line("install", "first job of 300 rows after an install: CPU over that of the second",
         *ratio("install", *next(FEW.lines()).ours.task.words, over=("first", "second"))),
    Line("threads/grouping", "300,000 × 8 grouped: time of two threads over that of one",
         *ratio("threads", "@numbers-300000.parquet", "5", over=("two", "one"))),
    Line("hops/files", "files of ours that one anonymize of 300 rows passes, a count",
         Figure(HOPS, "files")),
    Line("hops/functions", "functions that it passes, a count", Figure(HOPS, "functions")),
    Line("hops/between", "calls from one file into another, a count", Figure(HOPS, "hops")),
    Line("test", "CPU of the last `make test`, minutes", None),
)  # fmt: skip
