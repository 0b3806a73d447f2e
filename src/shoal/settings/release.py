"""Options of the release: what a group's value is, and how the release is written."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from shoal.hints import option
from shoal.settings.kinds import CHOICES, DECIMALS, FLAG, NAMES, PLACE, REAL, SHARE, STEPS
from shoal.settings.option import Names, Number, Option, Part

Share = Annotated[float, Field(ge=0, lt=1, strict=False, allow_inf_nan=False)]
Count = Annotated[float, Field(ge=0, strict=False, allow_inf_nan=False)]
Overlap = Annotated[float, Field(gt=0, le=1, strict=False, allow_inf_nan=False)]
MAKES_RELEASES = "anonymize", "anonymize_file"
_privacy = partial(Option, "Privacy", commands=("anonymize",), functions=MAKES_RELEASES, desk=False)
How = Literal["mean", "median", "mode", "medoid", "generalize", "range"]
Decimals = int | Literal["none"]  # none: as many as a float holds
_writing = partial(Option, "Writing")
WRITES_FILES = "anonymize_file", "preview"
WRITES_NOTHING = {"compare": "it writes no release"}


class ReleaseSettings(Part):
    """What a group's value is and how the release is written.

    By default numbers stay numbers: groups release their means, and generalize texts.
    """

    aggregate: Annotated[
        How | dict[str, How] | None,
        _writing(
            "A group's value, or COLUMN=VALUE: mean, median, mode, medoid, generalize, range; "
            f"repeatable. Default: of numbers as {option('numbers')} says, of texts generalize.",
            CHOICES,
        ),
    ] = None
    numbers: Annotated[
        Literal["mean", "interval"] | None,
        _writing(
            "What a group releases of numbers and dates: mean, where at least k of its cells are "
            "present, or interval, from the least to the greatest. Default: mean; interval where "
            "a hierarchy is given, or a method is named that generalizes (kaim, k-member)."
        ),
    ] = None
    intervals: Annotated[
        Literal["text", "struct", "columns"] | None,
        _writing(
            "How intervals of numbers and dates are written: text, [72,76]; struct, with fields "
            "low and high; or columns, COLUMN_low and COLUMN_high. Default: struct in dataframes, "
            "Parquet, Feather and Arrow files, text in others."
        ),
    ] = None
    decimals: Annotated[
        Decimals | dict[str, Decimals] | None,
        _writing("Round numbers to N decimals, or COLUMN=N; repeatable.", DECIMALS),
    ] = None
    keep_order: Annotated[
        bool,
        _writing(
            "Do not shuffle the rows. Links them to the input.", FLAG, ("--keep-order",),
            commands=("anonymize",), functions=WRITES_FILES, instead=WRITES_NOTHING, desk=False,
            expert=True,
        ),
    ] = False  # fmt: skip
    spreadsheet_safe: Annotated[
        bool,
        _writing(
            "Write texts that a spreadsheet would run as formulas after an apostrophe.", FLAG,
            ("--spreadsheet-safe",), commands=("anonymize",), functions=WRITES_FILES,
            instead=WRITES_NOTHING,
        ),
    ] = False  # fmt: skip
    dialect: Annotated[
        Literal["same", "plain"],
        _writing(
            "How a csv release is written: same, as the input, or plain: UTF-8, commas, 1234.5 and "
            "2026-12-31.",
            commands=("anonymize",), functions=WRITES_FILES, instead=WRITES_NOTHING,
        ),
    ] = "same"  # fmt: skip
    round: Annotated[
        dict[str, Number],
        _writing(
            "COLUMN=STEP: round a column that is kept to multiples of STEP, dates to so many days; "
            "repeatable.",
            STEPS,
        ),
    ] = {}
    totals: Annotated[
        str | None,
        _writing(
            "A csv file of totals that are published anyway: columns of quasi-identifiers that "
            f"release means, a row for each stratum of {option('by')}. Means move by up to a step "
            "of their rounding so that the release has the same.",
            PLACE, commands=("anonymize",), functions=("anonymize", *WRITES_FILES),
            instead=WRITES_NOTHING, desk=False,
        ),
    ] = None  # fmt: skip
    totals_within: Annotated[
        Annotated[float, Field(ge=0, strict=False, allow_inf_nan=False)],
        _writing(
            f"How far a total of the release may be from that of {option('totals')}. Default: 0.",
            REAL, commands=("anonymize",), functions=("anonymize", *WRITES_FILES),
            instead=WRITES_NOTHING, desk=False, expert=True,
        ),
    ] = 0.0  # fmt: skip
    weights_as: Annotated[
        str | None,
        _writing(
            "How survey weights are released: mean (of the group), rounded:N, exact, drop. "
            "Default: mean."
        ),
    ] = None
    group_column: Annotated[
        str | None,
        _writing(
            "Add a last column of this name: the number of each record's group, at random.",
            commands=("anonymize", "refine"), functions=("anonymize", *WRITES_FILES),
            instead=WRITES_NOTHING,
        ),
    ] = None  # fmt: skip
    output: str | None = None

    @property
    def weights(self) -> tuple[str, Number]:
        """How survey weights are released, and the step of those that are rounded."""
        kind, _, step = (self.weights_as or "mean").partition(":")
        return kind, (int(step) if step.isdecimal() else float(step)) if step else 0


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
        Literal["worlds", "sets"],
        _privacy(
            "What l means over a series: worlds (l values stay possible for everybody, whatever is "
            "computed from all releases) or sets (all classes of a person have l values in common; "
            "not against who knows that one person joined or left). Default: worlds.",
        ),
    ] = "worlds"
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
