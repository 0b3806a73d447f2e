"""The doors: Python in this process, the command line in a fork, recipes, the desk's routes."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.checks import Released
from fuzz.options import WRITTEN
from fuzz.sources import rows_of

LISTS = {
    "quasi_identifiers": "--quasi", "sensitive": "--sensitive", "identifiers": "--identifier",
    "other": "--other", "drop": "--drop", "by": "--by", "keep_unique": "--keep-unique",
}  # fmt: skip
PAIRS = {"round": "--round", "column_weights": "--column-weight", "hierarchies": "--hierarchy",
         "types": "--type"}  # fmt: skip
EITHER = {"l": "--l", "t": "--t", "alpha": "--alpha", "beta": "--beta",
          "delta": "--delta", "e": "--e", "dominance": "--dominance",
          "aggregate": "--aggregate", "decimals": "--decimals"}  # fmt: skip
FLAGS = {"allow_k1": "--allow-k1", "allow_empty": "--allow-empty"}
NOT_THERE = {
    "group",
    "refine",
    "search",
    "secret",
}  # the command line has `refine`, and recipes have `search` and secrets


@dataclass(frozen=True)
class Refused:
    """A refusal in words: whose error it is and what it says."""

    kind: str
    said: str


@dataclass(frozen=True)
class Crashed:
    """An error that is not one of ours."""

    kind: str
    trace: str


@dataclass
class Told:
    """What a process said: its exit code and both streams."""

    code: int
    out: str = ""
    err: str = ""
    files: list[str] = field(default_factory=list)


def python_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return options as the Python functions take them."""
    found = dict(options)
    for name in ("k_of", "l_of"):
        if isinstance(found.get(name), list):
            found[name] = {tuple(names): k for names, k in found[name]}
    return found


def by_python(data: Any, options: dict[str, Any]) -> Any:
    """Return the Result of `anonymize`, or how it ended."""
    import shoal

    try:
        return shoal.anonymize(data, **python_options(options))
    except shoal.ShoalError as error:
        return Refused(type(error).__name__, str(error))
    except Exception as error:
        return Crashed(type(error).__name__, traceback.format_exc())


def released_of(result: Any) -> Released:
    """Return what a Result holds as plain values."""
    names, columns = rows_of(result.data)
    roles = result.settings.roles.model_dump()
    return Released(names, columns, roles, result.partition.labels.tolist())


def argv(options: dict[str, Any]) -> list[str]:
    """Return options as words of the command line."""
    from csv import writer

    words: list[str] = []
    for name, value in options.items():
        if value is None or name in NOT_THERE:
            continue
        if name in LISTS:
            line = io.StringIO()
            writer(line).writerow(value if isinstance(value, list | tuple) else [value])
            words.append(f"{LISTS[name]}={line.getvalue().removesuffix(chr(13) + chr(10))}")
        elif name in FLAGS:
            words += [FLAGS[name]] if value else []
        elif name in PAIRS and isinstance(value, dict):
            words += [f"{PAIRS[name]}={column}={one}" for column, one in value.items()]
        elif name in EITHER and isinstance(value, dict):
            words += [f"{EITHER[name]}={column}={one}" for column, one in value.items()]
        elif name == "orders" and isinstance(value, dict):
            for column, values in value.items():
                line = io.StringIO()
                writer(line).writerow(values)
                words.append(f"--order={column}={line.getvalue().removesuffix(chr(13) + chr(10))}")
        elif name in ("k_of", "l_of") and isinstance(value, list):
            for names, k in value:
                line = io.StringIO()
                writer(line).writerow(names)
                said = line.getvalue().removesuffix(chr(13) + chr(10))
                words.append(f"--{name.replace('_', '-')}={said}={k}")
        elif name == "steps":
            words += [f"--step={one}" for one in _step_words(value)]
        elif name == "missing" and isinstance(value, list):
            words += [f"--missing={word}" for word in value]
        else:
            words.append(f"--{name.replace('_', '-')}={value}")
    return words


def _step_words(value: Any) -> list[str]:
    """Return steps as lines of words; what is none stays as it is."""
    from shoal.table.steps.registry import step_of
    from shoal.table.steps.words import as_words

    if not isinstance(value, list):
        return [str(value)]
    return [as_words(step_of(one)) for one in value]


def load_all() -> None:
    """Import what commands need, once, before processes are forked; nothing is run."""


def by_command_line(words: list[str], folder: Path, seconds: int = 120) -> Told:
    """Run `shoal` with some words in a fork of this process, in a folder."""
    out, err = folder / "stdout", folder / "stderr"
    child = os.fork()
    if child == 0:
        code = 70
        try:
            import signal

            signal.alarm(seconds)
            os.chdir(folder)
            _redirect(out, 1)
            _redirect(err, 2)
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            sys.argv = ["shoal", *words]
            from shoal.__main__ import main

            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return Told(
        os.waitstatus_to_exitcode(status),
        out.read_text(errors="replace"),
        err.read_text(errors="replace"),
    )


def _redirect(path: Path, number: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(handle, number)
    os.close(handle)


def recipe_tree(options: dict[str, Any]) -> dict[str, Any]:
    """Return options as the parts of a recipe, as the desk's page sends them."""
    from csv import writer

    parts = {
        "roles": ("quasi_identifiers", "sensitive", "identifiers", "other", "drop", "weight", "by",
                  "household", "person", "keep_unique", "group"),
        "release": ("aggregate", "decimals", "round", "weights_as"),
        "input": ("missing", "types", *WRITTEN),
    }  # fmt: skip
    tree: dict[str, Any] = {}
    for name, value in options.items():
        if name in ("hierarchies", "orders", "search", "steps", "secret"):
            tree[name] = value
            continue
        if name == "threads":
            continue
        part = next((p for p, names in parts.items() if name in names), "protect")
        if name in ("k_of", "l_of") and isinstance(value, list):
            value = {}  # noqa: PLW2901
            for names, k in options[name]:
                line = io.StringIO()
                writer(line).writerow(names)
                value[line.getvalue().removesuffix("\r\n")] = k
        if name in ("by", "keep_unique") and isinstance(value, str):
            value = [value]  # noqa: PLW2901
        tree.setdefault(part, {})[name] = value
    return tree
