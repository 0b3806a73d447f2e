"""The first look at all records: moments, different values, a sample; nothing grows with them."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import large as twin
from shoal.errors import InputError
from shoal.pipeline.regions.profile import Moments, ProfileBuilder, Sketch
from shoal.table.dataframes.frames import from_arrow
from shoal.table.roles import Column, Kind
from shoal.table.sampling import Sample, drawn, hashes, sample_size
from shoal.table.source import Source


def pieces(values, cuts, kind=None):
    """The pieces of a column, cut at some places."""
    edges = [0, *sorted(cuts), len(values)]
    for start, end in pairwise(edges):
        array = pa.array(values[start:end], type=kind)
        yield from_arrow(pa.table({"x": array}), Source("t", "parquet", "0"))


@given(
    values=st.lists(st.decimals(-1000, 1000, places=3), min_size=1, max_size=40),
    cut=st.integers(0, 40),
)
def test_moments_of_decimals_that_grow_longer(values, cut):
    """Pieces whose decimals are shorter count as what they are."""
    moments = Moments()
    cut %= len(values)
    short = [value.quantize(Decimal(1)) for value in values[:cut]]
    for some, kind in ((short, pa.decimal128(38, 0)), (values[cut:], pa.decimal128(38, 3))):
        moments.add(Column("x", Kind.DECIMAL, pa.array(some, type=kind)))
    mean, deviation = twin.mean_and_deviation([*short, *values[cut:]])
    assert float(moments.base) + moments.mean == pytest.approx(mean, abs=1e-9)
    assert moments.deviation == pytest.approx(deviation, abs=1e-9)


def test_numbers_too_far_apart():
    """Numbers whose squares no float holds are refused in words."""
    moments = Moments()
    with np.errstate(over="ignore", invalid="ignore"):
        moments.add(Column("x", Kind.FLOAT, pa.array([1e300, -1e300, 0.0])))
    with pytest.raises(InputError, match="too far apart"):
        moments.check("x", "f.parquet")


def test_different_values():
    """Few different values are counted exactly, unique ones too, others to a few percent."""
    few, unique, some = (Sketch(1024) for _ in range(3))
    rng = np.random.default_rng(0)
    for start in range(0, 100_000, 10_000):
        rows = np.arange(start, start + 10_000)
        few.add(hashes(Column("x", Kind.INTEGER, pa.array(rows % 1000))))
        unique.add(hashes(Column("x", Kind.TEXT, pa.array([f"p{row}" for row in rows]))))
        some.add(hashes(Column("x", Kind.INTEGER, pa.array(rng.integers(0, 20_000, 10_000)))))
    assert few.different(100_000) == 1000
    assert unique.different(100_000) == 100_000
    assert some.different(100_000) == pytest.approx(20_000, rel=0.12)


def test_a_sample_is_even_and_repeats():
    """A sample has its size, takes from all over, and is the same for any cut into pieces."""
    whole, cut = Sample(7, 500), Sample(7, 500)
    table = pa.table({"x": np.arange(20_000)})
    whole.add(table)
    for start in range(0, 20_000, 1_234):
        cut.add(table.slice(start, 1_234))
    assert whole.rows.equals(cut.rows)
    found = np.asarray(whole.rows["x"])
    assert found.size == np.unique(found).size == 500
    assert abs(found.mean() - 10_000) < 1_000
    assert len(set(drawn(0, 0, 100).tolist()) & set(drawn(1, 0, 100).tolist())) == 0


def test_infinite_names_its_row():
    """An infinite number is refused with its row in the whole file."""
    values = [0.0] * 10 + [float("inf")]
    parts = list(pieces(values, [8]))
    from dataclasses import replace

    parts[1] = replace(parts[1], source=replace(parts[1].source, start=8))
    looking = ProfileBuilder(["x"], (), Sample(0, 100))
    looking.add(parts[0])
    with pytest.raises(InputError, match=r"infinite \(row 10\)"):
        looking.add(parts[1])


@given(
    values=st.lists(st.integers(-(10**15), 10**15), min_size=2, max_size=60),
    cuts=st.lists(st.integers(0, 60), min_size=1, max_size=4),
)
def test_what_was_seen_apart_is_joined(values, cuts):
    """What several have seen of parts of a column, joined, is what one sees of it all."""
    parts = list(pieces(values, [cut % len(values) for cut in cuts], pa.int64()))
    alone = ProfileBuilder(["x"], (), Sample(3, 10))
    together, seen = None, 0
    for part in parts:
        alone.add(part)
        one = ProfileBuilder(["x"], (), Sample(3, 10, seen))
        one.add(part)
        seen += part.rows
        if together is None:
            together = one
        else:
            together.join(one)
    whole, joined = alone.profile(), together.profile()
    assert joined.rows == whole.rows == len(values)
    one, other = joined.columns["x"], whole.columns["x"]
    assert (one.different, one.missing) == (other.different, other.missing)
    assert one.different == len(set(values))
    mean, deviation = twin.mean_and_deviation(values)
    assert float(one.moments.base) + one.moments.mean == pytest.approx(mean, abs=10)
    assert one.moments.deviation == pytest.approx(deviation, rel=1e-9)
    assert one.moments.high - one.moments.low == pytest.approx(max(values) - min(values), rel=1e-9)
    drawn_alone = np.asarray(alone.sample.rows["x"]) + float(other.moments.base)
    drawn_apart = np.asarray(together.sample.rows["x"]) + float(one.moments.base)
    assert drawn_apart == pytest.approx(drawn_alone, abs=10)


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=30), min_size=1, max_size=4))
def test_sketches_are_joined(parts):
    """A sketch of parts is the sketch of the whole, also when each holds only the smallest."""
    whole, joined = Sketch(8), Sketch(8)
    for part in parts:
        own = Sketch(8)
        hashes = np.array(part, dtype=np.uint64)
        whole.add(hashes)
        own.add(hashes)
        joined.join(own)
    assert joined.kept.tolist() == whole.kept.tolist()
    assert joined.often.tolist() == whole.often.tolist()


def test_a_sample_of_a_wide_table_is_short():
    """A sample does not grow with the number of columns."""
    assert sample_size(8) == 200_000
    assert sample_size(1000) * 1000 <= 4_000_000
    assert sample_size(20_000) == 2_000
