"""The p % rule: what hides the largest unit of a group, by hand and by brute force."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pyarrow as pa
import pytest

import shoal
from shoal.methods.enforce.rules import left_over
from thorough import spread


def by_hand(values):
    """100 (T - x1 - x2) / x1, in fractions; None where there is nothing to hide."""
    sizes = [abs(Fraction(value)) for value in values]
    total = sum(sizes)
    largest = max(sizes, default=0)
    if not largest:
        return None
    sizes.remove(largest)
    return 100 * (total - largest - max(sizes, default=0)) / largest


@pytest.mark.parametrize(
    ("values", "percent"),
    [
        ([1000, 1, 1], 0.1),
        ([1, 1000, 1], 0.1),
        ([-1000, 1, -1], 0.1),
        ([1000], 0),
        ([1000, 999], 0),
        ([1000, 0, 0], 0),
        ([5, 5, 5], 100),
        ([5, -5, 5], 100),
        ([10, 9, 1], 10),
        ([100, 50, 4, 3, 2, 1], 10),
        ([3.0, 1.0, 0.3], 10),
        ([1, 1, 1, 1, 1], 300),
        ([0, 0, 0], math.inf),
        ([0.0, -0.0], math.inf),
        ([], math.inf),
    ],
)
def test_known_groups(values, percent):
    """A mean gives its largest unit away where others leave less than p percent of it."""
    assert left_over(values) == pytest.approx(percent, rel=1e-15)


def test_the_textbook_case_is_unsafe():
    """Of {1000, 1, 1} the second largest knows the first to a tenth of a percent: 0.1 < 10."""
    assert left_over([1000, 1, 1]) == 0.1
    assert not left_over([1000, 1, 1]) >= 10
    assert left_over([1000, 1, 100]) < 10 <= left_over([1000, 100, 100])


def test_random_groups():
    """A thousand random groups, of any signs, zeros and ties, have what the formula says."""
    rng = random.Random(13)
    kinds = [
        lambda: rng.randint(-5, 5),
        lambda: rng.randint(0, 10**6),
        lambda: rng.lognormvariate(3, 2),
        lambda: rng.gauss(0, 1) * 10 ** rng.randint(-300, 300),
        lambda: rng.choice([0, 0, 0, 1, -1000]),
    ]
    for _ in range(1000):
        draw = rng.choice(kinds)
        values = [draw() for _ in range(rng.randint(1, 12))]
        hand = by_hand(values)
        expected = math.inf if hand is None else pytest.approx(float(hand), rel=1e-14, abs=1e-290)
        assert left_over(values) == expected, values


def test_order_and_signs_have_no_say():
    """Sizes count: a group's members may come in any order and with any sign."""
    rng = random.Random(1)
    for _ in range(200):
        values = [rng.randint(-50, 50) for _ in range(rng.randint(1, 8))]
        found = left_over(values)
        rng.shuffle(values)
        assert left_over(values) == left_over([-value for value in values]) == found


@pytest.mark.parametrize("scale", [1e300, 2.0**1021, 1e-300, 5e-324, 1e-5])
def test_huge_and_tiny_groups_are_not_called_safe(scale):
    """Sums beyond the largest number hide no more than small ones: 4, 4, 1 leave a quarter."""
    assert left_over([4 * scale, 4 * scale, scale]) == pytest.approx(25)
    assert left_over([4 * scale] * 2 + [0.0]) == 0


def test_unions_of_safe_groups_are_safe():
    """Merged groups hide their largest unit at least as well as the worse of them did."""
    rng = random.Random(2)
    for _ in range(500):
        first, second = (
            [rng.choice([0, 1, 2, 5, 100, 1000]) for _ in range(rng.randint(1, 6))]
            for _ in range(2)
        )
        worse = min(left_over(first), left_over(second))
        assert left_over(first + second) >= worse * (1 - 1e-15)


# --- releases


def firms(seed, rows=40):
    """Turnover and staff of firms: a few are much larger than all others."""
    rng = random.Random(seed)
    turnover = [round(rng.lognormvariate(3, 2.5), 1) for _ in range(rows)]
    return {"turnover": turnover, "staff": [rng.randint(1, 500) for _ in range(rows)]}


def unsafe_groups(cells, labels, p):
    """Columns and groups of which the others leave less than p percent of the largest."""
    found = []
    for name, values in cells.items():
        for group in set(labels):
            members = [value for value, of in zip(values, labels, strict=True) if of == group]
            hand = by_hand(members)
            if hand is not None and hand < p:
                found.append((name, group, float(hand)))
    return found


METHODS = {
    "mdav": {}, "v-mdav": {}, "tfrp": {}, "hilbert": {}, "mst": {},
    "ilsmc+": {"max_iterations": 50}, "auto": {"effort": "quick"},
}  # fmt: skip


@pytest.mark.parametrize("method", spread(METHODS, 4))
@pytest.mark.parametrize("seed", spread(range(3), 1))
def test_groups_of_a_release_are_safe(method, seed):
    """With dominance=10 every group of originals is safe by brute force; without it some is not."""
    cells = firms(seed)
    options = {"k": 3, "quasi_identifiers": list(cells), "method": method, **METHODS[method]}
    safe = shoal.anonymize(pa.table(cells), dominance=10, **options)
    assert unsafe_groups(cells, safe.partition.labels.tolist(), 10) == []
    loose = shoal.anonymize(pa.table(cells), **options)
    assert unsafe_groups(cells, loose.partition.labels.tolist(), 10)


def test_what_cannot_be_safe_is_refused():
    """Where one firm is larger than all others together no grouping hides it."""
    with pytest.raises(shoal.PrivacyError):
        shoal.anonymize(
            pa.table({"a": [1000.0, 1, 1, 1, 1, 1]}), k=3, quasi_identifiers=["a"], dominance=10
        )


def test_one_column_of_two():
    """A rule for one column by its name leaves the other to k alone."""
    cells = firms(1)
    found = shoal.anonymize(
        pa.table(cells), k=3, quasi_identifiers=list(cells), dominance={"staff": 50}, method="mdav"
    )
    unsafe = unsafe_groups(cells, found.partition.labels.tolist(), 50)
    assert {name for name, *_ in unsafe} == {"turnover"}
