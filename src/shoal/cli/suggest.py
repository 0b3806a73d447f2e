"""The commands about steps beside grouping: what there is, and which to take."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.app import KNOW, WORK, app
from shoal.cli.command import TABLE, ShoalCommand
from shoal.cli.options import A_TABLE, PRIVACY, JsonFlag, Tabled, given_options, takes
from shoal.cli.output import live_reporter, write_stdout


@app.command(cls=Tabled, rich_help_panel=WORK)
@takes(command="compare")
def suggest(
    input: Annotated[  # noqa: A002
        Path, typer.Argument(metavar=TABLE, help=A_TABLE)
    ],
    k: Annotated[
        int, typer.Option("-k", "--k", help="The size of groups.", rich_help_panel=PRIVACY)
    ],
    max_risk: Annotated[
        float,
        typer.Option(
            help="The share of records that linkage attacks may find.", rich_help_panel=PRIVACY
        ),
    ] = 0.05,
    **options: Any,
) -> None:
    """Try a small set of steps beside grouping, and recommend the one that loses least.

    Each is grouped, released, verified and measured, and nothing of it is written: the table as it
    is, coarser dates, top coding of 1 %, and up to 0.5, 1 and 2 % of the records left out where the
    method can. Losses are of the table before all steps, so that they compare.

    Example: `shoal suggest stays.csv -k 5 --max-risk 0.2 --quasi age,income
    --drop name,number,cost --effort quick`
    """
    from shoal.run.suggest import suggest_as
    from shoal.settings import build
    from shoal.settings.tree import run_of, tree_of

    run = run_of(options)
    settings = build(tree_of({"k": k, **given_options(options)}))
    with live_reporter() as report:
        made = suggest_as(input, settings, max_risk, run.threads, report)
    text = json.dumps(made.to_dict(), indent=2, ensure_ascii=False) if run.as_json else str(made)
    write_stdout(f"{text}\n")


@app.command(cls=ShoalCommand, rich_help_panel=KNOW)
def steps(as_json: JsonFlag = False) -> None:
    """List the steps beside grouping: when each is carried out, its fields, and what it does.

    A step is said as its kind and its fields in order, or by name: `--step 'round income -3'`,
    `--step 'top income share=1%'`. Lists of columns have commas, words with spaces quotes.

    Example: `shoal steps`
    """
    from shoal.table.steps.registry import STEPS

    every = [
        {"kind": kind, "when": str(one.when), "fields": list(inspect.signature(one).parameters),
         "summary": str(inspect.getdoc(one)).splitlines()[0]}
        for kind, one in STEPS.items()
    ]  # fmt: skip
    if as_json:
        write_stdout(json.dumps(every, indent=2) + "\n")
        return
    for one in every:
        fields = " ".join(str(name).upper() for name in one["fields"])
        write_stdout(f"{one['kind']} {fields}  ({one['when']})\n  {one['summary']}\n\n")
