"""Public figures by plain loops: what cells lost, means, bars, gaps, linkages by class."""

from __future__ import annotations

import math
import statistics


def step(bound):
    """The least power of ten that is at least a bound."""
    power = -400
    while 10.0**power < bound * (1 - 1e-9):
        power += 1
    return 10.0**power


def loss(before, after):
    """Mean share of the released range that numbers moved by; None is a cell that says nothing."""
    said = [a for a in after if a is not None]
    low, high = min(said), max(said)
    lost = []
    for b, a in zip(before, after, strict=True):
        if b is None:
            lost.append(0.0)
        elif a is None:
            lost.append(1.0)
        elif high == low:
            lost.append(float(b != a))
        else:
            lost.append(abs(min(max(b, low), high) - a) / (high - low))
    return 100.0 * statistics.fmean(lost)


def interval_loss(before, after):
    """Mean width of released intervals as a share of what they span together; None is a star."""
    said = [a for a in after if a is not None]
    whole = max(high for _, high in said) - min(low for low, _ in said)
    lost = []
    for b, a in zip(before, after, strict=True):
        if b is None:
            lost.append(0.0)
        elif a is None:
            lost.append(1.0)
        else:
            lost.append((a[1] - a[0]) / whole if whole else 0.0)
    return 100.0 * statistics.fmean(lost)


def mean(before, after):
    """Mean of originals clipped to the released range, where something is released."""
    said = [a for a in after if a is not None]
    low, high = min(said), max(said)
    return statistics.fmean(
        min(max(b, low), high) for b, a in zip(before, after, strict=True) if a is not None
    )


def gap(before, after):
    """Largest difference of the shares of originals and released numbers at or below a value."""
    worst = 0.0
    for x in [*before, *after]:
        share = sum(b <= x for b in before) / len(before)
        worst = max(worst, abs(share - sum(a <= x for a in after) / len(after)))
    return worst


def linked(before, after, by_ranks=False):
    """Percent linked by distance: rows of numbers; one of the nearest classes, one of its records.

    Distances are in deviations of the classes' values, or, by ranks, the largest difference of the
    shares of classes below (equal ones by half).
    """
    classes = sorted(set(after))
    sizes = {one: after.count(one) for one in classes}
    width = len(classes[0])
    total = 0.0
    columns = [[one[j] for one in classes] for j in range(width)]
    for x, own in zip(before, after, strict=True):
        distances = []
        for one in classes:
            parts = []
            for j in range(width):
                if by_ranks:
                    parts.append(abs(_rank(x[j], columns[j]) - _rank(one[j], columns[j])))
                    continue
                spread = statistics.stdev(columns[j]) if len(classes) > 1 else 0.0
                parts.append(((x[j] - one[j]) / spread) ** 2 if spread else 0.0)
            distances.append(max(parts) if by_ranks else math.fsum(parts))
        least = min(distances)
        near = [
            c for c, d in zip(classes, distances, strict=True) if d <= least * (1 + 2e-9) + 1e-18
        ]
        if own in near:
            total += 1.0 / (len(near) * sizes[own])
    return 100.0 * total / len(before)


def _rank(x, values):
    return (sum(v < x for v in values) + sum(v <= x for v in values)) / (2 * len(values))
