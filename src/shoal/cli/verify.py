"""The command verify."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.app import WORK, app
from shoal.cli.command import TABLE
from shoal.cli.display import say
from shoal.cli.options import JsonFlag, MissingAs, SensitiveTrees, Tabled, takes
from shoal.cli.output import echo_verdict
from shoal.errors import PrivacyError, RequestError

JUDGE = 150 * 10**6  # bytes that the judge takes beside DuckDB: a third of a run with kernels


@app.command(cls=Tabled, rich_help_panel=WORK)
@takes(
    "l", "l_kind", "c", "t", "alpha", "beta", "beta_kind", "delta", "e", "l_of", "k_of",
    "missing_sensitive", "sensitive", "orders",
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
        typer.Option(
            "-k",
            "--k",
            help="The k it should have; or say --preset. Default: that of the report, certificate "
            "or recipe beside it. With --ledger it says it.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="A threshold by custom that says the k; see `shoal presets`."),
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
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns that are released as they are: a,b. Any other column that is neither "
            "quasi-identifier nor sensitive is named, and the file fails if one tells most records "
            "apart. Default: those of the report, certificate or recipe beside it."
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
    memory: Annotated[
        str | None,
        typer.Option(help="Memory to judge in, such as 1GB: the rest goes to TMPDIR."),
    ] = None,
    sql: Annotated[
        bool,
        typer.Option(
            "--sql",
            help="Print the judgment as a script of SQL, which gives the same figures in DuckDB's "
            "own shell.",
        ),
    ] = False,
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
    from shoal.judge.engine import limited
    from shoal.judge.verify import verify as check
    from shoal.settings.parse import split_names, split_pairs
    from shoal.settings.presets import least_k
    from shoal.settings.tree import arguments_of
    from shoal.table.memory import read_memory

    if options.get("sensitive") == ["none"]:
        options["sensitive"] = []
    judge = partial(
        check, file,
        None if k is None and preset is None else least_k(k, preset),
        quasi_identifiers=None if quasi is None else split_names(quasi),
        keep=None if keep is None else split_names(keep),
        hierarchies=split_pairs(hierarchy, "--hierarchy", first=True),
        words=split_names(words),
        against=against,
        original=original,
        key=split_names(key),
        missing_as=missing_as,
        sql=sql,
        **arguments_of(options),
    )  # fmt: skip
    with limited(memory=None if memory is None else read_memory(memory) - JUDGE):
        verification = judge()
    if sql:
        sys.stdout.write(f"{verification.sql}\n")
        raise typer.Exit(0 if verification.ok else PrivacyError.exit_code)
    for origin in verification.origins:
        say(origin)
    echo_verdict(verification, as_json)
