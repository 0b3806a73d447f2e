"""Typed sections agree, field by field, with the dataclasses whose JSON form they are."""

from __future__ import annotations

import dataclasses
import types
from typing import Union, get_args, get_origin, get_type_hints

import pytest

from shoal.judge import sections as judge
from shoal.judge.composition_people import Shared
from shoal.judge.verification import (
    Composition,
    Judged,
    KOf,
    Offending,
    Read,
    Sizes,
    Verification,
)
from shoal.measures import sections as measures
from shoal.measures.result import ColumnMeasures, Measure, Measures
from shoal.partition import SearchLog
from shoal.report.sections import SearchSection

SECTIONS = {
    Sizes: judge.SizesSection, Judged: judge.ModelSection, KOf: judge.SubsetSection,
    Offending: judge.OffendingSection, Shared: judge.SharedSection,
    Composition: judge.MeetingSection, Verification: judge.VerificationSection,
    Measure: measures.MeasureSection, ColumnMeasures: measures.ColumnSection,
    Measures: measures.MeasuresSection, SearchLog: SearchSection,
    Read: dict[str, float | bool | None],
}  # fmt: skip
CHANGED = {
    (Sizes, "table"): list[dict[str, int | str]],  # rows with names; the last size is "and more"
    (Judged, "found"): float | None,  # JSON has no infinite numbers
    (Measure, "interval"): list[float],
}
LEFT_OUT = {(Measure, "key"), (Measure, "rest")}
ADDED = {
    Composition: {"judged": bool},
    Verification: {"engine": get_type_hints(judge.VerificationSection)["engine"]},  # of a cluster
    Measure: {"unit": str, "sentence": str, "step": float},
    Measures: {"schema": str, "audience": str},
}
OPTIONAL = {(Measure, "sampled"): int, (Measures, "candidates"): int}  # left out where None


def in_json(kind):
    """Return the type that a value has in JSON: sequences are lists, dataclasses sections."""
    if kind in SECTIONS:
        return SECTIONS[kind]
    origin, inner = get_origin(kind), tuple(map(in_json, get_args(kind)))
    if origin is tuple:
        items = tuple(one for one in inner if one is not Ellipsis)
        return list[Union[items]]  # noqa: UP007 - of as many as there are
    if origin in (Union, types.UnionType):
        return Union[inner]  # noqa: UP007
    return origin[inner] if origin is not None else kind


def expected(made):
    """Return the fields of a dataclass in JSON, with their types."""
    hints = get_type_hints(made)
    fields = {}
    for one in dataclasses.fields(made):
        if (made, one.name) not in LEFT_OUT:
            kind = OPTIONAL.get((made, one.name), hints[one.name])
            fields[one.name] = CHANGED.get((made, one.name), in_json(kind))
    return fields | ADDED.get(made, {})


@pytest.mark.parametrize("made", [one for one in SECTIONS if one is not Read])
def test_fields(made):
    """A section has the keys and types of its dataclass, and no others."""
    section = SECTIONS[made]
    declared = {name: in_json(kind) for name, kind in get_type_hints(section).items()}
    assert declared == {name: in_json(kind) for name, kind in expected(made).items()}
