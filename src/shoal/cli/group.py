"""The command `shoal` as a group of commands: their order, and what becomes of errors."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from shoal.cli.command import use_colors
from shoal.cli.config import color_of
from shoal.cli.display import Display, display, set_display
from shoal.cli.output import STOP, print_error, use_json
from shoal.errors import ShoalError
from shoal.hints import Hint, speaking
from shoal.progress import StopToken

NAME = "shoal"
ORDER = (
    "inspect", "risk", "anonymize", "verify", "measure", "compare", "suggest", "plot", "run",
    "refine", "hierarchy", "certificate", "ledger", "serve", "methods", "presets", "steps", "bound",
    "warmup",
)  # fmt: skip
LISTED = "version", "install_completion", "show_completion", "help"  # commands list the others


class HelpfulGroup(TyperGroup):
    """A group whose help is printed as that of commands is."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters; help has a few words for each."""
        params: list[Any] = super().get_params(ctx)
        for param in params:
            param.hidden = param.name not in LISTED
            param.metavar = ""
            param.rich_help_panel = None
        return params

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        use_colors(display())
        super().format_help(ctx, formatter)


class ShoalGroup(HelpfulGroup):
    """Turns every error into one line on stderr and its exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands in the order of the work."""
        known = super().list_commands(ctx)
        first = [name for name in ORDER if name in known]
        return first + [name for name in known if name not in first]

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command line, whatever name it was started by."""
        given = args[0] if args else extra.get("args")
        words = list(sys.argv[1:] if given is None else given)
        set_display(Display(color=color_of(words)))
        use_json(words)
        return super().main(**{**extra, "args": given, "prog_name": NAME})

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """Return the context of a call; an error in it is told as that of a command."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except typer.TyperException as error:
            raise _told(error) from None

    def invoke(self, ctx: Any) -> Any:
        """Run a command; nothing but a bug shows a traceback."""
        stop = ctx.ensure_object(StopToken)
        STOP.set(stop)
        ctx.with_resource(speaking(_as_command))
        try:
            return super().invoke(ctx)
        except typer.TyperException as error:
            raise _told(error) from None
        except (typer.Exit, typer.Abort):
            raise
        except BaseException as error:
            # compiled code and DuckDB may have made something else of an interrupt
            if isinstance(error, KeyboardInterrupt) or stop.canceled:
                raise typer.Exit(_interrupted(stop)) from None
            _tell(error)
            raise


def _interrupted(stop: StopToken) -> int:
    """Tell that nothing was written, unless the release is there; return the exit code."""
    if stop.written:
        return 0
    print_error("Interrupted", "interrupted, nothing was written", 130)
    return 130


def _tell(error: BaseException) -> None:
    """Print an error in one line, and end with its code; what nobody expected shows all of it."""
    if isinstance(error, ShoalError):
        print_error(type(error).__name__, str(error), error.exit_code)
        raise typer.Exit(error.exit_code) from None
    if isinstance(error, MemoryError):
        print_error("MemoryError", "not enough memory for this table; nothing was written", 2)
        raise typer.Exit(2) from None
    if isinstance(error, Exception) and not isinstance(error, OSError):
        print_error("Unexpected", f"unexpected error ({type(error).__name__})", 1)


def _as_command(hint: Hint) -> str:
    """Return an option that a message names as the command line has it; loads the table."""
    from shoal.settings.hints import as_command

    return as_command(hint)


def _told(error: Any) -> typer.Exit:
    """Print an error of usage, with the command whose help to see; return what ends the call."""
    ctx = getattr(error, "ctx", None)
    if type(error).__name__ != "NoArgsIsHelpError":  # its help is printed
        path = NAME if ctx is None else ctx.command_path
        reason = _reason(error)
        print_error(
            "UsageError", f"{reason}{'' if reason[-1:] == '?' else ';'} see {path} --help", 2
        )
    return typer.Exit(2)


def _reason(error: Any) -> str:
    """Return what is wrong with a command line, and what comes close."""
    near = getattr(error, "possibilities", None)
    text = error.message if near else error.format_message()
    text = text[:1].lower() + text[1:].replace(". Did you mean", "; did you mean")
    if near:
        text = f"{text}; did you mean {' or '.join(sorted(near))}?"
    return str(text).strip().removesuffix(".")
