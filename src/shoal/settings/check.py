"""Checks across settings."""

from __future__ import annotations

import math

from shoal.errors import RequestError, shown
from shoal.hints import FILE, option
from shoal.settings.data import RoleSettings
from shoal.settings.protect import ProtectSettings
from shoal.settings.release import Decimals, ReleaseSettings
from shoal.settings.series import SeriesSettings


def check(roles: RoleSettings, protect: ProtectSettings, release: ReleaseSettings) -> None:
    """Raise RequestError where settings contradict each other, or are out of range."""
    _check_decimals(release.decimals)
    if roles.person is not None and protect.count == "records":
        raise RequestError("person counts people, count says records: take one")
    _check_kept(release, roles.weight)


def check_series(
    series: SeriesSettings, roles: RoleSettings, protect: ProtectSettings, release: ReleaseSettings
) -> None:
    """Raise RequestError for options of a series without a ledger, and for what has no series."""
    if series.ledger is None:
        for name in (
            "withhold",
            "counterfeits",
            "changing",
            "over_series",
            "stable",
            "expect_overlap",
        ):
            if getattr(series, name) != SeriesSettings.model_fields[name].default:
                raise RequestError(
                    f"{name} is for a series of releases; say {option('ledger', FILE)}, too"
                )
        return
    never = {
        option("group"): roles.group, option("household"): roles.household,
        option("by"): roles.by, option("engine"): protect.engine,
        option("memory"): protect.memory, option("k_of"): protect.k_of,
        option("suppress"): protect.suppress, option("totals"): release.totals,
    }  # fmt: skip
    for mark, value in never.items():
        if value:
            raise RequestError(f"a release under a ledger is made without {mark}; leave it out")
    if series.counterfeits:
        _check_counterfeits(series, roles, protect, release)
    if protect.method == "full-domain":
        raise RequestError("under a ledger full-domain cannot be used; take another method")


def _check_counterfeits(
    series: SeriesSettings, roles: RoleSettings, protect: ProtectSettings, release: ReleaseSettings
) -> None:
    """Refuse what counterfeits could break, or what would give them away."""
    if series.counterfeits >= 1 and series.counterfeits != int(series.counterfeits):
        raise RequestError("counterfeits must be a share below 1, or a whole number")
    if series.over_series != "worlds":
        raise RequestError(
            "counterfeits fill places in signatures; say "
            f"{option('over_series', 'worlds')}, or leave them out"
        )
    never = {
        option("weight"): roles.weight, option("keep_order"): release.keep_order,
        option("t"): protect.t, option("alpha"): protect.alpha, option("beta"): protect.beta,
        option("delta"): protect.delta, option("e"): protect.e, option("l_of"): protect.l_of,
        option("dominance"): protect.dominance,
    }  # fmt: skip
    for mark, value in never.items():
        if value:
            raise RequestError(f"counterfeits are not made with {mark}; leave out one of both")
    if protect.l_kind != "distinct":
        raise RequestError("counterfeits are made only where l counts different values")


def _check_decimals(decimals: Decimals | dict[str, Decimals] | None) -> None:
    every = decimals.values() if isinstance(decimals, dict) else [decimals or 0]
    if any(isinstance(digits, int) and not 0 <= digits <= 30 for digits in every):
        raise RequestError("decimals must lie between 0 and 30, or be none")


def _check_kept(release: ReleaseSettings, weight: str | None) -> None:
    """Refuse steps that are none, and what survey weights make unsafe."""
    for name, step in release.round.items():
        if not (math.isfinite(step) and step > 0):
            raise RequestError(f"round: the step of {shown(name)} must be a number above 0")
    weights_as = release.weights_as
    if weights_as is not None and not _is_weights_as(weights_as):
        raise RequestError("weights_as must be mean, rounded:N (N a number above 0), exact or drop")
    if weights_as is not None and weight is None:
        raise RequestError(
            f"weights_as says how survey weights are released; say {option('weight')}, too"
        )
    decimals = release.decimals
    if weight is not None and "none" in (
        decimals.values() if isinstance(decimals, dict) else [decimals]
    ):
        raise RequestError(
            "decimals none and survey weights: a weighted mean with all its digits gives away "
            "whose values it is made of; such means are rounded to the precision of the data"
        )


def _is_weights_as(weights_as: str) -> bool:
    kind, colon, step = weights_as.partition(":")
    if kind != "rounded":
        return not colon and kind in ("mean", "exact", "drop")
    try:
        return math.isfinite(float(step)) and float(step) > 0
    except ValueError:
        return False
