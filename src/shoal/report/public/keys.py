"""Publicity of every key of a report: setting, release figure, rounded, or private.

`asked` is what the user chose and what follows from that, `release` what can be computed from
the released file, `rounded` a figure of the original that is stable against k people, `private` one
that is not. Only private keys are left out of what is published. A key that is not listed is
private, and a test fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

ASKED, RELEASE, ROUNDED, PRIVATE = "asked", "release", "rounded", "private"

ANY, REST = "*", "**"  # one part of a path; all that follows

KEYS: dict[str, str] = {
    "schema": ASKED,
    "audience": ASKED,
    "versions **": ASKED,
    "method": ASKED,
    "k": ASKED,
    "seed": PRIVATE,
    "aggregate": ASKED,
    "input kind": ASKED,
    "input columns": ASKED,
    "input commitment": ASKED,
    "input sha256": PRIVATE,
    "input records": PRIVATE,
    "release **": RELEASE,
    "roles **": ASKED,
    "groups count": RELEASE,
    "groups smallest": RELEASE,
    "groups largest": RELEASE,
    "groups sizes **": RELEASE,
    "groups without_spread": PRIVATE,
    "verification **": RELEASE,
    "information_loss": PRIVATE,
    "information_loss_released": PRIVATE,
    "loss_name": PRIVATE,
    "loss value": ROUNDED,
    "loss step": ROUNDED,
    "columns * name": ASKED,
    "columns * kind": ASKED,
    "columns * released_as": ASKED,
    "columns * hierarchy": ASKED,
    "columns * levels": PRIVATE,
    "columns * level": PRIVATE,
    "columns * information_loss": PRIVATE,
    "columns * rounding_loss": PRIVATE,
    "columns * loss value": ROUNDED,
    "columns * loss step": ROUNDED,
    "columns * steps *": ROUNDED,
    "columns * unchanged": ROUNDED,
    "columns * generalized": ROUNDED,
    "columns * suppressed": ROUNDED,
    "columns * missing": ROUNDED,
    "columns * filled": ROUNDED,
    "columns * mean_before": ROUNDED,
    "columns * mean_after": RELEASE,
    "columns * variance_before": PRIVATE,
    "columns * variance_after": RELEASE,
    "columns * histogram": ROUNDED,
    "columns * histogram edges": RELEASE,
    "columns * histogram after": RELEASE,
    "columns * histogram before": ROUNDED,
    "columns * histogram step": ROUNDED,
    "columns * histogram hidden": PRIVATE,
    "correlations columns": RELEASE,
    "correlations before": PRIVATE,
    "correlations after": RELEASE,
    "guarantee **": ASKED,
    "notes": PRIVATE,
    "public_notes": ASKED,
    "seconds": PRIVATE,
    "search **": PRIVATE,
    "bound **": PRIVATE,
    "missing cells": ROUNDED,
    "missing records": ROUNDED,
    "missing deleted": ROUNDED,
    "missing filled": ROUNDED,
    "missing suppressed": ROUNDED,
    "missing suppressed_beside_missing": PRIVATE,
    "missing suppressed_everywhere": RELEASE,
    "missing reading": ASKED,
    "missing text": ROUNDED,
    "suppressed budget": ASKED,
    "suppressed records": ROUNDED,
    "suppressed strata *": ROUNDED,
    "suppressed cells *": ROUNDED,
    "costs": ROUNDED,
    "costs iloss_rate": PRIVATE,
    "costs ncp": PRIVATE,
    "costs non_uniform_entropy": PRIVATE,
    "costs discernibility": RELEASE,
    "costs average_class_size": RELEASE,
    "costs deleted": ROUNDED,
    "dominance * model": ASKED,
    "dominance * column": ASKED,
    "dominance * asked": ASKED,
    "dominance * ok": ASKED,
    "dominance * found": PRIVATE,
    "asked **": ASKED,
    "enforced": ASKED,
    "rounding_loss": PRIVATE,
    "constant": RELEASE,
    "made_constant": PRIVATE,
    "totals * column": ASKED,
    "totals * after": RELEASE,
    "totals * before": PRIVATE,
    "totals * drift_percent": PRIVATE,
    "totals * kept": ASKED,
    "rounded *": ASKED,
    "steps * kind": ASKED,
    "steps * text": ASKED,
    "steps * when": ASKED,
    "steps * columns": ASKED,
    "steps * costs **": PRIVATE,
    "steps_risk **": PRIVATE,
    "series release": ASKED,
    "series promises": ASKED,
    "series withheld": PRIVATE,
    "series counterfeits": RELEASE,
    "series drift * column": ASKED,
    "series drift * kind": ASKED,
    "series drift * releases": ASKED,
    "series drift * means": ROUNDED,
    "series drift * steps": ROUNDED,
    "verdict": RELEASE,
    "survey **": ASKED,
    "public **": PRIVATE,
    "measures": RELEASE,
    "measures schema": ASKED,
    "measures audience": ASKED,
    "measures k": RELEASE,
    "measures records": RELEASE,
    "measures quasi_identifiers": ASKED,
    "measures sensitive": ASKED,
    "measures originals": PRIVATE,
    "measures paired": PRIVATE,
    "measures columns **": PRIVATE,
    "measures pairs **": PRIVATE,
    "measures notes": PRIVATE,
    "measures seconds": PRIVATE,
}

MEASURES: dict[str, str] = {
    "sse_sst": PRIVATE,
    "il1s": PRIVATE,
    "means": PRIVATE,
    "variances": PRIVATE,
    "correlations": PRIVATE,
    "quantiles": PRIVATE,
    "distributions": ROUNDED,
    "propensity": PRIVATE,
    "regression": PRIVATE,
    "classification": PRIVATE,
    "contingency": PRIVATE,
    "iloss": PRIVATE,
    "ncp": PRIVATE,
    "discernibility": RELEASE,
    "prosecutor": RELEASE,
    "above_0.2": RELEASE,
    "above_0.09": RELEASE,
    "marketer": RELEASE,
    "stratum_marketer": RELEASE,
    "journalist": RELEASE,
    "sample_uniques": RELEASE,
    "original_uniques": PRIVATE,
    "population_uniques": RELEASE,
    "distance_linkage": ROUNDED,
    "rank_linkage": ROUNDED,
    "block_linkage": ROUNDED,
    "kept_linkage": RELEASE,
    "kept_uniques": RELEASE,
    "sensitive_uniques": RELEASE,
    "interval_disclosure": PRIVATE,
    "rank_interval_disclosure": PRIVATE,
    "certain_inference": RELEASE,
    "class_inference": RELEASE,
    "model_inference": PRIVATE,
    "known_members": PRIVATE,
    "exact_values": PRIVATE,
    "extra_digits": PRIVATE,
    "dominance": PRIVATE,
    "assignment_linkage": PRIVATE,
    "partial_linkage": PRIVATE,
    "nearest_inference": PRIVATE,
    "likeness": RELEASE,
    "disclosure": RELEASE,
    "class_range": RELEASE,
    "combined_diversity": RELEASE,
}

_PATTERNS: dict[str, list[tuple[list[str], str]]] = {}  # of KEYS, by their first part
for _key, _kind in KEYS.items():
    _PATTERNS.setdefault(_key.split(" ")[0], []).append((_key.split(" "), _kind))


def kind_of(path: Sequence[str]) -> str | None:
    """Return the kind of a key by its path; None if unlisted. Items of lists are `*`."""
    if path[:1] == ["measures"] and len(path) > 2 and path[1] in ("utility", "risk"):
        return MEASURES.get(path[2])
    for pattern, kind in _PATTERNS.get(path[0], ()):
        if _fits(pattern, path):
            return kind
    return None


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    if pattern[-1] == REST:
        return list(path[: len(pattern) - 1]) == list(pattern[:-1])
    return len(pattern) == len(path) and all(
        want in (ANY, part) for want, part in zip(pattern, path, strict=True)
    )


def only_public(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a report without private and unlisted keys."""
    public: dict[str, Any] = {}
    for key, value in tree.items():
        place = (*path, str(key))
        if isinstance(value, Mapping) and value:
            kept: Any = only_public(value, place)
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            kept = [only_public(item, (*place, ANY)) for item in value]
            kept = [item for item in kept if item]
        else:
            if is_public(place):
                public[key] = value
            continue
        if kept:
            public[key] = kept
    return public


def is_public(path: Sequence[str]) -> bool:
    """Tell whether a key may be published."""
    return kind_of(list(path)) in (ASKED, RELEASE, ROUNDED)
