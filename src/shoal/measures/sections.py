"""What `Measures.to_dict` returns, with the types of what it holds."""

from __future__ import annotations

from typing import TypedDict


class MeasureSection(TypedDict, total=False):
    """A measure: its value and unit, by column where there are several, and what it means."""

    value: float
    unit: str
    sentence: str
    by: dict[str, float]
    interval: list[float]
    sampled: int
    step: float


class ColumnSection(TypedDict):
    """A quasi-identifier of numbers before and after, as `ColumnMeasures` has it."""

    name: str
    kind: str
    mean_before: float | None
    mean_after: float | None
    variance_before: float | None
    variance_after: float | None
    quantiles_before: list[float | None]
    quantiles_after: list[float | None]


class PairSection(TypedDict):
    """Two quasi-identifiers and their correlation, before and after."""

    columns: list[str]
    before: float | None
    after: float | None


class MeasuresSection(TypedDict, total=False):
    """What the release cost and which risks are left, as `Measures.to_dict` has it."""

    schema: str
    audience: str
    originals: int
    records: int
    paired: int
    k: int
    candidates: int
    quasi_identifiers: list[str]
    sensitive: list[str]
    utility: dict[str, MeasureSection]
    risk: dict[str, MeasureSection]
    columns: list[ColumnSection]
    pairs: list[PairSection]
    notes: list[str]
    seconds: float
