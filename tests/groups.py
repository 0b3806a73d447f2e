"""Which tests run in one process: those that share a server or a browser, in whatever files.

What only one file starts, a cluster or a release, keeps the tests of that file together.

The groups of xdist itself (`xdist_group`) are lost with pytest 9.2, which has no `_nodeid` to
write them to (pytest-xdist issue 1386): every process then starts each server.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

STARTED_ONCE = {"besieged", "cluster", "handed", "pack", "packed", "whole"}  # in a file
SHARED = {"chromium": "a desk with charts", "drawing_desk": "a desk with charts", "desk": "a desk"}


@cache
def arguments(path: Path) -> set[str]:
    """Return the names of all that functions in a file take."""
    found = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    functions = (node for node in found if isinstance(node, ast.FunctionDef))
    return {one.arg for node in functions for one in node.args.args}


def group_of(root: Path, test: str) -> str:
    """Return the group of a test by its id: what it shares with others, its file, or itself."""
    file = test.partition("::")[0]
    taken = arguments(root / file)
    shared = [group for name, group in SHARED.items() if name in taken]
    if shared:
        return shared[0]
    return file if STARTED_ONCE & taken else test


def scheduler(config: Any, log: Any) -> Any:
    """Return a scheduler of xdist that keeps groups together, the largest first."""
    from xdist.scheduler import LoadScopeScheduling

    class Grouped(LoadScopeScheduling):
        """Sends a group of tests to one process."""

        def _split_scope(self, nodeid: str) -> str:
            return group_of(config.rootpath, nodeid)

    return Grouped(config, log)
