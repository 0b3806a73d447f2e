"""The command line in a fork of the test process, which has imported everything already."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from faults import ended, in_child


def start(
    words: list[Any], stdout: int | None, stderr: int, before: Callable[[], None] | None = None
) -> int:
    """Start a command and return its process; `stdout` is a file descriptor, or closed."""

    def act() -> None:
        from shoal.__main__ import main

        sys.argv = ["shoal", *map(str, words)]
        os.dup2(stderr, 2)
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 - as long as the process
        if stdout is None:
            os.close(1)
            sys.stdout = None  # type: ignore[assignment]  # as Python itself does then
        else:
            os.dup2(stdout, 1)
            sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        if before is not None:
            before()
        main()

    return in_child(act)


def run(words: list[Any], stdout: int | None) -> tuple[int, bytes]:
    """Run a command to its end; return its exit code and what it says on stderr."""
    with tempfile.TemporaryFile() as told:
        code = ended(start(words, stdout, told.fileno()))
        told.seek(0)
        return code, told.read()
