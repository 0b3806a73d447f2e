"""Command line options: those of the table of options, and a few beyond it.

The table is loaded when a command is parsed, not before: `shoal --help` lists commands without it.
"""

from __future__ import annotations

import csv
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command_from_info
from typer.models import CommandInfo

from shoal.cli.command import TABLE, ShoalCommand

SAFE = re.compile(r"\w[\w.-]*")
HEAD = 2**16  # bytes of a file that are looked at
COLUMNS = "Sequence[str] | str"  # the type of names of columns
PRIVACY, WRITING, RESOURCES = "Privacy", "Writing", "Resources"
A_TABLE = "A table: csv, Parquet, SPSS, Stata, SAS, Excel and others, or - for stdin."
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, errors too.")]
SensitiveTrees = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        help="COLUMN=FILE.csv or prefixes:3,2: the tree by which t-closeness compares the values "
        "of a sensitive column; repeatable.",
    ),
]
MissingAs = Annotated[
    str,
    typer.Option(
        help="What a missing cell or * matches: own (only itself, the strictest), root (any "
        "value, but not the other way round), wildcard (anything)."
    ),
]
DIALECT = (
    "delimiter", "encoding", "decimal", "thousands", "date_format", "skip_lines", "comment",
    "quote", "widths", "sheet",
)  # fmt: skip
READING = (*DIALECT, "missing", "types")  # of every command that reads a table


class Tabled(ShoalCommand):
    """A command whose `**options` are those of the table, which it loads when it is parsed."""

    def complete_params(self) -> None:
        """Make the parameters: those of the function, and those of the table."""
        known: Any = inspect.unwrap(self.callback) if self.callback else None
        whole = get_command_from_info(
            CommandInfo(name=self.name, callback=known.complete()),
            pretty_exceptions_short=False,
            rich_markup_mode=self.rich_markup_mode,
        )
        self.params, self.callback = whole.params, whole.callback


def takes(*names: str, command: str = "") -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take options of the table: those named, or all that the table gives it.

    Its function gets as `**options` the values of those that were given, by name.
    """

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        def light() -> None:
            """Stand for the command until it is parsed."""

        def complete() -> Callable[..., None]:
            return _complete(function, names, command)

        light.__name__, light.__doc__ = function.__name__, function.__doc__
        light.__module__ = function.__module__
        light.complete = complete  # type: ignore[attr-defined]
        return light

    return decorated


def _complete(
    function: Callable[..., None], names: tuple[str, ...], command: str
) -> Callable[..., None]:
    """Return a command with its own parameters and those of the table, by panels."""
    from shoal.settings.table import TABLE, options_of_command

    entries = [TABLE[name] for name in names] if names else options_of_command(command)

    def run(**given: Any) -> None:
        options = {}
        for entry in entries:
            words = given.pop(entry.name)
            if words is not None and words is not False:
                options[entry.name] = entry.option.kind.read(words, entry.flag)
        function(**given, **options)

    signature = inspect.signature(function, eval_str=True)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    every = [*own, *(_parameter(entry, command) for entry in entries)]
    named = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in every]
    run.__signature__ = inspect.Signature(sorted(named, key=_panel))  # type: ignore[attr-defined]
    run.__name__ = function.__name__
    return run


def _panel(parameter: inspect.Parameter) -> int:
    """Return the place of a parameter's panel; arguments, and options without one, come first."""
    from shoal.settings.option import PANELS

    panel = getattr(parameter.annotation.__metadata__[0], "rich_help_panel", None)
    return PANELS.index(panel) if panel in PANELS else -1


def _parameter(entry: Any, command: str) -> inspect.Parameter:
    """Return an option as a parameter that typer reads."""
    from shoal.hints import Message
    from shoal.settings.hints import as_command

    option, word = entry.option, entry.option.kind.word
    metavar = _metavar(option.kind)
    typer_option = typer.Option(
        *entry.flags, help=Message(option.help).at(as_command), rich_help_panel=option.panel,
        min=option.least,
        metavar=metavar,
        autocompletion=completer(entry, metavar == "COLUMNS"),
    )  # fmt: skip
    named = inspect.Parameter.KEYWORD_ONLY
    if command in option.needed:
        return inspect.Parameter(entry.name, named, annotation=Annotated[word, typer_option])
    if word is bool:
        return inspect.Parameter(
            entry.name, named, default=False, annotation=Annotated[bool, typer_option]
        )
    return inspect.Parameter(
        entry.name, named, default=None, annotation=Annotated[word | None, typer_option]
    )


def _metavar(kind: Any) -> str | None:
    """Return what a value of a kind is like; None where its type says it."""
    if kind.word is bool:
        return ""
    if "Mapping" in kind.type:
        return "COLUMN=…" if kind.type.startswith("Mapping") else "VALUE"
    return "COLUMNS" if kind.type == COLUMNS else None


def given_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that are given: an empty list leaves a recipe's value."""
    return {name: value for name, value in options.items() if value not in ([], {})}


# What shells may complete beyond options: methods, words, and columns of the table that is named.
#
# Only what is cheap is looked up. Shells evaluate what they are offered, and column names are
# whatever somebody wrote into a file: those with unusual signs are left out.


def completer(entry: Any, columns: bool) -> Any:
    """Return what completes the value of an option of the table; None: files, as shells do."""
    if entry.name in ("method", "start"):
        return method_names
    if entry.choices:
        return lambda: list(entry.choices)
    return column_names if columns or entry.name in ("weight", "person", "household") else None


def method_names() -> list[str]:
    """Return the names of all methods."""
    from shoal.methods.registry import METHODS

    return ["auto", *METHODS]


def column_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the table on the command line, after those that are typed: a,b,…"""
    typed, comma, _ = incomplete.rpartition(",")
    used = set(typed.split(","))
    tables = [one.name for one in ctx.command.params if one.metavar == TABLE]
    named = [ctx.params.get(name) for name in tables]
    files = [Path(str(one)) for one in (*named, *ctx.args) if one]  # all, while a value is missing
    names = next((_header(file) for file in files if file.is_file()), [])
    safe = [name for name in names if SAFE.fullmatch(name) and name not in used]
    return [f"{typed}{comma}{name}" for name in safe]


def _header(path: Path) -> list[str]:
    """Return the names in the header of a csv or Parquet file; none where that fails."""
    try:
        if path.suffix == ".parquet":
            import pyarrow.parquet as pq

            return list(pq.read_schema(path).names)
        with path.open("rb") as file:
            first = file.read(HEAD).partition(b"\n")[0].decode("utf-8-sig").strip("\r")
        sign = max(",;\t|", key=first.count)
        return next(csv.reader([first], delimiter=sign), [])
    except (OSError, ValueError, csv.Error):  # also of pyarrow
        return []
