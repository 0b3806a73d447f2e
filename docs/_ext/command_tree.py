"""Every command of the command line, in the order of its help."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import typer.main

from shoal.cli import app


@cache
def every_command() -> tuple[tuple[str, Any, Any], ...]:
    """Return every command: its words, itself, a context."""
    root = typer.main.get_command(app)
    return tuple(_below(root, root.make_context("shoal", [], resilient_parsing=True)))


def _below(group: Any, ctx: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the commands of a group, and of the groups in it."""
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        below = command.make_context(name, [], parent=ctx, resilient_parsing=True)
        if hasattr(command, "list_commands"):
            yield from _below(command, below)
        else:
            yield below.command_path, command, below
