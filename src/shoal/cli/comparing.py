"""The command that compares methods and k."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Annotated, Any

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
    read_asked,
    read_k_of,
)
from shoal.cli.options import (
    Aggregate,
    AllowK1,
    By,
    Count,
    DecimalsOption,
    Delimiter,
    Drop,
    Force,
    HierarchyFolder,
    HierarchyRules,
    Household,
    Identifier,
    Incomplete,
    JsonFlag,
    KeepUnique,
    MaxIterations,
    Missing,
    Orders,
    Other,
    Person,
    Quasi,
    Rounding,
    Runs,
    Seed,
    Sensitive,
    SmallStrata,
    Threads,
    TimeLimit,
    Types,
    Weight,
    WeightsAs,
    read_aggregate,
    read_decimals,
    read_orders,
    read_rounding,
    read_weights,
    split_names,
    split_pairs,
)
from shoal.cli.speak import live_reporter, say
from shoal.errors import RequestError
from shoal.storage import cache_folder

UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}


@app.command()
def compare(
    input: Annotated[Path, typer.Argument(help="A csv, csv.gz or Parquet file.")],  # noqa: A002
    k: Annotated[str, typer.Option("-k", "--k", help="One, or several: 3,5,10.")],
    methods: Annotated[
        list[str] | None,
        typer.Option(
            help="Which methods: auto,mdav,ilsmc+; default: auto, and those that suit the table."
        ),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="How long all runs may take together: 60s, 5min.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="A folder for the table, the chart and a page."),
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
    effort: Annotated[
        str | None,
        typer.Option(help="How long auto searches: quick, normal, best. Default: normal."),
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="What searches, kaim and k-member start from.")
    ] = None,
    max_iterations: MaxIterations = None,
    time_limit: TimeLimit = None,
    runs: Runs = None,
    seed: Seed = None,
    column_weight: Annotated[
        list[str] | None, typer.Option(help="How much a column counts: age=2. Default: 1.")
    ] = None,
    threads: Threads = None,
    hierarchies: HierarchyFolder = None,
    hierarchy: HierarchyRules = None,
    order: Orders = None,
    incomplete: Incomplete = None,
    aggregate: Aggregate = None,
    decimals: DecimalsOption = None,
    delimiter: Delimiter = None,
    missing: Missing = None,
    type_: Types = None,
    allow_k1: AllowK1 = False,
    allow_empty: Annotated[
        bool,
        typer.Option("--allow-empty", "--allow", help="Accept a column without any value."),
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do not go on with a comparison that was stopped.")
    ] = False,
    force: Force = False,
    as_json: JsonFlag = False,
) -> None:
    """Compare methods and k: what each loses, which risk it leaves, and which one to take.

    Every run is grouped, released, verified and measured; nothing of it is written. What auto runs
    comes first, whatever the budget. A comparison that was stopped goes on after the runs that were
    done when it is started again.

    Example: `shoal compare stays.csv -k 3,5,10 --quasi age,income --budget 60s -o compared/`
    """
    from shoal.comparing.run import compare as compared

    if hierarchies is not None and hierarchy:
        raise RequestError("say --hierarchies or --hierarchy, not both")
    asked: dict[str, Any] = {
        "l": read_asked(l, "--l"),
        "l_kind": l_kind or "distinct",
        "c": c,
        "t": read_asked(t, "--t"),
        "alpha": read_asked(alpha, "--alpha"),
        "dominance": read_asked(dominance, "--dominance"),
        "k_of": read_k_of(k_of) or None,
        "enforce": enforce or "auto",
        "missing_sensitive": missing_sensitive or "ignored",
        "effort": effort or "normal",
        "start": start,
        "max_iterations": max_iterations,
        "time_limit": time_limit,
        "runs": runs,
        "column_weights": read_weights(column_weight),
        "decimals": read_decimals(decimals),
        "allow_k1": allow_k1,
        "allow_empty": allow_empty,
        "quasi_identifiers": split_names(quasi) or None,
        "sensitive": split_names(sensitive),
        "identifiers": split_names(identifier),
        "other": split_names(other),
        "drop": split_names(drop),
        "weight": weight,
        "by": split_names(by),
        "household": household,
        "person": person,
        "count": count or "people",
        "small_strata": small_strata or "refuse",
        "weights_as": weights_as,
        "round": read_rounding(round_) or None,
        "keep_unique": split_names(keep_unique),
        "hierarchies": hierarchies or split_pairs(hierarchy, "--hierarchy", first=True) or None,
        "orders": read_orders(order) or None,
        "incomplete": incomplete or "keep",
        "aggregate": read_aggregate(aggregate),
        "delimiter": delimiter,
        "missing": tuple(missing or ("",)),
        "types": split_pairs(type_, "--type"),
    }
    if output is not None:
        _check(output, force)
    state = _state(input, k, methods, asked)
    if fresh and state is not None:
        state.unlink(missing_ok=True)
    with live_reporter() as report:
        found = compared(
            input, k=_sizes(k), methods=split_names(methods) or None, budget=seconds(budget),
            resume=state, seed=seed or 0, threads=threads, callback=report, **asked,
        )  # fmt: skip
    say(found.to_json() if as_json else f"{found.summary()}\n")
    if output is not None:
        _write(output, found, force)


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


def _state(file: Path, k: str, methods: list[str] | None, asked: dict[str, Any]) -> Path | None:
    """Return where figures of runs are noted until a comparison is whole; None: nowhere to."""
    what = repr((str(file.resolve()), k, methods, sorted(asked.items(), key=str)))
    name = hashlib.sha256(what.encode("utf-8")).hexdigest()[:24]
    place = cache_folder()
    with contextlib.suppress(OSError):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(place, os.W_OK):
            return place / f"compare-{name}.jsonl"
    return None


NAMES = "comparison.json", "comparison.csv", "frontier.svg", "comparison.html"


def _check(folder: Path, force: bool) -> None:
    from shoal.release.staging import Staging

    for name in NAMES:
        Staging(force=force, folders=[folder]).check(folder / name)


def _write(folder: Path, found: Any, force: bool) -> None:
    """Write table, chart and page of a comparison."""
    from shoal.release.comparison import comparison_csv, comparison_page
    from shoal.release.staging import Staging

    told = found.to_dict()
    svg = found.plot().to_svg()
    contents = found.to_json(), comparison_csv(told), svg, comparison_page(told, svg)
    with Staging(force=force, folders=[folder]) as staging:
        for name, content in zip(NAMES, contents, strict=True):
            staging.check(folder / name)
            staging.add(folder / name, content.encode("utf-8"))
        staging.commit()
    typer.echo(f"wrote {', '.join(str(folder / name) for name in NAMES)}", err=True)
