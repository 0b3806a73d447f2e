"""One Report: what was done, what it cost, what the guarantee covers. No record values in it."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from importlib import metadata
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import shown
from shoal.measures.histogram import Histogram, histogram
from shoal.measures.loss import percent, squares
from shoal.measures.moments import correlations, mean, variance
from shoal.partition import Partition
from shoal.table.encode import near_zero, standardized
from shoal.table.roles import TICKS, Column, Kind, Role
from shoal.table.table import Table, as_floats

Floats = npt.NDArray[np.float64]

SCHEMA = "shoal-report/1"


@dataclass(frozen=True)
class ColumnReport:
    """One quasi-identifier before and after; means of dates are dates, variances in days²."""

    name: str
    kind: str
    information_loss: float
    mean_before: float | str
    mean_after: float | str
    variance_before: float | None
    variance_after: float | None
    histogram: Histogram


@dataclass(frozen=True)
class Report:
    """The whole record of a run, as text and as JSON of a stated version."""

    schema: str
    versions: dict[str, str]
    method: str
    k: int
    seed: int
    aggregate: str
    input: dict[str, Any]
    release: dict[str, Any]
    roles: dict[str, list[str]]
    groups: dict[str, Any]
    verification: dict[str, Any]
    information_loss: float
    information_loss_released: float
    loss_name: str
    columns: list[ColumnReport]
    correlations: dict[str, Any]
    guarantee: dict[str, list[str]]
    notes: list[str]
    seconds: float
    search: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_html(self) -> str:
        """Return the report as one page that needs nothing else: no script, no request."""
        from shoal.release.html import page

        return page(self)

    def summary(self) -> str:
        """Return what a person wants to know first."""
        lines = [
            f"{self.input['records']} records in {self.groups['count']} groups of "
            f"{self.group_span()} (k = {self.k}, method {self.method})",
            f"information loss {self.information_loss_released:.2f} % of the variation",
            self._verdict(),
        ]
        width = max(len(plain(column.name)) for column in self.columns)
        lines.append("")
        lines.append(f"  {'quasi-identifier':<{max(width, 16)}}  loss %  mean before → after")
        lines.extend(
            f"  {plain(column.name):<{max(width, 16)}}  {column.information_loss:6.2f}  "
            f"{_short(column.mean_before)} → {_short(column.mean_after)}"
            for column in self.columns
        )
        lines.append("")
        for role, names in self.roles.items():
            if names and role != Role.QUASI_IDENTIFIER:
                lines.append(f"  {_ROLE_WORDS[role]}: {', '.join(map(plain, names))}")
        lines.extend(f"  note: {plain(note, 500)}" for note in self.notes)
        return "\n".join(lines)

    def group_span(self) -> str:
        """Return the sizes of the groups in words: "5" or "5 to 9"."""
        low, high = self.groups["smallest"], self.groups["largest"]
        return f"{low}" if low == high else f"{low} to {high}"

    def _verdict(self) -> str:
        if not self.verification["ok"]:
            return "NOT verified"
        return (
            f"verified: every combination of quasi-identifiers is shared by at least "
            f"{self.verification['k']} records"
        )

    def __str__(self) -> str:
        covers = [f"  + {line}" for line in self.guarantee["covers"]]
        not_covered = [f"  - {line}" for line in self.guarantee["does_not_cover"]]
        return "\n".join([self.summary(), "", "What the guarantee covers:", *covers,
                          "What it does not cover:", *not_covered])  # fmt: skip


_ROLE_WORDS = {
    Role.IDENTIFIER: "dropped as identifiers",
    Role.SENSITIVE: "sensitive, kept as they are",
    Role.OTHER: "other, kept as they are",
    "dropped": "left out on request",
}


def plain(name: str, limit: int = 60) -> str:
    """Return a name on one line, without control signs."""
    return shown(name, limit)[1:-1]


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def make_report(
    table: Table,
    released: Table,
    partition: Partition,
    *,
    seed: int,
    aggregate: str,
    verification: dict[str, Any],
    dropped: Sequence[str],
    notes: Sequence[str],
    seconds: float,
) -> Report:
    """Compare the table with its release, column by column and pair by pair."""
    before = table.having(Role.QUASI_IDENTIFIER)
    after = [released[column.name] for column in before]
    errors = np.array([_lost(b, a) for b, a in zip(before, after, strict=True)])
    varied = np.array([float(np.ptp(near_zero(b)) > 0) for b in before])
    columns = [
        _column_report(b, a, float(error), partition.k)
        for b, a, error in zip(before, after, errors, strict=True)
    ]
    roles = {str(role): [c.name for c in table.having(role)] for role in Role}
    groups = _groups(partition, _matrix(before))
    equal = groups["without_spread"]
    told = [f"{equal} groups hold equal records, whose values are released as they were"]
    return Report(
        schema=SCHEMA,
        versions=versions(),
        method=partition.method,
        k=partition.k,
        seed=seed,
        aggregate=aggregate,
        input={
            "kind": table.source.kind,
            "sha256": table.source.sha256,
            "records": table.rows,
            "columns": len(table.columns) + len(dropped),
        },
        release={"columns": released.names},
        roles={**roles, "dropped": list(dropped)},
        groups=groups,
        verification=verification,
        information_loss=partition.information_loss,
        information_loss_released=percent(float(errors.sum()), 100.0 * float(varied.sum())),
        loss_name=partition.loss_name,
        columns=columns,
        correlations={
            "columns": [column.name for column in before],
            "before": correlations(_matrix(before)),
            "after": correlations(_matrix(after)),
        },
        guarantee=guarantee(partition.k, partition.sizes.min() if partition.groups else 0),
        notes=[*notes, *(told if equal else [])],
        seconds=round(seconds, 3),
        search=None if partition.search is None else partition.search.to_dict(),
    )


def versions() -> dict[str, str]:
    """Return the versions of what can change a result."""
    names = ("shoal", "numpy", "numba", "pyarrow")
    found = {name: metadata.version(name) for name in names}
    return {**found, "python": platform.python_version()}


def _groups(partition: Partition, matrix: Floats) -> dict[str, Any]:
    order = np.argsort(partition.labels, kind="stable")
    starts = np.concatenate(([0], np.cumsum(partition.sizes)[:-1]))
    spread = np.maximum.reduceat(matrix[order], starts) - np.minimum.reduceat(matrix[order], starts)
    sizes, counts = np.unique(partition.sizes, return_counts=True)
    return {
        "count": partition.groups,
        "smallest": int(sizes[0]),
        "largest": int(sizes[-1]),
        "without_spread": int(np.count_nonzero(~spread.any(axis=1))),
        "sizes": {str(size): int(count) for size, count in zip(sizes, counts, strict=True)},
    }


def _lost(before: Column, after: Column) -> float:
    """Return 100 * SSE / SST of one column, as released; 0 for a constant one."""
    b, a = _comparable(before, after)
    center = b - b.mean()
    total = float(squares(center[:, None])[0])
    return percent(float(squares((b - a)[:, None])[0]), total)


def _comparable(before: Column, after: Column) -> tuple[Floats, Floats]:
    """Return both columns on one scale that neither overflows nor drowns small differences."""
    import pyarrow as pa

    if before.values.type == after.values.type:
        both = before.having(values=pa.concat_arrays([before.values, after.values]))
    else:  # decimals that were released with fewer digits
        floats = np.concatenate([as_floats(before), as_floats(after)])
        both = before.having(kind=Kind.FLOAT, values=pa.array(floats))
    scaled = near_zero(both)
    size = len(before.values)
    return scaled[:size], scaled[size:]


def _matrix(columns: Sequence[Column]) -> Floats:
    return np.stack([standardized(near_zero(column)) for column in columns], axis=1)


def _column_report(before: Column, after: Column, lost: float, k: int) -> ColumnReport:
    return ColumnReport(
        name=before.name,
        kind=str(before.kind),
        information_loss=lost,
        mean_before=_mean(before),
        mean_after=_mean(after),
        variance_before=_variance(before),
        variance_after=_variance(after),
        histogram=histogram(_days_or_numbers(before), _days_or_numbers(after), k),
    )


def _mean(column: Column) -> float | str:
    values = as_floats(column)
    try:
        average = mean(values)
    except OverflowError:
        average = mean(values / values.size) * values.size
    try:
        if column.kind is Kind.DATE:
            return (date(1970, 1, 1) + timedelta(days=round(average))).isoformat()
        if column.kind is Kind.DATETIME:
            seconds = round(average / TICKS[column.values.type.unit])
            return (datetime(1970, 1, 1) + timedelta(seconds=seconds)).isoformat()
    except OverflowError:  # a year that no calendar has
        return average
    return average


def _variance(column: Column) -> float | None:
    """Return the variance, of times in days²; None where no float can hold it."""
    values = _days_or_numbers(column)
    with np.errstate(over="ignore"):
        try:
            found = variance(values)
        except OverflowError:
            return None
    return found if np.isfinite(found) else None


def _days_or_numbers(column: Column) -> Floats:
    """Return the values as numbers, dates and times as days since 1970."""
    values = as_floats(column)
    if column.kind is Kind.DATETIME:
        values = values / (86_400.0 * TICKS[column.values.type.unit])
    return values


def guarantee(k: int, smallest: int) -> dict[str, list[str]]:
    """Say in plain words what k-anonymity promises and what it leaves open."""
    return {
        "covers": [
            f"Whoever knows all quasi-identifiers of a person finds at least {k} records that fit "
            "equally well.",
            "The identifiers are not in the release.",
        ],
        "does_not_cover": [
            "If all records of a group share a sensitive value, it is known for each of them.",
            "Columns kept as they are (sensitive, other) are not protected; whoever knows such a "
            "value may recognize a record by it.",
            f"Someone who knows {k - 1} or more of a group's {smallest} or more members can narrow "
            "down the rest.",
            "Two releases of the same people can be combined against each other.",
        ],
    }
