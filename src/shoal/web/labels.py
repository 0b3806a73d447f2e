"""Labels of the desk's fields, and hints of messages in their words.

The page has these words (`static/`); a test looks for each in it.
"""

from __future__ import annotations

from collections.abc import Mapping

from shoal.hints import Blank, Hint, cleaned
from shoal.settings.hints import as_command
from shoal.settings.table import TABLE

ROLES = {
    "identifiers": "Identifier", "quasi_identifiers": "Quasi-identifier", "sensitive": "Sensitive",
    "other": "Other", "drop": "Leave out",
}  # fmt: skip
LABELS = {
    "k": "k", "l": "l", "t": "t", "alpha": "alpha", "beta": "beta", "delta": "delta",
    "e": "e",
    "missing_sensitive": "Missing sensitive cells", "method": "Method", "effort": "Effort",
    "time_limit": "Time limit, seconds", "person": "Person", "count": "Where identifiers repeat",
    "weight": "Survey weight", "weights_as": "Released weights", "household": "Household",
    "small_strata": "Strata with fewer than k records", "by": "Strata", "decimals": "Decimals",
    "aggregate": "A group’s value", "numbers": "Numbers and dates",
    "incomplete": "Records with missing quasi-identifiers", "missing": "Words that mean missing",
    "spreadsheet_safe": "Texts like formulas", "memory": "Memory", "seed": "Seed",
    "delimiter": "Columns are separated by", "encoding": "Encoding", "decimal": "Decimal sign",
    "thousands": "between thousands", "date_format": "dates as",
    "skip_lines": "lines above the header", "sheet": "The sheet that is meant", "types": "Read it",
    "hierarchies": "Rule for a column", "round": "round to multiples of",
    "keep_unique": "release it though most are unique", "steps": "Steps beside grouping",
    "suppress": "Records that may be left out", "column_weights": "How much a column counts",
    "preset": "Threshold by custom", "dominance": "p of the p % rule", "ledger": "Ledger",
    "withhold": "People who may be withheld", "over_series": "Different values over the series",
    "changing": "Columns that change for a person",
    "expect_overlap": "People who are likely to be in the next release",
    "stable": "keep hierarchies and boundaries of the last release, so that they compare",
}  # fmt: skip


def as_field(hint: Hint) -> str:
    """Return a hint by the label of its field; one without a field as the command line says it."""
    if hint.name in ROLES:
        return f"the role “{ROLES[hint.name]}”{_columns(hint.value)}"
    if hint.name not in LABELS:
        return as_command(hint)
    label = f"“{LABELS[hint.name]}”"
    if isinstance(hint.value, Mapping):
        each = (f"{label}{_columns([name])}: {one}" for name, one in hint.value.items())
        return ", ".join(each)
    if hint.name == "keep_unique":
        return f"{label}{_columns(hint.value)}"
    return label if hint.value in (None, True) else f"{label}: {_value(hint)}"


def _columns(names: object) -> str:
    """Return of which columns something is said."""
    if not isinstance(names, list) or any(isinstance(name, Blank) for name in names):
        return ""
    return f" of {', '.join(repr(cleaned(name)) for name in names)}" if names else ""


def _value(hint: Hint) -> str:
    """Return a value as one types or chooses it."""
    return " ".join(TABLE[hint.name].option.kind.words(hint.value))
