"""What `Measures.to_dict` returns, with the types of what it holds."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class MeasureSection(TypedDict):
    """A measure: its value and unit, by column where there are several, and what it means."""

    value: float
    unit: str
    sentence: str
    by: NotRequired[dict[str, float]]
    interval: NotRequired[list[float]]
    sampled: NotRequired[int]
    step: NotRequired[float]


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


class MeasuresSection(TypedDict):
    """What the release cost and which risks are left, as `Measures.to_dict` has it."""

    schema: str
    audience: NotRequired[str]
    originals: NotRequired[int]
    records: int
    paired: NotRequired[int]
    k: int
    candidates: NotRequired[int]
    quasi_identifiers: list[str]
    sensitive: list[str]
    utility: dict[str, MeasureSection]
    risk: dict[str, MeasureSection]
    columns: NotRequired[list[ColumnSection]]
    pairs: NotRequired[list[PairSection]]
    notes: NotRequired[list[str]]
    seconds: NotRequired[float]
