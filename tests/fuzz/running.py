"""One case through its door, and everything that is wrong with what comes back."""

from __future__ import annotations

import json
import re
import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz import doors
from fuzz.cases import Case, Finding
from fuzz.checks import Released, check_release, original_of
from fuzz.doors import Crashed, Refused
from fuzz.options import WRITTEN
from fuzz.reading import read_release, typed
from fuzz.sources import fingerprint, plain_values, to_source, write_files
from fuzz.spoiling import spoiled
from fuzz.tables import PLAIN

SECONDS = 60
PLAIN_SOURCES = ("arrow", "pandas", "polars", "csv", "parquet")


@dataclass
class Outcome:
    """How a case ended (released, or whose refusal), and what is wrong with that."""

    ended: str
    said: str = ""
    findings: list[Finding] = field(default_factory=list)


class TooSlow(Exception):  # noqa: N818 - it is what a finding says
    """A case took longer than any should."""


@contextmanager
def limited(seconds: int = SECONDS) -> Iterator[None]:
    """End a case that takes too long, with an error that tells where."""

    def late(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(case: Case, desk: Any = None) -> Outcome:
    """Run a case through its door."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(place)
        if case.door == "cli":
            return _run_cli(case, folder)
        if case.door == "desk":
            from fuzz.at_the_desk import run_desk

            return run_desk(case, folder, desk)
        with limited():
            return _run_python(case, folder)


def _run_python(case: Case, folder: Path) -> Outcome:
    try:
        data = to_source(case, folder)
    except Exception:  # a table that cannot be (pandas, polars) is no case
        return Outcome("no table")
    before = fingerprint(data)
    options = write_files(case, folder)
    result = doors.by_python(data, options)
    found = []
    if fingerprint(data) != before:
        found.append(Finding("input", "the caller's data has changed", case))
    if isinstance(result, Crashed):
        place = _place(result.trace)
        return Outcome("crashed", result.kind, [*found, Finding("crash", result.kind, case, place)])
    if isinstance(result, Refused):
        found += [Finding("message", what, case) for what in _said_badly(case, result.said)]
        return Outcome(result.kind, result.said, found)
    released = doors.released_of(result)
    original = original_of(case, released.roles, plain_values(case))
    found += [Finding(o, what, case) for o, what in check_release(case, original, released)]
    if case.seed % 4 == 0:
        found += _from_other_sources(case, folder, released)
    if case.seed % 4 == 1:
        found += _saved(case, folder, result, original)
    if case.seed % 4 == 2:
        found += spoiled(case, released)
    return Outcome("released", released.roles.get("method", ""), found)


def _place(trace: str) -> str:
    """Return where an error came from: the last lines of ours."""
    lines = re.findall(r'File "[^"]*?/(shoal/[^"]+)", line (\d+), in (\w+)', trace)
    last = trace.strip().rsplit("\n", 1)[-1].split(":")[0]
    return f"{last} at {' < '.join(f'{p}:{f}' for p, _, f in lines[-1:])}"


def _said_badly(case: Case, said: str) -> Iterator[str]:
    """A message is one line, and holds no cell that is no name, word or number of the request."""
    if "\n" in said or not said.strip():
        yield "a message is not one line"
    asked = json.dumps(case.options, ensure_ascii=False) + json.dumps(
        case.files, ensure_ascii=False
    )
    for column in case.columns:
        asked += column.name
        for cell in set(column.cells):
            if cell is not None and len(cell) >= 9 and cell in said and cell not in asked:
                yield f"a message holds a cell of {column.name!r}"
                return


def _from_other_sources(case: Case, folder: Path, released: Released) -> list[Finding]:
    """The same seed gives the same groups, whatever the table comes from."""
    if any(column.kind not in PLAIN for column in case.columns) or _unlike(case):
        return []
    found = []
    for source in PLAIN_SOURCES:
        if source == case.source:
            continue
        other = case.replace(source=source)
        data = to_source(other, folder)
        result = doors.by_python(data, write_files(other, folder))
        if isinstance(result, Refused | Crashed):
            said = result.said if isinstance(result, Refused) else result.trace
            if "not numbers:" in said and source.startswith("csv"):
                continue  # texts that are nearly all numbers: csv asks what they are
            found.append(Finding("sources", f"{case.source} releases, {source}: {said}", case))
        elif result.partition.labels.tolist() != released.labels:
            found.append(Finding("sources", f"{case.source} and {source} give other groups", case))
    return found


def _unlike(case: Case) -> bool:
    """Whether a csv file of the case says something else than its dataframe.

    Words that look like numbers, empty texts, columns without values; and options that are for csv.
    """
    options = case.options
    if any(options.get(name) for name in ("missing", "types", *WRITTEN)):
        return True
    if options.get("time_limit") is not None and options.get("max_iterations") is None:
        return True  # how far a search comes depends on the machine
    for column in case.columns:
        known = [cell for cell in column.cells if cell is not None]
        if set(column.name) & set(",;\t|"):
            return True  # which sign separates columns must be said
        if not known or (column.kind == "float64" and _exponents(known)):
            return True
        if column.kind == "float64" and any(cell in ("inf", "nan") for cell in known):
            return True
        if column.kind in ("float64", "decimal") and not _is_short(known):
            return True
    return False


def _is_short(cells: list[str]) -> bool:
    """Whether numbers have at most 15 digits, and none of them a zero too many at the end.

    Longer ones are exact in a csv file and rounded in a dataframe; 1.50 has a step of 0.01.
    """
    digits = max(len(cell.partition(".")[2].rstrip("0")) for cell in cells)
    written = max(len(cell.partition(".")[2]) for cell in cells)
    longest = max(len(cell.strip("-").partition(".")[0]) for cell in cells) + digits
    return longest <= 15 and digits == written


def _exponents(cells: list[str]) -> bool:
    return any("e" in cell for cell in cells)


def _saved(case: Case, folder: Path, result: Any, original: Any) -> list[Finding]:
    """What is written is what was returned, in any order, and its recipe gives it again."""
    import shoal

    kind = ("csv", "csv.gz", "parquet")[case.seed // 4 % 3]
    target = folder / "out"
    try:
        path = result.save(target, format=kind, report=case.seed % 40 == 1)
    except shoal.ShoalError as error:
        return [Finding("save", f"a release cannot be saved: {error}", case)]
    except TooSlow:
        raise
    except Exception as error:
        import traceback

        return [Finding("crash", type(error).__name__, case, _place(traceback.format_exc()))]
    roles = result.settings.roles.model_dump()
    names, columns = read_release(Path(path), case.options)
    columns = [
        typed(cells, original.values.get(n, [])) for n, cells in zip(names, columns, strict=True)
    ]
    written = Released(names, columns, roles, in_order=False)
    found = [Finding(f"file {o}", what, case) for o, what in check_release(case, original, written)]
    open_to_others = [
        p for p in folder.rglob("*") if p.stat().st_mode & 0o077 and ".private" in str(p)
    ]
    if open_to_others:
        found.append(Finding("modes", "a private file can be read by others", case))
    return found


def _run_cli(case: Case, folder: Path) -> Outcome:
    """Run `shoal anonymize`, then `shoal run` of the recipe it leaves."""
    try:
        path = to_source(case, folder)
    except Exception:
        return Outcome("no table")
    before = fingerprint(path)
    options = write_files(case, folder)
    options = {n: v for n, v in options.items() if n not in doors.NOT_THERE}
    target = folder / ("out.parquet" if case.seed % 3 == 0 else "out.csv")
    words = ["anonymize", str(path), "-o", str(target), *doors.argv(options), "--keep-order"]
    words += ["--json"] if case.seed % 5 == 0 else []
    words += ["--no-report"] if case.seed % 7 else []
    told = doors.by_command_line(words, folder)
    found = list(_process_badly(case, told, target, "--json" in words))
    if fingerprint(path) != before:
        found.append(Finding("input", "the input file has changed", case))
    if told.code != 0:
        return Outcome(f"exit {told.code}", told.err.strip()[-300:], found)
    found += _file_release(case, folder, target, before)
    return Outcome("released", "", found)


def _process_badly(case: Case, told: doors.Told, target: Path, as_json: bool) -> Iterator[Finding]:
    if told.code not in (0, 2, 3):
        yield Finding("crash", f"exit {told.code}", case, _place(told.err) or told.err[-200:])
    if "Traceback" in told.err:
        yield Finding("crash", "a traceback", case, _place(told.err))
    if told.code != 0 and target.exists():
        yield Finding("exit", "a run that failed left a release", case)
    if told.code == 0 and not target.exists():
        yield Finding("exit", "a run that went well left no release", case)
    if told.code == 0 and as_json:
        try:
            json.loads(told.out)
        except ValueError:
            yield Finding("json", "stdout is no JSON", case)
    if told.code == 0 and not as_json and told.out:
        yield Finding("json", "stdout says something that nobody asked for", case)
    if told.code:
        for what in _said_badly(case, told.err.strip().replace("\n", " ")):
            yield Finding("message", what, case)


def _file_release(case: Case, folder: Path, target: Path, before: str) -> list[Finding]:
    """Check the file that a run wrote, and that its recipe writes the same again."""
    import tomllib

    private = target.with_name(f"{target.name}.private")
    private = private if private.exists() else next(folder.glob("*.private"), private)
    recipe = private / "run.toml"
    if not recipe.exists():
        return [Finding("recipe", "a run left no recipe", case)]
    roles = tomllib.loads(recipe.read_text())["roles"]
    names, columns = read_release(target, case.options)
    original = original_of(case, roles, plain_values(case))
    columns = [
        typed(cells, original.values.get(n, [])) for n, cells in zip(names, columns, strict=True)
    ]
    written = Released(names, columns, roles, in_order=True)
    found = [Finding(f"file {o}", what, case) for o, what in check_release(case, original, written)]
    again = folder / f"again{target.suffix}"
    told = doors.by_command_line(["run", str(recipe), "-o", str(again), "--no-report"], folder)
    if told.code != 0:
        found.append(Finding("recipe", f"exit {told.code}: {told.err.strip()[-200:]}", case))
    elif case.options.get("time_limit") is None and again.read_bytes() != target.read_bytes():
        found.append(Finding("recipe", "the recipe of a run gives another release", case))
    return found
