"""Bounds on ILoss beside all groups and all groupings of small tables of every kind."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import shoal
from mixed_tables import random_table
from naive.tree_bounds import least_loss, least_of_record, losses_of_groups
from shoal.methods.bounds.generation import Generation, Plan
from shoal.methods.bounds.hierarchies.forms import FormPricer, Forms
from shoal.methods.bounds.hierarchies.neighbors import least_by_companions
from shoal.methods.bounds.integer import solve_integer
from shoal.methods.bounds.losses import cost_of
from shoal.methods.bounds.threads import NO_CUTS
from shoal.methods.topdown.grouping import records_of
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read
from thorough import spread

TOGETHER = "bounds"  # kernels of bounds on trees are compiled once
NO_LIMIT = 10**9
QUIET = Reporter(None)


class Drawn:
    """A random table of up to nine records with weights of columns, and what the twins need."""

    def __init__(self, seed, folder):
        self.rng = rng = np.random.default_rng(seed)
        self.k = int(rng.integers(2, 5))
        rows = int(rng.integers(2 * self.k, 10))
        self.made = made = random_table(
            rng, folder, ranges=seed % 2 == 0, inner=seed % 3 == 0, rows=rows
        )
        draws = rng.choice([1, 1, 2, 5], len(made.trees))
        self.weights = [Fraction(int(weight)) for weight in draws]
        named = dict(zip(made.table.column_names, map(float, self.weights), strict=True))
        self.trees = list(zip(made.trees, made.values, strict=True))
        self.records = made.records
        self.coded = code(read(made.table), made.rules)
        self.forms = Forms(*records_of(self.coded, named))

    @property
    def twin(self):
        """What the twins take."""
        return self.trees, self.weights, self.records, self.k


def never_above(seeds, folder):
    """Hold the bounds of some tables against all groupings; return how many programmes meet them.

    The best grouping is proven, too.
    """
    met = 0
    for seed in seeds:
        drawn = Drawn(seed, folder)
        forms, k, rows = drawn.forms, drawn.k, drawn.forms.rows
        least = float(least_loss(*drawn.twin))
        apart = least_by_companions(forms.trees, forms.codes, k, QUIET)
        assert apart.sum() <= least + 1e-9, seed
        start = np.minimum(np.arange(rows) // k, rows // k - 1)
        generation = Generation.scaled(forms, k, start, threads=1)
        if generation is None:
            assert least == 0.0, seed
            continue
        plan = Plan(cuts=0)
        generation.raise_bound(plan)
        assert apart.sum() - 1e-9 <= generation.least <= least + 1e-9, seed
        met += generation.least >= least * (1.0 - 1e-5)
        solution = solve_integer(generation, start, plan)
        labels = start if solution.labels is None else solution.labels
        assert solution.proven, seed
        assert cost_of(forms, labels) == pytest.approx(least, abs=1e-9), seed
        assert solution.bound * generation.unit <= least + 1e-9, seed
    return met


def test_never_above_the_least_of_all_groupings(tmp_path):
    """Bounds of small tables hold against all their groupings, and the best one is proven."""
    assert never_above(range(9), tmp_path) >= 4


@pytest.mark.slow
def test_never_above_on_two_thousand_tables(tmp_path):
    """So do those of two thousand."""
    assert never_above(range(2_000), tmp_path) >= 1_000


@pytest.mark.parametrize("seed", spread(range(30), 12))
def test_the_cheapest_companions(seed, tmp_path):
    """What a record loses at least is that of all groups of k with it, one by one."""
    drawn = Drawn(seed, tmp_path)
    found = least_by_companions(drawn.forms.trees, drawn.forms.codes, drawn.k, QUIET)
    twin = [float(least_of_record(*drawn.twin, row)) for row in range(len(drawn.records))]
    assert found == pytest.approx(twin, abs=1e-9)


@pytest.mark.parametrize("seed", spread(range(30), 12))
def test_pricing_finds_and_lists_the_cheapest_groups(seed, tmp_path):
    """The best group of every first record is that of all groups; cut short, less is promised."""
    drawn = Drawn(seed, tmp_path)
    every, rng = losses_of_groups(*drawn.twin), drawn.rng
    for size in {len(group) for group in every}:
        groups = [group for group in every if len(group) == size]
        losses = drawn.forms.of_groups(np.array(groups))
        assert losses == pytest.approx([float(every[group]) for group in groups])
    duals = rng.uniform(-0.3, 1.2, size=len(drawn.records))
    reduced = {group: float(loss) - duals[[*group]].sum() for group, loss in every.items()}
    for threads in (1, 2):
        pricer = FormPricer(drawn.forms, drawn.k, threads, small=0)
        found = pricer.price(duals, NO_LIMIT, 1e-9)
        assert found.cut_short == 0
        for root, own in enumerate(found.reduced.T):
            least = min((cost for group, cost in reduced.items() if group[0] == root), default=0.0)
            assert own.min() == pytest.approx(min(least, 0.0), abs=1e-8)
            if own.min() < 0:
                group = tuple(sorted(found.groups[own.argmin()][root].tolist()))
                assert reduced[group] == pytest.approx(own.min(), abs=1e-8)
    for most in (0, 1, 3):
        assert pricer.price(duals, most, 1e-9).missing <= found.missing + 1e-9
    limit = float(rng.uniform(-0.5, 1.0))
    listed = pricer.every_group(duals, limit, NO_LIMIT, 10_000, NO_CUTS, np.zeros(0))
    assert listed is not None
    told = sorted(tuple(sorted(group)) for groups in listed for group in groups.tolist())
    assert told == sorted(group for group, cost in reduced.items() if cost < limit)
    if told:
        few = len(told) - 1
        assert pricer.every_group(duals, limit, NO_LIMIT, few, NO_CUTS, np.zeros(0)) is None


def test_a_large_table_and_many_equal_records():
    """Equal records lose nothing; k as large as the table loses what all records lose."""
    rng = np.random.default_rng(0)
    rows = [[str(cell) for cell in row] for row in rng.integers(0, 3, (400, 4))]
    table = {f"c{j}": [row[j] for row in rows] for j in range(4)}
    forms = Forms(*records_of(code(read(table))))
    lost = [
        least_by_companions(forms.trees, forms.codes, k, QUIET).sum() for k in (1, 2, 10, 60, 400)
    ]
    assert lost[0] == 0.0
    assert lost == sorted(lost)
    assert lost[-1] == pytest.approx(cost_of(forms, np.zeros(400, dtype=np.int64)))
    again = forms.take(np.repeat(np.arange(50), 3))
    assert least_by_companions(again.trees, again.codes, 3, QUIET).sum() == 0.0


@pytest.mark.parametrize("seed", spread(range(8), 4))
def test_exact_on_mixed_tables(seed, tmp_path):
    """`exact` returns the least ILoss of all groupings, with the bound that proves it."""
    drawn = Drawn(seed, tmp_path)
    found = shoal.microaggregate(
        drawn.made.table, drawn.k, method="exact", hierarchies=drawn.made.rules
    )
    if not drawn.made.rules and not any(None in record for record in drawn.records):
        assert found.loss_name == "SSE/SST, percent"
        return
    ones = [Fraction(1)] * len(drawn.trees)
    least = float(least_loss(drawn.trees, ones, drawn.records, drawn.k))
    least *= 100.0 / (len(drawn.records) * len(ones))
    assert found.loss_name == "ILoss rate, percent"
    assert found.information_loss == pytest.approx(least, abs=1e-9)
    assert found.bound.information_loss <= least + 1e-9
    assert "proven optimal" in found.summary()
