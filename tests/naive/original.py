"""Loss against the original, the slow way."""

from __future__ import annotations

import math
from collections import Counter


def numbers_lost(before, after):
    """Return SSE/SST in percent; what is None in the release counts as the mean."""
    mean = sum(before) / len(before)
    error = sum((x - (mean if y is None else y)) ** 2 for x, y in zip(before, after, strict=True))
    return 100 * error / sum((x - mean) ** 2 for x in before)


def texts_lost(before, after):
    """Return how many bits it takes to say the originals, given the release and without, in %."""
    joint, seen, own = Counter(zip(before, after, strict=True)), Counter(after), Counter(before)
    given = -sum(math.log2(joint[x, y] / seen[y]) for x, y in zip(before, after, strict=True))
    return 100 * given / -sum(math.log2(own[x] / len(before)) for x in before)
