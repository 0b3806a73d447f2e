"""Raise the bounds of records, step by step; what is known is kept and gone on from.

    python benchmarks/records/prove.py SECONDS FOLDER TABLE-K [TABLE-K ...]

spends so many seconds of the processor on each table and k (`tarragona-3`): the linear programme of
the groups that are kept, cuts of up to 15 records, dives that look for better groups, and for k up
to 5 the integer programme over all groups that could be in a better grouping. Where those are too
many it is one over the groups whose reduced cost is below a part of the gap, and proves that part
at the most. FOLDER keeps duals, cuts and columns after every step, so that another run goes on from
there: first it proves again what they proved, then drops the cuts that have no price. Bounds, and
groups that lose less, are offered to the records (`keep.py`). Needs the reference tables
(SHOAL_DATA).
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from keep import DOCS, kept, matrix, offer

from shoal.measures.loss import percent, total_squares
from shoal.methods.bounds.cuts import NOBODY, Cuts
from shoal.methods.bounds.generation import Generation, Plan
from shoal.methods.bounds.integer import solve_integer
from shoal.methods.bounds.losses import cost_of
from shoal.methods.bounds.threads import Gaps, squared_gaps
from shoal.methods.matheuristic.steps import dive

PLAN = Plan(climb=40, branches=2_000, rounds=400, limit=1_000_000, cuts=1, cut_width=15,
            listed=200_000, nodes=20_000, parts=(1.0, 0.75, 0.5, 0.35, 0.25, 0.15),
            closed=1e-6)  # fmt: skip
DIVE = replace(PLAN, cut_width=9, limit=16_000, nodes=2_000, parts=(1.0,), closed=1e-5)
SHARES = 0.9, 0.7, 0.8  # of a group that the programme must take so that a dive does
INTEGER_K = 5
GAIN = 1e-7  # a share of the bound: rounds of cuts that gain less are idle
IDLE = 6  # idle rounds, one after the other, that are the last


class Proof:
    """The programme of a table and k, with the clock of the processor, and its file."""

    def __init__(self, name, k, seconds, folder):
        self.name, self.k, self.seconds = name, k, seconds
        self.begun = time.process_time()
        self.labels = np.loadtxt(DOCS / f"labels/{name}-{k}.txt", dtype=np.int64)
        self.file = folder / f"{name}-{k}.npz"
        self.points = matrix(name)
        self.generation = Generation.scaled(
            Gaps(squared_gaps(self.points)), k, self.labels, remaining=self.remaining, threads=1
        )

    def remaining(self):
        """Return the seconds of the processor that are left."""
        return max(0.0, self.seconds - (time.process_time() - self.begun))

    def restore(self):
        """Take over what another run knew; tell whether there was any."""
        if not self.file.is_file():
            return False
        g, there = self.generation, np.load(self.file)
        members = there["members"]
        sizes = (members != NOBODY).sum(axis=1)
        for size in np.unique(sizes):
            g.columns.add(np.ascontiguousarray(members[sizes == size][:, :size]), g.losses)
        paid = np.flatnonzero(there["prices"] < 0.0)
        g.cuts = Cuts(there["cuts"], there["shares"], there["parts"]).take(paid)
        unit = float(there["unit"]) / g.unit  # the grouping may be another than it was
        g.prices, g.duals = unit * there["prices"][paid], unit * there["duals"]
        g.separations = int(there["separations"])
        return True

    def save(self, step):
        """Keep what is known, offer the bound, and say how far it is from the groups."""
        g = self.generation
        np.savez_compressed(
            self.file, members=g.columns.members, cuts=g.cuts.rows, shares=g.cuts.shares,
            parts=g.cuts.parts, prices=g.prices, duals=g.duals, separations=g.separations,
            unit=g.unit,
        )  # fmt: skip
        bound = percent(g.least, total_squares(self.points))
        command = f"benchmarks/records/prove.py {self.seconds:g} FOLDER {self.name}-{self.k}"
        offer(self.name, self.k, self.labels, command, bound, runs=0)
        row = kept()[self.name, self.k]
        took = time.process_time() - self.begun
        print(f"{self.name} k = {self.k}  {took:7.1f} CPU s  {step:<9} {len(g.cuts):>5} cuts  "
              f"{len(g.columns):>6} columns  bound {bound:.6f}  kept: loss {row['loss']}, gap "
              f"{row['gap_percent']} %", flush=True)  # fmt: skip

    def dive(self, share):
        """Look for groups that lose less where the programme leads, with cuts on the way."""
        g = self.generation
        found = dive(self.points, g, share, DIVE, cuts=2)
        if found is not None and (cost := cost_of(g.losses, found)) < g.upper:
            self.labels, g.upper = found, cost
            g.columns.add_grouping(found, g.losses)
        self.save("dive")

    def run(self):
        """Climb, converge, cut while that gains, dive, then choose among columns."""
        g = self.generation
        if self.restore():
            g.prove(PLAN.limit)
            self.save("restored")
        else:
            g.climb(PLAN.climb, PLAN.branches)
            self.save("climb")
        solved = g.converge(PLAN)
        self.save("programme")
        idle = 0
        while solved and g.solved is not None and idle < IDLE and not g.over():
            before = g.bound
            g.cut(PLAN)
            self.save("cuts")
            idle = 0 if g.bound >= before * (1.0 + GAIN) else idle + 1
        for share in SHARES if solved else ():
            self.dive(share)
        if self.k <= INTEGER_K and not g.over():
            solution = solve_integer(g, self.labels, PLAN)
            g.bound = max(g.bound, solution.bound)
            if solution.labels is not None:
                self.labels = solution.labels
            self.save("proven" if solution.proven else "integer")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    kept_in = Path(sys.argv[2])
    kept_in.mkdir(parents=True, exist_ok=True)
    for cell in sys.argv[3:]:
        table, _, size = cell.rpartition("-")
        Proof(table, int(size), float(sys.argv[1]), kept_in).run()
