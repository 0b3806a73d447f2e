"""What Shoal weighs beside something that does the same: `make scales` prints one table.

    python benchmarks/scales/scales.py [--only NAMES] [--page FILE]

Every line is a ratio to something that ran beside it, or says that it is a count. `--only
few,csv/plain` measures these lines, `--page` also writes the table as Markdown. CPU is that of all
processors, user and system, in seconds: of a process with its imports, or of grouping and reading
alone. Where a task runs several times the least counts. `lines.py` has the lines.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from functools import cache
from importlib.metadata import version
from pathlib import Path

from lines import LINES, Size

HERE = Path(__file__).parent
COMMAND = "python benchmarks/scales/scales.py --only"
TESTED = HERE.parents[1] / ".venv/test.times"  # what `times` of a shell says after `make test`
OPENING = """What Shoal weighs beside something that does the same, run right after it. A line
without a ratio is a count. CPU is in seconds of all processors, user and system, memory in MB. The
grouping alone is `shoal.microaggregate` of columns that are read already; a plain prototype reads,
groups, writes, reads again and counts, in as little code as that takes (`plain.py`). `make scales`
prints all lines, and the command in the head, with a name, one of them.
"""
LIBRARIES = "numpy", "numba", "pyarrow", "duckdb"


class Bench:
    """A folder with tables, in which tasks run, each once."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.measured = cache(self.measured)

    def table(self, name):
        """Return the place of a table, which is made where it is not there."""
        path = self.folder / name
        if not path.exists():
            subprocess.run([sys.executable, HERE / "tables.py", path], check=True)
        return str(path)

    def word(self, word):
        """Return a word with the places of its tables and files."""
        word = re.sub(r"@([\w-]+\.\w+)", lambda found: self.table(found[1]), word)
        return str(self.folder / word[1:]) if word.startswith("%") else word

    def measured(self, task):
        """Return CPU seconds and peak MB of a task's process, with the figures that it prints."""
        runs = [self.run([self.word(word) for word in task.words]) for _ in range(task.times)]
        return {name: _least(run.get(name) for run in runs) for name in runs[0]}

    def run(self, words):
        """Run a process; what the prototypes compile is kept in the folder."""
        own = {"NUMBA_CACHE_DIR": str(self.folder / "kernels")} if words[0] == "plain.py" else {}
        with (self.folder / "errors").open("w+") as errors:
            process = subprocess.Popen(
                [sys.executable, *words], cwd=HERE, env={**os.environ, **own}, text=True,
                stdout=subprocess.PIPE, stderr=errors,
            )  # fmt: skip
            said = process.stdout.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                errors.seek(0)
                sys.exit(f"{' '.join(words)}:\n{errors.read()}")
        figures = {"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * 1024 / 1e6}
        return {**figures, **(json.loads(said) if words[0].endswith(".py") else {})}

    def figure(self, asked):
        """Return a figure, None where there is none."""
        if asked is None:
            return None
        if isinstance(asked, Size):
            return Path(self.word(asked.file)).stat().st_size / 1e6
        return self.measured(asked.task)[asked.name]


def _least(figures):
    known = [figure for figure in figures if isinstance(figure, int | float)]
    return min(known) if known else None


def minutes_of_tests():
    """Return the CPU minutes of the last `make test` on this clone, None where it never ran."""
    if not TESTED.is_file():
        return None
    parts = re.findall(r"(\d+)m([\d.]+)s", TESTED.read_text())
    return sum(int(minutes) + float(seconds) / 60 for minutes, seconds in parts)


def row(line, bench):
    """Return the cells of a line."""
    ours = minutes_of_tests() if line.name == "test" else bench.figure(line.ours)
    beside = bench.figure(line.beside)
    if ours is None:
        return [line.name, line.what, "not run yet", "", ""]
    if line.beside is None:
        return [line.name, line.what, _told(ours), "", ""]
    if beside is None:
        return [line.name, line.what, _told(ours), "no prototype", ""]
    return [line.name, line.what, _told(ours), _told(beside), f"{ours / beside:.2f}"]


def _told(figure):
    return f"{figure:,}" if isinstance(figure, int) else f"{figure:.3g}"


def machine():
    """Return in words what the table was measured on."""
    with_ = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{os.cpu_count()} processors, {platform.system()} on {platform.machine()}, "
        f"Python {platform.python_version()}, {with_}; "
        f"load average {os.getloadavg()[2]:.1f} at the end"
    )


def table(rows):
    """Return the table as Markdown."""
    head = [f"`{COMMAND}`", "what", "ours", "beside it", "ratio"]
    lines = [head, ["---", "---", "--:", "--:", "--:"], *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def wanted(names):
    """Return the lines that are asked for by name or by what their names begin with."""
    chosen = [line for line in LINES if not names or {line.name, line.name.split("/")[0]} & names]
    known = {line.name for line in chosen} | {line.name.split("/")[0] for line in chosen}
    if names - known:
        every = ", ".join(line.name for line in LINES)
        sys.exit(f"there is no line {', '.join(sorted(names - known))}; there are {every}")
    return chosen


def main():
    """Measure the lines that are asked for, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of lines: few,csv/plain")
    parser.add_argument("--page", type=Path, help="a file for the table")
    asked = parser.parse_args()
    lines = wanted({name for name in asked.only.split(",") if name})
    begun, rows = time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        for line in lines:
            rows.append(row(line, bench))
            print(*rows[-1][:1], rows[-1][-1], file=sys.stderr, flush=True)
    told = f"{table(rows)}\n\n{machine()}; {time.monotonic() - begun:.0f} seconds in all."
    print(told)
    if asked.page:
        asked.page.write_text(f"# Scales\n\n{OPENING}\n{told}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
