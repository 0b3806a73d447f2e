"""The commands verify, inspect, bound, methods and warmup."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.app import KNOW, WORK, app
from shoal.cli.command import TABLE, ShoalCommand
from shoal.cli.display import say
from shoal.cli.options import (
    A_TABLE,
    READING,
    JsonFlag,
    MissingAs,
    SensitiveTrees,
    Tabled,
    takes,
)
from shoal.cli.output import echo_verdict, live_reporter, write_stdout
from shoal.errors import RequestError, shown
from shoal.hints import said


@app.command(cls=Tabled, rich_help_panel=WORK)
@takes(
    "l", "l_kind", "c", "t", "alpha", "k_of", "missing_sensitive", "sensitive", "orders",
    "delimiter", "encoding", "quote", "decimal", "thousands", "date_format", "missing",
)  # fmt: skip
def verify(
    file: Annotated[
        str,
        typer.Argument(
            metavar=TABLE,
            help="A released file: csv, Parquet, SPSS, Excel, FILE#TABLE of a database and others, "
            "or - for stdin.",
        ),
    ],
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILES", help="With --ledger: more releases of the series."),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("-k", "--k", help="The k it should have; with --ledger the ledger says it."),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            help="Judge several releases together, exactly for the people in this ledger; what "
            "was promised stands there, and no other option is needed."
        ),
    ] = None,
    quasi: Annotated[
        list[str] | None,
        typer.Option(
            help="Its quasi-identifiers: a,b,c. Default: those of the report, certificate or "
            "recipe beside it, as for --sensitive; stderr says which."
        ),
    ] = None,
    hierarchy: SensitiveTrees = None,
    words: Annotated[
        list[str] | None,
        typer.Option(help="Sensitive columns whose numbers are codes, equally far apart: a,b."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Another release of the same people: what is left of a class when both are known. "
            "Roles are from the reports beside both; without --sensitive all columns count that "
            "both keep (--sensitive none: there are none)."
        ),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            help="The table that both releases were made of, with --against: counts exactly with "
            "how many others each person shares both classes."
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(help="Columns that name a person in all three files, with --original: a,b."),
    ] = None,
    missing_as: MissingAs = "own",
    as_json: JsonFlag = False,
    **options: Any,
) -> None:
    """Check a released file: exit code 0 if it keeps what is asked, 3 if it does not.

    Quasi-identifiers of csv are compared as bytes, others as values; a missing cell is a value of
    its own unless --missing-as says otherwise. Sensitive values that are numbers are
    compared as numbers, texts whatever their case, spaces and signs that cannot be seen; missing
    ones add nothing to --l and --alpha, and what it would be otherwise is said. Classes that break
    something are named by number and size, never by value.

    With --ledger, releases of a series are judged together: `shoal verify 2024.csv 2025.csv
    --ledger stays.ledger`.

    Example: `shoal verify release.csv -k 5 --quasi age,income`
    """
    if ledger is not None:
        from shoal.judge.series import verify_series

        echo_verdict(verify_series([file, *(more or ())], ledger), as_json)
        return
    if more:
        raise RequestError("several releases are judged with their ledger; say --ledger FILE")
    if k is None:
        raise RequestError("say which k it should have: -k K")
    from shoal.judge.verify import verify as check
    from shoal.settings.parse import split_names, split_pairs
    from shoal.settings.tree import arguments_of

    if options.get("sensitive") == ["none"]:
        options["sensitive"] = []
    verification = check(
        file,
        k=k,
        quasi_identifiers=None if quasi is None else split_names(quasi),
        hierarchies=split_pairs(hierarchy, "--hierarchy", first=True),
        words=split_names(words),
        against=against,
        original=original,
        key=split_names(key),
        missing_as=missing_as,
        **arguments_of(options),
    )
    for origin in verification.origins:
        say(origin)
    echo_verdict(verification, as_json)


@app.command(cls=Tabled, rich_help_panel=WORK)
@takes(*READING, "orders")
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
    as_json: JsonFlag = False,
    **options: Any,
) -> None:
    """Show a table's columns: kinds, missing cells, distinct values, likely roles and why.

    A text file is looked at first: where it is not plain csv, inspect says what it found, reads it
    so, and prints the options with which every command reads it so. No record is shown unless
    --show-rows asks for some.

    Example: `shoal inspect stays.csv`
    """
    from shoal.table.dialects.propose import Proposal, propose
    from shoal.table.files.formats import is_text
    from shoal.table.inspect import first_rows
    from shoal.table.inspect import inspect as look
    from shoal.table.ordinal import with_orders
    from shoal.table.read import read

    orders = options.pop("orders", None)
    found = Proposal()
    if is_text(file):
        found = propose(file)
    more = {name: value for name, value in found.options.items() if name not in options}
    table = with_orders(read(file, **options, **more), orders)
    inspection, rows = look(table), first_rows(table, show_rows)
    settled = _words({**options, **more})
    findings = [said(finding) for finding in found.findings]
    if as_json:
        content: dict[str, Any] = {**inspection.to_dict(), "findings": findings, "options": settled}
        content |= {"rows": rows} if show_rows else {}
        write_stdout(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        return
    write_stdout(
        f"{shown(file.name)[1:-1]}: {inspection.records:,} records\n\n{inspection.summary()}\n"
    )
    if rows:
        write_stdout(f"\nthe first records, as read:\n{_records(rows)}")
    if findings:
        lines = "".join(f"  {finding}\n" for finding in findings)
        write_stdout(f"\n{'not plain csv' if more else 'to be settled'}:\n{lines}")
    if more:
        write_stdout(f"\nread with these options:\n  {settled}\n")


def _records(rows: list[dict[str, str | None]]) -> str:
    """Return records as lines of text, a column after the other."""
    cells = [[*rows[0]], *([cell or "" for cell in row.values()] for row in rows)]
    safe = [[shown(cell, 30)[1:-1] for cell in row] for row in cells]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    lines = (
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        for row in safe
    )
    return "".join(f"  {line.rstrip()}\n" for line in lines)


def _words(options: dict[str, Any]) -> str:
    """Return options as they are said on the command line."""
    from shoal.settings.table import TABLE

    return shlex.join(
        [word for name, value in options.items() for word in TABLE[name].words(value)]
    )


@app.command(cls=Tabled, rich_help_panel=KNOW)
@takes(*READING, "orders", "hierarchies")
def bound(
    file: Annotated[Path, typer.Argument(metavar=TABLE, help=A_TABLE)],
    k: Annotated[int, typer.Option("-k", "--k", help="At least so many records a group.")],
    quasi: Annotated[list[str], typer.Option(help="Its quasi-identifiers: a,b,c.")],
    effort: Annotated[
        str, typer.Option(help="quick, normal, or best, which tries to prove the best grouping.")
    ] = "normal",
    loss: Annotated[
        str,
        typer.Option(
            help="sse (of methods by distance), iloss (of methods by hierarchies), or auto: iloss "
            "where cells are texts or missing, or a hierarchy is named."
        ),
    ] = "auto",
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds; what there is by then is a bound all the same.")
    ] = None,
    as_json: JsonFlag = False,
    **options: Any,
) -> None:
    """Tell what no grouping can lose less than: how good any method could be.

    The loss is that of the method that auto chooses: SSE/SST in percent, or for tables with texts,
    missing cells or hierarchies the ILoss rate of the generalization.

    Example: `shoal bound stays.csv -k 5 --quasi age,income`
    """
    from shoal.run.lower_bound import lower_bound
    from shoal.settings import RoleSettings
    from shoal.settings.parse import split_names
    from shoal.table.assign import assign
    from shoal.table.read import read

    orders, trees = options.pop("orders", None), options.pop("hierarchies", None)
    table = read(file, **options)
    named = tuple(split_names(quasi))
    rest = tuple(name for name in table.schema.names if name not in named)  # nothing is released
    roles = RoleSettings(quasi_identifiers=named, other=rest)
    with live_reporter() as report:
        result = lower_bound(
            assign(table, roles).table, k, effort=effort, orders=orders, hierarchies=trees,
            loss=loss, time_limit=time_limit, callback=report,
        )  # fmt: skip
    if as_json:
        write_stdout(json.dumps(asdict(result), indent=2) + "\n")
        return
    what = result.loss_name.removesuffix(", percent")
    what += "" if result.sse is None else f"; SSE {result.sse:.6g}"
    remark = "" if result.complete else " (cut short or by part: the true least may well be higher)"
    write_stdout(
        f"no grouping into groups of at least {k} loses less than {result.least()} % "
        f"({what}){remark}\n"
    )


@app.command(cls=ShoalCommand, rich_help_panel=KNOW)
def methods(as_json: JsonFlag = False) -> None:
    """List the methods: kind, cost and source of each.

    Example: `shoal methods`
    """
    from shoal.methods.registry import AUTO, AUTO_MIXED
    from shoal.methods.registry import methods as every_method

    every = every_method()
    if as_json:
        keys = ("name", "kind", "summary", "cost", "citation")
        write_stdout(
            json.dumps([{key: getattr(m, key) for key in keys} for m in every], indent=2) + "\n"
        )
        return
    for method in every:
        chosen = {AUTO: "numbers", AUTO_MIXED: "categories or missing cells"}
        what = chosen.get(method.name)
        auto = f"  (auto chooses this one for {what})" if what else ""
        needs = f"  (needs shoal[{method.extra}])" if method.extra else ""
        write_stdout(
            f"{method.name}{auto}{needs}\n  {method.summary}\n"
            f"  {method.kind}; {method.cost}\n  {method.citation}\n\n"
        )


@app.command(cls=ShoalCommand, rich_help_panel=KNOW)
def warmup() -> None:
    """Compile everything now, so that the first run does not wait for it.

    Example: `shoal warmup`
    """
    from shoal.run.warmup import warmup as compile_all

    for name, seconds in compile_all().items():
        say(f"{name}: {seconds:.2f} s")
