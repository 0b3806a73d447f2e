"""The risk of a table as it is, by plain loops over lists of rows.

A table is a list of rows; a missing cell is None. `covers` says of two cells whether they match.
"""

from __future__ import annotations

import math
from itertools import combinations


def matching(own, other, reading, *, outside=False):
    """Whether a record could be another, cell by cell; outside: the other is of a population."""
    for mine, theirs in zip(own, other, strict=True):
        if mine == theirs:
            continue
        if reading == "wildcard" and (mine is None or theirs is None):
            continue
        if reading == "root" and (mine if outside else theirs) is None:
            continue
        return False
    return True


def counts(rows, others, reading, weights=None, *, outside=False):
    """How many others match each record, or what they weigh."""
    weights = weights or [1] * len(others)
    return [
        sum(w for other, w in zip(others, weights, strict=True)
            if matching(own, other, reading, outside=outside))
        for own in rows
    ]  # fmt: skip


def expected_share(f, p, terms=1_500):
    """E[1/F], F - f negative binomial: the sum over F of its chances."""
    if p >= 1:
        return 1 / f
    chance, total = p**f, 0.0
    for more in range(terms):
        total += chance / (f + more)
        chance *= (1 - p) * (f + more) / (more + 1)
    return total


def household(risks, homes):
    """The chance that anybody of the household is linked, of every record."""
    return [
        1 - math.prod(1 - r for r, other in zip(risks, homes, strict=True) if other == home)
        for home in homes
    ]


def set_counts(rows, columns, k):
    """Distinct combinations, unique records, those in classes below k, and pairs that agree."""
    parts = [tuple(row[j] for j in columns) for row in rows]
    sizes = [parts.count(part) for part in parts]
    pairs = sum(a == b for a, b in combinations(parts, 2))
    return (len(set(parts)), sum(s == 1 for s in sizes), sum(s < k for s in sizes), pairs)


def minimal_uniques(rows, most):
    """All pairs of a record and a smallest set of columns that makes it unique."""
    width, found = len(rows[0]), set()
    for i, row in enumerate(rows):
        for size in range(1, most + 1):
            for columns in combinations(range(width), size):
                if any(at == i and set(known) <= set(columns) for at, known in found):
                    continue
                same = [all(other[j] == row[j] for j in columns) for other in rows]
                if sum(same) == 1:
                    found.add((i, columns))
    return found


def suda(found, rows, width, most):
    """The score of every record, and of every column the scores of the sets that it is in."""
    last = min(most, width - 1)
    scores, shares = [0.0] * rows, [0.0] * width
    for i, columns in found:
        score = math.prod(width - at for at in range(len(columns), last + 1))
        scores[i] += score
        for j in columns:
            shares[j] += score
    return scores, shares


def dis_suda(scores, sizes, fraction, width):
    """The scores with the risk of the file; sizes are those of the classes of the records."""
    unique, paired = sizes.count(1), sizes.count(2)
    if not unique:
        return [0.0] * len(scores), 0.0
    risk = fraction * unique / (fraction * unique + (1 - fraction) * paired)
    power = 1 + (8 - width) / 20
    scored = [score for score in scores if score]
    mean = sum(score**-power for score in scored) / len(scored) if scored else 0.0
    odds = (1 - risk) / risk
    return [1 / (1 + odds * s**-power / mean) if s else 0.0 for s in scores], risk


def zayatz(sizes, fraction):
    """Unique people, by the sample's class sizes: hypergeometric chances by binomials."""
    drawn = sum(sizes)
    people = round(drawn / fraction)
    once = {s: s * math.comb(people - s, drawn - 1) / math.comb(people, drawn) for s in set(sizes)}
    every = sum(once[s] for s in sizes)
    return sizes.count(1) * sizes.count(1) * once[1] / every / fraction


def pitman_likelihood(theta, alpha, sizes):
    """The log-likelihood of Pitman's sampling formula."""
    drawn, classes = sum(sizes), len(sizes)
    return (
        sum(math.log(theta + i * alpha) for i in range(1, classes))
        - sum(math.log(theta + i) for i in range(1, drawn))
        + sum(math.log(j - alpha) for s in sizes for j in range(1, s))
    )


def slide_chances(alpha, beta, fraction, most=4_000):
    """The chances that a class of the population has one and two records in the sample."""
    chance, one, two = beta**alpha, 0.0, 0.0
    for more in range(most):
        size = 1 + more
        one += chance * size * fraction * (1 - fraction) ** (size - 1)
        two += chance * math.comb(size, 2) * fraction**2 * (1 - fraction) ** max(size - 2, 0)
        chance *= (alpha + more) / (more + 1) * (1 - beta)
    return one, two


def independent(rows):
    """The expected count of every record's cell if columns are independent."""
    n, width = len(rows), len(rows[0])
    return [n * math.prod(sum(other[j] == row[j] for other in rows) / n for j in range(width))
            for row in rows]  # fmt: skip


def bias(counts_, means, fraction, step=1e-4):
    """The bias of the number of population uniques, to second order, by differences of g."""
    total = 0.0
    for f, mean in zip(counts_, means, strict=True):
        at = mean / fraction

        def g(lam, at=at):
            wrong = math.exp(-(1 - fraction) * at) - math.exp(-(1 - fraction) * lam)
            return fraction * lam * math.exp(-fraction * lam) * wrong

        first = (g(at + step) - g(at - step)) / (2 * step)
        second = (g(at + step) - 2 * g(at) + g(at - step)) / step**2
        gap = f - mean
        total += first * gap / fraction + second * (gap**2 - f) / (2 * fraction**2)
    return total
