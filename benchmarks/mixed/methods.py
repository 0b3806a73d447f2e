"""Methods side by side: all group the same records, and all groups are generalized."""

from __future__ import annotations

from itertools import product

import numpy as np
from runs import tables

import shoal
from telling import Bar

SIZES = 5, 10  # k
BEST = "kaim+"
METHODS = {
    "mdav": {},
    "v-mdav": {},
    "hilbert": {},
    "ilsmc+": {"max_iterations": 5_000},
    "kaim": {},
    "k-member": {},
    BEST: {},
}
SEARCHES = "ilsmc+", BEST
FEW = 300  # records: enough to compile everything


def methods():
    """ILoss rate and seconds of every method."""
    rows, losses = [], {}
    for (name, (table, said)), k in product(tables().items(), SIZES):
        for method, more in METHODS.items():
            if k == SIZES[0]:
                warm = {"max_iterations": 100} if method in SEARCHES else {}
                released(table.take(np.arange(FEW)), k, method, warm, said)
            report = released(table, k, method, more, said)
            loss = report.information_loss_released
            losses.setdefault((name, k), {})[method] = loss
            print(f"      {name:<6} {table.rows:>5,} records, k = {k:<2} {method:<8} "
                  f"{report.seconds:6.2f} s  ILoss {loss:8.4f} %", flush=True)  # fmt: skip
            rows.append([name, table.rows, len(report.columns), k, method,
                         f"{report.seconds:.2f}", f"{loss:.6f}"])  # fmt: skip
    least = sum(min(found, key=found.get) == BEST for found in losses.values())
    bars = [Bar(f"{BEST}: the least ILoss, of {len(losses)} rows", least, ">=", len(losses))]
    head = ["table", "records", "quasi_identifiers", "k", "method", "seconds", "loss"]
    return bars, {"methods": [head, *rows]}


def released(table, k, method, more, said):
    """Return the report of a release in which everything is generalized."""
    return shoal.anonymize(table, k=k, method=method, aggregate="generalize", **more, **said).report
