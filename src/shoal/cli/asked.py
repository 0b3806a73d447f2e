"""The options that say what privacy asks beyond k."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from shoal.cli.options import split_names, split_pairs
from shoal.errors import RequestError, shown

L = Annotated[
    list[str] | None,
    typer.Option(
        "--l",
        help="l-diversity: at least so many well represented values of every sensitive column in "
        "a class, or COLUMN=NUMBER; repeatable.",
    ),
]
LKind = Annotated[
    str,
    typer.Option(
        help="Which l-diversity: distinct (so many different values), entropy (as good as so many "
        "equally frequent ones), recursive (with --c)."
    ),
]
C = Annotated[
    float | None,
    typer.Option(
        "--c",
        help="The c of recursive (c,l)-diversity: the most frequent value occurs less than c times "
        "as often as all from the l-th on.",
    ),
]
T = Annotated[
    list[str] | None,
    typer.Option(
        "--t",
        help="t-closeness: a class's sensitive values are distributed as all are, up to so much "
        "(0 to 1), or COLUMN=NUMBER; repeatable.",
    ),
]
Alpha = Annotated[
    list[str] | None,
    typer.Option(
        help="No sensitive value is more than this share of a class (0 to 1), or COLUMN=NUMBER; "
        "repeatable."
    ),
]
KOf = Annotated[
    list[str] | None,
    typer.Option(
        help="An own k for some of the quasi-identifiers: age,zip=10; a name with a comma stands "
        "in quotes; repeatable."
    ),
]
LKindOrNone = Annotated[
    str | None,
    typer.Option(
        "--l-kind",
        help="Which l-diversity: distinct (so many different values), entropy (as good as so many "
        "equally frequent ones), recursive (with --c). Default: distinct.",
    ),
]
Dominance = Annotated[
    list[str] | None,
    typer.Option(
        help="The p % rule for numbers released as means: what hides the largest value of a group "
        "from the second largest is at least so many percent of it, or COLUMN=NUMBER; repeatable."
    ),
]
MissingSensitive = Annotated[
    str | None,
    typer.Option(
        help="What a missing sensitive cell is to --l and --alpha: ignored (it adds no diversity "
        "and is left out of the shares) or value (a value of its own). Default: ignored."
    ),
]
MissingAs = Annotated[
    str,
    typer.Option(
        help="What a missing cell or * matches: own (only itself, the strictest), root (any "
        "value, but not the other way round), wildcard (anything)."
    ),
]
Enforce = Annotated[
    str | None,
    typer.Option(
        help="How groups come to keep what is asked beyond k: slices (made of one record of each "
        "slice of the sensitive values), swap (records swapped between a method's groups), merge, "
        "or auto (what loses least)."
    ),
]


def read_asked(said: list[str] | None, option: str) -> float | dict[str, float] | None:
    """Return `--l 3` as a number, `--l diagnosis=3` as a dict of numbers."""
    if not said:
        return None
    try:
        if len(said) == 1 and "=" not in said[0]:
            return _number(said[0])
        return {name: _number(text) for name, text in split_pairs(said, option).items()}
    except ValueError as error:
        if isinstance(error, RequestError):
            raise
        raise RequestError(f"{option} must be one number, or COLUMN=NUMBER") from None


def asked(
    least: list[str] | None,
    kind: str | None,
    c: float | None,
    t: list[str] | None,
    alpha: list[str] | None,
    dominance: list[str] | None,
    k_of: list[str] | None,
    enforce: str | None,
    missing_sensitive: str | None,
) -> dict[str, Any]:
    """Return what is asked beyond k as settings say it."""
    from shoal.settings import joined_key

    return {
        "l": read_asked(least, "--l"),
        "l_kind": kind,
        "c": c,
        "t": read_asked(t, "--t"),
        "alpha": read_asked(alpha, "--alpha"),
        "dominance": read_asked(dominance, "--dominance"),
        "k_of": {joined_key(names): k for names, k in read_k_of(k_of).items()},
        "enforce": enforce,
        "missing_sensitive": missing_sensitive,
    }


def read_k_of(said: list[str] | None) -> dict[tuple[str, ...], int]:
    """Return `--k-of age,zip=10` as a dict from names of columns to their k."""
    found: dict[tuple[str, ...], int] = {}
    for names, text in split_pairs(said, "--k-of").items():
        columns = tuple(split_names([names]))
        if not (text.isascii() and text.isdecimal()) or columns in found:
            raise RequestError(f"--k-of {shown(names)}: say a,b=NUMBER, once for the same columns")
        found[columns] = int(text)
    return found


def _number(text: str) -> float:
    """Return a whole number as an int, another one as a float."""
    try:
        return int(text)
    except ValueError:
        return float(text)
