"""The command plot: charts of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.app import WORK, app
from shoal.cli.display import say
from shoal.cli.options import Tabled, takes
from shoal.errors import RequestError, shown

WHAT = "column", "sizes", "losses", "loss", "pair", "attacks", "frontier"


@app.command(cls=Tabled, rich_help_panel=WORK)
@takes("force")
def plot(
    what: Annotated[str, typer.Argument(metavar="CHART", help=f"One of {', '.join(WHAT)}.")],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="REPORT",
            help="A report.json, the folder it lies in, or (frontier) comparison.json.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="F.svg, F.png, or F.json for the spec.")
    ],
    name: Annotated[
        list[str] | None, typer.Option(help="Of column: its name; of pair: a,b.")
    ] = None,
    **options: Any,
) -> None:
    """Draw a chart of a release: before and after, group sizes, two columns, the search, the risks.

    Example: `shoal plot column out/ --name age -o age.svg`
    """
    from shoal.pipeline.comparison import SCHEMA
    from shoal.report.charts import frontier
    from shoal.report.plots import Chart, Plots, check_chart_file
    from shoal.report.reload import load_json, load_released, load_report
    from shoal.settings.parse import split_names

    if what not in WHAT:
        raise RequestError(f"{shown(what)} is no chart; say one of {', '.join(WHAT)}")
    names = split_names(name)
    wanted = {"column": 1, "pair": 2}.get(what, 0)
    if len(names) != wanted:
        raise RequestError(f"{what} takes {wanted} column names (--name), here are {len(names)}")
    check_chart_file(output)
    if what == "frontier":
        path = source / "comparison.json" if source.is_dir() else source
        content = load_json(path)
        if content.get("schema") != SCHEMA:
            raise RequestError(f"{shown(path)}: this is no comparison")
        chart = Chart(frontier(content))
    else:
        report, file = load_report(source)
        chart = getattr(Plots(report, lambda: load_released(report, file)), what)(*names)
    say(f"wrote {chart.save(output, **options)}")
