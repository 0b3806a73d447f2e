"""Options of the protection: what privacy asks, and how groups are found."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from shoal.hints import option
from shoal.settings.data import MAKES_ITS_OWN
from shoal.settings.kinds import FACTORS, FLAG, NUMBERS, REAL, SHARE, SIZE_OF, WHOLE
from shoal.settings.option import MAKES_GROUPS, Number, Option, Part

Refine = Literal[
    "phase2", "decompose", "iterative", "decompose+", "iterative+", "ls", "lsc", "ilsm", "ilsmc",
    "ls-steepest", "lsc-steepest", "ilsm-steepest", "ilsmc-near", "ilsmc+", "best", "kaim+",
]  # fmt: skip
Threshold = Number | dict[str, Number] | None
Effort = Literal["quick", "normal", "best"]
Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0, strict=False, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, lt=1, strict=False, allow_inf_nan=False)]
Factor = Annotated[float, Field(gt=0, strict=False, allow_inf_nan=False)]

_privacy = partial(Option, "Privacy")
_method = partial(Option, "Method")
_reading = partial(Option, "Reading")
_resource = partial(Option, "Resources")
ASKED_K = "anonymize", "anonymize_file", "preview"
WRITES_FILES = "anonymize_file", "preview"


class ProtectSettings(Part):
    """What privacy asks (`l` to `k_of` beyond k, see `Requirement`), and how groups are found.

    `k_of` has an own k for some columns, whose names are the key, as a line of csv. With an
    `engine`, `memory` is what a task may take; which machines there are, is not noted.
    """

    k: Annotated[
        int,
        _privacy(
            "How many records share every combination.", WHOLE, ("-k", "--k"),
            commands=("anonymize", "refine"), functions=ASKED_K, needed=("refine",),
        ),
    ]  # fmt: skip
    preset: Annotated[
        str | None,
        _privacy(
            "A threshold by custom that says the least k: ema, health-canada, threshold-3, ...; "
            "see `shoal presets`. A larger k wins, a smaller one is an error.",
            commands=("anonymize",), functions=ASKED_K,
        ),
    ] = None  # fmt: skip
    l: Annotated[  # noqa: E741 - its name in the literature
        Threshold,
        _privacy(
            "l-diversity: at least so many well represented values of every sensitive column in a "
            "class, or COLUMN=NUMBER; repeatable.",
            NUMBERS,
        ),
    ] = None
    l_kind: Annotated[
        Literal["distinct", "entropy", "recursive"],
        _privacy(
            "Which l-diversity: distinct (so many different values), entropy (as good as so many "
            "equally frequent ones), recursive "
            f"(with {option('c')}). Default: distinct.",
            expert=True,
        ),
    ] = "distinct"
    c: Annotated[
        Number | None,
        _privacy(
            "The c of recursive (c,l)-diversity: the most frequent value occurs less than c times "
            "as often as all from the l-th on.",
            REAL, expert=True,
        ),
    ] = None  # fmt: skip
    t: Annotated[
        Threshold,
        _privacy(
            "t-closeness: a class's sensitive values are distributed as all are, up to so much "
            "(0 to 1), or COLUMN=NUMBER; repeatable.",
            NUMBERS,
        ),
    ] = None
    alpha: Annotated[
        Threshold,
        _privacy(
            "No sensitive value is more than this share of a class (0 to 1), or COLUMN=NUMBER; "
            "repeatable.",
            NUMBERS,
        ),
    ] = None
    beta: Annotated[
        Threshold,
        _privacy(
            "β-likeness: no sensitive value is more than 1 + β times as frequent in a class as in "
            "the whole, or COLUMN=NUMBER; repeatable.",
            NUMBERS, expert=True,
        ),
    ] = None  # fmt: skip
    beta_kind: Annotated[
        Literal["enhanced", "basic"],
        _privacy(
            "Which β-likeness: enhanced (a value of share p gains at most -ln p, too: frequent "
            "ones never become certain) or basic. Default: enhanced.",
            expert=True,
        ),
    ] = "enhanced"
    delta: Annotated[
        Threshold,
        _privacy(
            "δ-disclosure privacy: the share of every sensitive value in a class is less than "
            "e^δ times that in the whole, and more than e^-δ times, or COLUMN=NUMBER; repeatable.",
            NUMBERS, expert=True,
        ),
    ] = None  # fmt: skip
    e: Annotated[
        Threshold,
        _privacy(
            "(k,e)-anonymity: a class holds k different numbers of a sensitive column, the least "
            "and the greatest at least so far apart, or COLUMN=NUMBER; repeatable.",
            NUMBERS, expert=True,
        ),
    ] = None  # fmt: skip
    l_of: Annotated[
        dict[str, int],
        _privacy(
            "An l of combinations of sensitive columns: diagnosis,cost=3; a name with a comma "
            "stands in quotes; repeatable.",
            SIZE_OF, expert=True,
        ),
    ] = {}  # fmt: skip
    dominance: Annotated[
        Threshold,
        _privacy(
            "The p % rule for numbers released as means: what hides the largest value of a group "
            "from the second largest is at least so many percent of it, or COLUMN=NUMBER; "
            "repeatable.",
            NUMBERS, expert=True,
        ),
    ] = None  # fmt: skip
    k_of: Annotated[
        dict[str, int],
        _privacy(
            "An own k for some of the quasi-identifiers: age,zip=10; a name with a comma stands in "
            "quotes; repeatable.",
            SIZE_OF, expert=True,
        ),
    ] = {}  # fmt: skip
    missing_sensitive: Annotated[
        Literal["ignored", "value"],
        _privacy(
            f"What a missing sensitive cell is to {option('l')}, {option('alpha')}, "
            f"{option('beta')} and {option('delta')}: ignored (it adds no diversity and is left "
            "out of the shares) or value (a value of its own). "
            "Default: ignored.",
            expert=True,
        ),
    ] = "ignored"
    count: Annotated[
        Literal["people", "records"],
        _privacy(
            f"What k counts where every identifier repeats: people (then {option('person')} is "
            "needed) or records. Default: people."
        ),
    ] = "people"
    enforce: Annotated[
        Literal["auto", "slices", "swap", "merge"],
        _privacy(
            "How groups come to keep what is asked beyond k: slices (made of one record of each "
            "slice of the sensitive values), swap (records swapped between a method's groups), "
            "merge, or auto (what loses least).",
            expert=True,
        ),
    ] = "auto"
    method: Annotated[
        str,
        _method(
            "How groups are found; see `shoal methods`. Default: auto.", commands=("anonymize",),
            instead={"compare": f"name those to compare with {option('methods')}"},
        ),
    ] = "auto"  # fmt: skip
    effort: Annotated[
        Effort,
        _method(
            "How long auto searches: quick, normal, best. Default: normal.", commands=MAKES_GROUPS
        ),
    ] = "normal"
    start: Annotated[
        str | None,
        _method(
            "The method that a search starts from (default: random); of kaim and k-member the "
            "record that starts a group: random, farthest or common.",
            commands=MAKES_GROUPS, expert=True,
        ),
    ] = None  # fmt: skip
    max_iterations: Annotated[
        Count | None,
        _method("How many iterations (restarts of ls, lsc) a search makes.", WHOLE, expert=True),
    ] = None
    time_limit: Annotated[
        Seconds | None, _method("How many seconds a search takes at most.", REAL)
    ] = None
    runs: Annotated[
        Annotated[int, Field(ge=1)] | None,
        _method(
            "How many searches; the best counts, by trees the best of every block of groups. "
            "Default: 1.",
            WHOLE, commands=MAKES_GROUPS, expert=True,
        ),
    ] = None  # fmt: skip
    refine: Annotated[
        Refine | None,
        _method(
            "How given groups are refined: phase2, decompose, iterative as in the papers, "
            "decompose+, iterative+ (the default), or a search: ilsmc+, ilsmc, ...",
            flags=("--how",), commands=("refine",), instead=MAKES_ITS_OWN, desk=False,
        ),
    ] = None  # fmt: skip
    seed: Annotated[Count, _method("The same seed gives the same groups. Default: 0.", WHOLE)] = 0
    column_weights: Annotated[
        dict[str, Factor],
        _method(
            "How much a column counts: age=2. Default: 1.", FACTORS, ("--column-weight",),
            commands=MAKES_GROUPS, expert=True,
        ),
    ] = {}  # fmt: skip
    incomplete: Annotated[
        Literal["keep", "delete"],
        _reading(
            "Records with missing quasi-identifiers: keep or delete. Default: keep.",
            commands=MAKES_GROUPS,
        ),
    ] = "keep"
    suppress: Annotated[
        Share,
        _method(
            "The share of records that may be left out, 1% or 0.01: those without which the others "
            "lose least; of full-domain those in classes of fewer than k. Default: 0.",
            SHARE, commands=("anonymize",),
            instead={"compare": "all methods are compared on the same records"},
        ),
    ] = 0.0  # fmt: skip
    allow_k1: Annotated[
        bool, _privacy("Accept k = 1, which protects nobody.", FLAG, ("--allow-k1",), expert=True)
    ] = False
    allow_empty: Annotated[
        bool,
        _reading(
            "Accept a column without any value.", FLAG, ("--allow-empty", "--allow"),
            commands=MAKES_GROUPS, expert=True,
        ),
    ] = False  # fmt: skip
    memory: Annotated[
        str | None,
        _resource(
            "How much memory a run may take (4GB): a larger file is grouped region by region, in "
            "temporary files.",
            commands=("anonymize", "run"), functions=WRITES_FILES,
            instead={"compare": "every run takes all records at once; compare a sample of them"},
        ),
    ] = None  # fmt: skip
    engine: Annotated[
        Literal["threads", "dask", "spark"] | None,
        _resource(
            "What groups a table of many files: dask, spark, or threads (of this machine; the "
            "default for several files). Writes a folder of Parquet files.",
            commands=("anonymize", "run"), functions=WRITES_FILES, desk=False, expert=True,
            instead={
                "compare": "every run is one of this machine; compare a sample of the records"
            },
        ),
    ] = None  # fmt: skip
    small_strata: Annotated[
        Literal["refuse", "merge"],
        _privacy(
            "What becomes of strata with fewer than k records: refuse, or merge with the one most "
            "like it. Default: refuse.",
            commands=MAKES_GROUPS,
        ),
    ] = "refuse"
