"""The commands about the ledger of a series: ledger add, withdraw, forget, check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.app import AGAIN, app
from shoal.cli.command import ShoalCommand
from shoal.cli.display import say
from shoal.cli.group import HelpfulGroup
from shoal.cli.output import write_stdout
from shoal.errors import InputError, shown

group = typer.Typer(
    cls=HelpfulGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Keep the ledger of a series: who was in which release that `--ledger` made.",
)
app.add_typer(group, name="ledger", rich_help_panel=AGAIN)

LedgerFile = Annotated[
    Path, typer.Argument(metavar="LEDGER", help="The ledger; its key LEDGER.key lies beside it.")
]


@group.command(cls=ShoalCommand)
def add(
    ledger: LedgerFile,
    recipe: Annotated[
        Path,
        typer.Argument(
            metavar="RECIPE", help="The recipe of the release: run.toml in its private folder."
        ),
    ],
    person: Annotated[str, typer.Option(help="The column of the original that says who is who.")],
    release: Annotated[
        Path | None,
        typer.Option(help="The released file. Default: the one that the folder belongs to."),
    ] = None,
    changing: Annotated[
        list[str] | None,
        typer.Option(help="Columns that are not the same for a person over the releases: a,b."),
    ] = None,
) -> None:
    """Note an earlier release, which was made without a ledger.

    It is made again from its recipe and original, and compared with the file that was published.
    Earlier releases are added in their order, before the first one is made under the ledger. What
    they give away together cannot be taken back: people for whom fewer than l values are left are
    withheld from later releases.

    Example: `shoal ledger add stays.ledger release.private/run.toml --person number`
    """
    from shoal.pipeline.add_release import add_release
    from shoal.series.keeping import describe
    from shoal.settings.parse import split_names

    made = add_release(ledger, recipe, person, release, split_names(changing))
    say(f"{describe(made)}\nwrote {ledger}: private, as confidential as the original")


@group.command(cls=ShoalCommand)
def withdraw(
    ledger: LedgerFile,
    release: Annotated[int, typer.Argument(metavar="NUMBER", help="The number of the release.")],
) -> None:
    """Note that a release was made and not published: it no longer counts.

    Only what nobody has seen can be withdrawn. `shoal ledger check` has the numbers.

    Example: `shoal ledger withdraw stays.ledger 1`
    """
    from shoal.series.keeping import describe, withdraw_release

    say(describe(withdraw_release(ledger, release)))


@group.command(cls=ShoalCommand)
def forget(
    ledger: LedgerFile,
    people: Annotated[
        list[str] | None, typer.Argument(metavar="PERSON", help="People, as --person has them.")
    ] = None,
    listed: Annotated[
        Path | None, typer.Option("--from", help="A file with one person on each line.")
    ] = None,
) -> None:
    """Let people leave: they are in no later release, and their classes are forgotten.

    What was published of them stays published. How many others shared a class with them is said.

    Example: `shoal ledger forget stays.ledger P0017`
    """
    from shoal.series.keeping import forget_people

    names = list(people or ())
    if listed is not None:
        try:
            names += [line for line in listed.read_text("utf-8").splitlines() if line]
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{shown(listed)}: cannot be read as a text") from None
    say(forget_people(ledger, names).summary())


@group.command(cls=ShoalCommand)
def check(ledger: LedgerFile) -> None:
    """Check every message code of a ledger, and say what it holds, in counts.

    Example: `shoal ledger check stays.ledger`
    """
    from shoal.series.keeping import check_ledger

    write_stdout(f"{check_ledger(ledger)}\n")
