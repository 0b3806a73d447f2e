"""What columns lost: SSE/SST, ILoss or the share of changed cells; and what trees cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.measures.generalization import column_costs, costs_of
from shoal.measures.loss import percent
from shoal.report.chunk import GENERALIZED, Aggregation, Pair
from shoal.report.figures.numbers import rounding_loss, variation_lost
from shoal.report.figures.ranges import Ranges
from shoal.table.roles import AVERAGED, STRATUM, averaged


def chunk(pair: Pair, ranges: Ranges) -> dict[str, Any]:
    """Sum up what cells lost that did not stay numbers, by survey weight; and costs of trees."""
    every = np.ones(pair.there.size, dtype=bool)
    sums: dict[str, Any] = {"mass": pair.mass(every), "there": pair.mass(pair.there)}
    if pair.tree is not None:
        cells, costs = column_costs(pair.tree, pair.labels, ranges.counts[pair.name])
        lost = float((cells if pair.weights is None else cells * pair.weights).sum())
        sums["costs"] = {**costs, "iloss": lost}
        if pair.aggregator in GENERALIZED:
            sums["lost"] = lost
    if pair.aggregator not in (*GENERALIZED, *AVERAGED, STRATUM):
        sums["lost"] = pair.mass(pair.there & ~pair.same)
    return sums


def finalize(sums: dict[str, Any], ranges: Ranges) -> dict[str, Any]:
    """Return the loss of every column and of all in percent, the costs and ILoss of the groups.

    Of means, medians and majorities SSE/SST (of ordinal columns on ranks), of generalized cells
    ILoss, of cells that became another's (mode, medoid) the share of those that changed. `rounding`
    is how much of SSE/SST is due to rounding.
    """
    own, rows, aggregators = sums["losses"], sums["cells"]["records"], ranges.aggregators
    columns = {name: _lost(name, sums, aggregators[name]) for name in own}
    rounding = {
        name: rounding_loss(one, own[name]["there"]) for name, one in sums["numbers"].items()
    }
    grouped = [name for name in own if aggregators[name] != STRATUM]
    by_mean = averaged(aggregators)
    varied = sum(map(ranges.varies, grouped)) if by_mean else None
    trees = {name: _costs(one, rows) for name, one in own.items() if "costs" in one}
    shown = [one for name, one in trees.items() if aggregators[name] in GENERALIZED]
    costs = None
    if trees and not by_mean:
        sizes = {int(size): many for size, many in sums["classes"]["sizes"].items()}
        costs = costs_of(shown, sizes, ranges.k, ranges.deleted).to_dict()
    return {
        "columns": columns,
        "rounding": rounding,
        "all": _overall([columns[name] for name in grouped], varied, rows, ranges.deleted),
        "all_rounding": None
        if varied is None
        else _overall([one or 0.0 for one in rounding.values()], varied, rows, 0),
        "costs": costs,
        "iloss": percent(sum(one["iloss"] for one in trees.values()), rows * len(trees)),
    }


def _costs(own: dict[str, Any], rows: int) -> dict[str, float]:
    """Return the costs of a column's tree; ILoss by weights is in records of average weight."""
    costs, mass = own["costs"], own["mass"]
    return costs if mass == rows else {**costs, "iloss": costs["iloss"] / mass * rows}


def _lost(name: str, sums: dict[str, Any], aggregator: str) -> float:
    """Return what a column lost, in percent."""
    if aggregator == STRATUM:
        return 0.0
    own = sums["losses"][name]
    if aggregator not in AVERAGED:
        return 100.0 * float(own["lost"]) / float(own["mass"])
    if name in sums["numbers"]:
        return variation_lost(sums["numbers"][name], own["there"])
    rows = sums["cells"]["records"]
    return percent(rows - sums["cells"]["columns"][name]["missing"], rows)


def _overall(errors: Sequence[float], varied: int | None, rows: int, deleted: int) -> float:
    """Return the loss of all columns: of those that vary, or of all, deleted records included."""
    if varied is None:
        lost = float(np.mean(errors))
    else:
        lost = percent(float(np.sum(errors)), 100.0 * varied)
    return (lost * rows + 100.0 * deleted) / (rows + deleted)


LOSSES = Aggregation(chunk, finalize, by_column=True)
