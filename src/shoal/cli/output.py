"""Output of the command line: data on stdout, one-line errors and exit codes."""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import sys
from collections.abc import Iterator
from contextvars import ContextVar, copy_context
from typing import Any

import typer

from shoal.cli.display import colors, display, say, say_error
from shoal.errors import OutputError, ShoalError
from shoal.progress import Reporter, StopToken, live_progress

TEXTS = "csv", "jsonl"
STOP: ContextVar[StopToken] = ContextVar("stop")  # of the command that runs
_JSON: ContextVar[bool] = ContextVar("json", default=False)


def use_json(words: list[str]) -> None:
    """Print errors as JSON if the command line asks for it; not where stdout gets a table."""
    pairs = list(itertools.pairwise(words))
    table = any(first in ("-o", "--output") and second == "-" for first, second in pairs)
    table = table or "--output=-" in words or "-o-" in words
    _JSON.set("--json" in words and not table)


def print_error(kind: str, message: str, code: int) -> None:
    """Print an error: a line on stderr, and with --json an object on stdout.

    What comes after the last semicolon of a message says what to do: that is its hint.
    """
    message = " ".join(message.split())
    _, semicolon, last = message.rpartition("; ")
    content = {"kind": kind, "message": message, "hint": last if semicolon else None,
               "exit_code": code}  # fmt: skip
    say_error(content)
    if _JSON.get():
        with contextlib.suppress(ShoalError):
            write_stdout(json.dumps({"error": content}, indent=2, ensure_ascii=False) + "\n")


def live_reporter() -> contextlib.AbstractContextManager[Reporter]:
    """Return the reporter of a command: progress on stderr, and the token that signals set."""
    shown = display()
    how = "none" if shown.quiet and shown.progress == "auto" else shown.progress
    return live_progress(STOP.get(), how, colors(shown.color) is not False)


class _Said(logging.Handler):
    """Prints what is logged, in whichever thread, as the command prints its messages."""

    def __init__(self) -> None:
        super().__init__()
        self.context = copy_context()  # other threads know nothing of the display

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record."""
        self.context.run(say, self.format(record))


@contextlib.contextmanager
def logging_to_stderr() -> Iterator[None]:
    """Log the tasks of the engine's workers to stderr, with --verbose."""
    if not display().verbose:
        yield
        return
    log, handler = logging.getLogger("shoal.engine"), _Said()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    log.addHandler(handler)
    before = log.level
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(before)
        log.removeHandler(handler)


def check_stdout(kind: str) -> None:
    """Refuse a release for stdout of no known kind, and bytes for a terminal."""
    from shoal.table.files.formats import check_kind

    check_kind(kind)
    if kind not in TEXTS and sys.stdout is not None and sys.stdout.isatty():
        raise OutputError(f"{kind} is no text; write it to a file or a pipe, not to a terminal")


def write_stdout(content: str | bytes) -> None:
    """Write to stdout; one that is full or closed is an error in words.

    Whoever stops reading (`| head -1`) has read enough: the rest is left out, and nothing is wrong.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if sys.stdout is None:
            raise OutputError("stdout is closed; nothing could be written to it")
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - for the life of the process
    except OSError as error:
        sys.stdout = None
        raise OutputError(f"stdout cannot be written: {error.strerror}") from None


def echo_verdict(result: Any, as_json: bool) -> None:
    """Print the result of a check, or its JSON; exit code 3 where it is not `ok`.

    With --quiet the exit code says that it is.
    """
    if as_json:
        write_stdout(json.dumps(result.to_dict(), indent=2, allow_nan=False) + "\n")
    elif not result.ok:
        say(result.summary(), always=True)
    elif not display().quiet:
        write_stdout(result.summary() + "\n")
    if not result.ok:
        raise typer.Exit(3)
