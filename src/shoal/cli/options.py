"""Options that several commands share, and what their texts mean."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.errors import InputError, RequestError, shown

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Delimiter = Annotated[
    str | None, typer.Option(help="What separates csv columns; found from the header if not given.")
]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="A cell text that means missing; may be repeated. Default: the empty cell."),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type", help="COLUMN=number, text, date or boolean, where csv leaves a doubt; repeatable."
    ),
]
Quasi = Annotated[list[str] | None, typer.Option(help="Quasi-identifiers: a,b,c; may be repeated.")]
Output = Annotated[
    str, typer.Option("-o", "--output", help="F.csv, F.parquet, a folder DIR/, or - for stdout.")
]
OutputOrNone = Annotated[
    str | None,
    typer.Option("-o", "--output", help="F.csv, F.parquet, a folder DIR/, or - for stdout."),
]
Sensitive = Annotated[
    list[str] | None, typer.Option(help="Columns not to be learned about a person; kept.")
]
SensitiveTrees = Annotated[
    list[str] | None,
    typer.Option(
        help="COLUMN=FILE.csv or prefixes:3,2: the tree by which t-closeness compares the values "
        "of a sensitive column; repeatable."
    ),
]
Identifier = Annotated[list[str] | None, typer.Option(help="Columns that name a person; dropped.")]
Other = Annotated[list[str] | None, typer.Option(help="Columns released as they are.")]
Drop = Annotated[list[str] | None, typer.Option(help="Columns to leave out.")]
Weight = Annotated[
    str | None, typer.Option(help="The column of survey weights: how many a record stands for.")
]
By = Annotated[
    list[str] | None,
    typer.Option(help="Strata: groups are made within the combinations of these columns: a,b."),
]
Household = Annotated[
    str | None,
    typer.Option(help="The column that says whose records stay together: k counts households."),
]
Person = Annotated[
    str | None,
    typer.Option(
        help="The identifier that says whose record each is: every class holds at least k people, "
        "and --l, --t, --alpha count people."
    ),
]
Count = Annotated[
    str | None,
    typer.Option(
        help="What k counts where every identifier repeats: people (then --person is needed) or "
        "records. Default: people."
    ),
]
SmallStrata = Annotated[
    str | None,
    typer.Option(
        help="What becomes of strata with fewer than k records: refuse, or merge with the one most "
        "like it. Default: refuse."
    ),
]
WeightsAs = Annotated[
    str | None,
    typer.Option(
        help="How survey weights are released: mean (of the group), rounded:N, exact, drop. "
        "Default: mean."
    ),
]
Rounding = Annotated[
    list[str] | None,
    typer.Option(
        "--round",
        help="COLUMN=STEP: round a column that is kept to multiples of STEP, dates to so many "
        "days; repeatable.",
    ),
]
KeepUnique = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-unique",
        "--keep",
        help="Other columns to release though most records are unique in them: a,b; repeatable.",
    ),
]
Aggregate = Annotated[
    list[str] | None,
    typer.Option(
        help="A group's value, or COLUMN=VALUE: mean, median, mode, medoid, generalize, range; "
        "repeatable. Default: generalize by methods that use trees; else mean, of texts generalize."
    ),
]
HierarchyFolder = Annotated[
    Path | None, typer.Option("--hierarchies", help="A folder with hierarchies named COLUMN.csv.")
]
HierarchyRules = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        help="COLUMN=RULE: a FILE.csv, widths:5,10, cuts:18,65, quantiles:20,5, prefixes:3,2, "
        "dates; repeatable. See `shoal hierarchy`.",
    ),
]
Orders = Annotated[
    list[str] | None,
    typer.Option(
        "--order",
        help="The order of a text column's values, the least first: pain=mild,moderate,severe, or "
        "pain=@FILE with one value a line; repeatable.",
    ),
]
Incomplete = Annotated[
    str | None,
    typer.Option(help="Records with missing quasi-identifiers: keep or delete. Default: keep."),
]
ShowValues = Annotated[
    bool, typer.Option("--show-values", help="Let an error list values that it is about.")
]
DecimalsOption = Annotated[
    list[str] | None, typer.Option(help="Round numbers to N decimals, or COLUMN=N; repeatable.")
]
AllowK1 = Annotated[bool, typer.Option("--allow-k1", help="Accept k = 1, which protects nobody.")]
NoReport = Annotated[bool, typer.Option("--no-report", help="Do not write the HTML report.")]
ChooseAgain = Annotated[
    bool,
    typer.Option(
        "--choose-again",
        help="Choose method and iterations for this file, by effort, not as the recipe has them.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]


MaxIterations = Annotated[
    int | None, typer.Option(help="How many iterations (restarts of ls, lsc) a search makes.")
]
TimeLimit = Annotated[float | None, typer.Option(help="How many seconds a search takes at most.")]
Runs = Annotated[int | None, typer.Option(help="How many searches; the best counts. Default: 1.")]
Seed = Annotated[int | None, typer.Option(help="The same seed gives the same groups. Default: 0.")]
Threads = Annotated[
    int | None, typer.Option(min=1, help="How many threads at most; never changes the groups.")
]

Memory = Annotated[
    str | None,
    typer.Option(
        help="How much memory a run may take (4GB): a larger file is grouped region by region, in "
        "temporary files."
    ),
]
WorkFolder = Annotated[
    str | None,
    typer.Option(
        "--work",
        help="Where temporary files of a large run are made: a folder, with an engine also a URL. "
        "Default: beside the output.",
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="What groups a table of many files: dask, spark, or threads (of this machine; the "
        "default for several files). Writes a folder of Parquet files.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        help="Where the engine's cluster is: tcp://host:8786 of dask, spark://host:7077 of spark. "
        "Default: one is started on this machine."
    ),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Tell of every part that an engine has done.")
]


def split_names(given: list[str] | None) -> list[str]:
    """Return column names from `a,b` options; a name with a comma in it stands in quotes."""
    try:
        parts = [
            list(csv.reader(io.StringIO(part, newline=""), strict=True)) for part in given or []
        ]
    except csv.Error:
        raise RequestError("a list of columns has quotes that do not close") from None
    if any(len(rows) > 1 for rows in parts):
        raise RequestError("a column name with a line break must stand in quotes")
    return [name for rows in parts for row in rows for name in row]


def split_pairs(given: list[str] | None, option: str, first: bool = False) -> dict[str, str]:
    """Return COLUMN=VALUE options as a dict, split at the last = (or the first)."""
    pairs: dict[str, str] = {}
    for part in given or []:
        name, equals, value = part.partition("=") if first else part.rpartition("=")
        if not equals or not name or name in pairs:
            raise RequestError(f"{option} {shown(part)}: say COLUMN=VALUE, once for a column")
        pairs[name] = value
    return pairs


def read_orders(given: list[str] | None) -> dict[str, list[str]]:
    """Return `--order pain=mild,severe` as a dict of lists; a value with a comma is in quotes."""
    orders = {
        name: _lines(text[1:], name) if text.startswith("@") else split_names([text])
        for name, text in split_pairs(given, "--order", first=True).items()
    }
    for name, values in orders.items():
        if not values:
            raise RequestError(f"--order {shown(name)}: the order names no value")
    return orders


def _lines(path: str, name: str) -> list[str]:
    """Return the lines of a file that lists the values of a column."""
    from shoal.table.read import read_bytes

    try:
        text = read_bytes(Path(path)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"--order {shown(name)}: {shown(path)} is not UTF-8 text") from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def roles(
    quasi: list[str] | None,
    sensitive: list[str] | None,
    identifier: list[str] | None,
    other: list[str] | None,
    drop: list[str] | None,
) -> dict[str, list[str]]:
    """Return the role options as the settings' part of that name."""
    if quasi is not None and not split_names(quasi):
        raise RequestError("--quasi names no column")
    return {
        "quasi_identifiers": split_names(quasi),
        "sensitive": split_names(sensitive),
        "identifiers": split_names(identifier),
        "other": split_names(other),
        "drop": split_names(drop),
    }


def said(tree: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the settings that somebody gave; what was not said has its default, or a recipe's."""
    return {
        part: {key: value for key, value in values.items() if _is_said(value)}
        for part, values in tree.items()
    }


def read_weights(given: list[str] | None) -> dict[str, float]:
    """Return `--column-weight age=2` as a dict of numbers."""
    weights = {}
    for name, text in split_pairs(given, "--column-weight").items():
        try:
            weights[name] = float(text)
        except ValueError:
            raise RequestError(f"--column-weight {shown(name)}: not a number") from None
    return weights


def read_rounding(given: list[str] | None) -> dict[str, int | float]:
    """Return `--round cost=100` as a dict of numbers."""
    steps: dict[str, int | float] = {}
    for name, text in split_pairs(given, "--round").items():
        try:
            steps[name] = int(text) if text.isascii() and text.isdecimal() else float(text)
        except ValueError:
            raise RequestError(f"--round {shown(name)}: the step is not a number") from None
    return steps


def read_aggregate(given: list[str] | None) -> str | dict[str, str] | None:
    """Return `--aggregate median` as a word, `--aggregate age=median` as a dict."""
    if not given:
        return None
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    return split_pairs(given, "--aggregate")


def _is_said(value: Any) -> bool:
    return value is not None and value is not False and value not in ([], {})


def read_decimals(given: list[str] | None) -> Any:
    """Return `--decimals 2` as a number, `--decimals a=2` as a dict; `none` as it is."""
    if not given:
        return None
    try:
        if len(given) == 1 and "=" not in given[0]:
            return _digits(given[0])
        return {name: _digits(value) for name, value in split_pairs(given, "--decimals").items()}
    except ValueError:
        raise RequestError(
            "--decimals must be one whole number or none, or COLUMN=NUMBER"
        ) from None


def _digits(said: str) -> int | str:
    return said if said == "none" else int(said)
