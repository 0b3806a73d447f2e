"""One level for all records: loss and CPU time of full-domain recoding beside `kaim+`."""

from __future__ import annotations

import math
import time

from efforts import SIZES, complete

from shoal.methods.fulldomain.columns import leveled
from shoal.methods.problem import Nodes, Problem
from shoal.methods.solve import solve
from shoal.progress import Reporter
from telling import Bar, table, wrapped

SHARES = 0.0, 0.01, 0.05, 0.1  # of the records, which may be left out
EFFORTS = "quick", "normal"
SECONDS = 10


def domain():
    """Loss and processor time of the best levels, and of groups that have levels of their own."""
    coded = complete()
    for method in ("full-domain", "kaim+"):  # compiles
        solve(Problem(Nodes(coded), 50, options=few(method)), method, Reporter(None))
    rows, bars = [], []
    combinations = math.prod(leveled(column).levels.size for column in coded.columns)
    for k in SIZES:
        for share in SHARES:
            row = run(coded, k, "full-domain", suppress=share)
            rows.append([*row, combinations])
            what = f"complete adult, k = {k}, full-domain, suppress {share:g}: CPU seconds"
            bars.append(Bar(what, float(row[-2]), "<=", SECONDS))
        rows += [[*run(coded, k, "kaim+", effort=effort), ""] for effort in EFFORTS]
    head = ["records", "k", "method", "effort", "suppress", "left_out", "classes", "cpu_seconds",
            "loss", "combinations"]  # fmt: skip
    return bars, {"domain": [head, *rows]}


def few(method):
    """Return the options of a short search, where a method searches."""
    return {"stop": {"iterations": 90}} if method == "kaim+" else {}


def run(coded, k, method, effort="", suppress=0.0):
    """Run a method, print what it took and return it as the csv file has it."""
    named = "auto" if effort else method
    problem = Problem(Nodes(coded), k, effort=effort or "normal", suppress=suppress)
    begun = time.process_time()
    found = solve(problem, named, Reporter(None))
    seconds = time.process_time() - begun
    gone = 0 if found.recoding is None else found.recoding.suppressed.size
    print(f"      k = {k:<2} {method:<12} {effort:<6} suppress {suppress:4g}: {gone:>5,} left out, "
          f"{found.groups:>5,} classes, {seconds:6.2f} CPU s  loss {found.information_loss:7.4f} %",
          flush=True)  # fmt: skip
    return [coded.rows, k, found.method, effort, f"{suppress:g}", gone, found.groups,
            f"{seconds:.2f}", f"{found.information_loss:.6f}"]  # fmt: skip


def domain_text(there):
    """Return what the page says of one level for all records."""
    rows = there["domain"]
    cells = [
        [row["k"], f"`{row['method']}`", row["effort"],
         f"{100 * float(row['suppress']):g} %" if row["combinations"] else "",
         f"{int(row['left_out']):,}" if row["combinations"] else "", f"{int(row['classes']):,}",
         row["cpu_seconds"], f"{float(row['loss']):.2f}"]
        for row in rows
    ]  # fmt: skip
    return [
        "## One level for all records",
        wrapped(f"""The {int(rows[0]["records"]):,} complete records among the first 32,561 of
            adult, 8 quasi-identifiers with their trees. `full-domain` releases one level of every
            column for all records, the best of {int(rows[0]["combinations"]):,} combinations,
            proven; up to a share of the records, those in classes of fewer than k, are left out and
            count as lost. `kaim+` generalizes every group as little as it can: what one coding of
            the whole table costs is the difference. Seconds are those of the processor, all threads
            together, everything compiled. `make mixed` writes it, `benchmarks/mixed/mixed.py
            domain` this part."""),
        table(["k", "method", "effort", "may be left out", "left out", "classes", "CPU s",
               "loss, percent"], cells, left=3),
    ]  # fmt: skip
