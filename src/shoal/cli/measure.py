"""The command measure: utility and disclosure risk of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.app import WORK, app
from shoal.cli.command import TABLE
from shoal.cli.display import say
from shoal.cli.options import READING, JsonFlag, MissingAs, Tabled, takes
from shoal.cli.output import write_stdout
from shoal.errors import RequestError


@app.command(cls=Tabled, rich_help_panel=WORK)
@takes(
    "quasi_identifiers", "sensitive", "hierarchy_folder", "hierarchies", "orders", "seed",
    *READING, "dialect", "force",
)  # fmt: skip
def measure(
    original: Annotated[
        str,
        typer.Argument(
            metavar=TABLE,
            help="The original: csv, Parquet, SPSS, Excel and others, or - for stdin.",
        ),
    ],
    release: Annotated[
        str, typer.Argument(metavar=TABLE, help="Its release, made by whatever tool; or -.")
    ],
    weight: Annotated[str | None, typer.Option(help="The column of survey weights.")] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(help="Columns of the release whose combinations are strata: a,b."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(help="Columns of both files that name the record: a,b."),
    ] = None,
    rows: Annotated[
        str,
        typer.Option(
            help="Whether row i of both files is the same record: same, shuffled, or auto, which "
            "finds out where it can."
        ),
    ] = "auto",
    recipe: Annotated[
        Path | None,
        typer.Option(
            help="The recipe of the release (run.toml), for roles and hierarchies. Default: the "
            "one in its private folder, or beside it, where no role is said."
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(help="How many records linkage and models look at. Default: by size."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            help="How much memory it may take (4GB): of larger files whole classes are drawn."
        ),
    ] = None,
    missing_as: MissingAs = "own",
    html: Annotated[Path | None, typer.Option(help="Write a page to this file too.")] = None,
    words: Annotated[
        bool, typer.Option("--words", help="Say of every figure what it means.")
    ] = False,
    as_json: JsonFlag = False,
    **options: Any,
) -> None:
    """Measure what a release cost and which risks are left, given the original.

    Losses, means, correlations, models trained on it; class sizes, linkage attacks, what the
    sensitive columns give away. Quasi-identifiers are the columns whose values changed, unless
    --quasi or a recipe says so. What compares a record with its own release needs to know who is
    who: releases are shuffled, see --rows and --key.

    Example: `shoal measure stays.csv release.csv --words`
    """
    from shoal.run.measure import measure as measured
    from shoal.settings.parse import split_names
    from shoal.settings.tree import arguments_of

    if "hierarchy_folder" in options and "hierarchies" in options:
        raise RequestError("say --hierarchies or --hierarchy, not both")
    force = options.pop("force", False)
    if html is not None:
        from shoal.backends.staging import Staging

        Staging(force=force).check(html, Path(original), Path(release))
    measures = measured(
        original,
        release,
        weight=weight,
        by=split_names(by) or None,
        key=split_names(key) if key else None,
        rows=rows,
        recipe=recipe,
        sample=sample,
        memory=memory,
        missing_as=missing_as,
        **arguments_of(options),
    )
    if html is not None:
        from shoal.report.html.document import measures_page

        with Staging(force=force) as staging:
            staging.check(html, Path(original), Path(release))
            staging.add(html, measures_page(measures.to_dict()).encode("utf-8"))
            staging.commit()
        say(f"wrote {html}")
    if as_json:
        write_stdout(measures.to_json())
    else:
        write_stdout(f"{measures if words else measures.summary()}\n")
