"""The walk on one screen: Table -> Encoded -> Partition -> released Table -> Report."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError, PrivacyError, RequestError, nearest_names, shown
from shoal.grouping import numbered
from shoal.measures.loss import information_loss
from shoal.partition import Partition, by_first_row
from shoal.progress import Callback, Reporter
from shoal.recipes import check_search, check_size, choose, find, improve, solve
from shoal.release.aggregate import aggregate as aggregate_groups
from shoal.release.report import Report, make_report
from shoal.release.verify import Verification, verify
from shoal.search.parameters import Search
from shoal.settings import ProtectSettings, Settings, build, names, whole
from shoal.table.assign import assign, identifier_reason
from shoal.table.encode import canonical_order, encode
from shoal.table.read import read, read_bytes
from shoal.table.roles import Role
from shoal.table.table import Table

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Result:
    """A release that was checked, and how it came about.

    `data` has the caller's type of dataframe, with its rows in the caller's order, so that before
    and after can be compared: what is published should be written by `save`, which shuffles.
    """

    data: Any
    report: Report
    partition: Partition
    table: Table
    settings: Settings

    def save(
        self,
        folder: str | Path,
        *,
        force: bool = False,
        format: str = "csv",  # noqa: A002 - the usual word
        report: bool = True,
        keep_order: bool | None = None,
        order_seed: int | None = None,
    ) -> Path:
        """Write release, report.json, report.html and run.toml to a folder, verified, or nothing.

        `format` is csv, csv.gz or parquet; `report=False` leaves out the page. The rows are
        shuffled by the operating system's randomness unless `keep_order`; `order_seed` is for
        tests. Returns the release's path.
        """
        from shoal.release.pack import Targets, save

        targets = Targets.in_folder(Path(folder), format)
        return save(
            self,
            targets,
            force=force,
            with_page=report,
            keep_order=keep_order,
            order_seed=order_seed,
        )

    def summary(self) -> str:
        """Return what a person wants to know first."""
        return self.report.summary()

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        from shoal.release.html import short

        return short(self.report)

    def __repr__(self) -> str:
        return f"<Result: {self.summary().splitlines()[0]}>"


def anonymize(
    data: Any,
    *,
    k: int,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    identifiers: Sequence[str] | None = None,
    other: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    group: str | None = None,
    method: str = "auto",
    effort: str = "normal",
    start: str | None = None,
    max_iterations: int | None = None,
    time_limit: float | None = None,
    runs: int | None = None,
    search: Search | Mapping[str, Any] | None = None,
    refine: str | None = None,
    seed: int = 0,
    column_weights: Mapping[str, float] | None = None,
    threads: int | None = None,
    aggregate: str = "mean",
    decimals: int | Mapping[str, int] | None = None,
    missing: Sequence[str] = ("",),
    types: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    allow_k1: bool = False,
    allow_empty: bool = False,
    callback: Callback | None = None,
) -> Result:
    """Make a table safe to release: each record hides among at least k.

    data is a path (csv, csv.gz, Parquet), a dataframe or a Table; it is never changed. With no
    roles given every column is a quasi-identifier; with any given, the unnamed ones are released
    as they are, and listed in the report. With `group`, the groups that this column holds are
    refined (`refine` is how, see `shoal.refine`) instead of new ones made. `method="auto"` searches
    for the least loss as long as `effort` says: quick, normal or best, about 1, 10 or 60 seconds
    for a thousand records; `start` to `search` are for searches, see `shoal.microaggregate`. The
    callback gets a `Progress`; True from it ends a search with its best, and cancels anything else.
    Raises a ShoalError that says what to do.
    """
    if quasi_identifiers is not None and not names(quasi_identifiers, "quasi_identifiers"):
        raise RequestError("quasi_identifiers names no column")
    settings = build(
        {
            "input": {
                "delimiter": delimiter,
                "missing": names(missing, "missing"),
                "types": dict(types or {}),
            },
            "roles": {
                "identifiers": names(identifiers, "identifiers"),
                "quasi_identifiers": names(quasi_identifiers, "quasi_identifiers"),
                "sensitive": names(sensitive, "sensitive"),
                "other": names(other, "other"),
                "drop": names(drop, "drop"),
                "group": group,
            },
            "protect": {
                "k": whole(k, "k"),
                "method": method,
                "effort": effort,
                "start": start,
                "max_iterations": _count(max_iterations, "max_iterations"),
                "time_limit": time_limit,
                "runs": _count(runs, "runs"),
                "refine": refine,
                "seed": whole(seed, "seed"),
                "column_weights": dict(column_weights or {}),
                "allow_k1": allow_k1,
                "allow_empty": allow_empty,
            },
            "release": {
                "aggregate": aggregate,
                "decimals": dict(decimals) if isinstance(decimals, Mapping) else decimals,
            },
            "search": search.to_dict() if isinstance(search, Search) else dict(search or {}),
        }
    )
    return walk(data, settings, callback, threads)


def _count(number: Any, what: str) -> int | None:
    return None if number is None else whole(number, what)


def walk(
    data: Any, settings: Settings, callback: Callback | None = None, threads: int | None = None
) -> Result:
    """Go from data to a verified Result, one arrow after the other."""
    start = time.perf_counter()
    report = Reporter(callback)
    k, asked = settings.protect.k, settings.input
    if settings.roles.group is None:
        check_search(find(settings.protect.method), settings.protect.start, settings.changes())

    report("reading", 0, 1)
    table = read(data, delimiter=asked.delimiter, missing=asked.missing, types=asked.types)
    check_size(table.rows, k, table.source.name)
    table, given = without_groups(table, settings)
    assigned = assign(table, settings.roles)
    table = assigned.table
    check_request(table, settings)

    order = canonical_order(table)
    protect = settings.protect
    matrix = encode(table, weights=protect.column_weights).matrix[order]
    more = notes(table, assigned.unnamed)
    if given is None:
        partition = solve(
            matrix,
            k,
            protect.method,
            report,
            seed=protect.seed,
            start=protect.start,
            changes=settings.changes(),
            effort=protect.effort,
            threads=threads,
        )
        more.extend(said_of_search(partition, protect))
    else:
        how = protect.refine or "iterative"
        first = by_first_row(given[order])  # whatever order the rows came in
        partition = improve(
            matrix, first, k, how, report, seed=protect.seed, changes=settings.changes(),
            threads=threads,
        )  # fmt: skip
        before = information_loss(matrix, first)
        more.append(f"the groups of {shown(settings.roles.group)} lost {before:.4f} % as they came")
    labels = np.empty_like(partition.labels)
    labels[order] = partition.labels
    partition = replace(partition, labels=labels)

    report("releasing", 0, 1)
    released = aggregate_groups(
        table, partition, settings.release.aggregate, settings.release.decimals
    )
    verification = check(released, k, table.schema.having(Role.QUASI_IDENTIFIER))
    settings = resolved(settings, table, partition)
    result = make_report(
        table,
        released,
        partition,
        seed=settings.protect.seed,
        aggregate=settings.release.aggregate,
        verification=verification.to_dict(),
        dropped=settings.roles.drop,
        notes=more,
        seconds=time.perf_counter() - start,
    )
    report("releasing", 1, 1)
    return Result(released.to_native(), result, partition, released, settings)


def without_groups(table: Table, settings: Settings) -> tuple[Table, Integers | None]:
    """Take out the column that holds the groups to start from; return them as numbers."""
    name = settings.roles.group
    if name is None:
        if settings.protect.refine is not None:
            raise RequestError("refine needs a group column to start from; say --group COLUMN")
        return table, None
    if settings.protect.method != "auto":
        raise RequestError("the groups come from a column: give a method or a group, not both")
    column = table[name]
    roles = settings.roles
    named = (roles.identifiers, roles.quasi_identifiers, roles.sensitive, roles.other, roles.drop)
    if any(name in names_ for names_ in named):
        raise RequestError(f"column {shown(name)} holds the groups; it cannot have another role")
    what = f"{table.source.name}, column {shown(name)}"
    if column.missing:
        raise InputError(f"{what}: records without a group: {column.missing}")
    start = numbered(column.values.to_pylist(), table.rows, settings.protect.k, what)
    return table.only(lambda column: column.name != name), start


def check_request(table: Table, settings: Settings) -> None:
    """Refuse decimals for columns that are not grouped, and sensitive columns without a value."""
    decimals = settings.release.decimals
    grouped = table.schema.having(Role.QUASI_IDENTIFIER)
    for name in decimals if isinstance(decimals, dict) else ():
        if name not in grouped:
            raise RequestError(
                f"decimals are given for {shown(name)}, which is no quasi-identifier"
                f"{nearest_names(name, grouped)}"
            )
    for column in table.having(Role.SENSITIVE):
        if column.missing == table.rows and not settings.protect.allow_empty:
            raise RequestError(
                f"{table.source.name}: every cell of sensitive column {shown(column.name)} is "
                "missing; leave it out with --drop, or say --allow-empty"
            )


def check(released: Table, k: int, quasi_identifiers: list[str]) -> Verification:
    """Verify the released Table; one that is not safe never leaves."""
    verification = verify(released, k=k, quasi_identifiers=quasi_identifiers)
    if not verification.ok:
        raise PrivacyError(f"the release is not {k}-anonymous: {'; '.join(verification.problems)}")
    return verification


def resolved(settings: Settings, table: Table, partition: Partition) -> Settings:
    """Return settings that repeat this run: every role and choice spelled out."""
    from shoal import __version__

    schema = table.schema
    log = partition.search
    protect: dict[str, Any] = {"method": partition.method} if settings.roles.group is None else {}
    again = dict(settings.search)
    if log is not None:  # as many iterations, whatever the clock says next time
        protect |= {"max_iterations": log.iterations, "time_limit": None, "runs": log.runs}
        again["schedule"] = log.schedule
    dropped = settings.roles.drop
    kept = {*schema.names, *dropped, settings.roles.group}
    return settings.model_copy(update={"shoal": __version__}).having(
        input={
            "path": table.source.path,
            "sha256": table.source.sha256,
            "delimiter": table.source.delimiter if table.source.kind == "csv" else None,
            "missing": table.source.missing,
            "types": dict(table.source.types),
        },
        roles={
            "identifiers": schema.having(Role.IDENTIFIER),
            "quasi_identifiers": schema.having(Role.QUASI_IDENTIFIER),
            "sensitive": schema.having(Role.SENSITIVE),
            "other": schema.having(Role.OTHER),
            "drop": [*dropped, *(n for n in table.source.columns if n not in kept)],
        },
        protect=protect,
        search=again,
    )


def said_of_search(partition: Partition, protect: ProtectSettings) -> list[str]:
    """Say why a method was chosen, and how its search ended."""
    log = partition.search
    said = []
    if protect.method == "auto":
        columns = 1 if partition.method == "optimal-1d" else 2
        choice = choose(partition.labels.size, columns, partition.k, protect.effort)
        if log is None or (log.stopped_by == "iterations" and protect.max_iterations is None):
            said.append(f"auto chose {partition.method}: {choice.reason}")
        else:
            said.append(f"auto chose {partition.method}: the search with the least loss")
    if log is not None:
        said.append(log.summary())
    return said


def notes(table: Table, unnamed: Sequence[str]) -> list[str]:
    """Say what a steward should look at, without any value."""
    found = []
    if unnamed:
        found.append(f"no role was given to {', '.join(unnamed)}: released as they are")
    unique = [c.name for c in table.having(Role.QUASI_IDENTIFIER) if identifier_reason(c)]
    if unique:
        found.append(
            f"(nearly) every record has its own value in {', '.join(unique)}; is it an identifier?"
        )
    return found


def repeat(
    settings: Settings,
    recipe: Path,
    data: Path | None,
    callback: Callback | None = None,
    threads: int | None = None,
) -> Result:
    """Run a recipe again, on its own input (which must not have changed) or on another one."""
    asked = settings.input
    if data is None and asked.path is None:
        raise RequestError("the recipe names no input; say --input FILE")
    source = data if data is not None else recipe.parent / str(asked.path)
    changed = hashlib.sha256(read_bytes(source)).hexdigest() != asked.sha256
    if data is None and asked.sha256 and changed:
        raise RequestError(
            "the input has changed since the recipe was written (its sha256 differs); "
            f"say --input {source} to run the recipe on it all the same"
        )
    return walk(source, settings, callback, threads)
