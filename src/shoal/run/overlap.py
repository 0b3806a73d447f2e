"""What larger groups cost now and save in the next release, where a share of people comes again."""

from __future__ import annotations

import math
from collections.abc import Iterable

from shoal.hints import option
from shoal.partition import Partition


def short_share(sizes: Iterable[int], k: int, share: float) -> float:
    """Return the expected share of people who come again in classes of which fewer than k do.

    Everybody of a class of c comes again with the same chance p, whatever the others do: of
    j people in it, who are fewer than k, the sum of j C(c, j) p^j (1 - p)^(c - j) over that of c p.
    """
    sizes = list(sizes)
    short = sum(
        j * math.comb(c, j) * share**j * (1.0 - share) ** (c - j)
        for c in sizes
        for j in range(1, min(k, c + 1))
    )
    return short / (share * sum(sizes))


def overlap_note(larger: Partition, usual: Partition, k: int, share: float) -> str:
    """Return what groups for the overlap that is expected lose now, and what they save then."""
    saved, lost = (100.0 * short_share(one.sizes.tolist(), k, share) for one in (larger, usual))
    return (
        f"{option('expect_overlap', share)}: groups of at least {larger.k} people instead of {k} "
        f"lose {larger.information_loss:.2f} instead of {usual.information_loss:.2f} "
        f"({larger.loss_name}) now; of the people who come again, {saved:.1f} % instead of "
        f"{lost:.1f} % are likely to be in classes of which fewer than k come again, who are "
        "withheld where kept columns join their records"
    )
