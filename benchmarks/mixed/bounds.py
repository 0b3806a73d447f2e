"""How far from the optimum a search may be: kaim+ beside lower bounds on ILoss."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
from runs import adult_table, tables, trees

import shoal
from shoal.table.assign import with_roles
from shoal.table.read import read
from shoal.table.roles import Role
from telling import Bar

SIZES = 5, 10  # k
RECORDS = 2_000  # of adult, drawn
LIMIT = 120  # seconds of the programme


def bounds():
    """Loss of kaim+, the neighbor bound and that of the programme."""
    whole = adult_table()
    drawn = np.sort(np.random.default_rng(0).choice(whole.rows, RECORDS, replace=False))
    sample, said = tables()["sample"]
    quasi = dict.fromkeys(said["quasi_identifiers"], Role.QUASI_IDENTIFIER)
    sample = read(sample).only(lambda column: column.name in quasi)
    every = {
        "adult": (whole.take(drawn), trees()),
        "sample": (with_roles(sample, quasi), said["hierarchies"]),
    }
    rows, sound = [], 0
    for (name, (table, rules)), k in product(every.items(), SIZES):
        begun = time.process_time()
        found = shoal.microaggregate(table, k, method="kaim+", hierarchies=rules, threads=1)
        seconds = [time.process_time() - begun]
        least = []
        for effort, limit in (("quick", None), ("best", LIMIT)):
            begun = time.process_time()
            least.append(
                shoal.lower_bound(
                    table, k, loss="iloss", hierarchies=rules, effort=effort, time_limit=limit,
                    threads=1,
                )
            )  # fmt: skip
            seconds.append(time.process_time() - begun)
        loss, low, high = found.information_loss, *(bound.information_loss for bound in least)
        sound += low <= high <= loss
        above = least[1].above(loss)
        print(f"      {name:<6} {table.rows:>5,} records, k = {k:<2} ILoss {loss:8.4f} %, at least "
              f"{low:8.4f} and {high:8.4f} %: at most {above:.1f} % above", flush=True)  # fmt: skip
        rows.append([name, table.rows, k, f"{loss:.6f}", f"{low:.6f}", f"{high:.6f}",
                     f"{above:.2f}", *(f"{one:.1f}" for one in seconds)])  # fmt: skip
    head = ["table", "records", "k", "loss", "neighbor_bound", "programme_bound",
            "at_most_above_percent", "search_cpu", "neighbor_cpu", "programme_cpu"]  # fmt: skip
    bars = [Bar(f"bounds below the loss found, of {len(rows)} rows", sound, ">=", len(rows))]
    return bars, {"bounds": [head, *rows]}
