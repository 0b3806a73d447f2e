"""What an install takes: the wheel in a fresh environment, the core alone and with each extra.

    python benchmarks/install/size.py [EXTRA …]      (`make size`: the core alone)

Builds the wheel, installs it into new environments as a user would (`pip install shoal.whl`) and
counts packages and bytes on disk: of the files that were installed, of the bytecode that pip makes
of them (`pip install --no-compile` leaves it out), and of the environment as it was before. In the
core every command and public function is then run (`tests/without_extras.py`): each works or names
its extra. Writes `docs/install/`.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "install"
MOST_MEGABYTES, MOST_PACKAGES = 470, 20
HEAD = ["installed", "packages", "files", "bytecode", "empty"]


def run(*command, **options):
    """Run a command and return its output; stop where it fails."""
    return subprocess.run(
        [str(part) for part in command], check=True, capture_output=True, text=True, **options
    ).stdout


def megabytes(folder, bytecode):
    """Return what a folder takes on disk, in millions of bytes: its bytecode, or all else."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    wanted = [path for path in files if (path.suffix == ".pyc") == bytecode]
    return sum(path.stat().st_blocks * 512 for path in wanted) / 1e6


def built(sources, place):
    """Build the wheel of a folder of sources and return its path."""
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", sources,
        "-w", place)  # fmt: skip
    (wheel,) = place.glob("shoal-*.whl")
    return wheel


def measured(wheel, extras, work):
    """Install the wheel with some extras; return the environment and a row of figures."""
    place = work / ("-".join(["env", *extras]))
    run(sys.executable, "-m", "venv", place)
    python = place / "bin" / "python"
    empty = megabytes(place, False), megabytes(place, True)
    before = packages(python)
    named = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", named)
    row = {
        "installed": f"shoal[{','.join(extras)}]" if extras else "shoal",
        "packages": len(packages(python) - before),
        "files": round(megabytes(place, False) - empty[0], 1),
        "bytecode": round(megabytes(place, True) - empty[1], 1),
        "empty": round(sum(empty), 1),
    }
    return python, row, largest(python, before)


def packages(python):
    """Return the names of the packages of an environment."""
    listed = run(python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check")
    return {one["name"] for one in json.loads(listed)}


NEEDED = ("llvmlite", "pyarrow", "numpy", "numba")  # nothing runs without them
LARGE = 5  # megabytes from which a package is named
FILES = """
import importlib.metadata, json
print(json.dumps({one.name: [str(one.locate_file(file)) for file in one.files or ()]
                  for one in importlib.metadata.distributions()}))
"""


def largest(python, before):
    """Return what each large package takes, in megabytes: its files, and their bytecode."""
    sizes = {}
    for name, files in json.loads(run(python, "-c", FILES)).items():
        if name not in before:
            there = [path for path in map(Path, files) if path.is_file()]
            taken = {path: path.stat().st_blocks * 512 / 1e6 for path in there}
            code = sum(size for path, size in taken.items() if path.suffix == ".pyc")
            sizes[name] = sum(taken.values()) - code, code
    large = [(name, *both) for name, both in sizes.items() if sum(both) >= LARGE]
    return sorted(large, key=lambda one: -one[1])


def walked(python, work):
    """Run everything with an environment; return how much worked, how much named its extra."""
    folder = work / "walk"
    folder.mkdir()
    lines = run(python, ROOT / "tests" / "without_extras.py", folder).splitlines()
    outcomes = [json.loads(line) for line in lines]
    works = [one for one in outcomes if one["code"] == 0 and one["extra"] is None]
    named = [
        one for one in outcomes if one["code"] == 2 and f"shoal[{one['extra']}]" in one["said"]
    ]
    other = [one["name"] for one in outcomes if one not in works and one not in named]
    return len(works), len(named), other


def page(rows, walk, large):
    """Return the page."""
    core = rows[0]
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    lines = [
        "# What an install takes",
        "",
        f"The wheel in a fresh environment, by pip, on {system}; `make size` writes this page.",
        "Packages are those that were added, Shoal among them; megabytes are millions of bytes on",
        "disk. pip compiles what it installs; `pip install --no-compile` and uv leave the bytecode",
        "out, and Python makes it of what is imported. The empty environment (pip, and with Python",
        f"3.11 setuptools) has {core['empty']:.0f} MB more.",
        "",
        "| installed | packages | files, MB | bytecode, MB | with the empty environment, MB |",
        "|---|--:|--:|--:|--:|",
    ]
    for row in rows:
        figures = f"{row['files']:.0f} | {row['bytecode']:.0f} | {whole(row):.0f}"
        lines.append(f"| `{row['installed']}` | {row['packages']} | {figures} |")
    works, named, other = walk
    lines += [
        "",
        *bar(core, large),
        "",
        f"What takes {LARGE} MB or more:",
        "",
        "| package | files, MB | bytecode, MB |",
        "|---|--:|--:|",
        *(f"| {name} | {files:.0f} | {code:.0f} |" for name, files, code in large),
        "",
        "llvmlite and numba compile the kernels, pyarrow reads and writes every file, numpy is",
        "below both: none of them is an extra, as nothing runs without it. Their wheels have no",
        "smaller form. What can be left out is the bytecode (`pip install --no-compile`, or uv).",
        "",
        f"With the core alone {works} commands and functions work and {named} name the extra they",
        f"need, in one line and with exit code 2; {len(other)} do neither.",
    ]
    return "\n".join(lines) + "\n"


def bar(core, large):
    """Return where the core lies beside its bar, by each way to measure, and why."""
    bare = core["files"] + core["empty"]
    needed = sum(files + code for name, files, code in large if name in NEEDED) + core["empty"]
    return [
        f"The core's bar is {MOST_PACKAGES} packages and {MOST_MEGABYTES} MB. The files that are",
        f"installed are {verdict(core['files'])} it, with bytecode they are "
        f"{verdict(core['files'] + core['bytecode'])} it,",
        f"and the whole environment is {verdict(whole(core))} it. Without bytecode, which",
        f"`pip install --no-compile` leaves out, the environment has {bare:.0f} MB and is "
        f"{verdict(bare)} it. {', '.join(NEEDED[:-1])} and {NEEDED[-1]}, with the empty",
        f"environment and nothing else, are {needed:.0f} MB, which is {verdict(needed)} it.",
    ]


def whole(row):
    """Return what an environment takes, with pip and bytecode."""
    return row["files"] + row["bytecode"] + row["empty"]


def verdict(size):
    """Return where a size lies."""
    return "within" if size <= MOST_MEGABYTES else "above"


def main():
    """Measure, print, and write the page; exit code 1 where a bar is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("extras", nargs="*", help="extras to measure, each on its own, or all")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        wheel = built(ROOT, work / "wheel")
        python, core, large = measured(wheel, [], work)
        rows = [core, *(measured(wheel, [extra], work)[1] for extra in asked.extras)]
        walk = walked(python, work)
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "size.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    text = page(rows, walk, large)
    (FOLDER / "README.md").write_text(text)
    print(text)
    sys.exit(bool(walk[2]) or core["packages"] > MOST_PACKAGES or whole(core) > MOST_MEGABYTES)


if __name__ == "__main__":
    main()
