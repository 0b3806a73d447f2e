"""Presets: thresholds by custom, each with its source; none of them is legal advice.

A preset says the least k, what is measured beside it and how a release that keeps it reads. A k
that is larger than the preset's is stricter and wins; a smaller one contradicts it and is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import RequestError, nearest_names, shown
from shoal.hints import option

ADVICE = "custom, not legal advice"


@dataclass(frozen=True)
class Preset:
    """A threshold by custom: its k, the measures it is about, what it means, and its source.

    `risk` is the highest risk of a record that it is known by, where it is; `dominance` tells that
    the p % rule is a part of it, whose p offices keep to themselves: the user says it.
    """

    name: str
    title: str
    k: int
    measures: tuple[str, ...]
    meaning: str
    source: str
    risk: float | None = None
    dominance: bool = False

    def verdict(self, k: int) -> str:
        """Return what a release with so large a k says of the preset."""
        highest = f"the highest risk of a record is at most 1 in {k}, {1 / k:.4f}"
        known = "" if self.risk is None else f" (known as {self.risk:g})"
        return f"preset {self.name} is kept: {highest}{known}; {self.meaning}; {ADVICE}"


RISKS = "prosecutor", "above_0.09", "marketer"
GLOSSARY = (
    "Statistics Netherlands, Statistics Canada, Germany FSO and University of Manchester, Glossary "
    "of Statistical Disclosure Control (UNECE/Eurostat work session, Geneva), 2005, entry "
    "“threshold rule”"
)
ROUNDED = "a class of 11 has a risk of 0.0909, which custom calls 0.09; k = 12 is below 0.09"
PRESETS = {
    one.name: one
    for one in (
        Preset(
            "ema", "European Medicines Agency, public releases", 11, RISKS,
            f"records are in classes of at least 11; {ROUNDED}",
            "European Medicines Agency, External guidance on the implementation of the European "
            "Medicines Agency policy on the publication of clinical data for medicinal products "
            "for human use (EMA/90915/2016, version 1.4), November 2018, chapter 3",
            risk=0.09,
        ),
        Preset(
            "health-canada", "Health Canada, public releases", 11, RISKS,
            f"records are in classes of at least 11; {ROUNDED}",
            "Health Canada, Public Release of Clinical Information: guidance document, version "
            "1.0, March 12, 2019",
            risk=0.09,
        ),
        Preset(
            "threshold-3", "statistical offices, threshold rule of three", 3,
            ("prosecutor", "sample_uniques"),
            "every class holds at least 3 records, as some offices ask of a cell", GLOSSARY,
        ),
        Preset(
            "threshold-5", "statistical offices, threshold rule of five", 5,
            ("prosecutor", "above_0.2"),
            "every class holds at least 5 records, as some offices ask of a cell", GLOSSARY,
        ),
        Preset(
            "threshold-10", "research data centers, threshold of ten", 10,
            ("prosecutor", "above_0.2", "above_0.09"),
            "every class holds at least 10 records, the rule of thumb for outputs of research",
            "Brandt and others, Guidelines for the checking of output based on microdata research "
            "(ESSnet SDC), 2010, rule of thumb for frequency tables",
        ),
        Preset(
            "p-percent", "statistical offices, p % rule of business figures", 3,
            ("prosecutor", "dominance"),
            "no second largest unit of a group can tell the largest from a mean to within p %",
            "Hundepool and others, Handbook on Statistical Disclosure Control (ESSnet SDC, version "
            "1.2), 2010, and second edition, 2024, chapter 4, magnitude tabular data",
            dominance=True,
        ),
    )
}  # fmt: skip


def presets() -> dict[str, Preset]:
    """Return the presets by name, with their k, measures and sources.

    Returns
    -------
    dict of str to Preset
        Each has `k`, `title`, `measures`, `meaning` and `source`. They are customs, not legal
        advice.

    Examples
    --------
    >>> import shoal
    >>> shoal.presets()["ema"].k
    11
    """
    return dict(PRESETS)


def find_preset(name: Any) -> Preset:
    """Return a preset by its name; raise RequestError for another one."""
    if not isinstance(name, str) or name not in PRESETS:
        near = nearest_names(str(name), list(PRESETS))
        raise RequestError(f"there is no preset {shown(str(name))}{near}")
    return PRESETS[name]


def with_preset(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a tree of settings with the k of its preset; raise RequestError for a smaller one."""
    protect = tree.get("protect", {})
    if not isinstance(protect, Mapping) or protect.get("preset") is None:
        return tree
    preset = find_preset(protect["preset"])
    k = protect.get("k")
    if k is None or isinstance(k, int):
        k = least_k(k, preset.name)
    if preset.dominance and protect.get("dominance") is None:
        raise RequestError(
            f"preset {preset.name} is the p % rule, whose p offices keep to themselves: say "
            f"{option('dominance', 10)}, or the p that is yours"
        )
    return {**tree, "protect": {**protect, "k": k}}


def least_k(k: int | None, name: str | None) -> int:
    """Return k, or that of a preset; raise RequestError for one that is smaller, or for none."""
    if name is None:
        if k is None:
            raise RequestError(f"k is needed: say {option('k')}, or a {option('preset')}")
        return k
    preset = find_preset(name)
    if k is not None and k < preset.k:
        raise RequestError(
            f"preset {preset.name} asks for k = {preset.k} at least, and k is {k}; leave out one "
            "of them"
        )
    return preset.k if k is None else k
