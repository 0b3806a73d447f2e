"""A process that has imported everything and run a little, and forks itself for every case.

A case then begins in a clean state and costs no imports. The process reads lines of JSON,
`[case, door]`, and answers each with what the case brought.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from goldens.tables import NotHereError

TESTS = Path(__file__).parents[1]
SECONDS = int(os.environ.get("GOLDENS_SECONDS", "300"))  # no case takes nearly as long
LINES = "GOLDENS_LINES"  # names a folder for the lines that each case executes, if they are wanted
SURROUNDINGS = {
    "SHOAL_CHARTS": "off", "SHOAL_CONFIG": os.devnull, "OPENBLAS_NUM_THREADS": "1", "TZ": "UTC",
    "COLUMNS": "100", "NO_COLOR": "1", "SHOAL_PROGRESS": "none",
}  # fmt: skip


class Zygote:
    """Carries out cases, each in a fork of one process."""

    def __init__(self, source: Path | None = None, more: Mapping[str, str] | None = None) -> None:
        self.desk: Any = None
        paths = [*([str(source)] if source else []), str(TESTS), os.environ.get("PYTHONPATH", "")]
        self.surroundings = {
            **os.environ, **SURROUNDINGS, **(more or {}),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-m", "goldens.zygote"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.surroundings,
        )  # fmt: skip

    def carry_out(self, case: str, door: str) -> list[dict[str, Any]]:
        """Return what each act of a case brings through a door."""
        if door == "desk":
            return self._at_the_desk(case)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([case, door]) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '"the process has ended"')
        if isinstance(answer, dict):
            raise NotHereError(answer["needs"])
        if isinstance(answer, str):
            raise RuntimeError(f"{case} through {door}: {answer}")
        return answer

    def _at_the_desk(self, name: str) -> list[dict[str, Any]]:
        from goldens.cases import all_cases
        from goldens.desk_door import Desk

        if self.desk is None:
            self.desk = Desk(self.surroundings)
        self.desk.begin()
        case = all_cases()[name]
        return [case.held(act, self.desk.carry_out(act)) for act in case.acts]

    def close(self) -> None:
        """End the process, and the desk if there is one."""
        if self.desk is not None:
            self.desk.close()
        self.process.communicate(timeout=120)


def main() -> None:
    """Answer until there are no more lines."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever is printed is no answer
    _warm()
    for line in sys.stdin:
        case, door = json.loads(line)
        place = Path(tempfile.mkdtemp(prefix="golden-"))
        told = place.with_suffix(".json")
        child = os.fork()
        if child == 0:
            code = 0
            try:
                signal.alarm(SECONDS)
                (place / "in").mkdir()
                os.chdir(place / "in")
                told.write_text(json.dumps(_carried_out(case, door)), "utf-8")
            except NotHereError as missing:
                told.write_text(json.dumps({"needs": str(missing)}))
            except BaseException:
                told.write_text(json.dumps(traceback.format_exc()[-3000:]))
            os._exit(code)
        _, status = os.waitpid(child, 0)
        if told.exists():
            answers.write(told.read_text("utf-8") + "\n")
            told.unlink()
        else:
            answers.write(json.dumps(f"it ended with status {status}") + "\n")
        answers.flush()
        shutil.rmtree(place, ignore_errors=True)


@contextlib.contextmanager
def lines_of(name: str, door: str) -> Iterator[None]:
    """Write down the lines of Shoal that are executed meanwhile, where they are wanted."""
    if LINES not in os.environ:
        yield
        return
    from coverage import Coverage

    path = str(Path(os.environ[LINES]) / f"{name}+{door}")
    watch = Coverage(
        path, data_suffix=True, source_pkgs=["shoal"], config_file=False, messages=False
    )
    watch.set_option("run:disable_warnings", ["module-not-measured", "no-data-collected"])
    watch.start()
    try:
        yield
    finally:
        write_lines()


def write_lines() -> None:
    """Write what this process has executed, a fork of one that is watched too."""
    from coverage import Coverage

    if watch := Coverage.current():
        watch.stop()
        watch.get_data().write()


def _carried_out(name: str, door: str) -> list[dict[str, Any]]:
    from goldens import command_door, python_door
    from goldens.cases import all_cases

    carry_out = {"python": python_door.carry_out, "command": command_door.carry_out}[door]
    case = all_cases()[name]
    found = []
    spark = shutil.which("java") and importlib.util.find_spec("pyspark")
    if case.asks.get("needs") == "java" and not spark:
        raise NotHereError("Java, or pyspark")
    for act in case.acts:
        for file, text in act.get("files", {}).items():
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_text(text, "utf-8")
        _edit(act.get("edit", {}))
        os.environ.update(act.get("env", {}))
        with lines_of(name, door):
            found.append(case.held(act, carry_out(act)))
    return found


def _edit(changes: dict[str, list[str]]) -> None:
    """Change files as somebody does: the first of one text becomes another, nothing begins one."""
    for file, (old, new) in changes.items():
        path = Path(file)
        if path.exists() if old else path.parent.exists():
            text = path.read_text("utf-8") if old else ""
            path.write_text(text.replace(old, new, 1), "utf-8")


def _warm() -> None:
    """Load what most cases need, by doing it once on few records."""
    import typer.testing

    import shoal
    import shoal.estimator
    from goldens import command_door, python_door  # noqa: F401 - their imports are most of a case
    from goldens.tables import OBJECTS, hand_over, table_of
    from shoal.cli import app

    few = {name: table_of("people")[name] for name in ("age", "pay", "sex", "zip", "ill")}
    for more in (
        {"method": "mdav", "l": 2, "t": 0.8},
        {"method": "mdav", "l": 2, "enforce": "merge"},
        {"method": "kaim+", "max_iterations": 20},
        {"method": "tfrp-nn3+"},
    ):
        shoal.anonymize(few, k=3, sensitive=["ill"], quasi_identifiers=["age", "pay", "sex", "zip"],
                        threads=1, **more)  # fmt: skip
    for way in ("pandas", "polars", "pyarrow"):
        with contextlib.suppress(ImportError):
            shoal.read(OBJECTS[way](few))
    shoal.microaggregate(table_of("numbers"), 3, method="ilsmc+", max_iterations=5, threads=1)
    place = Path(tempfile.mkdtemp(prefix="golden-"))
    table = hand_over("people", "csv", place)
    left = ",".join(name for name in table_of("people") if name not in ("age", "sex", "ill"))
    given, released = str(place / table), f"{place}/out/release.csv"
    for words in (
        ["anonymize", given, "-k3", "--quasi=age,sex", f"--drop={left}", "--threads=1",
         "--method=mdav", f"--output={place}/out/"],
        ["verify", released, "-k3", "--quasi=age,sex"],
        ["measure", given, released, "--quasi=age,sex", "--json"],
        ["inspect", given, "--json"],
        ["risk", given, "--quasi=age,sex", "--json"],
    ):  # fmt: skip
        typer.testing.CliRunner().invoke(app, words)
    shutil.rmtree(place)
    for library in ("pandas", "polars", "pyreadstat", "openpyxl", "xlsxwriter", "duckdb"):
        with contextlib.suppress(ImportError):
            importlib.import_module(library)


if __name__ == "__main__":
    main()
