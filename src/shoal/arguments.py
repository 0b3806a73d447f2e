"""What a Python caller asks for, as settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.asking import more_than_k
from shoal.errors import RequestError
from shoal.search.parameters import Search
from shoal.settings import Settings, build, names, whole
from shoal.settings import count as number
from shoal.table.order import read_orders


def settings_from(
    *,
    k: int,
    l: float | Mapping[str, float] | None = None,  # noqa: E741 - its name in the literature
    l_kind: str = "distinct",
    c: float | None = None,
    t: float | Mapping[str, float] | None = None,
    alpha: float | Mapping[str, float] | None = None,
    dominance: float | Mapping[str, float] | None = None,
    k_of: Mapping[Any, int] | None = None,
    enforce: str = "auto",
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    identifiers: Sequence[str] | None = None,
    other: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    group: str | None = None,
    weight: str | None = None,
    by: Sequence[str] | str | None = None,
    household: str | None = None,
    person: str | None = None,
    count: str = "people",
    missing_sensitive: str = "ignored",
    small_strata: str = "refuse",
    weights_as: str | None = None,
    round: Mapping[str, float] | None = None,  # noqa: A002 - the usual word
    keep_unique: Sequence[str] | str | None = None,
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
    hierarchies: Mapping[str, str] | str | Path | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    incomplete: str = "keep",
    aggregate: str | Mapping[str, str] | None = None,
    decimals: int | str | Mapping[str, int | str] | None = None,
    missing: Sequence[str] = ("",),
    types: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    allow_k1: bool = False,
    allow_empty: bool = False,
    memory: str | None = None,
    engine: str | None = None,
    keep_order: bool = False,
    spreadsheet_safe: bool = False,
) -> Settings:
    """Return the settings that arguments say, checked; see `shoal.anonymize`."""
    if quasi_identifiers is not None and not names(quasi_identifiers, "quasi_identifiers"):
        raise RequestError("quasi_identifiers names no column")
    return build(
        {
            "input": {
                "delimiter": delimiter,
                "missing": names(missing, "missing"),
                "types": pairs(types, "types"),
                "hierarchies": str(hierarchies) if isinstance(hierarchies, str | Path) else None,
            },
            "roles": {
                "identifiers": names(identifiers, "identifiers"),
                "quasi_identifiers": names(quasi_identifiers, "quasi_identifiers"),
                "sensitive": names(sensitive, "sensitive"),
                "other": names(other, "other"),
                "drop": names(drop, "drop"),
                "group": group,
                "weight": weight,
                "by": names(by, "by"),
                "household": household,
                "person": person,
                "keep_unique": names(keep_unique, "keep_unique"),
            },
            "protect": {
                "k": whole(k, "k"),
                **more_than_k(l, l_kind, c, t, alpha, dominance, k_of, missing_sensitive),
                "count": count,
                "enforce": enforce,
                "method": method,
                "effort": effort,
                "start": start,
                "max_iterations": number(max_iterations, "max_iterations"),
                "time_limit": time_limit,
                "runs": number(runs, "runs"),
                "refine": refine,
                "seed": whole(seed, "seed"),
                "column_weights": pairs(column_weights, "column_weights"),
                "incomplete": incomplete,
                "allow_k1": allow_k1,
                "allow_empty": allow_empty,
                "memory": memory,
                "engine": engine,
                "small_strata": small_strata,
            },
            "hierarchies": {
                name: str(said) if isinstance(said, Path) else said
                for name, said in _by_column(hierarchies).items()
            },
            "orders": read_orders(orders),
            "release": {
                "aggregate": dict(aggregate) if isinstance(aggregate, Mapping) else aggregate,
                "decimals": dict(decimals) if isinstance(decimals, Mapping) else decimals,
                "keep_order": keep_order,
                "spreadsheet_safe": spreadsheet_safe,
                "round": pairs(round, "round"),
                "weights_as": weights_as,
            },
            "search": search.to_dict() if isinstance(search, Search) else pairs(search, "search"),
        }
    )


def pairs(given: Mapping[str, Any] | None, what: str) -> dict[str, Any]:
    """Return what is said of columns or parts by name."""
    if given is not None and not isinstance(given, Mapping):
        raise RequestError(f"{what} must be a dict: of a name what is said of it")
    return dict(given or {})


def _by_column(hierarchies: Mapping[str, str] | str | Path | None) -> dict[str, Any]:
    """Return hierarchies by column; a folder of them has its own place."""
    return {} if isinstance(hierarchies, str | Path) else pairs(hierarchies, "hierarchies")
