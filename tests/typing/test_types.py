"""Types that users see: a script with five mistakes, and no `Any` in what they hold."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import shutil
import subprocess
import sys
import typing
from collections import abc
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.errors import Json
from shoal.methods import registry

SCRIPT = Path(__file__).with_name("user_script.py")
MISTAKES = 5
PYRIGHT = shutil.which("basedpyright") or shutil.which("pyright")
CONTAINERS = {list, dict, tuple, set}


def planted():
    """The lines of the script that have a mistake."""
    lines = SCRIPT.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if line.endswith("# mistake")]


def test_mistakes_are_planted():
    """The script is about sixty lines long and has five mistakes."""
    assert len(planted()) == MISTAKES
    assert 55 <= len(SCRIPT.read_text(encoding="utf-8").splitlines()) <= 70


def test_mypy_finds_the_mistakes(repository):
    """`mypy --strict` finds the five mistakes of a user's script, and no others.

    The settings and the cache are those of `make lint`, which runs before.
    """
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-color-output", "src", SCRIPT.relative_to(repository)],
        capture_output=True, text=True, cwd=repository, check=False,
    )  # fmt: skip
    found = [int(line) for line in re.findall(r"user_script\.py:(\d+): error: ", ran.stdout)]
    assert found == planted(), ran.stdout + ran.stderr
    assert f"Found {MISTAKES} errors in 1 file" in ran.stdout


@pytest.mark.skipif(PYRIGHT is None, reason="pyright is not installed: pip install basedpyright")
@pytest.mark.slow
def test_pyright_finds_the_mistakes(repository, tmp_path):
    """pyright finds the five mistakes of a user's script, and no others."""
    settings = {
        "include": [str(SCRIPT)], "extraPaths": [str(repository / "src")],
        "typeCheckingMode": "standard", "reportMissingTypeStubs": False,
    }  # fmt: skip
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    ran = subprocess.run(
        [PYRIGHT, "--project", tmp_path, "--pythonpath", sys.executable, "--outputjson"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = json.loads(ran.stdout)["generalDiagnostics"]
    wrong = [one for one in found if one["severity"] == "error"]
    assert sorted({one["range"]["start"]["line"] + 1 for one in wrong}) == planted(), wrong


def held(name):
    """Yield the types of what a user holds of a public name, each with its place."""
    public = registry.methods if name == "methods" else getattr(shoal, name)
    if inspect.isclass(public):
        for member, value in inspect.getmembers(public):
            if member.startswith("_"):
                continue
            function = value.fget if isinstance(value, property) else value
            if inspect.isfunction(function) or inspect.ismethod(function):
                yield (
                    f"{name}.{member}",
                    typing.get_type_hints(function, localns=vars(abc)).get("return"),
                )
        if dataclasses.is_dataclass(public):
            hints = typing.get_type_hints(public)
            for field in dataclasses.fields(public):
                yield f"{name}.{field.name}", hints[field.name]
    elif inspect.isfunction(public):
        overloads = typing.get_overloads(inspect.unwrap(public)) or [inspect.unwrap(public)]
        for number, one in enumerate(overloads):
            yield f"{name}() {number}", typing.get_type_hints(one, localns=vars(abc)).get("return")


def has_any(kind, seen):
    """Tell whether a type is `Any`, is untyped, or holds one that is."""
    if kind is typing.Any or kind is None or kind in CONTAINERS:
        return True
    if isinstance(kind, str | typing.TypeVar | typing.ForwardRef) or kind in seen:
        return False
    if typing.is_typeddict(kind):
        return any(has_any(one, [*seen, kind]) for one in typing.get_type_hints(kind).values())
    if typing.get_origin(kind) is np.ndarray:  # whose shape numpy leaves open
        return has_any(typing.get_args(kind)[1], seen)
    return any(has_any(one, seen) for one in typing.get_args(kind) if one is not Ellipsis)


@pytest.mark.parametrize("name", sorted(set(shoal.__all__) - {"__version__", "datasets"}))
def test_no_any(name):
    """Attributes, properties and results of what is public have types, none of them `Any`."""
    untyped = [place for place, kind in held(name) if has_any(kind, [])]
    assert untyped == []


def test_any_is_found():
    """The check can fail."""
    assert has_any(dict[str, typing.Any], [])
    assert has_any(dict, [])
    assert has_any(typing.Any | None, [])
    assert not has_any(dict[str, Json], [])
    assert not has_any(list[tuple[int, ...]], [])
