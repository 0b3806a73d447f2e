"""Twins of the methods that choose a first record and grow it to k."""

from __future__ import annotations

from fractions import Fraction

from naive.data import falls, squared_distance, total_sse
from naive.parts import (
    farthest,
    farthest_of,
    farthest_pair,
    grow_nc,
    grow_nn,
    join_nearest,
    nearest,
)


def mdav(data, k):
    """Classic MDAV: groups as lists of rows, in order of creation."""
    rest, groups = list(range(len(data.rows))), []
    while len(rest) >= 3 * k:
        r = farthest(data, rest, data.centroid(rest))
        groups.append(grow_nn(data, rest, r, k))
        s = farthest(data, rest, data.rows[r])
        groups.append(grow_nn(data, rest, s, k))
    if len(rest) >= 2 * k:
        groups.append(grow_nn(data, rest, farthest(data, rest, data.centroid(rest)), k))
    if rest:
        groups.append(rest)
    return groups


def cbfs(data, k, grow, rows=None):
    """Centroid-based fixed size: the record farthest from the centroid of what is left."""
    rest, groups = all_or(data, rows), []
    while len(rest) >= k:
        groups.append(grow(data, rest, farthest(data, rest, data.centroid(rest)), k))
    join_nearest(data, groups, rest)
    return groups


def cbfs_nn(data, k):
    """CBFS, grown to the nearest of the first record."""
    return cbfs(data, k, grow_nn)


def cbfs_nc(data, k, rows=None):
    """CBFS, grown by centroid, on all or some records; the Centroid method of 2007."""
    return cbfs(data, k, grow_nc, rows)


def all_or(data, rows):
    """All rows in order, or those that are given."""
    return list(range(len(data.rows))) if rows is None else sorted(rows)


def grow_both(data, rest, pair, k, grow):
    """The groups of two first records; one that the first group took is chosen anew."""
    r, s = pair
    groups = [grow(data, rest, r, k)]
    if s not in rest:
        s = farthest(data, rest, data.rows[r])
    groups.append(grow(data, rest, s, k))
    return groups


def mdav_fixed(data, k, grow):
    """MDAV of 2018: pairs of groups while 2k are left, one more while k are, then left-overs."""
    rest, groups = list(range(len(data.rows))), []
    while len(rest) >= 2 * k:
        r = farthest(data, rest, data.centroid(rest))
        s = farthest(data, rest, data.rows[r])
        groups += grow_both(data, rest, (r, s), k, grow)
    if len(rest) >= k:
        groups.append(grow(data, rest, farthest(data, rest, data.centroid(rest)), k))
    join_nearest(data, groups, rest)
    return groups


def mdav_nn(data, k):
    """MDAV of 2018, grown to the nearest of the first record."""
    return mdav_fixed(data, k, grow_nn)


def mdav_nc(data, k):
    """MDAV of 2018, grown by centroid."""
    return mdav_fixed(data, k, grow_nc)


def tfrp_fixed(data, k, grow):
    """TFRP of 2018: farthest from the vector of maxima, from that of minima, and so on."""
    columns = list(zip(*data.rows, strict=True))
    points = [[max(column) for column in columns], [min(column) for column in columns]]
    rest, groups = list(range(len(data.rows))), []
    while len(rest) >= k:
        point = points[len(groups) % 2]
        groups.append(grow(data, rest, farthest(data, rest, point), k))
    join_nearest(data, groups, rest)
    return groups


def tfrp_nn(data, k):
    """TFRP of 2018, grown to the nearest of the first record."""
    return tfrp_fixed(data, k, grow_nn)


def tfrp_nc(data, k):
    """TFRP of 2018, grown by centroid."""
    return tfrp_fixed(data, k, grow_nc)


def phase1(data, rows, k):
    """Phase I of 2007 on some records: farthest from their least standardized value, then greatest.

    The reference points hold the least (the greatest) value over all attributes in every place.
    """
    standard = data.standardized()
    values = [value for row in rows for value in standard[row]]
    points = [[bound] * len(standard[0]) for bound in (min(values), max(values))]
    rest, groups = sorted(rows), []
    while len(rest) >= k:
        point = points[len(groups) % 2]
        distances = {row: squared_distance(standard[row], point) for row in rest}
        groups.append(grow_nn(data, rest, farthest_of(distances, data.standardized_slack), k))
    join_nearest(data, groups, rest)
    return groups


def tfrp1(data, k):
    """Phase I of TFRP as of 2007, on all records."""
    return phase1(data, range(len(data.rows)), k)


def gsms_nn(data, k):
    """GSMS: of each record with its k - 1 nearest, the group with least SSE(p) + SSE(T - p)."""
    rest, groups = list(range(len(data.rows))), []
    while len(rest) >= k:
        candidates, errors = {}, {}
        for row in rest:
            others = [other for other in rest if other != row]
            candidates[row] = [row, *nearest(data, others, data.rows[row], k - 1)]
            inside = set(candidates[row])
            outside = [other for other in rest if other not in inside]
            errors[row] = data.sse(candidates[row]) + data.sse(outside)
        limit = min(errors.values()) + data.tolerance(data.sse(rest))
        best = candidates[min(row for row in rest if errors[row] <= limit)]
        groups.append(best)
        rest = [row for row in rest if row not in best]
    join_nearest(data, groups, rest)
    return groups


def diameter(data, k, rows=None):
    """Diameter: the two records farthest from each other, the lower row grown first."""
    rest, groups = all_or(data, rows), []

    def pair():
        return farthest_pair(data, rest) if len(rest) > 1 else (rest[0], rest[0])

    while len(rest) >= 2 * k:
        groups += grow_both(data, rest, pair(), k, grow_nc)
    if len(rest) >= k:
        groups.append(grow_nc(data, rest, pair()[0], k))
    join_nearest(data, groups, rest)
    return groups


def v_mdav(data, k):
    """V-MDAV with gamma 0.2, or with 1.1 where that loses less."""
    one, other = (with_gamma(data, k, gamma) for gamma in (Fraction(1, 5), Fraction(11, 10)))
    return other if falls(data, total_sse(data, one), total_sse(data, other)) else one


def with_gamma(data, k, gamma):
    """V-MDAV: a group of k, then up to k - 1 more that are nearer to it than to the others."""
    rest, groups = list(range(len(data.rows))), []
    center = data.centroid(rest)
    while len(rest) >= k:
        group = grow_nn(data, rest, farthest(data, rest, center), k)
        while len(group) < 2 * k - 1 and len(rest) > 1:
            into = {row: min(data.distance(row, data.rows[g]) for g in group) for row in rest}
            least = min(into.values())
            u = min(row for row in rest if into[row] <= least + data.slack(least))
            out = min(data.distance(row, data.rows[u]) for row in rest if row != u)
            if into[u] + data.slack(into[u]) >= gamma**2 * out:
                break
            rest.remove(u)
            group.append(u)
        groups.append(group)
    join_nearest(data, groups, rest)
    return groups
