"""The command man: a manual page, made of what the help of all commands is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from shoal import __version__
from shoal.cli.app import KNOW, app
from shoal.cli.command import DISPLAY, ShoalCommand, fold, split_example
from shoal.cli.config import FILE, KEYS, variable
from shoal.cli.output import write_stdout

WIDTH = 72  # of an example's lines
CODES = {
    0: "The command did what was asked.",
    1: "An unexpected error.",
    2: "Wrong usage, or input that cannot be read.",
    3: "A privacy requirement is not met; nothing was written.",
    130: "Interrupted; nothing was written.",
}
INTRODUCTION = (
    "Shoal makes microdata safe to release: each record hides among at least k. Data and `--json` "
    "go to stdout, everything else to stderr. With `--json` an error is an object on stdout, too, "
    "with kind, message, hint and exit code. A table named `-` is read from stdin, in the format "
    "that `--from` says; `-o -` writes to stdout, after the release was verified."
)
PRECEDENCE = (
    "An option on the command line comes before its variable, that before the configuration file, "
    "that before the default. They hold resources, paths and display; what decides about a release "
    "(k, roles, models, method, seed) is refused there. A recipe has its own memory."
)


@app.command("man", cls=ShoalCommand, rich_help_panel=KNOW)
def manual(context: typer.Context) -> None:
    """Print the manual page, for man to show: `shoal man | man -l -`.

    To install it: `shoal man > ~/.local/share/man/man1/shoal.1`.

    Example: `shoal man`
    """
    root = context.find_root()
    write_stdout("\n".join(page(root.command, root)) + "\n")


def page(shoal: Any, root: Any) -> Iterator[str]:
    """Yield the lines of the manual page, in roff."""
    yield f'.TH SHOAL 1 "" "shoal {__version__}" "User Commands"'
    yield from (".SH NAME", rf"shoal \- {_text(shoal.help)}")
    yield from (".SH SYNOPSIS", r".B shoal", r"\fICOMMAND\fR [\fIOPTIONS\fR] [\fIARGUMENTS\fR]")
    yield from (".SH DESCRIPTION", _text(INTRODUCTION))
    yield ".SH COMMANDS"
    shared: list[Any] = []
    for path, command, ctx in commands(shoal, root):
        params = command.get_params(ctx)
        shared = [one for one in params if getattr(one, "rich_help_panel", None) == DISPLAY]
        yield from _command(path, command, ctx, [one for one in params if one not in shared])
    yield ".SH OPTIONS OF ALL COMMANDS"
    for param in shared:
        yield from _option(param)
    yield from (".SH EXIT STATUS", *_terms({str(code): text for code, text in CODES.items()}))
    yield from (".SH ENVIRONMENT", _text(PRECEDENCE))
    yield from _terms({variable(key): f"`{key}`: {rule[0]}." for key, rule in KEYS.items()})
    yield from _terms(
        {
            FILE: "The configuration file.",
            "SHOAL_CHARTS": "`off` leaves charts out of reports.",
            "SHOAL_DATA": "The folder of reference tables.",
            "NO_COLOR, FORCE_COLOR": "Never, or always, print in color.",
        }
    )
    yield ".SH FILES"
    where = "The configuration file, in TOML, with the keys of the variables in small letters."
    yield from _terms({"$XDG_CONFIG_HOME/shoal/config.toml": where})


def commands(group: Any, ctx: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield every command below a group, in the order of its help: its words, itself, a context."""
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        below = command.make_context(name, [], parent=ctx, resilient_parsing=True)
        if hasattr(command, "list_commands"):
            yield from commands(command, below)
        else:
            yield below.command_path, command, below


def _command(path: str, command: Any, ctx: Any, params: list[Any]) -> Iterator[str]:
    """Yield the section of a command."""
    text, example = split_example(command.help or "")
    words = " ".join(command.collect_usage_pieces(ctx))
    yield from (f".SS {_text(path)}", rf"\fB{_text(path)}\fR {_text(words)}", ".PP")
    for paragraph in text.split("\n\n"):
        yield from (_text(paragraph), ".PP")
    yield from (".EX", *(_escaped(line) for line in fold(example, WIDTH)), ".EE")
    panel = None
    for param in params:
        its = getattr(param, "rich_help_panel", None)
        if its != panel and its is not None:
            yield from (".PP", rf"\fI{_text(its)}\fR")
        panel = its
        yield from _option(param)


def _option(param: Any) -> Iterator[str]:
    """Yield a parameter with its help."""
    is_option = hasattr(param, "is_flag")
    flags = ", ".join(sorted(param.opts, key=len)) if is_option else ""
    value = rf"\fI{_text(param.metavar or '')}\fR" if param.metavar else ""
    named = getattr(param, "envvar", None)
    text = f"{param.help or ''}{f' Variable: {named}.' if named else ''}"
    yield from (".TP", " ".join(filter(None, (rf"\fB{_text(flags)}\fR" if flags else "", value))))
    yield _text(text) or r"\&"


def _terms(terms: dict[str, str]) -> Iterator[str]:
    """Yield terms with what they mean."""
    for term, text in terms.items():
        yield from (".TP", rf"\fB{_text(term)}\fR", _text(text))


def _text(text: str) -> str:
    """Return a text on one line of roff; what stands in backticks is bold."""
    line = _escaped(" ".join(text.split()))
    return re.sub(r"`([^`]*)`", r"\\fB\1\\fR", line)


def _escaped(text: str) -> str:
    """Return a text in which nothing means anything to roff."""
    plain = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("…", "...")
    return rf"\&{plain}" if plain[:1] in (".", "'") else plain
