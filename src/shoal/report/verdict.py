"""Verdict on a release: safe as asked; safe as asked, but; not safe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.measures.result import figure_text

SAFE, BUT, NOT_SAFE = "safe", "safe, but", "not safe"
MOST = 5.0  # percent of the records that kept columns may single out within their class


def verdict_of(verification: Mapping[str, Any], measures: Mapping[str, Any] | None) -> str:
    """Return the verdict: what was asked must be verified, and kept columns count beside it."""
    if not verification.get("ok"):
        return NOT_SAFE
    return BUT if singled_out(measures) > MOST else SAFE


def singled_out(measures: Mapping[str, Any] | None) -> float:
    """Return the share of records that kept columns single out within their class, in percent."""
    linkage = (measures or {}).get("risk", {}).get("kept_linkage")
    return 0.0 if linkage is None else float(linkage["value"])


def verdict_text(verdict: str, measures: Mapping[str, Any] | None) -> str:
    """Return the verdict in words."""
    if verdict == BUT:
        share = figure_text(singled_out(measures), "percent")
        return f"safe as asked, but kept columns single out {share} of the records"
    return "safe as asked" if verdict == SAFE else "not safe"
