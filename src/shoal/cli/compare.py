"""The command that compares methods and k."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.app import KNOW, WORK, app
from shoal.cli.command import TABLE, ShoalCommand
from shoal.cli.display import say
from shoal.cli.options import (
    A_TABLE,
    PRIVACY,
    RESOURCES,
    WRITING,
    JsonFlag,
    Tabled,
    given_options,
    takes,
)
from shoal.cli.output import live_reporter, write_stdout
from shoal.errors import RequestError
from shoal.storage.places import cache_folder

UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}


@app.command(cls=Tabled, rich_help_panel=WORK)
@takes(command="compare")
def compare(
    input: Annotated[  # noqa: A002
        Path, typer.Argument(metavar=TABLE, help=A_TABLE)
    ],
    k: Annotated[
        str, typer.Option("-k", "--k", help="One, or several: 3,5,10.", rich_help_panel=PRIVACY)
    ],
    methods: Annotated[
        list[str] | None,
        typer.Option(
            help="Which methods: auto,mdav,ilsmc+; default: auto, and those that suit the table.",
            rich_help_panel="Method",
        ),
    ] = None,
    step_lists: Annotated[
        list[Path] | None,
        typer.Option(
            "--steps",
            help="Compare lists of steps instead of methods: a.toml,b.toml, each with its "
            "[[steps]].",
            rich_help_panel="Method",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            help="How long all runs may take together: 60s, 5min.", rich_help_panel=RESOURCES
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="A folder for the table, the chart and a page.",
            rich_help_panel=WRITING,
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do not go on with a comparison that was stopped.")
    ] = False,
    **options: Any,
) -> None:
    """Compare methods and k: what each loses, which risk it leaves, and which one to take.

    Every run is grouped, released, verified and measured; nothing of it is written. What auto runs
    comes first, whatever the budget. A comparison that was stopped goes on after the runs that were
    done when it is started again. With `--steps a.toml,b.toml` lists of steps are compared, and
    losses are of the table before all steps.

    Example: `shoal compare stays.csv -k 3,5 --methods mdav,hilbert --quasi age,income
    --drop name,number,cost -o compared/`
    """
    from shoal.pipeline.compare import Grid, compare_as
    from shoal.settings import build
    from shoal.settings.parse import split_names
    from shoal.settings.tree import run_of, tree_of

    if "hierarchy_folder" in options and "hierarchies" in options:
        raise RequestError("say --hierarchies or --hierarchy, not both")
    run, sizes = run_of(options), sorted(set(_sizes(k)))
    settings = build(tree_of({"k": sizes[0], **given_options(options)}))
    if output is not None:
        _check(output, run.force)
    state = _state(input, k, methods, settings.to_toml())
    if fresh and state is not None:
        state.unlink(missing_ok=True)
    lists = split_names([str(one) for one in step_lists or ()])
    files = [Path(one) for one in lists or ()] or None
    grid = Grid(sizes, split_names(methods), seconds(budget), state, files)
    with live_reporter() as report:
        comparison = compare_as(input, settings, grid, run.threads, report)
    write_stdout(comparison.to_json() if run.as_json else f"{comparison.summary()}\n")
    if output is not None:
        _write(output, comparison, run.force)


def _sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise RequestError("-k must be whole numbers: 3,5,10") from None


def seconds(text: str | None) -> float | None:
    """Return a time such as 90s, 2min or 1h in seconds."""
    if text is None:
        return None
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(number) :].strip()
    try:
        return float(number) * UNITS[unit]
    except (ValueError, KeyError):
        raise RequestError("a time is a number and s, min or h: 60s, 5min") from None


def _state(file: Path, k: str, methods: list[str] | None, settings_text: str) -> Path | None:
    """Return where figures of runs are noted until a comparison is whole; None: nowhere to."""
    what = repr((str(file.resolve()), k, methods, settings_text))
    name = hashlib.sha256(what.encode("utf-8")).hexdigest()[:24]
    place = cache_folder()
    with contextlib.suppress(OSError):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(place, os.W_OK):
            return place / f"compare-{name}.jsonl"
    return None


NAMES = "comparison.json", "comparison.csv", "frontier.svg", "comparison.html"


def _check(folder: Path, force: bool) -> None:
    from shoal.storage.staging import Staging

    for name in NAMES:
        Staging(force=force, folders=[folder]).check(folder / name)


def _write(folder: Path, comparison: Any, force: bool) -> None:
    """Write table, chart and page of a comparison."""
    from shoal.report.comparison import comparison_csv, comparison_page
    from shoal.report.draw import why_none
    from shoal.storage.staging import Staging

    figures = comparison.to_dict()
    svg = comparison.plot().drawn()
    contents = comparison.to_json(), comparison_csv(figures), svg, comparison_page(figures, svg)
    made = {name: one for name, one in zip(NAMES, contents, strict=True) if one is not None}
    with Staging(force=force, folders=[folder]) as staging:
        for name, content in made.items():
            staging.check(folder / name)
            staging.add(folder / name, content.encode("utf-8"))
        staging.commit()
    say(f"wrote {', '.join(str(folder / name) for name in made)}")
    if svg is None and (why := why_none()) is not None:
        say(f"  note: {why}")


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
    from shoal.pipeline.suggest import suggest_as
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
