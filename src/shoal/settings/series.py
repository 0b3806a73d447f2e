"""Options of a series: releases of the same people, one after the other."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from shoal.hints import option
from shoal.settings.kinds import FLAG, NAMES, PLACE, SHARE
from shoal.settings.option import Names, Option, Part

Share = Annotated[float, Field(ge=0, lt=1, strict=False, allow_inf_nan=False)]
Count = Annotated[float, Field(ge=0, strict=False, allow_inf_nan=False)]
Overlap = Annotated[float, Field(gt=0, le=1, strict=False, allow_inf_nan=False)]
MAKES_RELEASES = "anonymize", "anonymize_file"
_privacy = partial(Option, "Privacy", commands=("anonymize",), functions=MAKES_RELEASES, desk=False)


class SeriesSettings(Part):
    """What is known of earlier releases, and what the next one may cost."""

    ledger: Annotated[
        str | None,
        _privacy(
            "The ledger of the releases so far, FILE: this one is made safe together with them "
            f"({option('person')} says who is who), and noted there. Private, as its key "
            "FILE.key; begun where there is none.",
            kind=PLACE,
        ),
    ] = None
    withhold: Annotated[
        Share,
        _privacy(
            "The share of people who may be left out of a release of a series, 5% or 0.05, where "
            "no class is safe for them. Default: 0.",
            kind=SHARE,
        ),
    ] = 0.0
    counterfeits: Annotated[
        Count,
        _privacy(
            "How many records of nobody may be added, a share of the records (2% or 0.02) or a "
            "number from 1 on, so that fewer people are withheld; how many were is published. "
            f"For {option('over_series', 'worlds')}. Default: 0.",
            kind=SHARE,
        ),
    ] = 0.0
    changing: Annotated[
        Names,
        _privacy(
            "Columns that are not the same for a person from release to release: a,b. Of sensitive "
            "ones l then holds in each release alone; kept ones join no records.",
            kind=NAMES,
        ),
    ] = ()
    over_series: Annotated[
        Literal["sets", "worlds"],
        _privacy(
            "What l means over a series: sets (all classes of a person have l values in common: "
            "safe against who follows one person) or worlds (nobody can rule out more, not even by "
            "solving for all people at once; loses and withholds much more). Default: sets.",
        ),
    ] = "sets"
    stable: Annotated[
        bool,
        _privacy(
            "Keep standardization, hierarchies and boundaries of the last release, so that the "
            "releases compare; the report has a chart of how published means drift.",
            FLAG,
            ("--stable",),
        ),
    ] = False
    expect_overlap: Annotated[
        Overlap,
        _privacy(
            "The share of people who are likely to be in the next release, 80% or 0.8: groups are "
            "made so much larger that k of them will be left, and the report says what that costs "
            "and saves; groups are made twice for it. Default: 1.",
            kind=SHARE, expert=True,
        ),
    ] = 1.0  # fmt: skip
