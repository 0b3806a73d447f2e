"""The commands."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from shoal import __version__
from shoal.cli.options import (
    Aggregate,
    AllowK1,
    DecimalsOption,
    Delimiter,
    Drop,
    Force,
    Identifier,
    JsonFlag,
    Missing,
    NoReport,
    Other,
    Output,
    Quasi,
    Sensitive,
    Types,
    read_decimals,
    roles,
    said,
    split_names,
    split_pairs,
)
from shoal.cli.speak import ShoalGroup, say
from shoal.errors import RequestError, shown

app = typer.Typer(
    name="shoal",
    cls=ShoalGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Make microdata safe to release: each record hides among at least k.",
    epilog="Start with `shoal inspect FILE`, then `shoal anonymize FILE -k 5 --quasi a,b -o F.csv`",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def _shoal(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
def anonymize(
    input: Annotated[Path, typer.Argument(help="A csv, csv.gz or Parquet file.")],  # noqa: A002
    output: Output,
    k: Annotated[
        int | None, typer.Option("-k", "--k", help="How many records share every combination.")
    ] = None,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    identifier: Identifier = None,
    other: Other = None,
    drop: Drop = None,
    method: Annotated[
        str | None, typer.Option(help="How groups are found; see `shoal methods`. Default: auto.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same groups. Default: 0.")
    ] = None,
    aggregate: Aggregate = None,
    decimals: DecimalsOption = None,
    delimiter: Delimiter = None,
    missing: Missing = None,
    type_: Types = None,
    recipe: Annotated[
        Path | None, typer.Option(help="Take what is not said here from this recipe (TOML).")
    ] = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Do not shuffle the rows. Links them to the input.")
    ] = False,
    allow_k1: AllowK1 = False,
    allow_empty: Annotated[
        bool,
        typer.Option("--allow-empty", "--allow", help="Accept a sensitive column without a value."),
    ] = False,
    no_report: NoReport = False,
    force: Force = False,
    as_json: JsonFlag = False,
) -> None:
    """Make a table safe to release, verify it, and write it with a report and a recipe.

    Example: `shoal anonymize stays.csv -k 5 --quasi age,income --sensitive diagnosis
    --identifier name -o release.csv`
    """
    from shoal.settings import build, load_tree

    tree: dict[str, Any] = {"input": {}, "roles": {}, "protect": {}, "release": {}}
    if recipe is not None:
        tree |= load_tree(recipe)
        for key in ("path", "sha256"):
            tree["input"].pop(key, None)
    given: dict[str, dict[str, Any]] = {
        "roles": roles(quasi, sensitive, identifier, other, drop),
        "input": {
            "delimiter": delimiter,
            "missing": missing,
            "types": split_pairs(type_, "--type"),
        },
        "protect": {
            "k": k,
            "method": method,
            "seed": seed,
            "allow_k1": allow_k1,
            "allow_empty": allow_empty,
        },
        "release": {
            "aggregate": aggregate,
            "decimals": read_decimals(decimals),
            "keep_order": keep_order,
        },
    }
    for part, values in said(given).items():
        tree[part].update(values)
    _anonymize(build(tree), input, output, force, as_json, not no_report)


@app.command()
def refine(
    input: Annotated[Path, typer.Argument(help="A csv, csv.gz or Parquet file.")],  # noqa: A002
    group: Annotated[
        str, typer.Option(help="The column that says which group a record is in; left out.")
    ],
    k: Annotated[int, typer.Option("-k", "--k", help="How many records every group has.")],
    output: Output,
    how: Annotated[
        str,
        typer.Option(help="phase2, decompose, or iterative: until nothing changes."),
    ] = "iterative",
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    identifier: Identifier = None,
    other: Other = None,
    drop: Drop = None,
    aggregate: Aggregate = None,
    decimals: DecimalsOption = None,
    delimiter: Delimiter = None,
    missing: Missing = None,
    type_: Types = None,
    allow_k1: AllowK1 = False,
    no_report: NoReport = False,
    force: Force = False,
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
        "roles": {**roles(quasi, sensitive, identifier, other, drop), "group": group},
        "input": {
            "delimiter": delimiter,
            "missing": missing,
            "types": split_pairs(type_, "--type"),
        },
        "protect": {"k": k, "refine": how, "allow_k1": allow_k1},
        "release": {"aggregate": aggregate, "decimals": read_decimals(decimals)},
    }
    tree = said(tree)
    _anonymize(build(tree), input, output, force, as_json, not no_report)


@app.command()
def run(
    recipe: Annotated[Path, typer.Argument(help="A recipe, such as the run.toml of a release.")],
    input: Annotated[  # noqa: A002
        Path | None, typer.Option(help="Run it on this file instead of the recipe's own.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Where to; default: where the recipe says.")
    ] = None,
    no_report: NoReport = False,
    force: Force = False,
    as_json: JsonFlag = False,
) -> None:
    """Repeat a run from its recipe: the same groups, in fresh row order.

    Example: `shoal run out/run.toml --force`
    """
    from shoal.settings import load

    settings = load(recipe)
    if output is None:
        noted = settings.release.output
        if noted is None:
            raise RequestError("the recipe names no output; say -o OUT")
        output = str(recipe.parent / noted) + ("/" if noted.endswith("/") else "")
    _anonymize(settings, input, output, force, as_json, not no_report, recipe)


def _anonymize(
    settings: Any,
    source: Path | None,
    output: str,
    force: bool,
    as_json: bool,
    with_page: bool,
    recipe: Path | None = None,
) -> None:
    """Run the walk with a progress bar, write what it gives, say what was done."""
    from shoal.progress import live_progress
    from shoal.release.draw import ahead

    if output == "-" and as_json:
        raise RequestError("--json and -o - both write to stdout; choose one")
    with ahead(with_page and output != "-"), live_progress() as callback:
        from shoal.release.pack import Targets, save, stdout_bytes
        from shoal.release.staging import Staging
        from shoal.walk import repeat, walk

        targets = None if output == "-" else Targets.of(output)
        if targets is not None:
            targets.check(Staging(force=force), [source] if source else [], with_page)
        if recipe is not None:
            result = repeat(settings, recipe, source, callback)
        else:
            result = walk(source, settings, callback)
        if targets is None:
            say(stdout_bytes(result))
        else:
            save(result, targets, force=force, with_page=with_page)
    with contextlib.suppress(KeyboardInterrupt):  # the release is there: nothing to take back
        _tell(result, targets, as_json, with_page)


def _tell(result: Any, targets: Any, as_json: bool, with_page: bool) -> None:
    """Say what was done."""
    if as_json:
        say(result.report.to_json())
    typer.echo(result.report.summary(), err=True)
    if result.settings.release.keep_order:
        typer.echo("  warning: the rows keep the input's order, which links them to it", err=True)
    if targets is not None:
        page = [targets.page] if with_page else []
        written = [targets.release, targets.report, *page, targets.recipe]
        typer.echo(f"\nwrote {', '.join(map(str, written))}", err=True)


@app.command()
def verify(
    file: Annotated[str, typer.Argument(help="A released csv, csv.gz or Parquet file.")],
    k: Annotated[int, typer.Option("-k", "--k", help="The k it should have.")],
    quasi: Annotated[list[str], typer.Option(help="Its quasi-identifiers: a,b,c.")],
    delimiter: Delimiter = None,
    as_json: JsonFlag = False,
) -> None:
    """Check a released file: exit code 0 if it is k-anonymous, 3 if it is not.

    Cells of csv are compared as bytes, those of Parquet as values.

    Example: `shoal verify release.csv -k 5 --quasi age,income`
    """
    from shoal.release.verify import verify as check

    found = check(file, k=k, quasi_identifiers=split_names(quasi), delimiter=delimiter)
    if as_json:
        say(json.dumps(found.to_dict(), indent=2) + "\n")
    elif found.ok:
        say(found.summary() + "\n")
    else:
        typer.echo(found.summary(), err=True)
    if not found.ok:
        raise typer.Exit(3)


@app.command()
def inspect(
    file: Annotated[Path, typer.Argument(help="A csv, csv.gz or Parquet file.")],
    delimiter: Delimiter = None,
    missing: Missing = None,
    type_: Types = None,
    as_json: JsonFlag = False,
) -> None:
    """Show a table's columns: kinds, missing cells, distinct values, likely roles and why.

    Example: `shoal inspect stays.csv`
    """
    from shoal.table.inspect import inspect as look
    from shoal.table.read import read

    types = split_pairs(type_, "--type")
    table = read(file, delimiter=delimiter, missing=missing or ("",), types=types)
    found = look(table)
    if as_json:
        say(json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n")
        return
    say(f"{shown(file.name)[1:-1]}: {found.records} records\n\n{found.summary()}\n")


@app.command()
def methods(as_json: JsonFlag = False) -> None:
    """List the methods: kind, cost and source of each.

    Example: `shoal methods`
    """
    from shoal.recipes import AUTO
    from shoal.recipes import methods as menu

    every = menu()
    if as_json:
        keys = ("name", "kind", "summary", "cost", "citation")
        say(json.dumps([{key: getattr(m, key) for key in keys} for m in every], indent=2) + "\n")
        return
    for method in every:
        auto = "  (auto chooses this one)" if method.name == AUTO else ""
        say(
            f"{method.name}{auto}\n  {method.summary}\n"
            f"  {method.kind}; {method.cost}\n  {method.citation}\n\n"
        )


@app.command()
def warmup() -> None:
    """Compile everything now, so that the first run does not wait for it.

    Example: `shoal warmup`
    """
    from shoal.warmup import warmup as compile_all

    for name, seconds in compile_all().items():
        typer.echo(f"{name}: {seconds:.2f} s", err=True)
