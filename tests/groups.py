"""Which tests run in one process: those of a file that starts a server, a browser or a cluster.

The groups of xdist itself (`xdist_group`) are lost with pytest 9.2, which has no `_nodeid` to
write them to (pytest-xdist issue 1386): every process then starts each server.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

STARTED_ONCE = {
    "besieged", "chromium", "cluster", "desk", "handed", "pack", "packed", "used", "whole",
}  # fmt: skip


@cache
def starts_something(path: Path) -> bool:
    """Whether a function in a file takes a fixture that is to be started once."""
    found = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    functions = (node for node in found if isinstance(node, ast.FunctionDef))
    return any(STARTED_ONCE & {one.arg for one in node.args.args} for node in functions)


def group_of(root: Path, test: str) -> str:
    """Return the group of a test by its id: its file, or itself alone."""
    file = test.partition("::")[0]
    return file if starts_something(root / file) else test


def scheduler(config: Any, log: Any) -> Any:
    """Return a scheduler of xdist that keeps groups together, the largest first."""
    from xdist.scheduler import LoadScopeScheduling

    class Grouped(LoadScopeScheduling):
        """Sends a group of tests to one process."""

        def _split_scope(self, nodeid: str) -> str:
            return group_of(config.rootpath, nodeid)

    return Grouped(config, log)
