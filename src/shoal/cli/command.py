"""A command: its own parameters, those that every command has, and what a variable may say."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command_from_info
from typer.models import CommandInfo

from shoal.cli.config import KEYS, check_variables, config_path, read_config, variable
from shoal.cli.display import PROGRESS, Display, colors, detail, display, say, set_display
from shoal.errors import InputError, RequestError, nearest_names, shown
from shoal.storage.names import PIPED
from shoal.storage.private_folder import ENDINGS

PIECE = 2**20  # bytes that are held at once
TABLE = "TABLE"  # the metavar of a parameter that is read as a table: - is stdin
DISPLAY = "Display"
EXAMPLE = "\n\nExample: "
HELP = "-h", "--help"
RANKS = "COMMANDLINE", "ENVIRONMENT", "DEFAULT_MAP"
METAVARS = {int: "N", float: "NUMBER", str: "TEXT", Path: "PATH", list[str]: "TEXT"}
NOTED = "shoal.display"


def note_display(ctx: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """Note what is said of the display, before the command or after it, and where."""
    source = ctx.get_parameter_source(str(param.name))
    if value not in (None, False) and source is not None and source.name in RANKS:
        ctx.meta.setdefault(NOTED, []).append((RANKS.index(source.name), param.name, value))
    return value


def _option(*flags: str, help: str) -> Any:  # noqa: A002 - as typer calls it
    return typer.Option(
        *flags, help=help, rich_help_panel=DISPLAY, callback=note_display, expose_value=False,
        is_eager=True, metavar="HOW",
    )  # fmt: skip


Quiet = Annotated[bool, _option("--quiet", "-q", help="Print errors and warnings only.")]
Verbose = Annotated[bool, _option("--verbose", "-v", help="Print details of the run, too.")]
ProgressAs = Annotated[
    str | None,
    _option(
        "--progress",
        help="How progress is shown on stderr: auto (a bar, or a line a stage where it is no "
        "terminal), lines, json (everything on stderr is one JSON object a line), none.",
    ),
]
NoColor = Annotated[bool, _option("--no-color", help="Print without colors.")]


def _shared(
    quiet: Quiet = False,
    verbose: Verbose = False,
    progress: ProgressAs = None,
    no_color: NoColor = False,
) -> None:
    """Hold the options that every command has."""


def _from(
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="The format of a table on stdin, which is named - : csv, parquet and others.",
            metavar="FORMAT",
            rich_help_panel="Reading",
        ),
    ] = None,
) -> None:
    """Hold the option of commands that read a table."""


@cache
def _params_of(function: Any) -> list[Any]:
    """Return the parameters of a function as typer makes them."""
    return get_command_from_info(
        CommandInfo(name="", callback=function),
        pretty_exceptions_short=False,
        rich_markup_mode="markdown",
    ).params


class ShoalCommand(TyperCommand):
    """A command with the options that all have, whose tables may come from stdin."""

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """Return the context of a call; what is not said is looked up in the configuration file."""
        if not extra.get("resilient_parsing") and not set(HELP) & set(args):
            check_variables()
            extra["default_map"] = read_config()
        return super().make_context(info_name, args, parent, **extra)

    def get_params(self, ctx: Any) -> Any:
        """Return all parameters; the first time those that every command has are added."""
        _ = self._whole
        params: list[Any] = super().get_params(ctx)
        params[-1].rich_help_panel = DISPLAY  # that of --help
        params[-1].metavar = ""
        return params

    def complete_params(self) -> None:
        """Make the command's own parameters, where they are not made yet."""

    @cached_property
    def _whole(self) -> bool:
        self.complete_params()
        if any(param.metavar == TABLE for param in self.params):
            self.params = [*self.params, *_params_of(_from)]
        self.params = [*self.params, *_params_of(_shared)]
        own_recipe = any(one.name == "recipe" and one.required for one in self.params)
        for param in self.params:
            _name_type(param)
            if param.name in KEYS and not (param.name == "memory" and own_recipe):
                param.envvar = variable(param.name)
        return True

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; the example can be copied, however narrow the terminal is."""
        use_colors(display())
        whole = self.help
        text, example = split_example(whole or "")
        if example:
            lines = fold(example, shutil.get_terminal_size().columns - 2)
            shown = "  \n".join(f"`{line}`" for line in lines)
            first, _, rest = text.partition("\n\n")
            self.help = f"{first}{EXAMPLE}\n\n{shown}\n\n{rest}"
        try:
            super().format_help(ctx, formatter)
        finally:
            self.help = whole

    def invoke(self, ctx: Any) -> Any:
        """Run the command, with the display that was chosen and with tables from stdin."""
        set_display(chosen_display(ctx))
        self._settle(ctx)
        tables = [one.name for one in self.params if one.metavar == TABLE]
        piped = [name for name in tables if is_stdin(ctx.params.get(name))]
        kind = ctx.params.pop("from_", None) if tables else None  # else it is the command's own
        check_from(kind, len(piped))
        with ExitStack() as held:
            for name in piped:
                assert kind is not None  # or it was refused
                path = held.enter_context(piped_table(kind, ctx.params.get("work")))
                ctx.params[name] = path if isinstance(ctx.params[name], Path) else str(path)
            return super().invoke(ctx)

    def _settle(self, ctx: Any) -> None:
        """Say what was taken from a variable or the configuration file; a recipe has its own."""
        for param in self.params:
            source = ctx.get_parameter_source(param.name)
            if param.name not in KEYS or source is None or source.name not in RANKS[1:]:
                continue
            place = variable(param.name) if source.name == RANKS[1] else str(config_path())
            if _does_not_apply(param.name, ctx.params):
                ctx.params[param.name] = None
            elif param.name in ctx.params:
                tell = say if param.name == "memory" else detail
                tell(f"{param.opts[0]} {ctx.params[param.name]}, from {place}")


def _does_not_apply(name: str, params: dict[str, Any]) -> bool:
    """Tell whether a value of a variable or file is not for this call, which asks for none."""
    if name == "memory":
        return params.get("recipe") is not None  # a recipe has its own
    return name == "scheduler" and params.get("engine") in (None, "threads")


def _name_type(param: Any) -> None:
    """Let help say what a parameter's value is like, in words that are not Python's."""
    if not hasattr(param, "is_flag"):
        param.display_type_rich = lambda ctx: None  # noqa: ARG005 - its name says what it is
    elif param.is_flag:
        param.metavar = ""
    elif param.metavar is None:
        param.metavar = METAVARS.get(param.type_descriptor.annotation, "TEXT")


def chosen_display(ctx: Any) -> Display:
    """Return the display that options, variables and the configuration file choose."""
    noted: Iterable[tuple[int, str, Any]] = sorted(ctx.meta.get(NOTED, ()), key=lambda one: one[0])
    chosen: dict[str, tuple[int, str]] = {}
    for rank, name, value in noted:
        field, word = (name, str(value)) if name == "progress" else ("level", name)
        if name == "no_color":
            continue
        known = chosen.setdefault(field, (rank, word))
        if known[0] == rank and known[1] != word:
            raise RequestError(f"say one of {known[1]} and {word}, not both")
    words = {field: word for field, (_, word) in chosen.items()}
    if words.get("progress", PROGRESS[0]) not in PROGRESS:
        raise RequestError(
            f"--progress must be one of {', '.join(PROGRESS)}"
            f"{nearest_names(words['progress'], PROGRESS)}"
        )
    return Display(color=display().color, **words)


def use_colors(chosen: Display) -> None:
    """Let help be printed in color, or not."""
    from typer import rich_utils

    wanted = colors(chosen.color)
    rich_utils.COLOR_SYSTEM = None if wanted is False else "auto"
    rich_utils.FORCE_TERMINAL = wanted or None


def split_example(text: str) -> tuple[str, str]:
    """Return a command's help without its example, and the example as a command line."""
    head, _, example = text.partition(EXAMPLE)
    return head, " ".join(example.strip().strip("`").split())


def fold(line: str, width: int) -> list[str]:
    """Return a command line as lines that can be pasted: all but the last end in a backslash."""
    words = [shlex.quote(word) for word in shlex.split(line)]
    lines, room = [""], max(width, 20) - 2
    for word in words:
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if len(longer) > room and lines[-1]:
            lines[-1] += " \\"
            lines.append(f"    {word}")
        else:
            lines[-1] = longer
    return lines


def is_stdin(value: object) -> bool:
    """Tell whether a value of the command line means stdin."""
    return value is not None and str(value) == "-"


def check_from(kind: str | None, wanted: int) -> None:
    """Raise RequestError unless --from is said where a table is `-`, once, and nowhere else."""
    if wanted == 0 and kind is not None:
        raise RequestError("--from is the format of a table on stdin; say - as its name")
    if wanted > 1:
        raise RequestError("only one table can be read from stdin; name a file for the other")
    if wanted and kind is None:
        raise RequestError(
            "a table on stdin has no name that tells its format; say --from csv or --from parquet"
        )
    if kind is not None and kind not in ENDINGS:
        raise RequestError(f"--from {shown(kind)}: it must be one of {', '.join(ENDINGS)}")


@contextmanager
def piped_table(kind: str, folder: str | None) -> Iterator[Path]:
    """Yield the file that holds what stdin has; it is removed in the end."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("stdin is closed; there is no table in it")
    if sys.stdin.isatty():
        raise InputError("stdin is a terminal; pipe a table into it, or name a file")
    with ExitStack() as held:
        try:
            own = held.enter_context(tempfile.TemporaryDirectory(prefix=PIPED, dir=folder))
            path = Path(own) / f"stdin.{kind}"
            with path.open("xb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file, PIECE)
        except OSError as error:
            where = folder or tempfile.gettempdir()
            raise InputError(
                f"stdin cannot be kept in {shown(where)}: {error.strerror}; say --work FOLDER, or "
                "set TMPDIR, to keep it elsewhere"
            ) from None
        yield path
