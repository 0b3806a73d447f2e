"""Words of a command as lines that can be copied."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

WIDTH = 88  # signs of a line, about


def in_lines(words: Sequence[str]) -> str:
    """Return a command in lines that end in a backslash where they would get long."""
    lines, line = [], ""
    for option in _with_values(words):
        if line and len(line) + len(option) > WIDTH:
            lines.append(line)
            line = f"      {option}"
        else:
            line = f"{line} {option}" if line else option
    return " \\\n".join([*lines, line])


def _with_values(words: Sequence[str]) -> list[str]:
    """Return options with their values, quoted, and what stands before the first option."""
    options: list[str] = []
    for word in words:
        if options and not word.startswith("-"):
            options[-1] += f" {shlex.quote(word)}"
        else:
            options.append(shlex.quote(word))
    return options
