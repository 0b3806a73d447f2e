"""Which tests run in one process: those that share a server or a browser, in whatever files.

What only one file starts, a cluster or a release, keeps the tests of that file together, and so
does a fixture that a file makes once: each process would make it anew. The cases of a test are one
group too, as handing out thousands of them one by one takes its time.

The groups of xdist itself (`xdist_group`) are lost with pytest 9.2, which has no `_nodeid` to
write them to (pytest-xdist issue 1386): every process then starts each server.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

STARTED_ONCE = {"besieged", "cluster", "handed", "pack", "packed", "whole"}  # in a file
FIRST = ("a desk with charts", "a desk")  # they wait for pages; at the end all others would wait
SHARED = {"chromium": "a desk with charts", "drawing_desk": "a desk with charts", "desk": "a desk"}


@cache
def functions(path: Path) -> list[ast.FunctionDef]:
    """Return the functions of a file, and of its classes."""
    found = [node for node in _body(path) if isinstance(node, ast.ClassDef)]
    nodes = [*_body(path), *(one for node in found for one in node.body)]
    return [node for node in nodes if isinstance(node, ast.FunctionDef)]


@cache
def _body(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else []


@cache
def taken(path: Path) -> dict[str, set[str]]:
    """Return the tests and fixtures of a file, each with the fixtures that it takes."""
    return {
        node.name: {one.arg for one in node.args.args}
        for node in functions(path)
        if node.name.startswith("test_")
        or any("fixture" in ast.unparse(one) for one in node.decorator_list)
    }


@cache
def arguments(path: Path) -> set[str]:
    """Return all that the tests of a file take, by fixtures of the file or its folder, too."""
    near = {**taken(path.with_name("conftest.py")), **taken(path)}
    names = {name for test, own in taken(path).items() for name in own}
    while more := {name for one in names for name in near.get(one, ())} - names:
        names |= more
    return names


@cache
def together(path: Path) -> str | None:
    """Return the group that a file names, or "" where it shares what it makes once, else None.

    `TOGETHER = "bounds"` is a group of several files, which need the same kernels that `warmup`
    leaves out: each process would compile them. `TOGETHER = True` is the file alone, and so is a
    fixture that is made once a file.
    """
    for node in _body(path):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TOGETHER":
            named = ast.literal_eval(node.value)
            return named if isinstance(named, str) else ""
    return "" if any(map(_is_made_once, functions(path))) else None


def _is_made_once(node: ast.FunctionDef) -> bool:
    """Whether a decorator says `scope="module"`."""
    said = [one.keywords for one in node.decorator_list if isinstance(one, ast.Call)]
    return any(
        one.arg == "scope" and ast.unparse(one.value) == "'module'" for some in said for one in some
    )


def group_of(root: Path, test: str) -> str:
    """Return the group of a test by its id: what it shares, its file, or the cases of the test."""
    file = test.partition("::")[0]
    names = arguments(root / file)
    shared = [group for name, group in SHARED.items() if name in names]
    if shared:
        return shared[0]
    named = together(root / file)
    if named is None and not STARTED_ONCE & names:
        return test.partition("[")[0]
    return named or file


def scheduler(config: Any, log: Any) -> Any:
    """Return a scheduler of xdist that keeps groups together: browsers first, then the largest."""
    from xdist.scheduler import LoadScopeScheduling

    class Grouped(LoadScopeScheduling):
        """Sends a group of tests to one process."""

        def _split_scope(self, nodeid: str) -> str:
            return group_of(config.rootpath, nodeid)

        def _assign_work_unit(self, node: Any) -> None:
            for name in reversed([one for one in FIRST if one in self.workqueue]):
                self.workqueue.move_to_end(name, last=False)
            super()._assign_work_unit(node)

    return Grouped(config, log)
