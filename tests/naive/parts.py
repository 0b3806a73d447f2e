"""What methods are made of: the farthest record, the nearest ones, growing a group, left-overs."""

from __future__ import annotations


def farthest(data, rows, center):
    """The row with the largest distance to a center; the lowest row wins a tie."""
    return farthest_of({row: data.distance(row, center) for row in rows}, data.slack)


def farthest_of(distances, slack):
    """The row of {row: distance} with the largest distance; the lowest row wins a tie."""
    most = max(distances.values())
    return min(row for row, distance in distances.items() if distance >= most - slack(most))


def farthest_pair(data, rows):
    """The two rows with the largest distance; the lowest first row, then second, wins a tie."""
    distances = {
        (a, b): data.distance(a, data.rows[b]) for a in sorted(rows) for b in rows if a < b
    }
    return farthest_of(distances, data.slack)


def nearest(data, rows, center, count):
    """The rows with the least distances to a center; the lowest rows win a tie for the last."""
    if count == 0:
        return []
    distances = {row: data.distance(row, center) for row in rows}
    last = sorted(distances.values())[:count][-1]
    low, high = last - data.slack(last), last + data.slack(last)
    sure = [row for row in rows if distances[row] < low]
    equal = sorted(row for row in rows if low <= distances[row] <= high)
    return sure + equal[: count - len(sure)]


def grow_nn(data, rest, first, k):
    """The first record and its k - 1 nearest; takes them out of `rest`."""
    rest.remove(first)
    group = [first, *nearest(data, rest, data.rows[first], k - 1)]
    for row in group[1:]:
        rest.remove(row)
    return group


def grow_nc(data, rest, first, k):
    """Repeatedly the record nearest to the group's centroid; takes them out of `rest`."""
    rest.remove(first)
    group = [first]
    while len(group) < k and rest:
        (row,) = nearest(data, rest, data.centroid(group), 1)
        rest.remove(row)
        group.append(row)
    return group


def nearest_group(data, row, centers):
    """The number in {number: centroid} of the nearest centroid; the first one wins a tie."""
    distances = {number: data.distance(row, center) for number, center in centers.items()}
    least = min(distances.values())
    return next(n for n, distance in distances.items() if distance <= least + data.slack(least))


def join_nearest(data, groups, rest):
    """Add left-over records to the groups with the nearest centroids, which move with them.

    Of all pairs of a record and a group the nearest joins first; lowest row, then first group.
    """
    rest = sorted(rest)
    centers = {number: data.centroid(group) for number, group in enumerate(groups)}
    while rest:
        target = {row: nearest_group(data, row, centers) for row in rest}
        distances = {row: data.distance(row, centers[target[row]]) for row in rest}
        least = min(distances.values())
        row = next(row for row in rest if distances[row] <= least + data.slack(least))
        groups[target[row]].append(row)
        centers[target[row]] = data.centroid(groups[target[row]])
        rest.remove(row)
