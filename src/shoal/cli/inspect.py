"""The command inspect."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.app import WORK, app
from shoal.cli.command import TABLE
from shoal.cli.display import say
from shoal.cli.options import A_TABLE, READING, JsonFlag, Tabled, takes
from shoal.cli.output import write_stdout
from shoal.errors import shown
from shoal.hints import said
from shoal.storage.names import PIPED

if TYPE_CHECKING:
    from shoal.table.inspect import Inspection

K = 5  # of the command that is printed; whoever runs it may say another
OUT = "safe/"


@app.command(cls=Tabled, rich_help_panel=WORK)
@takes(*READING, "orders", "force")
def inspect(
    file: Annotated[Path, typer.Argument(metavar=TABLE, help=A_TABLE)],
    show_rows: Annotated[
        int,
        typer.Option(
            min=0,
            help="Also print the first N records as they are read: whoever sees the output sees "
            "them. Without it no cell is printed.",
        ),
    ] = 0,
    recipe: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write what is proposed as a recipe to edit, for `shoal run`."
        ),
    ] = None,
    as_json: JsonFlag = False,
    **options: Any,
) -> None:
    """Show a table's columns, what each seems to be and why, and a command to start from.

    Roles and hierarchies are proposed by names (in English, German, French, Spanish, Dutch and
    Italian), by what cells look like and by counts; nothing is run. A text file is looked at first:
    where it is not plain csv, inspect says what it found, reads it so, and prints the options with
    which every command reads it so. No record is shown unless --show-rows asks for some.

    Example: `shoal inspect stays.csv`
    """
    from shoal.pipeline.inspect import look_at, recipe_of
    from shoal.storage.staging import Staging
    from shoal.table.first_rows import first_rows

    force = options.pop("force", False)
    if recipe is not None:
        Staging(force=force).check(recipe, file)
    table, inspection = look_at(file, options)
    rows = first_rows(table, show_rows)
    if as_json:
        content: dict[str, Any] = {**inspection.to_dict(), "options": _words(inspection.reading)}
        content["proposed"] = inspection.to_dict()["options"]
        content["command"] = _command(file, inspection)
        content |= {"rows": rows} if show_rows else {}
        write_stdout(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    else:
        _print(file, inspection, rows)
    if recipe is not None:
        with Staging(force=force) as staging:
            staging.check(recipe, file)
            place = None if _is_piped(file) else file
            staging.add(recipe, recipe_of(inspection, place, K).encode("utf-8"))
            staging.commit()
        say(f"wrote {recipe}; shoal run {shlex.quote(str(recipe))} -o {OUT} runs it")


def _print(file: Path, inspection: Inspection, rows: Sequence[Mapping[str, str | None]]) -> None:
    """Print what was seen and what is proposed."""
    from shoal.settings.command_line import in_lines

    write_stdout(
        f"{shown(file.name)[1:-1]}: {inspection.records:,} records\n\n{inspection.summary()}\n"
    )
    if rows:
        write_stdout(f"\nthe first records, as read:\n{_records(rows)}")
    if inspection.findings:
        lines = "".join(f"  {said(finding)}\n" for finding in inspection.findings)
        head = "not plain csv" if inspection.proposed_reading else "to be settled"
        write_stdout(f"\n{head}:\n{lines}")
    if inspection.proposed_reading:
        write_stdout(f"\nread with these options:\n  {_words(inspection.reading)}\n")
    command = _command(file, inspection)
    if command is None:
        write_stdout("\nno command is proposed: no column is left to group\n")
        return
    write_stdout(f"\na command to start from; look at every role first:\n  {command}\n")
    if inspection.intervals:
        rules = [word for one in inspection.intervals.items() for word in _rule(*one)]
        more = in_lines(rules).replace("\n", "\n  ")
        write_stdout(
            f"\nnumbers and dates are released as means; for intervals instead, add:\n  {more}\n"
        )


def _is_piped(file: Path) -> bool:
    """Tell whether a file holds what came from stdin, and is gone afterwards."""
    return file.parent.name.startswith(PIPED)


def _rule(name: str, rule: str) -> list[str]:
    """Return the hierarchy of a column as words of the command line."""
    from shoal.settings.table import TABLE

    return list(TABLE["hierarchies"].words({name: rule}))


def _command(file: Path, inspection: Inspection) -> str | None:
    """Return the whole command that does what is proposed; None where nothing can be grouped."""
    from shoal.settings.command_line import in_lines
    from shoal.settings.table import TABLE as EVERY

    if not inspection.options:
        return None
    name = str(file) if not str(file).startswith("-") else f"./{file}"
    source = ["-", "--from", file.suffix.removeprefix(".")] if _is_piped(file) else [name]
    words = ["shoal", "anonymize", *source, "-k", str(K)]
    for option, value in inspection.options.items():
        words += EVERY[option].words(EVERY[option].option.kind.take(value, option))
    return in_lines([*words, "-o", OUT]).replace("\n", "\n  ")


def _records(rows: Sequence[Mapping[str, str | None]]) -> str:
    """Return records as lines of text, a column after the other."""
    cells = [[*rows[0]], *([cell or "" for cell in row.values()] for row in rows)]
    safe = [[shown(cell, 30)[1:-1] for cell in row] for row in cells]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    lines = (
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        for row in safe
    )
    return "".join(f"  {line.rstrip()}\n" for line in lines)


def _words(options: Mapping[str, Any]) -> str:
    """Return options as they are said on the command line."""
    from shoal.settings.table import TABLE

    return shlex.join(
        [word for name, value in options.items() for word in TABLE[name].words(value)]
    )
