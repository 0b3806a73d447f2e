"""The command risk: how risky a file is as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.app import WORK, app
from shoal.cli.command import TABLE
from shoal.cli.display import say
from shoal.cli.options import (
    A_TABLE,
    PRIVACY,
    READING,
    WRITING,
    JsonFlag,
    MissingAs,
    Tabled,
    takes,
)
from shoal.cli.output import write_stdout
from shoal.errors import RequestError


@app.command(cls=Tabled, rich_help_panel=WORK)
@takes(
    "quasi_identifiers", "weight", "hierarchy_folder", "hierarchies", "orders", "seed", *READING,
    "force",
)  # fmt: skip
def risk(
    file: Annotated[str, typer.Argument(metavar=TABLE, help=A_TABLE)],
    k: Annotated[
        int,
        typer.Option(
            "-k",
            "--k",
            rich_help_panel=PRIVACY,
            help="Count records in classes of fewer than k.",
        ),
    ] = 5,
    threshold: Annotated[
        float,
        typer.Option(rich_help_panel=PRIVACY, help="Count records of a higher risk than this."),
    ] = 0.09,
    sampling_fraction: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=PRIVACY,
            help="The share of the population that is in the file (0.1), where it has no weights.",
        ),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=PRIVACY,
            metavar="FILE",
            help="A file of the whole population, with the same quasi-identifiers.",
        ),
    ] = None,
    household: Annotated[
        str | None,
        typer.Option(
            rich_help_panel="Columns",
            metavar="COLUMN",
            help="The column that says whose records belong together.",
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            rich_help_panel="Method",
            help="The most columns of a set. Default: all of up to 8 columns, of more 4.",
        ),
    ] = None,
    formula: Annotated[
        str,
        typer.Option(
            rich_help_panel="Method",
            help="The risk by weights: exact, or approximate, as other programs have it.",
        ),
    ] = "exact",
    missing_as: MissingAs = "own",
    recipe: Annotated[
        Path | None,
        typer.Option(help="A recipe (run.toml) that names roles, hierarchies and the reading."),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=WRITING,
            metavar="FILE",
            help="Write the risk of every record to this file, which only you may read.",
        ),
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=WRITING,
            metavar="FILE",
            help="Draw what each column does to uniqueness: F.svg, F.png, or F.json.",
        ),
    ] = None,
    words: Annotated[
        bool, typer.Option("--words", help="Say of every figure what it means.")
    ] = False,
    public: Annotated[
        bool,
        typer.Option(
            "--public",
            help="Print, as JSON, only figures that may be published: k people change none of them "
            "by more than one step of its rounding.",
        ),
    ] = False,
    as_json: JsonFlag = False,
    **options: Any,
) -> None:
    """Tell how risky a file is as it is, and which columns and records are to blame.

    Unique records and classes of fewer than k; the chance that a record is linked rightly, by
    survey weights, a sampling fraction or a file of the population; which sets of columns make
    people unique, and what a coarser or missing column would change. Quasi-identifiers are those
    that inspect proposes, unless --quasi or --recipe names them. Nothing printed is a record.

    Example: `shoal risk stays.csv --quasi age,sex,postcode --sampling-fraction 0.1`
    """
    from shoal.pipeline.risk import risk as assessed
    from shoal.settings.tree import arguments_of

    if "hierarchy_folder" in options and "hierarchies" in options:
        raise RequestError("say --hierarchies or --hierarchy, not both")
    force = options.pop("force", False)
    if records is not None:
        from shoal.release.records import check_risks, save_risks

        check_risks(records, force, Path(file))
    if chart is not None:
        from shoal.report.plots import check_chart_file
        from shoal.storage.staging import Staging

        check_chart_file(chart)
        Staging(force=force).check(chart, Path(file))
    found = assessed(
        file,
        k=k,
        threshold=threshold,
        sampling_fraction=sampling_fraction,
        population=population,
        household=household,
        size=size,
        formula=formula,
        missing_as=missing_as,
        recipe=recipe,
        **arguments_of(options),
    )
    if records is not None:
        save_risks(found.table, records, force)
        say(f"wrote {records}: private, a line a record in the order of the file")
    if chart is not None:
        say(f"wrote {found.chart().save(chart, force=force)}")
    if public:
        write_stdout(json.dumps(found.public(), indent=2, ensure_ascii=False) + "\n")
    elif as_json:
        write_stdout(found.to_json())
    else:
        write_stdout(f"{found if words else found.summary()}\n")


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
    from shoal.pipeline.measure import measure as measured
    from shoal.settings.parse import split_names
    from shoal.settings.tree import arguments_of

    if "hierarchy_folder" in options and "hierarchies" in options:
        raise RequestError("say --hierarchies or --hierarchy, not both")
    force = options.pop("force", False)
    if html is not None:
        from shoal.storage.staging import Staging

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
