"""The complete records of adult by effort, beside another tool's groups: loss and CPU time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from runs import adult_table, trees

from shoal.measures.generalization import loss_rate
from shoal.methods.problem import Nodes, Problem
from shoal.methods.solve import solve
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from telling import Bar, percent, table, wrapped

SIZES = 5, 10  # k
FIRST = 32_561  # records, of which those without missing cells are grouped
FEW = 400  # records: enough to compile everything
STARTS = "kaim", "top-down"
ASKED = {  # loss and processor seconds by effort and k
    ("quick", 5): (5.95, 8), ("quick", 10): (8.70, 8),
    ("normal", 5): (5.78, 25), ("normal", 10): (8.45, 25),
}  # fmt: skip
AIM = {5: 5.65, 10: 8.30}  # of best effort
WHOLE = 10, 7.45, 40  # all of adult: k, loss, processor seconds at normal effort
OTHER = "ARX, local recoding"


def complete():
    """Return the complete records among the first of adult, as nodes of their trees."""
    some = adult_table().take(np.arange(FIRST))
    absent = np.any([column.absent for column in code(some, trees()).columns], axis=0)
    return code(some.take(np.flatnonzero(~absent)), trees())


def efforts():
    """Loss and processor time of starts, efforts and the other tool's groups."""
    coded = complete()
    few = Problem(Nodes(coded.take(np.arange(FEW))), SIZES[0], options={"stop": {"iterations": 90}})
    solve(few, "kaim+", Reporter(None))
    rows, bars = [], []
    for k in SIZES:
        for method in STARTS:
            rows.append(told(coded, k, method, "", *grouped(coded, k, method)))
        for effort in ("quick", "normal", "best"):
            loss, seconds = grouped(coded, k, "auto", effort)
            rows.append(told(coded, k, "auto", effort, loss, seconds))
            if (effort, k) in ASKED:
                least, longest = ASKED[effort, k]
                bars += [
                    Bar(f"complete adult, k = {k}, {effort}: ILoss, percent", loss, "<=", least),
                    Bar(f"complete adult, k = {k}, {effort}: CPU seconds", seconds, "<=", longest),
                ]
            else:
                bars.append(Bar(f"complete adult, k = {k}, {effort}: ILoss", loss, "<=", AIM[k]))
        rows += others(coded, k)
    k, least, longest = WHOLE
    every = code(adult_table(), trees())
    loss, seconds = grouped(every, k, "auto", "normal")
    rows.append(told(every, k, "auto", "normal", loss, seconds))
    bars += [
        Bar(f"all of adult, k = {k}, normal: ILoss, percent", loss, "<=", least),
        Bar(f"all of adult, k = {k}, normal: CPU seconds", seconds, "<=", longest),
    ]
    head = ["records", "k", "method", "effort", "cpu_seconds", "loss"]
    return bars, {"efforts": [head, *rows]}


def grouped(coded, k, method, effort="normal"):
    """Return the loss of a method's groups, and the processor seconds of all threads."""
    begun = time.process_time()
    found = solve(Problem(Nodes(coded), k, effort=effort), method, Reporter(None))
    return found.information_loss, time.process_time() - begun


def others(coded, k):
    """Return the loss of another tool's groups, and of a search from there, if they are there."""
    path = Path(os.environ.get("SHOAL_BASELINE", "")) / f"arx_local_recoding_k{k}.txt"
    if not path.is_file():
        print(f"      SHOAL_BASELINE names no folder with {path.name}: left out", flush=True)
        return []
    labels = np.unique(path.read_text(encoding="utf-8").split(), return_inverse=True)[1]
    rows = [told(coded, k, OTHER, "", loss_rate(coded, labels), None)]
    begun = time.process_time()
    problem = Problem(Nodes(coded), k, start=labels.astype(np.int64))
    found = solve(problem, "kaim+", Reporter(None))
    seconds = time.process_time() - begun
    return [*rows, told(coded, k, f"{OTHER}, then kaim+", "", found.information_loss, seconds)]


def told(coded, k, method, effort, loss, seconds):
    """Print a run and return it as the csv file has it."""
    took = "" if seconds is None else f"{seconds:.1f}"
    print(f"      {coded.rows:,} records, k = {k:<2} {method:<32} {effort:<6} {took:>6} CPU s  "
          f"loss {loss:7.4f} %", flush=True)  # fmt: skip
    return [coded.rows, k, method, effort, took, f"{loss:.6f}"]


def efforts_text(there):
    """Return what the page says of loss and processor time by effort."""
    cells = [
        [f"{int(row['records']):,}", row["k"], row["method"], row["effort"], row["cpu_seconds"],
         f"{float(row['loss']):.3f}" if float(row["loss"]) else percent(row["loss"])]
        for row in there["efforts"]
    ]  # fmt: skip
    return [
        "## Efforts on adult",
        wrapped("""The complete records among the first 32,561 of adult, 8 quasi-identifiers with
            their trees, and all of adult. `auto` is `kaim+`, which begins with `top-down`; `normal`
            includes the run of `quick` that it is compared with, `best` that of `normal` that it
            goes on from. Seconds are those of the processor, all threads together, everything
            compiled. The groups of ARX's local recoding are those of a run of that tool on the same
            records (`SHOAL_BASELINE` names their folder). `make mixed` writes it,
            `benchmarks/mixed/mixed.py efforts` this part."""),
        table(["records", "k", "method", "effort", "CPU s", "loss, percent"], cells, left=4),
    ]  # fmt: skip
