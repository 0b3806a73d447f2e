"""Local suppression: cells that differ within a group are suppressed, and no others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.cells.masks import Masks, Patterns, Relaxation, cheapest_masks, fits
from shoal.methods.families.local_search import NodeSearch
from shoal.methods.problem import ILOSS, Family, Nodes, Problem, Solution
from shoal.partition import Bound, canonical_labels
from shoal.progress import Reporter
from shoal.table.hierarchy.specify import Flat

ITERATIONS = {"quick": 10_000, "normal": 50_000, "best": 500_000}  # of the search for groups
PATIENCE = 4  # iterations a record without a gain, after which it ends
ROUNDS = {"quick": 2, "normal": 10, "best": 40}  # perturbations of masks
CLIMB = {"quick": 50, "normal": 150, "best": 800}  # rounds of the bound
PAIRS = 500_000  # of records and patterns, beyond which there are fewer rounds


@dataclass(frozen=True)
class LocalSuppression(Family):
    """Groups by a search on trees, then masks of records: the fewest cells by column weights.

    Where all trees are flat, a group releases what all its cells have in common, and `*` else.
    Masks are for flat trees of few columns and records that all count the same; of others, the
    groups are those of the `search`.
    """

    search: NodeSearch

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return groups whose cells differ in the fewest columns, and a bound where it holds."""
        if problem.k == 1:
            return problem.alone()
        nodes, effort = problem.nodes, problem.effort
        stop = {"iterations": ITERATIONS[effort], "patience": max(1000, PATIENCE * nodes.rows)}
        found = self.search.run(replace(problem, options={"stop": stop}), report)
        small = fits(nodes.rows, len(nodes.coded.columns)) and _is_flat(nodes)
        if problem.constraints is not None or nodes.weights is not None or not small:
            return replace(found, log=None)
        weights = _weights(nodes)
        patterns = Patterns(_codes(nodes), problem.k, weights)
        share = PAIRS / max(PAIRS, patterns.pairs)
        rounds, climb = int(ROUNDS[effort] * share), int(CLIMB[effort] * share)
        masks = cheapest_masks(patterns, found.labels, rounds, problem.seed, report)
        bound = None if np.ptp(weights) > 0.0 else _bound(masks, climb, report)
        return Solution(canonical_labels(masks.own), bound=bound)


def _bound(masks: Masks, rounds: int, report: Reporter) -> Bound:
    """Return what no suppressed cells are fewer than, as a share of all."""
    patterns = masks.patterns
    least = Relaxation(patterns).climb(masks.cost, rounds, report)
    cells = patterns.codes.size * float(patterns.costs[-1]) / patterns.hidden.shape[1]
    return Bound(100.0 * least / cells, None, complete=False, loss_name=ILOSS)


def _codes(nodes: Nodes) -> Integers:
    """Return the records by the numbers of their values; -1 is a missing cell."""
    return np.stack([column.values.indices for column in nodes.coded.columns], axis=1)


def _weights(nodes: Nodes) -> Floats:
    """Return how much every column counts."""
    own = nodes.column_weights or {}
    return np.array([own.get(name, 1.0) for name in nodes.coded.names])


def _is_flat(nodes: Nodes) -> bool:
    """Tell whether every column releases its values, or nothing."""
    columns = nodes.coded.columns
    return all(isinstance(one.rule, Flat) and not one.by_range for one in columns)
