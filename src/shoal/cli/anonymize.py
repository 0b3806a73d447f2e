"""The commands that make a release: anonymize, refine, run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from shoal.cli.app import AGAIN, WORK, app
from shoal.cli.command import TABLE
from shoal.cli.options import A_TABLE, RESOURCES, WRITING, Tabled, given_options, takes
from shoal.cli.recipes import (
    chosen_again,
    completed,
    echo_choice,
    output_of,
    with_ledger,
    with_trees,
    with_values,
)
from shoal.cli.releasing import make, make_pack, make_preview, showing
from shoal.cli.stream import run_stream
from shoal.errors import RequestError

OUTPUT = (
    "F.csv, F.parquet, F.feather, F.jsonl, F.xlsx, F.sav, F.dta, F.xpt, a folder DIR/, or - for "
    "stdout."
)
ChooseAgain = Annotated[
    bool,
    typer.Option(
        "--choose-again",
        help="Choose method and iterations for this file, by effort, not as the recipe has them.",
    ),
]


@app.command(cls=Tabled, rich_help_panel=WORK)
@takes(command="anonymize")
def anonymize(
    input: Annotated[  # noqa: A002
        str,
        typer.Argument(
            metavar=TABLE,
            help="A table: csv, Parquet, SPSS, Stata, SAS, Excel, FILE#TABLE of a database and "
            "others, or - for stdin; with --engine also a folder, a pattern in quotes "
            "('in/*.parquet') or a URL of Parquet files.",
        ),
    ],
    output: Annotated[
        str | None, typer.Option("-o", "--output", help=OUTPUT, rich_help_panel=WRITING)
    ] = None,
    pack: Annotated[
        Path | None,
        typer.Option(
            help="Write a release pack to this folder instead: release, dictionary, report, "
            "recipe and certificate, whole or not at all; beside it FOLDER.private/.",
            rich_help_panel=WRITING,
        ),
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Of the release in a pack, or on stdout: csv, csv.gz, parquet, feather, arrow, "
            "jsonl, xlsx, sav, zsav, dta, xpt. Default: csv.",
            rich_help_panel=WRITING,
        ),
    ] = None,
    sign: Annotated[
        Path | None,
        typer.Option(
            help="Sign the certificate of the pack with this private key (Ed25519, PEM); see "
            "`shoal certificate key`.",
            rich_help_panel=WRITING,
        ),
    ] = None,
    recipe: Annotated[
        Path | None, typer.Option(help="Take what is not said here from this recipe (TOML).")
    ] = None,
    choose_again: ChooseAgain = False,
    sample: Annotated[
        int | None,
        typer.Option(
            help="Preview: run on so many records, tell what all will lose and take; write "
            "nothing.",
            rich_help_panel=RESOURCES,
        ),
    ] = None,
    **options: Any,
) -> None:
    """Make a table safe to release, verify it, and write it with a report.

    The exact report, the recipe that repeats the run and the key that proves the input go to a
    folder of their own, NAME.private/: not to be published.

    Texts and missing cells are grouped too: by trees, and released generalized. Texts that have an
    order are grouped by their ranks: `--order pain=mild,moderate,severe`. What is asked beyond k
    (`--l 3`, `--t 0.2`, `--alpha 0.5` of sensitive columns, `--dominance 10` of means) is kept by
    every method; what no grouping could keep ends with exit code 3. With `--memory 4GB`, a file
    that would take more is grouped region by region; started again, a killed run goes on. With
    `--engine dask` (or spark) many files are grouped by a cluster, into a folder of Parquet files.
    Of a survey, `--weight w` keeps weighted totals, `--by region` groups within strata, and
    `--household id` keeps households whole. Where people have several records, `--person id`
    counts people; where every identifier repeats, it must be said, or `--count records`. A kept
    column in which most records are unique ends with exit code 2, unless it is rounded
    (`--round cost=1000`) or allowed (`--keep-unique cost`).

    Example: `shoal anonymize stays.csv -k 5 --quasi age,income --sensitive diagnosis
    --identifier name,number --drop cost -o release.csv`
    """
    from shoal.settings import build, load_tree
    from shoal.settings.tree import run_of

    tree: dict[str, Any] = {"input": {}, "roles": {}, "protect": {}, "release": {}}
    if choose_again and recipe is None:
        raise RequestError("--choose-again is about a recipe; say --recipe FILE")
    if recipe is not None:
        tree |= chosen_again(load_tree(recipe)) if choose_again else load_tree(recipe)
        if "method" not in options:
            echo_choice(tree, input)
        tree.pop("stream", None)
    tree = completed(tree, recipe, options)
    run = run_of(options)
    with showing(run.show_values):
        if sample is not None:
            if output is not None or pack is not None:
                raise RequestError("a preview writes nothing; leave out --sample, or -o and --pack")
            make_preview(build(tree), input, sample, run)
            return
        if (output is None) == (pack is None):
            raise RequestError("say where to: -o OUT, or --pack FOLDER")
        if format_ is not None and pack is None and output != "-":
            raise RequestError(
                "--format is that of a pack, or of stdout; the name after -o says it otherwise"
            )
        if sign is not None and pack is None:
            raise RequestError("--sign is for the certificate of a pack; say --pack FOLDER")
        if pack is not None:
            make_pack(build(tree), input, pack, format_ or "csv", run, sign)
            return
        assert output is not None
        make(build(tree), input, output, run, None, format_ or "csv")


@app.command(cls=Tabled, rich_help_panel=AGAIN)
@takes(command="refine")
def refine(
    input: Annotated[  # noqa: A002
        Path, typer.Argument(metavar=TABLE, help=A_TABLE)
    ],
    output: Annotated[str, typer.Option("-o", "--output", help=OUTPUT, rich_help_panel=WRITING)],
    **options: Any,
) -> None:
    """Refine the groups somebody made, so that less is lost, and release the table by them.

    No group may have fewer than k records. The loss is never more than it was.

    Example: `shoal refine grouped.csv --group cluster -k 5 --quasi age,income
    --identifier name,number --drop cost -o refined.csv`
    """
    from shoal.settings import Refine, build
    from shoal.settings.tree import run_of, tree_of

    if options.setdefault("refine", "iterative+") not in get_args(Refine):
        raise RequestError(f"--how must be one of {', '.join(get_args(Refine))}")
    run = run_of(options)
    with showing(run.show_values):
        make(build(tree_of(given_options(options))), str(input), output, run)


@app.command("run", cls=Tabled, rich_help_panel=AGAIN)
@takes(command="run")
def run_again(
    recipe: Annotated[
        Path,
        typer.Argument(
            metavar="RECIPE",
            help="A recipe: the run.toml in the private folder of a release or a stream.",
        ),
    ],
    input: Annotated[  # noqa: A002
        str | None,
        typer.Option(
            metavar=TABLE,
            help="Run it on this table instead of the recipe's own; - for stdin.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help="Where to; default: where the recipe says.",
            rich_help_panel=WRITING,
        ),
    ] = None,
    choose_again: ChooseAgain = False,
    **options: Any,
) -> None:
    """Repeat a run from its recipe: the same groups, in fresh row order.

    On another file (`--input`) it takes the recipe's method and iterations, which were chosen for
    the file the recipe was made of; `--choose-again` chooses by the new file. The recipe of a
    stream (it has a section `[stream]`) goes on with it.

    Example: `shoal run release.private/run.toml -o again/`
    """
    from shoal.settings import build, load, load_tree
    from shoal.settings.tree import run_of, tree_of

    tree = load_tree(recipe)
    if choose_again:
        tree = chosen_again(tree)
    echo_choice(tree, input)
    settings = build(tree, recipe.name) if choose_again else load(recipe)
    settings = with_trees(settings, options.pop("hierarchies", {}))
    settings = with_values(settings, options.pop("orders", {}), options.pop("missing", None))
    output = output_of(settings, recipe) if output is None else output
    settings = settings.replace(**tree_of(options))
    run = run_of(options)
    with showing(run.show_values):
        if "stream" in tree:
            run_stream(settings, input, output, run, recipe)
        else:
            make(with_ledger(settings, recipe.parent), input, output, run, recipe)
