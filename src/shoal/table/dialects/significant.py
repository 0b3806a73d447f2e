"""Significant digits of numbers: what programs write of floats that hold fewer.

A float holds 15 digits for certain, and 16 or 17 are written to name it: 12.3 may come as
12.300000000000001. Means of such columns are rounded to the decimals that their numbers have at 15
significant digits, and have no more than 15 themselves. Of longer numbers, which no float was,
every digit was meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.kernels.arrays import Floats, Integers

FLOAT_DIGITS = 15  # so many digits are the same as a float and as a decimal
WRITTEN_DIGITS = 17  # so many name any float


@dataclass(frozen=True)
class Significant:
    """The most significant digits of a column's numbers, and their decimals at 15 of them."""

    digits: int = 0
    decimals: int | None = None

    def joined(self, other: Significant) -> Significant:
        """Return those of both pieces of a column."""
        decimals = [one.decimals for one in (self, other) if one.decimals is not None]
        return Significant(max(self.digits, other.digits), max(decimals, default=None))

    def rounded(self, decimals: int, whole: int = 0) -> int | None:
        """Return the decimals of means, where they are fewer than the column's own.

        `whole` is the most digits before the point: with them a mean has no more than 15.
        """
        if self.decimals is None or not FLOAT_DIGITS < self.digits <= WRITTEN_DIGITS:
            return None
        fewer = min(self.decimals, max(FLOAT_DIGITS - whole, 0)) if whole else self.decimals
        return fewer if fewer < decimals else None


def significant(texts: Any, decimals: Integers, most: int = WRITTEN_DIGITS) -> Significant:
    """Return the digits of plain numbers, none missing, of which each has so many decimals.

    `most` is how many digits one has at most, where it is known.
    """
    if most <= FLOAT_DIGITS:
        return Significant(most, int(decimals.max(initial=0)))
    bare = texts
    if any(pc.any(pc.match_substring(texts, sign)).as_py() for sign in "eE"):
        bare = pc.replace_substring_regex(texts, r"[eE].*$", "")
    bare = pc.ascii_ltrim(pc.replace_substring(bare, ".", ""), "+-0")
    digits = np.asarray(pc.binary_length(pc.ascii_rtrim(bare, "0"))).astype(np.int64)
    most = int(digits.max(initial=0))
    long = digits > FLOAT_DIGITS
    if not long.any() or most > WRITTEN_DIGITS:
        return Significant(most, int(decimals.max(initial=0)))
    floats = np.asarray(texts.filter(pa.array(long)).cast(pa.float64()))
    short = decimals[~long].max(initial=0)
    return Significant(most, max(int(short), _decimals(floats[np.isfinite(floats)])))


def _decimals(floats: Floats) -> int:
    """Return the most decimals that numbers other than 0 have at 15 significant digits."""
    sizes = np.abs(floats[floats != 0])
    if not sizes.size:
        return 0
    powers = FLOAT_DIGITS - 1 - np.floor(np.log10(sizes)).astype(np.int64)
    with np.errstate(over="ignore"):
        whole = np.rint(sizes * 10.0**powers)
    known = np.isfinite(whole)
    steps, places = whole[known].astype(np.int64), powers[known]
    most = 0
    while steps.size:  # those that end in zeros have fewer decimals
        done = steps % 10 != 0
        most = max(most, int(places[done].max(initial=0)))
        left = ~done & (places - 1 > most)
        steps, places = steps[left] // 10, places[left] - 1
    return most
