"""The command bound."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.app import KNOW, app
from shoal.cli.command import TABLE
from shoal.cli.display import say
from shoal.cli.options import A_TABLE, READING, JsonFlag, Tabled, takes
from shoal.cli.output import live_reporter, write_stdout


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
    from shoal.pipeline.lower_bound import lower_bound
    from shoal.settings import RoleSettings
    from shoal.settings.parse import split_names
    from shoal.table.assign import assign
    from shoal.table.proposals.codes import proposed_rules
    from shoal.table.read import read

    orders, trees = options.pop("orders", None), options.pop("hierarchies", None)
    table = read(file, **options)
    named = tuple(split_names(quasi))
    rest = tuple(name for name in table.schema.names if name not in named)  # nothing is released
    roles = RoleSettings(quasi_identifiers=named, other=rest)
    grouped = assign(table, roles).table
    taken = proposed_rules(grouped, {*(trees or {}), *(orders or {})})
    for name, rule in taken.items():
        say(f"{name}: codes of one length, by --hierarchy {name}={rule}, as in shoal anonymize")
    with live_reporter() as report:
        result = lower_bound(
            grouped, k, effort=effort, orders=orders, hierarchies={**taken, **(trees or {})},
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
