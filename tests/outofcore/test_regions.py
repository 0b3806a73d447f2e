"""Who belongs where: cuts as a sample shows them, and equal records dealt out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive import large as twin
from shoal.pipeline.regions.solve import Cuts, cut_sample, dealt, joined
from shoal.table.sampling import drawn
from thorough import examples


def _shares(draws, cuts):
    """A number from 0 to 1 for every row and cut."""
    each = [dealt(draws, number) / 2.0**64 for number in range(cuts)]
    return np.stack(each, axis=1).tolist() if each else [[]] * draws.size


@given(
    rows=st.integers(1, 300), width=st.integers(1, 3), places=st.integers(1, 9),
    values=st.integers(1, 6), seed=st.integers(0, 10**6),
)  # fmt: skip
@examples(150)
def test_send_as_one_by_one(rows, width, places, values, seed):
    """Every point goes where a walk down the cuts leads it, also from notes."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, values, size=(rows, width)).astype(float)
    cuts = cut_sample(points[: rng.integers(1, rows + 1)], places)
    cuts = Cuts.from_dict(cuts.to_dict())
    draws = drawn(seed, 0, rows)
    plain = [(c.point, c.columns, c.share, c.below, c.above) for c in cuts.cuts]
    found = cuts.send(points, draws)
    expected = [
        twin.place(plain, point, own)
        for point, own in zip(points.tolist(), _shares(draws, len(plain)), strict=True)
    ]
    assert found.tolist() == expected
    assert max(expected) < places


def test_places_are_even():
    """Regions that a sample cuts are about as large as each other, of all records."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200_000, 4))
    sizes = np.bincount(cut_sample(points[:50_000], 7).send(points, drawn(0, 0, 200_000)))
    assert sizes.size == 7
    assert sizes.max() < 1.05 * sizes.mean()
    assert sizes.min() > 0.95 * sizes.mean()


def test_equal_records_are_dealt_out():
    """However many records are equal, no region gets many more than its share."""
    points = np.zeros((100_000, 3))
    points[:10] = 1.0
    sizes = np.bincount(cut_sample(points, 8).send(points, drawn(0, 0, 100_000)), minlength=8)
    assert sizes.max() < 1.1 * 100_000 / 8
    assert sizes.min() > 0.9 * 100_000 / 8


@given(counts=st.lists(st.integers(0, 30), min_size=1, max_size=12), least=st.integers(1, 40))
def test_joined(counts, least):
    """Every place is in one region, in order, and no region is too small but for a single one."""
    regions = joined(np.array(counts), least)
    assert [place for region in regions for place in region] == list(range(len(counts)))
    sizes = [sum(counts[place] for place in region) for region in regions]
    assert len(regions) == 1 or min(sizes) >= least
