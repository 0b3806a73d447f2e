"""Data dictionary of a release."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from functools import partial
from typing import Any

import pyarrow.compute as pc

from shoal.backends.executor import Threads
from shoal.judge.limits import limits
from shoal.release.held import held
from shoal.report.report import Report
from shoal.report.steps import changed_by_steps
from shoal.table.files.formats import CODED
from shoal.table.roles import STAR, Column, Kind, Role
from shoal.table.table import Table

HEADER = (
    "column",
    "role",
    "type",
    "released as",
    "distinct values",
    "missing",
    "suppressed",
    "holds",
    "label",
    "value labels",
    "in the file",
)
FEW = 12  # values that are listed one by one
DONE = {
    "mean": "mean of its group",
    "median": "median of its group",
    "majority": "more frequent of the column's two values in its group",
    "mode": "most frequent value of its group",
    "medoid": "value of the record in the middle of its group",
    "generalize": "closest common generalization of its group",
    "range": "least and greatest of its group",
    "stratum": "as it was: groups lie within these strata",
}


def dictionary(released: Table, report: Report) -> bytes:
    """Return the dictionary as csv, a line a column; nothing in it that the release does not say.

    A column of numbers or dates holds its least and greatest released value, one of few values
    these; others are only counted. Labels are those of the input's codebook, value labels those of
    values that the release holds.
    """
    kind = report.release.get("kind", "")
    held_as = report.release.get("held_as", {})
    treatments = {column.name: column.released_as for column in report.columns}
    treatments |= {
        name: f"rounded to multiples of {step:g}" for name, step in report.rounded.items()
    }
    for name in changed_by_steps(report):
        texts = [step["text"] for step in report.steps if name in step["columns"]]
        own = treatments.get(name)
        last = [] if own is None else [DONE.get(own, own)]
        treatments[name] = "; ".join([*texts, *last])
    if "weight" in report.survey:
        weights_as = str(report.survey["weights_as"])
        treatments[report.survey["weight"]] = {"mean": "mean", "exact": "as it was"}.get(
            weights_as, weights_as
        )
    if "group_column" in report.release:
        treatments[report.release["group_column"]] = "number of its group, in random order"
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    lines = Threads(limits().threads).map(partial(_line, treatments), released.columns)
    for column, line in zip(released.columns, lines, strict=True):
        codebook = [*_labels(column, kind), held_as.get(column.name, "")]
        writer.writerow([*line, *codebook])
    return text.getvalue().encode("utf-8")


def _line(treatments: Mapping[str, str], column: Column) -> list[Any]:
    stars = 0
    if column.kind is Kind.TEXT and column.protected:
        stars = int(pc.sum(pc.equal(column.values, STAR)).as_py() or 0)
    treatment = treatments.get(column.name)
    done = "as it was" if treatment is None else DONE.get(treatment, treatment)
    suppressed = stars if column.kind is Kind.TEXT else column.missing if column.protected else 0
    missing = 0 if column.protected else column.missing
    return [
        column.name, str(column.role), column.kind_name, done, column.different, missing,
        suppressed, _holds(column),
    ]  # fmt: skip


def _labels(column: Column, kind: str) -> tuple[str, str]:
    """Return the label of a variable, and the value labels by their codes."""
    if kind in CODED:
        made = held(column, kind)
        labels, label = made.labels, made.label
        there = {value for value in made.values.unique().to_pylist() if value is not None}
    elif column.variable is None:
        return "", ""
    else:
        labels, label = dict(column.variable.labels), column.variable.label
        there = set(column.values.unique().to_pylist())
        if column.variable.coded:
            there = {code for code, text in labels.items() if text in there}
    known = (f"{code} = {text}" for code, text in labels.items() if code in there)
    return label, " | ".join(known)


def _holds(column: Column) -> str:
    """Return the values of a column where they are few, or their span."""
    if column.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER):
        return ""
    if not column.kind.is_grouped:
        return ""
    if column.different <= FEW:
        values = [v for v in column.values.unique().to_pylist() if v is not None and v == v]  # noqa: PLR0124
        return " | ".join(sorted(map(str, values)))
    if column.kind.is_numeric and column.kind is not Kind.BOOLEAN:
        span = pc.min_max(column.values, skip_nulls=True).as_py()
        return f"{span['min']} to {span['max']}"
    return ""
