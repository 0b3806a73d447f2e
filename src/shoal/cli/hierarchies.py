"""The commands for hierarchies: hierarchy build, check, show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.app import AGAIN, app
from shoal.cli.command import TABLE
from shoal.cli.display import say
from shoal.cli.group import HelpfulGroup
from shoal.cli.options import A_TABLE, READING, Tabled, takes
from shoal.cli.output import write_stdout
from shoal.errors import InputError, RequestError, shown

if TYPE_CHECKING:
    from shoal.table.hierarchy.view import Hierarchy

group = typer.Typer(
    cls=HelpfulGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Make, check and show hierarchies, by which values are generalized.",
)
app.add_typer(group, name="hierarchy", rich_help_panel=AGAIN)


Rule = Annotated[
    str | None,
    typer.Option(
        help="FILE.csv, widths:5,10 (half-open intervals [a,b)), cuts:18,30,65, quantiles:20,5, "
        "prefixes:3,2, dates, balanced or flat. Default: balanced for numbers, prefixes for texts "
        "that are codes of one length, flat for other texts."
    ),
]
Column = Annotated[str | None, typer.Option(help="The column of the data that it is for.")]


@group.command(cls=Tabled)
@takes(*READING, "force")
def build(
    data: Annotated[Path, typer.Argument(metavar=TABLE, help=A_TABLE)],
    column: Annotated[str, typer.Option(help="The column to make a hierarchy for.")],
    output: Annotated[
        str, typer.Option("-o", "--output", help="COLUMN.csv, a folder DIR/, or - for stdout.")
    ] = "-",
    rule: Rule = None,
    **options: Any,
) -> None:
    """Write a column's hierarchy as a file to edit: one line a value, `value;parent;…;*`.

    Intervals are half-open: [20,30) holds 20 and not 30. The file holds every value of the column.

    Example: `shoal hierarchy build stays.csv --column age --rule widths:5,10,20 -o trees/`
    """
    from shoal.storage.staging import Staging

    force = options.pop("force", False)
    target, folders = Path(output), []
    if output.endswith("/") or target.is_dir():
        if "/" in column:
            raise RequestError(f"column {shown(column)} cannot name a file; say -o FILE.csv")
        folders.append(target)
        target = target / f"{column}.csv"
    if output != "-":
        Staging(force=force, folders=folders).check(target, data)
    built = _of(data, column, rule, options)
    if built.uncovered:
        raise InputError(f"{len(built.uncovered)} values of the column have no place in it")
    if output == "-":
        write_stdout(built.to_csv())
        return
    with Staging(force=force, folders=folders) as staging:
        staging.check(target, data)
        staging.add(target, built.to_csv().encode("utf-8"))
        staging.commit()
    say(f"{built.summary()}\nwrote {target}")


@group.command(cls=Tabled)
@takes(*READING)
def check(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A hierarchy's csv file, or a rule such as dates."),
    ],
    data: Annotated[
        Path | None, typer.Option(metavar=TABLE, help="A table that it should cover.")
    ] = None,
    column: Column = None,
    **options: Any,
) -> None:
    """Check that a file is a tree and, with data, that it covers every value of a column.

    Values without a place are listed, and the exit code is 2.

    Example: `shoal hierarchy check trees/age.csv --data stays.csv --column age`
    """
    tree = _read_hierarchy(file, data, column, options)
    write_stdout(f"{tree.summary()}\n")
    if tree.uncovered:
        raise InputError(f"{file}: {len(tree.uncovered)} values of the data have no place in it")


@group.command(cls=Tabled)
@takes(*READING)
def show(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A hierarchy's csv file, or with --data a rule such as dates."
        ),
    ],
    data: Annotated[
        Path | None, typer.Option(metavar=TABLE, help="A table whose records are counted.")
    ] = None,
    column: Column = None,
    depth: Annotated[
        int | None, typer.Option(min=0, help="How many levels below the root.")
    ] = None,
    **options: Any,
) -> None:
    """Draw a hierarchy, with the number of records below every node where data is given.

    Example: `shoal hierarchy show widths:10,20 --data stays.csv --column age`
    """
    tree = _read_hierarchy(file, data, column, options)
    write_stdout(f"{tree.summary()}\n\n{tree.draw(depth)}\n")


def _read_hierarchy(
    file: str, data: Path | None, column: str | None, reading: dict[str, Any]
) -> Hierarchy:
    """Return the hierarchy of a file alone, or what a rule makes of a column of data."""
    from shoal.table.hierarchy.view import hierarchy

    if data is None:
        return hierarchy(file)
    return _of(data, column or Path(file).stem, file, reading)


def _of(data: Path, column: str, rule: str | None, reading: dict[str, Any]) -> Hierarchy:
    """Return the hierarchy that a rule makes of a column."""
    from shoal.table.hierarchy.view import hierarchy
    from shoal.table.read import read

    return hierarchy(read(data, **reading), column, rule)
