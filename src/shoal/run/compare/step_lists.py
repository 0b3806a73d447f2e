"""Comparison of lists of steps: what each loses of the original, and which risk it leaves."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import RequestError, ShoalError
from shoal.hints import Message
from shoal.kernels.arrays import Integers
from shoal.measures.original_loss import NAME, original_loss
from shoal.plan.plan import once_read, plan_table
from shoal.progress import Reporter
from shoal.report.verdict import singled_out
from shoal.run.anonymize import anonymize_with
from shoal.run.compare.points import ATTACKS, Comparison, Point, judged
from shoal.run.result import Result
from shoal.settings import Settings, load_tree
from shoal.table.roles import Role
from shoal.table.steps.dates import Derive
from shoal.table.steps.registry import steps_of
from shoal.table.steps.step import Step
from shoal.table.table import Table

StepLists = Mapping[str, Sequence[Any]] | Sequence[Sequence[Any] | PathLike[str]]


@dataclass(frozen=True)
class Alternative:
    """A list of steps by its name, and the share of records that may be left out."""

    name: str
    steps: tuple[Step, ...]
    suppress: float | None = None


def read_alternative(path: Path) -> Alternative:
    """Return the steps, and the share of records to leave out, that a recipe names."""
    tree = load_tree(path)
    suppress = tree.get("protect", {}).get("suppress")
    return Alternative(path.name, steps_of(tree.get("steps", ())), suppress)


def alternatives_of(given: StepLists) -> list[Alternative]:
    """Return lists of steps that are given by name, or in order as steps or paths of recipes."""
    if isinstance(given, Mapping):
        return [Alternative(str(name), steps_of(steps)) for name, steps in given.items()]
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise RequestError("step_lists must be lists of steps, by name or in order")
    return [
        read_alternative(Path(one))
        if isinstance(one, PathLike)
        else Alternative(f"list {number}", steps_of(one))
        for number, one in enumerate(given, 1)
    ]


@dataclass(frozen=True)
class Lists:
    """What is compared: lists of steps at some sizes of k."""

    alternatives: Sequence[Alternative]
    sizes: Sequence[int]


def compare_lists(
    table: Table,
    settings: Settings,
    lists: Lists,
    threads: int | None = None,
    report: Reporter | None = None,
) -> Comparison[Any]:
    """Make a release with every list of steps at every k; return their losses and risks.

    Steps of the settings come first in every list. Losses are of the table before all steps.
    """
    names = [one.name for one in lists.alternatives]
    if len(set(names)) < len(names):
        raise RequestError("two lists of steps have one name; rename a file")
    settings, original = once_read(settings), _numbered(table)
    report = Reporter.of(report)
    cases = [(k, one) for k in lists.sizes for one in lists.alternatives]
    points = []
    for done, (k, one) in enumerate(cases):
        report(f"k = {k}, {one.name}", done, len(cases))
        points.append(_run(original, settings, one, k, threads, report.quiet()))
    marked, reason = judged(points)
    return Comparison(tuple(marked), reason, NAME, table.rows, table.source.native)


def _numbered(table: Table) -> Table:
    """Return the table as one of a csv file, whose records know their lines when some are left."""
    return replace(table, source=replace(table.source, kind="csv", lines=None, native=None))


def _run(
    table: Table,
    settings: Settings,
    one: Alternative,
    k: int,
    threads: int | None,
    report: Reporter,
) -> Point:
    """Make one release and measure it."""
    protect: dict[str, Any] = {"k": k}
    if one.suppress is not None:
        protect["suppress"] = one.suppress
    began = time.perf_counter()
    try:
        own = settings.replace(protect=protect)
        own = own.model_copy(update={"steps": (*settings.steps, *one.steps)})
        result = anonymize_with(table, own, report, threads)
    except ShoalError as error:
        return Point(one.name, k, said=Message(error.marked))
    measures: Mapping[str, Any] = result.report.measures or {}
    risks = measures.get("risk", {})
    shares = [risks[key]["value"] for key in ATTACKS if key in risks]
    highest = 100.0 / result.report.verification["k"]
    return Point(
        one.name,
        k,
        _loss(table, settings, result, own.steps),
        max(shares) if shares else highest,
        highest,
        singled_out(result.report.measures),
        result.report.groups["count"],
        seconds=round(time.perf_counter() - began, 3),
    )


def _loss(table: Table, settings: Settings, result: Result[Any], steps: Sequence[Step]) -> float:
    """Return what the release loses of all columns that are not identifiers or dropped."""
    released = result.table
    apart = {*settings.roles.drop, *result.settings.roles.identifiers}
    group = settings.roles.group
    columns = [name for name in table.names if name not in apart and name != group]
    derived = {s.of: s.name for s in steps if isinstance(s, Derive) and not s.keep}
    return original_loss(table, released, _rows(released, table), columns, derived)


def _rows(released: Table, table: Table) -> Integers:
    """Return which records of a table a release holds, by their lines."""
    lines = released.source.lines
    if lines is None:
        return np.arange(table.rows)
    return np.asarray(lines[1:], dtype=np.int64) - 2


def roles_of(table: Table, settings: Settings) -> dict[str, Role]:
    """Return the roles that columns get."""
    plan, _ = plan_table(table, once_read(settings))
    return {column.name: column.role for column in plan.schema.columns}
