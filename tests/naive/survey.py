"""What weights mean, the slow way: a record of weight 2 is the record twice."""

from __future__ import annotations

from itertools import combinations


def repeated(rows, weights):
    """Return every row as often as its whole weight says."""
    return [row for row, weight in zip(rows, weights, strict=True) for _ in range(int(weight))]


def weighted_mean(rows, weights):
    """Return the mean of rows, each counted by its weight."""
    total = sum(weights)
    return [
        sum(w * row[j] for row, w in zip(rows, weights, strict=True)) / total
        for j in range(len(rows[0]))
    ]


def weighted_sse(rows, labels, weights):
    """Return the squared distances to the weighted means of the groups, each times its weight."""
    found = 0.0
    for label in set(labels):
        mine = [(r, w) for r, own, w in zip(rows, labels, weights, strict=True) if own == label]
        mean = weighted_mean([r for r, _ in mine], [w for _, w in mine])
        found += sum(w * sum((x - m) ** 2 for x, m in zip(r, mean, strict=True)) for r, w in mine)
    return found


def best_move(rows, labels, weights, k):
    """Return the least weighted SSE after one shift or one swap between two groups."""
    labels, least = list(labels), float("inf")
    sizes = {label: labels.count(label) for label in labels}
    for i, label in enumerate(labels):
        for other in sizes:
            if other != label and sizes[label] > k:
                moved = [*labels[:i], other, *labels[i + 1 :]]
                least = min(least, weighted_sse(rows, moved, weights))
    for i, j in combinations(range(len(labels)), 2):
        if labels[i] != labels[j]:
            swapped = list(labels)
            swapped[i], swapped[j] = labels[j], labels[i]
            least = min(least, weighted_sse(rows, swapped, weights))
    return least
