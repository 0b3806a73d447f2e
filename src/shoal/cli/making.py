"""The commands that make a release: anonymize, refine, run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from shoal.cli.app import app
from shoal.cli.asked import (
    Alpha,
    C,
    Dominance,
    Enforce,
    KOf,
    L,
    LKindOrNone,
    MissingSensitive,
    T,
    asked,
)
from shoal.cli.carrying import make, make_pack, make_preview, showing
from shoal.cli.options import (
    Aggregate,
    AllowK1,
    By,
    ChooseAgain,
    Count,
    DecimalsOption,
    Delimiter,
    Drop,
    EngineName,
    Force,
    HierarchyFolder,
    HierarchyRules,
    Household,
    Identifier,
    Incomplete,
    JsonFlag,
    KeepUnique,
    MaxIterations,
    Memory,
    Missing,
    NoReport,
    Orders,
    Other,
    Output,
    OutputOrNone,
    Person,
    Quasi,
    Rounding,
    Runs,
    Scheduler,
    Seed,
    Sensitive,
    ShowValues,
    SmallStrata,
    Threads,
    TimeLimit,
    Types,
    Verbose,
    Weight,
    WeightsAs,
    WorkFolder,
    read_aggregate,
    read_decimals,
    read_orders,
    read_rounding,
    read_weights,
    roles,
    said,
    split_names,
    split_pairs,
)
from shoal.cli.repeating import (
    beside_recipe,
    chosen_again,
    tell_of_choice,
    with_trees,
    with_values,
)
from shoal.errors import RequestError


@app.command()
def anonymize(
    input: Annotated[  # noqa: A002
        str,
        typer.Argument(
            help="A csv, csv.gz or Parquet file; with --engine also a folder, a pattern in quotes "
            "('in/*.parquet') or a URL of Parquet files."
        ),
    ],
    output: OutputOrNone = None,
    pack: Annotated[
        Path | None,
        typer.Option(
            help="Write a release pack to this folder instead: release, dictionary, report, "
            "recipe and certificate, whole or not at all; beside it FOLDER.private/."
        ),
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", help="Of the release in a pack: csv, csv.gz, parquet."),
    ] = None,
    sign: Annotated[
        Path | None,
        typer.Option(
            help="Sign the certificate of the pack with this private key (Ed25519, PEM); see "
            "`shoal certificate key`."
        ),
    ] = None,
    k: Annotated[
        int | None, typer.Option("-k", "--k", help="How many records share every combination.")
    ] = None,
    l: L = None,  # noqa: E741 - its name in the literature
    l_kind: LKindOrNone = None,
    c: C = None,
    t: T = None,
    alpha: Alpha = None,
    dominance: Dominance = None,
    k_of: KOf = None,
    enforce: Enforce = None,
    missing_sensitive: MissingSensitive = None,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    identifier: Identifier = None,
    other: Other = None,
    drop: Drop = None,
    weight: Weight = None,
    by: By = None,
    household: Household = None,
    person: Person = None,
    count: Count = None,
    small_strata: SmallStrata = None,
    weights_as: WeightsAs = None,
    round_: Rounding = None,
    keep_unique: KeepUnique = None,
    method: Annotated[
        str | None, typer.Option(help="How groups are found; see `shoal methods`. Default: auto.")
    ] = None,
    effort: Annotated[
        str | None,
        typer.Option(help="How long auto searches: quick, normal, best. Default: normal."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            help="The method that a search starts from (default: random); of kaim and k-member "
            "the record that starts a group: random, farthest or common."
        ),
    ] = None,
    max_iterations: MaxIterations = None,
    time_limit: TimeLimit = None,
    runs: Runs = None,
    seed: Seed = None,
    column_weight: Annotated[
        list[str] | None, typer.Option(help="How much a column counts: age=2. Default: 1.")
    ] = None,
    threads: Threads = None,
    memory: Memory = None,
    work: WorkFolder = None,
    engine: EngineName = None,
    scheduler: Scheduler = None,
    verbose: Verbose = False,
    hierarchies: HierarchyFolder = None,
    hierarchy: HierarchyRules = None,
    order: Orders = None,
    incomplete: Incomplete = None,
    aggregate: Aggregate = None,
    decimals: DecimalsOption = None,
    delimiter: Delimiter = None,
    missing: Missing = None,
    type_: Types = None,
    recipe: Annotated[
        Path | None, typer.Option(help="Take what is not said here from this recipe (TOML).")
    ] = None,
    choose_again: ChooseAgain = False,
    sample: Annotated[
        int | None,
        typer.Option(
            help="Preview: run on so many records, tell what all will lose and take; write nothing."
        ),
    ] = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Do not shuffle the rows. Links them to the input.")
    ] = False,
    spreadsheet_safe: Annotated[
        bool,
        typer.Option(
            "--spreadsheet-safe",
            help="Write texts that a spreadsheet would run as formulas after an apostrophe.",
        ),
    ] = False,
    allow_k1: AllowK1 = False,
    allow_empty: Annotated[
        bool,
        typer.Option("--allow-empty", "--allow", help="Accept a column without any value."),
    ] = False,
    no_report: NoReport = False,
    force: Force = False,
    show_values: ShowValues = False,
    as_json: JsonFlag = False,
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
    --identifier name -o release.csv`, `shoal anonymize 'stays/*.parquet' -k 10 --engine dask
    --scheduler tcp://head:8786 -o release/`
    """
    from shoal.settings import build, load_tree

    tree: dict[str, Any] = {"input": {}, "roles": {}, "protect": {}, "release": {}}
    if choose_again and recipe is None:
        raise RequestError("--choose-again is about a recipe; say --recipe FILE")
    if recipe is not None:
        tree |= chosen_again(load_tree(recipe)) if choose_again else load_tree(recipe)
        if method is None:
            tell_of_choice(tree, input)
        for key in ("path", "sha256", "commitment"):
            tree["input"].pop(key, None)
        beside_recipe(tree, recipe.parent)
    given: dict[str, dict[str, Any]] = {
        "roles": {
            **roles(quasi, sensitive, identifier, other, drop),
            "weight": weight,
            "by": split_names(by),
            "household": household,
            "person": person,
            "keep_unique": split_names(keep_unique),
        },
        "input": {
            "delimiter": delimiter,
            "missing": missing,
            "types": split_pairs(type_, "--type"),
            "hierarchies": None if hierarchies is None else str(hierarchies),
        },
        "hierarchies": split_pairs(hierarchy, "--hierarchy", first=True),
        "orders": read_orders(order),
        "protect": {
            "k": k,
            **asked(l, l_kind, c, t, alpha, dominance, k_of, enforce, missing_sensitive),
            "method": method,
            "effort": effort,
            "start": start,
            "max_iterations": max_iterations,
            "time_limit": time_limit,
            "runs": runs,
            "seed": seed,
            "column_weights": read_weights(column_weight),
            "incomplete": incomplete,
            "allow_k1": allow_k1,
            "allow_empty": allow_empty,
            "memory": memory,
            "engine": engine,
            "small_strata": small_strata,
            "count": count,
        },
        "release": {
            "aggregate": read_aggregate(aggregate),
            "decimals": read_decimals(decimals),
            "keep_order": keep_order,
            "spreadsheet_safe": spreadsheet_safe,
            "round": read_rounding(round_),
            "weights_as": weights_as,
        },
    }
    for part, values in said(given).items():
        tree.setdefault(part, {}).update(values)
    if sample is not None:
        if output is not None or pack is not None:
            raise RequestError("a preview writes nothing; leave out --sample, or -o and --pack")
        with showing(show_values):
            make_preview(build(tree), input, sample, as_json, threads)
        return
    if (output is None) == (pack is None):
        raise RequestError("say where to: -o OUT, or --pack FOLDER")
    if format_ is not None and pack is None:
        raise RequestError("--format is that of a pack; the name after -o says it otherwise")
    if sign is not None and pack is None:
        raise RequestError("--sign is for the certificate of a pack; say --pack FOLDER")
    with showing(show_values):
        if pack is not None:
            make_pack(build(tree), input, pack, format_ or "csv", force, as_json, threads, sign)
            return
        assert output is not None
        make(
            build(tree), input, output, force, as_json, not no_report, threads=threads, work=work,
            scheduler=scheduler, verbose=verbose,
        )  # fmt: skip


@app.command()
def refine(
    input: Annotated[Path, typer.Argument(help="A csv, csv.gz or Parquet file.")],  # noqa: A002
    group: Annotated[
        str, typer.Option(help="The column that says which group a record is in; left out.")
    ],
    k: Annotated[int, typer.Option("-k", "--k", help="How many records every group has.")],
    output: Output,
    l: L = None,  # noqa: E741 - its name in the literature
    l_kind: LKindOrNone = None,
    c: C = None,
    t: T = None,
    alpha: Alpha = None,
    dominance: Dominance = None,
    k_of: KOf = None,
    enforce: Enforce = None,
    missing_sensitive: MissingSensitive = None,
    how: Annotated[
        str,
        typer.Option(help="phase2, decompose, iterative, or a search: ilsmc+, ilsmc, ..."),
    ] = "iterative",
    max_iterations: MaxIterations = None,
    time_limit: TimeLimit = None,
    seed: Seed = None,
    threads: Threads = None,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    identifier: Identifier = None,
    other: Other = None,
    drop: Drop = None,
    weight: Weight = None,
    by: By = None,
    count: Count = None,
    weights_as: WeightsAs = None,
    round_: Rounding = None,
    keep_unique: KeepUnique = None,
    hierarchies: HierarchyFolder = None,
    hierarchy: HierarchyRules = None,
    order: Orders = None,
    aggregate: Aggregate = None,
    decimals: DecimalsOption = None,
    delimiter: Delimiter = None,
    missing: Missing = None,
    type_: Types = None,
    allow_k1: AllowK1 = False,
    no_report: NoReport = False,
    force: Force = False,
    show_values: ShowValues = False,
    as_json: JsonFlag = False,
) -> None:
    """Refine the groups somebody made, so that less is lost, and release the table by them.

    No group may have fewer than k records. The loss is never more than it was.

    Example: `shoal refine grouped.csv --group cluster -k 5 --quasi age,income -o release.csv`
    """
    from shoal.settings import Refine, build

    if how not in get_args(Refine):
        raise RequestError(f"--how must be one of {', '.join(get_args(Refine))}")
    tree: dict[str, dict[str, Any]] = {
        "roles": {
            **roles(quasi, sensitive, identifier, other, drop),
            "group": group,
            "weight": weight,
            "by": split_names(by),
            "keep_unique": split_names(keep_unique),
        },
        "input": {
            "delimiter": delimiter,
            "missing": missing,
            "types": split_pairs(type_, "--type"),
            "hierarchies": None if hierarchies is None else str(hierarchies),
        },
        "hierarchies": split_pairs(hierarchy, "--hierarchy", first=True),
        "orders": read_orders(order),
        "protect": {
            "k": k,
            **asked(l, l_kind, c, t, alpha, dominance, k_of, enforce, missing_sensitive),
            "refine": how,
            "max_iterations": max_iterations,
            "time_limit": time_limit,
            "seed": seed,
            "allow_k1": allow_k1,
            "count": count,
        },
        "release": {
            "aggregate": read_aggregate(aggregate),
            "decimals": read_decimals(decimals),
            "round": read_rounding(round_),
            "weights_as": weights_as,
        },
    }
    tree = said(tree)
    with showing(show_values):
        make(build(tree), str(input), output, force, as_json, not no_report, threads=threads)


@app.command()
def run(
    recipe: Annotated[
        Path, typer.Argument(help="A recipe: the run.toml in the private folder of a release.")
    ],
    input: Annotated[  # noqa: A002
        str | None, typer.Option(help="Run it on this file instead of the recipe's own.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Where to; default: where the recipe says.")
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=FILE.csv: a hierarchy that the recipe of a pack does not name."),
    ] = None,
    order: Orders = None,
    missing: Missing = None,
    choose_again: ChooseAgain = False,
    threads: Threads = None,
    memory: Memory = None,
    work: WorkFolder = None,
    engine: EngineName = None,
    scheduler: Scheduler = None,
    verbose: Verbose = False,
    no_report: NoReport = False,
    force: Force = False,
    show_values: ShowValues = False,
    as_json: JsonFlag = False,
) -> None:
    """Repeat a run from its recipe: the same groups, in fresh row order.

    On another file (`--input`) it takes the recipe's method and iterations, which were chosen for
    the file the recipe was made of; `--choose-again` chooses by the new file.

    Example: `shoal run out.private/run.toml --force`, `shoal run out.private/run.toml
    --input next.csv --choose-again -o next/`
    """
    from shoal.settings import build, load, load_tree
    from shoal.storage import is_url

    tree = load_tree(recipe)
    if choose_again:
        tree = chosen_again(tree)
    tell_of_choice(tree, input)
    settings = build(tree, recipe.name) if choose_again else load(recipe)
    settings = with_trees(settings, split_pairs(hierarchy, "--hierarchy", first=True))
    settings = with_values(settings, read_orders(order), missing)
    if output is None:
        noted = settings.release.output
        if noted is None:
            raise RequestError("the recipe names no output; say -o OUT")
        output = noted if is_url(noted) else os.path.normpath(recipe.parent / noted)
        output += "/" if noted.endswith("/") and not output.endswith("/") else ""
    if memory is not None:
        settings = settings.having(protect={"memory": memory})
    if engine is not None:
        settings = settings.having(protect={"engine": engine})
    with showing(show_values):
        make(
            settings, input, output, force, as_json, not no_report, recipe, threads, work,
            scheduler, verbose,
        )  # fmt: skip
