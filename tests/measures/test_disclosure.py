"""The risk of a table as it is against brute force, on random small tables."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

import shoal
from naive import disclosure as naive
from shoal.measures.disclosure.assess import (
    Asked,
    Known,
    assess,
    fit_pitman,
    individual_risks,
    pitman,
    population_uniques,
    zayatz,
)
from shoal.measures.disclosure.figures import classes_of_others, columns_of, figures_of, sets_of
from shoal.measures.disclosure.key import combined, common_keys, key_of
from shoal.measures.disclosure.loglinear import Cells, bias_of, fit_dense, fit_forest, log_linear
from shoal.measures.disclosure.roots import digamma
from shoal.measures.disclosure.sets import score, walk
from shoal.measures.disclosure.slide_negative_binomial import (
    Slide,
    classes_of_population,
    slide_negative_binomial,
)
from shoal.table.roles import Column, Kind, Role
from thorough import is_thorough

TABLES = 300
SOME_AND_ALL = pytest.mark.parametrize("tables", [6, pytest.param(TABLES, marks=pytest.mark.slow)])
READINGS = ("own", "root", "wildcard")


def table(seed, gaps=True):
    """A random table of a few rows and columns, a cell in six missing, and a way to draw more."""
    rng = random.Random(seed)
    width, values = rng.randint(1, 4), rng.randint(2, 4)

    def rows(many):
        return [
            tuple(None if gaps and rng.random() < 1 / 6 else rng.randrange(values)
                  for _ in range(width))
            for _ in range(many)
        ]  # fmt: skip

    return rows(rng.randint(1, 14)), rows, rng


def columns(rows):
    """The columns of a table as Shoal reads them; the first is of texts."""
    cells = list(zip(*rows, strict=True))
    first = Column("c0", Kind.TEXT, pa.array(list(map(_text, cells[0])), pa.string()))
    others = [
        Column(f"c{j}", Kind.INTEGER, pa.array(part, pa.int64()))
        for j, part in enumerate(cells[1:], 1)
    ]
    return [first, *others]


def _text(cell):
    return None if cell is None else f"v{cell}"


_share = cache(naive.expected_share)


@pytest.mark.parametrize("reading", READINGS)
def test_counts_and_risks(reading):
    """Class sizes, weights and people of a population are counted as by comparing all pairs."""
    for seed in range(TABLES if is_thorough() else TABLES // 3):
        rows, more, rng = table(seed)
        weights = [rng.choice([1.0, 2.5, 7.0, 40.0]) for _ in rows]
        homes = [rng.randrange(3) for _ in rows]
        asked = Asked(k=3, missing_as=reading, threshold=0.3)
        known = Known(np.array(weights), np.array(homes))
        found = assess(key_of(columns(rows)), known, asked)
        sizes = naive.counts(rows, rows, reading)
        people = naive.counts(rows, rows, reading, weights)
        assert found.members.tolist() == sizes
        assert found.people == pytest.approx(people)
        risks = [_share(f, f / w) for f, w in zip(sizes, people, strict=True)]
        assert found.risks == pytest.approx(risks, rel=1e-6)
        assert found.households == pytest.approx(naive.household(risks, homes), rel=1e-6)
        figures = figures_of(found)
        n = len(rows)
        assert figures["sample_uniques"].value == pytest.approx(100 * sizes.count(1) / n)
        assert figures["below_k"].value == pytest.approx(100 * sum(f < 3 for f in sizes) / n)
        assert figures["prosecutor"].value == pytest.approx(100 / min(sizes))
        assert figures["average"].value == pytest.approx(100 * sum(1 / f for f in sizes) / n)
        assert figures["journalist"].value == pytest.approx(100 * max(risks), rel=1e-6)
        assert figures["marketer"].value == pytest.approx(100 * sum(risks) / n, rel=1e-6)
        assert figures["expected"].value == pytest.approx(sum(risks), rel=1e-6)
        assert figures["above"].value == pytest.approx(100 * sum(r > 0.3 for r in risks) / n)
        if seed % 3 != READINGS.index(reading):
            continue
        others = rows + more(10)
        key, population = common_keys(columns(rows), columns(others))
        found = assess(key, Known(population=population), asked)
        people = naive.counts(rows, others, reading, outside=True)
        assert found.people.tolist() == people
        figures = figures_of(found)
        assert figures["k_map"].value == min(people)
        assert found.risks == pytest.approx(
            [1 / max(f, w) for f, w in zip(sizes, people, strict=True)]
        )
        own = naive.counts(rows, rows, "own")
        shares = [f / max(f, w) for f, w in zip(own, people, strict=True)]
        assert figures["delta_presence"].value == pytest.approx(100 * max(shares))
        met = [any(naive.matching(r, p, reading, outside=True) for r in rows) for p in others]
        least = 100 * min(shares) if all(met) else 0
        assert float(figures["delta_presence"].rest.split()[2]) == pytest.approx(least, rel=1e-2)
        alone = naive.counts(others, others, "own").count(1)
        assert figures["population_uniques"].value == pytest.approx(100 * alone / len(others))


def test_sets_and_scores():
    """Counts of all sets, minimal sample uniques and scores are those of trying every set."""
    for seed in range(TABLES):
        rows, _, rng = table(seed)
        width = len(rows[0])
        most, k = rng.randint(1, width), rng.randint(2, 4)
        key = key_of(columns(rows))
        found = walk(key.codes, most, k)
        for count in found.counts.values():
            wanted = naive.set_counts(rows, count.columns, k)
            assert (count.distinct, count.unique, count.below, count.pairs) == wanted
            every = math.comb(len(rows), 2)
            assert count.separation == pytest.approx(1 - wanted[3] / every if every else 1)
        assert len(found.counts) == sum(math.comb(width, size) for size in range(1, most + 1))
        minimal = naive.minimal_uniques(rows, most)
        masks = {(i, sum(1 << j for j in chosen)) for i, chosen in minimal}
        pairs = list(zip(found.uniques.records.tolist(), found.uniques.masks.tolist(), strict=True))
        assert len(pairs) == len(masks)
        assert set(pairs) == masks
        sizes = np.bincount(key.classes())
        scored = score(found.uniques, sizes, (len(rows), width), most, 0.2)
        scores, shares = naive.suda(minimal, len(rows), width, most)
        assert scored.scores == pytest.approx(scores)
        total = sum(scores) or 1
        assert scored.columns == pytest.approx([share / total for share in shares])
        dis, risk = naive.dis_suda(scores, naive.counts(rows, rows, "own"), 0.2, width)
        assert scored.dis == pytest.approx(dis)
        assert scored.file_risk == pytest.approx(risk)
        special = [any(at == i and len(c) < width for at, c in minimal) for i in range(len(rows))]
        assert scored.special.tolist() == special


def test_columns_left_out_and_coarser():
    """What a column does without, and one level up, is counted as on the changed table."""
    for seed in range(TABLES):
        rows, _, _ = table(seed)
        key = key_of(columns(rows))
        found = assess(key, Known(), Asked(k=3))
        up = [codes // 2 for codes in key.codes]
        levels = {name: ("halves", up[j]) for j, name in enumerate(key.names)}
        for j, one in enumerate(columns_of(found, levels)):
            others = [i for i in range(len(rows[0])) if i != j]
            _, unique, below, _ = naive.set_counts(rows, others, 3)
            assert (one.unique_without, one.below_without) == (unique, below)
            changed = [(*(row[i] for i in others), int(up[j][at])) for at, row in enumerate(rows)]
            _, unique, below, _ = naive.set_counts(changed, range(len(rows[0])), 3)
            assert (one.coarser.unique, one.coarser.below) == (unique, below)
            distinct, unique, _, pairs = naive.set_counts(rows, [j], 3)
            assert (one.distinct, one.unique) == (distinct, unique)
            every = math.comb(len(rows), 2)
            assert one.separation == pytest.approx(1 - pairs / every if every else 1)
        assert [labels.size for labels in classes_of_others(key.codes)] == [len(rows)] * len(up)


def test_individual_risk_by_both_formulas():
    """The exact risk is the expectation; the approximation is near it, and exact up to three."""
    f = np.array([1, 1, 2, 3, 4, 10, 40, 60, 61, 100], dtype=float)
    for p in (0.05, 0.3, 0.5, 0.51, 0.9, 1.0):
        exact = individual_risks(f, f / p)
        wanted = [naive.expected_share(size, p, 5_000) for size in f]
        assert exact == pytest.approx(wanted, rel=1e-11)
        near = individual_risks(f, f / p, "approximate")
        assert near[:4] == pytest.approx(exact[:4])
        assert near[4:] == pytest.approx(p / (f[4:] - (1 - p)))
        assert near == pytest.approx(exact, rel=0.06)


def test_zayatz_is_bayes_with_the_sample_as_prior():
    """Unique people by Zayatz are those of binomial coefficients written out."""
    for seed in range(TABLES):
        rng = random.Random(seed)
        sizes = [1, *(rng.randint(1, 6) for _ in range(rng.randint(1, 12)))]
        fraction = rng.choice([0.1, 0.25, 0.5, 0.8])
        held, counts = np.unique(sizes, return_counts=True)
        assert zayatz(held, counts, fraction) == pytest.approx(naive.zayatz(sizes, fraction))


@SOME_AND_ALL
def test_pitman_maximizes_the_likelihood(tables):
    """No θ and α near those of the estimate have a higher likelihood."""
    rng = np.random.default_rng(4)
    for _ in range(tables):
        sizes = np.minimum(rng.zipf(1.8, 30), 20)
        held, counts = np.unique(sizes, return_counts=True)
        theta, alpha = fit_pitman(held, counts)
        best = naive.pitman_likelihood(theta, alpha, sizes.tolist())
        for step, other in ((-1e-3, 0.0), (1e-3, 0.0), (0.0, -1e-3), (0.0, 1e-3), (1e-3, 1e-3)):
            if alpha + other > 0.0:  # α ends there
                near = naive.pitman_likelihood(theta + step, alpha + other, sizes.tolist())
                assert near <= best + 1e-9
        wanted = math.gamma(theta + 1) / math.gamma(theta + alpha) * (sizes.sum() / 0.1) ** alpha
        assert pitman(held, counts, 0.1) == pytest.approx(wanted)
    assert pitman(np.array([1]), np.array([9]), 0.1) is None


def test_slide_negative_binomial_expects_what_is_there():
    """From the expected numbers of classes of one and two, the unique people come back."""
    for alpha, beta, fraction in ((0.5, 0.3, 0.3), (2.0, 0.5, 0.5), (1.2, 0.2, 0.4)):
        one, two = naive.slide_chances(alpha, beta, fraction)
        rng = np.random.default_rng(1)
        people = 1 + rng.negative_binomial(alpha, beta, 50_000)
        drawn = rng.binomial(people, fraction)
        held, counts = np.unique(drawn[drawn > 0], return_counts=True)
        assert counts[0] / 50_000 == pytest.approx(one, rel=0.04)
        assert counts[1] / 50_000 == pytest.approx(two, rel=0.04)
        classes = classes_of_population(held, counts, fraction)
        found = slide_negative_binomial(held, counts, fraction)
        assert found == pytest.approx((people == 1).sum() * classes / 50_000, rel=0.25)


@SOME_AND_ALL
def test_slide_negative_binomial_solves_both_equations(tables):
    """Of numbers that α and β expect exactly, α and β are among the solutions."""
    rng = np.random.default_rng(5)
    for _ in range(tables):
        alpha, beta = rng.uniform(0.2, 3.0), rng.uniform(0.25, 0.9)
        fraction = rng.uniform(0.05, 0.7)
        one, two = naive.slide_chances(alpha, beta, fraction, 300)
        model = Slide(1e4, fraction, 1e4 * one, 1e4 * two)
        every = [pair for branch in (0, 1) for pair in model.fits(branch)]
        assert any(found == pytest.approx((beta, alpha), rel=1e-3) for found in every)


def test_dankar_chooses_among_models():
    """Small samples take Pitman's model, large ones the smaller of the two others."""
    sizes = np.array([1] * 30 + [2] * 10 + [3] * 5 + [9])
    small, large = population_uniques(sizes, 0.05), population_uniques(sizes, 0.4)
    assert (small.chosen, small.share) == ("pitman", small.pitman)
    assert large.share == min(large.zayatz, large.snb)
    assert population_uniques(np.array([1, 1, 1]), 0.05).chosen == "zayatz"
    nobody = population_uniques(np.array([2, 3]), 0.05)
    assert (nobody.chosen, nobody.share) == ("none", 0.0)


def test_digamma():
    """Digamma is the derivative of the logarithm of Γ."""
    for x in (0.01, 0.5, 1.0, 3.3, 9.9, 10.1, 500.0):
        step = 1e-5 * x
        slope = (math.lgamma(x + step) - math.lgamma(x - step)) / (2 * step)
        assert digamma(x) == pytest.approx(slope, rel=1e-7)
    assert digamma(1.0) == pytest.approx(-0.5772156649015329, rel=1e-14)


def test_fits_without_two_way_effects_are_products():
    """Main effects alone: the expected count of a cell is n times the product of its shares."""
    for seed in range(TABLES):
        rows, _, _ = table(seed)
        key = key_of(columns(rows))
        classes = key.classes()
        shape = tuple(int(codes.max()) + 1 for codes in key.codes)
        wanted = naive.independent(rows)
        for fit in (fit_dense, fit_forest):
            cells = fit(key.codes, shape, [], classes, 0)
            assert cells.own[classes] == pytest.approx(wanted, abs=1e-6)


def test_both_fits_agree_where_pairs_make_no_circle():
    """Iterative fitting and products of shares give the same counts, and near the same bias."""
    rng = np.random.default_rng(2)
    a, c = rng.integers(0, 4, 600), rng.integers(0, 3, 600)
    codes = (a, (a + rng.integers(0, 2, 600)) % 4, c, (c + rng.integers(0, 3, 600)) % 5)
    classes = combined(codes, 600)
    pairs = [(0, 1), (2, 3)]
    dense = fit_dense(codes, (4, 4, 3, 5), pairs, classes, 0)
    forest = fit_forest(codes, (4, 4, 3, 5), pairs, classes, 0)
    assert forest.own == pytest.approx(dense.own, abs=1e-6)
    assert bias_of(forest, 0.3)[0] == pytest.approx(bias_of(dense, 0.3)[0], abs=0.02)
    full = fit_dense(codes, (4, 4, 3, 5), [(0, 1), (2, 3), (0, 2)], classes, 0)
    table_ = np.zeros((4, 4, 3, 5))
    np.add.at(table_, codes, 1.0)
    fitted = full.means.reshape(table_.shape)
    for rest in ((2, 3), (0, 1), (1, 3)):
        assert fitted.sum(axis=rest) == pytest.approx(table_.sum(axis=rest), abs=1e-5)


def test_the_bias_is_its_expansion():
    """The estimated bias is that of the differences of the function it expands."""
    rng = np.random.default_rng(3)
    far = 0
    for _ in range(TABLES):
        means = rng.gamma(0.7, 0.5, 60)
        counts = rng.poisson(means).astype(float)
        bias, z = bias_of(Cells(counts, means, np.ones(60), means), 0.4)
        assert bias == pytest.approx(naive.bias(counts, means, 0.4), rel=1e-3, abs=1e-6)
        far += abs(z) > 2
    assert far < TABLES / 10  # of means that are right, few look wrong


def test_the_model_finds_what_depends():
    """Of a population that is known, the chosen model estimates its uniques well."""
    rng = np.random.default_rng(0)
    a, c = rng.integers(0, 12, 60_000), rng.integers(0, 8, 60_000)
    b = (a + rng.integers(0, 3, 60_000)) % 12
    d = (2 * c + rng.integers(0, 3, 60_000)) % 20
    people = a, b, c, d, np.minimum(rng.geometric(0.3, 60_000), 14)
    inside = rng.random(60_000) < 0.1
    sizes = np.bincount(combined(people, 60_000))[combined(people, 60_000)][inside]
    rows = [pa.array(one[inside]) for one in people]
    key = key_of(shoal.read(pa.table(rows, names=list("abcde"))).columns)
    classes = key.classes()
    model = log_linear(key, classes, 0.1)
    alone = np.bincount(classes)[classes] == 1
    assert model.accepted
    assert set(model.steps[model.chosen].pairs) == {(0, 1), (2, 3)}
    assert model.alone == pytest.approx((sizes[alone] == 1).sum(), rel=0.15)
    assert model.right == pytest.approx((1 / sizes[alone]).sum(), rel=0.05)
    assert np.isnan(model.risks[~alone]).all()
    assert np.nansum(model.risks) == pytest.approx(model.right)


def test_many_sets_are_counted_in_a_sample():
    """Where all sets of all records are too many, a sample is counted, and there are no scores."""
    rng = np.random.default_rng(0)
    rows = pa.table({f"c{j}": rng.integers(0, 9, 1_200) for j in range(9)})
    key = key_of(shoal.read(rows).columns)
    found = assess(key, Known(), Asked(size=2, visits=10_000))
    assert found.sampled == 1_000
    assert found.suda is None
    assert {one.records for one in found.walk.counts.values()} == {1_000}
    assert len(sets_of(found)) == 9 + 36
    assert assess(key, Known(), Asked(size=2)).sampled is None


@pytest.mark.reference
def test_adult_is_as_risky_as_arx_says():
    """Average risk and uniqueness of adult's complete records are those that ARX prints."""
    adult = shoal.datasets.load("adult")
    names = [c.name for c in adult.columns if c.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE)]
    assert len(names) == 9
    training = 32_561  # records, of which ARX has those without a missing cell
    parts = {name: adult[name].values.slice(0, training) for name in names}
    frame = pa.table(parts).drop_null()
    assert frame.num_rows == 30_162
    found = figures_of(assess(key_of(shoal.read(frame).columns), Known(), Asked()))
    assert found["average"].value == pytest.approx(64.65751607983555, rel=1e-12)
    assert found["sample_uniques"].value == pytest.approx(51.42895033485844, rel=1e-12)
