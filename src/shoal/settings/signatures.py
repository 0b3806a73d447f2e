"""Types of the options that functions take, written by `python docs/_ext/option_pages.py`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from shoal.settings.kinds import Described

Shared = TypedDict(
    "Shared",
    {
        "l": float | Mapping[str, float] | None,
        "l_kind": str,
        "c": float | None,
        "t": float | Mapping[str, float] | None,
        "alpha": float | Mapping[str, float] | None,
        "beta": float | Mapping[str, float] | None,
        "beta_kind": str,
        "delta": float | Mapping[str, float] | None,
        "e": float | Mapping[str, float] | None,
        "l_of": Mapping[Any, int] | None,
        "dominance": float | Mapping[str, float] | None,
        "k_of": Mapping[Any, int] | None,
        "missing_sensitive": str,
        "count": str,
        "enforce": str,
        "allow_k1": bool,
        "small_strata": str,
        "identifiers": Sequence[str] | str | None,
        "quasi_identifiers": Sequence[str] | str | None,
        "sensitive": Sequence[str] | str | None,
        "other": Sequence[str] | str | None,
        "drop": Sequence[str] | str | None,
        "weight": str | None,
        "by": Sequence[str] | str | None,
        "household": str | None,
        "person": str | None,
        "keep_unique": Sequence[str] | str | None,
        "hierarchies": Mapping[str, str] | str | Path | None,
        "orders": Mapping[str, Sequence[str]] | None,
        "steps": Sequence[Any] | None,
        "effort": str,
        "start": str | None,
        "max_iterations": int | None,
        "time_limit": float | None,
        "runs": int | None,
        "seed": int,
        "column_weights": Mapping[str, float] | None,
        "search": Described | Mapping[str, Any] | None,
        "secret": str | None,
        "delimiter": str | None,
        "encoding": str | None,
        "decimal": str,
        "thousands": str,
        "date_format": str | Mapping[str, str] | None,
        "skip_lines": int,
        "comment": str | None,
        "quote": str,
        "widths": Sequence[int] | None,
        "missing": Sequence[str],
        "types": Mapping[str, str] | None,
        "sheet": str | None,
        "incomplete": str,
        "allow_empty": bool,
        "aggregate": str | Mapping[str, str] | None,
        "numbers": str | None,
        "intervals": str | None,
        "decimals": int | str | Mapping[str, int | str] | None,
        "round": Mapping[str, float] | None,
        "weights_as": str | None,
        "threads": int | None,
    },
    total=False,
)


class AnonymizeOptions(Shared, total=False):
    """Options of `anonymize`."""

    preset: str | None
    ledger: str | os.PathLike[str] | None
    withhold: float | str
    counterfeits: float | str
    changing: Sequence[str] | str | None
    over_series: str
    stable: bool
    expect_overlap: float | str
    group: str | None
    method: str
    refine: str | None
    suppress: float | str
    totals: str | os.PathLike[str] | None
    totals_within: float
    group_column: str | None


class AnonymizeFileOptions(Shared, total=False):
    """Options of `anonymize_file`."""

    preset: str | None
    ledger: str | os.PathLike[str] | None
    withhold: float | str
    counterfeits: float | str
    changing: Sequence[str] | str | None
    over_series: str
    stable: bool
    expect_overlap: float | str
    group: str | None
    method: str
    refine: str | None
    suppress: float | str
    keep_order: bool
    spreadsheet_safe: bool
    dialect: str
    totals: str | os.PathLike[str] | None
    totals_within: float
    group_column: str | None
    report: bool
    force: bool
    memory: str | None
    engine: str | None
    work: str | os.PathLike[str] | None
    scheduler: str | None


class CompareOptions(Shared, total=False):
    """Options of `compare`."""


class PreviewOptions(Shared, total=False):
    """Options of `preview`."""

    preset: str | None
    group: str | None
    method: str
    refine: str | None
    suppress: float | str
    keep_order: bool
    spreadsheet_safe: bool
    dialect: str
    totals: str | os.PathLike[str] | None
    totals_within: float
    group_column: str | None
    memory: str | None
    engine: str | None


StreamOptions = TypedDict(
    "StreamOptions",
    {
        "preset": str | None,
        "l": float | Mapping[str, float] | None,
        "l_kind": str,
        "c": float | None,
        "t": float | Mapping[str, float] | None,
        "alpha": float | Mapping[str, float] | None,
        "beta": float | Mapping[str, float] | None,
        "beta_kind": str,
        "delta": float | Mapping[str, float] | None,
        "e": float | Mapping[str, float] | None,
        "l_of": Mapping[Any, int] | None,
        "dominance": float | Mapping[str, float] | None,
        "missing_sensitive": str,
        "enforce": str,
        "allow_k1": bool,
        "ledger": str | os.PathLike[str] | None,
        "counterfeits": float | str,
        "changing": Sequence[str] | str | None,
        "over_series": str,
        "batch": int,
        "delay": str | None,
        "identifiers": Sequence[str] | str | None,
        "quasi_identifiers": Sequence[str] | str | None,
        "sensitive": Sequence[str] | str | None,
        "other": Sequence[str] | str | None,
        "drop": Sequence[str] | str | None,
        "person": str | None,
        "keep_unique": Sequence[str] | str | None,
        "hierarchies": Mapping[str, str] | str | Path | None,
        "orders": Mapping[str, Sequence[str]] | None,
        "method": str,
        "effort": str,
        "start": str | None,
        "max_iterations": int | None,
        "time_limit": float | None,
        "runs": int | None,
        "seed": int,
        "column_weights": Mapping[str, float] | None,
        "search": Described | Mapping[str, Any] | None,
        "delimiter": str | None,
        "encoding": str | None,
        "decimal": str,
        "thousands": str,
        "date_format": str | Mapping[str, str] | None,
        "skip_lines": int,
        "comment": str | None,
        "quote": str,
        "widths": Sequence[int] | None,
        "missing": Sequence[str],
        "types": Mapping[str, str] | None,
        "sheet": str | None,
        "allow_empty": bool,
        "aggregate": str | Mapping[str, str] | None,
        "numbers": str | None,
        "intervals": str | None,
        "decimals": int | str | Mapping[str, int | str] | None,
        "round": Mapping[str, float] | None,
        "group_column": str | None,
        "format": str,
        "threads": int | None,
        "follow": bool,
    },
    total=False,
)
