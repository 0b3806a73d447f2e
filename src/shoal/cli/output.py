"""Output of the command line: data on stdout, one-line errors and exit codes on stderr."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import typer
from typer.core import TyperGroup

from shoal.errors import OutputError, ShoalError
from shoal.progress import Reporter, StopToken, live_progress

ORDER = (
    "inspect", "anonymize", "verify", "measure", "compare", "plot", "run", "refine", "hierarchy",
    "certificate", "serve", "methods", "bound", "warmup",
)  # fmt: skip

_STOP: ContextVar[StopToken] = ContextVar("stop")  # of the command that runs


class ShoalGroup(TyperGroup):
    """Turns every error into one line on stderr and its exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands in the order in which a newcomer needs them."""
        known = super().list_commands(ctx)
        first = [name for name in ORDER if name in known]
        return first + [name for name in known if name not in first]

    def invoke(self, ctx: Any) -> Any:
        """Run a command; nothing but a bug shows a traceback."""
        _STOP.set(ctx.ensure_object(StopToken))
        try:
            return super().invoke(ctx)
        except typer.TyperException as error:
            reason = " ".join(error.format_message().split()).removesuffix(".")
            typer.echo(f"shoal: {reason}; see shoal --help", err=True)
            raise typer.Exit(2) from None
        except ShoalError as error:
            typer.echo(f"shoal: {' '.join(str(error).split())}", err=True)
            raise typer.Exit(error.exit_code) from None
        except MemoryError:
            typer.echo("shoal: not enough memory for this table; nothing was written", err=True)
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            typer.echo("shoal: interrupted, nothing was written", err=True)
            raise typer.Exit(130) from None


def live_reporter() -> contextlib.AbstractContextManager[Reporter]:
    """Return the reporter of a command: a bar on stderr, and the token that signals set."""
    return live_progress(_STOP.get())


@contextlib.contextmanager
def logging_to_stderr(wanted: bool) -> Iterator[None]:
    """Log the tasks of the engine's workers to stderr, on request."""
    if not wanted:
        yield
        return
    import logging

    log, handler = logging.getLogger("shoal.engine"), logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    log.addHandler(handler)
    before = log.level
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(before)
        log.removeHandler(handler)


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
    """Print the result of a check, or its JSON; exit code 3 where it is not `ok`."""
    if as_json:
        write_stdout(json.dumps(result.to_dict(), indent=2, allow_nan=False) + "\n")
    elif result.ok:
        write_stdout(result.summary() + "\n")
    else:
        typer.echo(result.summary(), err=True)
    if not result.ok:
        raise typer.Exit(3)
