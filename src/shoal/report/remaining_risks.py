"""Remaining risks that were measured, in sentences, the worst first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.measures.result import figure_text

LINKAGES = ("distance_linkage", "rank_linkage", "block_linkage")
RISKS = (
    "kept_linkage", "certain_inference", "model_inference", "known_members", "dominance",
    "above_0.2",
)  # fmt: skip
SHOWN = 4  # sentences about what could still go wrong


def remaining_risks(measures: Mapping[str, Any] | None, k: int) -> list[str]:
    """Return sentences on the measured risks, the worst first."""
    risk = (measures or {}).get("risk", {})
    lines = []
    linked = [risk[key]["value"] for key in LINKAGES if key in risk]
    if linked:
        rounded = any("step" in risk[key] for key in LINKAGES if key in risk)
        share = f"at most {max(linked):g} %" if rounded else figure_text(max(linked), "percent")
        lines.append(
            f"The best of {len(linked)} linkage attacks by someone who holds all original "
            f"quasi-identifiers finds {share} of the records rightly; "
            f"1 in k is {figure_text(100.0 / k, 'percent')}."
        )
    for key in RISKS:
        if key in risk and risk[key]["value"] > 0.005:
            lines.append(str(risk[key]["sentence"]))
    return lines[:SHOWN]
