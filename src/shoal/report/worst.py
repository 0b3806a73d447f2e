"""Worst figures of utility, each with its column or pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import shown
from shoal.measures.definitions import DEFINITIONS
from shoal.measures.result import SMALL, figure_text

HEAD = {  # figures of a report's head, and their texts
    "regression": "R² kept by a regression of {of}: {value}",
    "classification": "accuracy kept by a classifier of {of}: {value}",
    "variances": "variance kept of {of}: {value}",
    "correlations": "correlation of {of} changed by {value}",
    "means": "mean of {of} moved by {value} standard deviations",
    "contingency": "records in another cell of the table of {of}: {value}",
}
PUBLIC = {"distributions": "distribution of {of}: gap of at most {value}"}


def worst_of(key: str, by: Mapping[str, float]) -> tuple[str, float] | None:
    """Return the column or pair with the worst figure, and that figure; None where there is none.

    Of several the first.
    """
    words = DEFINITIONS[key]
    if not by or words.side != "utility":
        return None
    name = (min if words.better == "higher" else max)(by, key=lambda name: by[name])
    return name, by[name]


def worst_utility(measures: Mapping[str, Any] | None, public: bool = False) -> list[str]:
    """Return the worst of the columns or pairs by every figure of the head, a line each.

    Of a public report only figures that were rounded for it.
    """
    utility = (measures or {}).get("utility", {})
    lines = []
    for key, words in (PUBLIC if public else HEAD).items():
        worst = worst_of(key, utility.get(key, {}).get("by", {}))
        if worst is not None:
            name, value = worst
            if DEFINITIONS[key].better == "lower" and value < SMALL:
                continue  # nothing was lost
            text = f"{value:g}" if public else figure_text(value, utility[key]["unit"])
            lines.append(words.format(of=shown(name), value=text))
    return lines
