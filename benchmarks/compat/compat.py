"""Oldest and newest dependencies under every Python there is: `make compat`.

    python benchmarks/compat/compat.py [--python 3.11,3.13] [--sets lowest,newest]

Builds sdist and wheel and has twine check them. Then, for each Python of this machine and for the
lowest versions that pyproject.toml allows of what it names (uv: `--resolution lowest-direct`) and
the newest: a new environment with the wheel, its extras (but Spark, which needs Java) and the test
tools, in which the unpacked sdist runs the short suite (`tests/short.txt`). Wheels only: nothing of
others is built. Rows of earlier runs stay in `docs/compat/runs.csv` until they are run again.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "compat"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SETS = {"lowest": "lowest-direct", "newest": "highest"}
EXTRAS = ("charts", "dask", "duckdb", "formats", "optimal", "sign", "sklearn", "web")
TOOLS = ("hypothesis", "openpyxl", "pandas", "pytest", "pytest-xdist")
SHOWN = ("numpy", "numba", "pyarrow", "narwhals", "pydantic", "typer")
HEAD = ["python", "set", "passed", "failed", "skipped", "seconds", "date", *SHOWN]
# of scikit-learn before 1.8: about its own marks under pytest from 9 on, and what it asks of scipy
SUITE = ("-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short",
         "-W", "ignore:Passing a non-Collection iterable",
         "-W", "ignore::DeprecationWarning:sklearn.linear_model._logistic",
         "@tests/short.txt")  # fmt: skip


def uv(*words):
    """Run uv and return what it prints; stop with its message where it fails."""
    command = [str(Path(sys.executable).with_name("uv")), *map(str, words)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"uv {words[0]} {words[1]}: {ran.stderr}")
    return ran.stdout.strip()


def build(work):
    """Build sdist and wheel, have twine check them, and return both."""
    uv("build", "-q", "-o", work / "dist")
    (sdist,), (wheel,) = (work / "dist").glob("*.tar.gz"), (work / "dist").glob("*.whl")
    uv("tool", "run", "twine", "check", "--strict", sdist, wheel)
    shutil.unpack_archive(sdist, work)
    return work / sdist.name.removesuffix(".tar.gz"), wheel


def interpreter(version):
    """Return a Python of this machine; None where there is none."""
    for name in (f"python{version}", *Path.home().glob(f".pyenv/versions/{version}.*/bin/python")):
        try:
            subprocess.run([name, "-c", "import venv"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return str(name)
    return None


def environment(python, version, resolution, wheel, place):
    """Make an environment with a set of dependencies; return its Python and the versions."""
    place.mkdir(parents=True)
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    uv("pip", "compile", "-q", "--only-binary", ":all:", "--resolution", resolution,
       "--python-version", version, "--no-header", "--no-annotate", "pyproject.toml", *extras,
       "-o", place / "set.txt")  # fmt: skip
    uv("venv", "-q", "-p", python, place / "venv")
    own = place / "venv" / "bin" / "python"
    uv("pip", "install", "-q", "--python", own, "--only-binary", ":all:", "-r", place / "set.txt",
       *TOOLS)  # fmt: skip
    uv("pip", "install", "-q", "--python", own, "--no-deps", wheel)
    pinned = dict(re.findall(r"^([\w-]+)==(\S+)", (place / "set.txt").read_text(), re.MULTILINE))
    return own, {name: pinned[name] for name in SHOWN}


def suite(own, sdist, place):
    """Run the short suite of the sdist; return counts, seconds, and what failed."""
    began = time.perf_counter()
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    variables |= {"NUMBA_CACHE_DIR": str(place / "numba"), "TMPDIR": str(place)}
    for name in ("SHOAL_DATA", "PYTHONDONTWRITEBYTECODE"):  # or each process compiles all sources
        variables.pop(name, None)
    with (place / "suite.log").open("w+") as log:
        subprocess.run(
            [str(own), *SUITE], cwd=sdist, env=variables, stdout=log, stderr=log, check=False
        )
        log.seek(0)
        said = log.read()
    sums = re.findall(r"^[^\n]*\d+ (?:passed|failed|error)[^\n]* in [\d.]+s", said, re.MULTILINE)
    counts = re.findall(r"(\d+) (passed|failed|skipped|error)", sums[-1] if sums else "")
    found = {what: int(number) for number, what in counts}
    if set(found) & {"failed", "error"} or not found.get("passed"):  # or nothing was collected
        print(said[-20_000:])
    failed = found.get("failed", 0) + found.get("error", 0) + (not found.get("passed"))
    row = {
        "passed": found.get("passed", 0),
        "failed": failed,
        "skipped": found.get("skipped", 0),
        "seconds": round(time.perf_counter() - began),
    }
    return row, re.findall(r"^(?:FAILED|ERROR) .*$", said, re.MULTILINE)


def kept():
    """Return the rows of earlier runs, by Python and set."""
    path = FOLDER / "runs.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(row["python"], row["set"]): row for row in csv.DictReader(file)}


def write(rows):
    """Write the rows and the page."""
    FOLDER.mkdir(exist_ok=True)
    ordered = [rows[key] for key in sorted(rows, key=lambda key: (PYTHONS.index(key[0]), key[1]))]
    with (FOLDER / "runs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(ordered)
    lines = [
        "# Which Pythons and dependencies were tried",
        "",
        "`make compat` builds sdist and wheel (`twine check --strict` passed), and runs the short",
        "suite (`tests/short.txt`) of the unpacked sdist with the lowest versions that are allowed",
        f"and with the newest, on {platform.system()} {platform.machine()}. A Python",
        "without a row was not tried. Other systems: the workflows in `.github/workflows/`,",
        "which were never run.",
        "",
        f"| Python | set | passed | failed | skipped | seconds | date | {' | '.join(SHOWN)} |",
        f"|---|---|--:|--:|--:|--:|---|{'---|' * len(SHOWN)}",
    ]
    lines += [f"| {' | '.join(str(row[name]) for name in HEAD)} |" for row in ordered]
    (FOLDER / "README.md").write_text("\n".join(lines) + "\n")


def main():
    """Run every set under every Python that was asked for; exit code 1 where a test failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=",".join(PYTHONS))
    parser.add_argument("--sets", default=",".join(SETS))
    asked = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sdist, wheel = build(work)
        for version in asked.python.split(","):
            python = interpreter(version)
            if python is None:
                print(f"Python {version}: not on this machine")
                continue
            for name in asked.sets.split(","):
                place = work / f"{version}-{name}"
                own, pinned = environment(python, version, SETS[name], wheel, place)
                row, failures = suite(own, sdist, place)
                today = dt.datetime.now(tz=dt.UTC).date().isoformat()
                made = {"python": version, "set": name, "date": today} | row | pinned
                print(f"Python {version}, {name}: {row}", *failures, sep="\n  ", flush=True)
                bad += row["failed"]
                write(kept() | {(version, name): made})  # another run may have written since
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
