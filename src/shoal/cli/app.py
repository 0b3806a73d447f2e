"""The command `shoal` itself."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli.command import NoColor, ProgressAs, Quiet, Verbose
from shoal.cli.group import ShoalGroup
from shoal.version import __version__

WORK, AGAIN, KNOW = "Main commands", "Further commands", "Information and setup"

app = typer.Typer(
    name="shoal",
    cls=ShoalGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Make microdata safe to release: each record hides among at least k.",
    epilog="Start with `shoal inspect FILE`, then `shoal anonymize FILE -k 5 --quasi a,b -o F.csv`",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def _shoal(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    progress: ProgressAs = None,
    no_color: NoColor = False,
) -> None:
    pass
