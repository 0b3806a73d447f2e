"""What a report says of a stable series: the drift of the means that are published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.report.report import Report
from shoal.report.sections import DriftSection
from shoal.series.ledger import Release


def published_means(report: Report) -> dict[str, tuple[float, float]]:
    """Return the means that the public report tells, with their steps, by column."""
    columns: Mapping[str, Any] = report.public.get("columns", {})
    every = {name: own["mean"] for name, own in columns.items() if "mean" in own}
    return {
        name: (mean["value"], mean["step"])
        for name, mean in every.items()
        if mean["value"] is not None and mean["step"] is not None
    }


def drift_of(
    report: Report,
    earlier: Sequence[Release],
    number: int,
    means: Mapping[str, tuple[float, float]],
) -> list[DriftSection]:
    """Return the published means of every column that at least two releases tell one of."""
    kinds = {column.name: column.kind for column in report.columns}
    told = [(one.number, {} if one.frame is None else one.frame.means) for one in earlier]
    drift = []
    for name, kind in kinds.items():
        own = [(at, *every[name]) for at, every in [*told, (number, means)] if name in every]
        if len(own) > 1:
            drift.append(
                DriftSection(
                    column=name, kind=kind, releases=[at for at, _, _ in own],
                    means=[mean for _, mean, _ in own], steps=[step for *_, step in own],
                )
            )  # fmt: skip
    return drift
