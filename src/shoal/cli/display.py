"""What commands show on stderr: messages, warnings and details, as people or as programs read them.

Data and `--json` go to stdout (`output.py`); everything here goes to stderr.
"""

from __future__ import annotations

import json
import os
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import typer

LEVELS = "quiet", "verbose"
PROGRESS = "auto", "lines", "json", "none"
COLORS = "auto", "always", "never"


@dataclass(frozen=True)
class Display:
    """How much a command says on stderr, how it shows progress, and whether in color."""

    level: str = ""
    progress: str = "auto"
    color: str = "auto"

    @property
    def quiet(self) -> bool:
        """Whether only errors and warnings are printed."""
        return self.level == "quiet"

    @property
    def verbose(self) -> bool:
        """Whether details are printed."""
        return self.level == "verbose"


_DISPLAY: ContextVar[Display] = ContextVar("display")
_PLAIN = Display()


def display() -> Display:
    """Return the display of the command that runs."""
    return _DISPLAY.get(_PLAIN)


def set_display(chosen: Display) -> None:
    """Choose the display of the command that runs."""
    _DISPLAY.set(chosen)


def say(text: str, *, always: bool = False) -> None:
    """Print a message, unless --quiet, or always."""
    if always or not display().quiet:
        _write("message", {"message": text}, text)


def warn(text: str) -> None:
    """Print a warning, whatever the display."""
    _write("warning", {"message": text}, f"  warning: {text}")


def detail(text: str) -> None:
    """Print a detail, with --verbose alone."""
    if display().verbose:
        _write("message", {"message": text}, text)


def say_error(content: dict[str, Any]) -> None:
    """Print an error in one line."""
    _write("error", content, f"shoal: {content['message']}")


def as_shown(event: str, content: dict[str, Any], text: str) -> str:
    """Return a text, or with --progress json an object in a line."""
    if display().progress == "json":
        return json.dumps({"event": event, **content}, ensure_ascii=False)
    return text


def _write(event: str, content: dict[str, Any], text: str) -> None:
    """Print what is shown of an event."""
    typer.echo(as_shown(event, content, text), err=True)


def colors(chosen: str) -> bool | None:
    """Tell whether to print in color; None: if it goes to a terminal that has colors.

    What was chosen for Shoal comes before NO_COLOR, and that before FORCE_COLOR.
    """
    if chosen != "auto":
        return chosen == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return True if os.environ.get("FORCE_COLOR") else None
