"""Loss over t: merging, swapping, slices and the better of the two, and no t at all."""

from __future__ import annotations

import numpy as np
from runs import FIELDS, WITHOUT, of_adult, of_census, run

from telling import Bar

T = 0.05, 0.1, 0.2, 0.3
WAYS = "merge", "swap", "slices", "auto"
FEW = 20  # every so many records of adult: enough to compile everything
SAMPLE = 20  # every so many records of adult
SECONDS = 120  # for all of adult with `auto`
SEARCH = {"max_iterations": 200}
QUICK = {"effort": "quick"}  # of searches by trees


def census():
    """Two sensitive columns: one that taxable income tells, one that little tells."""
    tied, apart = of_census("FEDTAX"), of_census("EMCONTRB")
    runs = [(tied, "mdav", 5, {}), (tied, "ilsmc+", 5, SEARCH),
            (apart, "mdav", 5, {}), (apart, "ilsmc+", 5, SEARCH)]  # fmt: skip
    return compared("census", runs)


def adult():
    """Categories, equally far apart, and a number."""
    cases = [
        of_adult("occupation", "equal", SAMPLE),
        of_adult("hours-per-week", "ordered", SAMPLE),
    ]
    return compared("adult", [(case, "kaim", 5, {}) for case in cases], T[2:])


def trees():
    """A search by trees, by what it begins with: groups enforced one way, or both, or penalties."""
    asked = [
        (of_adult("occupation", "equal", SAMPLE), 5, "t = 0.3", 0.3),
        (of_adult("occupation", "equal", SAMPLE), 10, "l = 3", None),
    ]
    head = ["records", "sensitive", "k", "asked", "way", "loss", "groups", "seconds", "how"]
    told, worse = [], 0
    for case, k, words, t in asked:
        rows = {WITHOUT: run(case, "kaim+", k, None, WITHOUT, **QUICK)}
        for way in WAYS[1:]:
            more = {"l": 3, "enforce": way} if t is None else {}
            rows[way] = run(case, "kaim+", k, t, way, **more, **QUICK)
        loss = {way: float(row["loss"]) for way, row in rows.items()}
        worse += loss["auto"] > min(loss["swap"], loss["slices"])
        told += [[row["records"], row["sensitive"], k, words, way, row["loss"], row["groups"],
                  row["seconds"], row["how"]] for way, row in rows.items()]  # fmt: skip
    bars = [Bar(f"trees: auto loses more than another way, of {len(asked)}", worse, "<=", 0)]
    return bars, {"losses_trees": [head, *told]}


def compared(name, runs, all_t=T):
    """Return the bars and the rows of some runs, at every t in every way."""
    rows, less, better, every = [], 0, 0, 0
    for case, method, k, more in runs:
        warm(case, method, k, more)
        rows.append(run(case, method, k, None, WITHOUT, **more))
        for t in all_t:
            found = {way: run(case, method, k, t, way, **more) for way in WAYS}
            rows += found.values()
            loss = {way: float(row["loss"]) for way, row in found.items()}
            if found["merge"]["how"].endswith("merged"):  # some groups were not t-close by chance
                every += 1
                less += loss["slices"] < loss["merge"]
                better += loss["auto"] < loss["merge"]
    told = [[row[field] for field in FIELDS] for row in rows]
    bars = [
        Bar(f"{name}: slices lose less than merging, of {every} rows", less, ">=", every),
        Bar(f"{name}: auto loses less than merging, of {every} rows", better, ">=", every),
    ]
    return bars, {f"losses_{name}": [list(FIELDS), *told]}


def warm(case, method, k, more):
    """Compile everything, on a few records."""
    few = case._replace(table=case.table.take(np.arange(0, case.table.rows, FEW)))
    run(few, method, k, 0.3, "auto", **more)


def whole():
    """All records of adult: seconds."""
    case = of_adult("occupation", "equal", 1)
    warm(case, "kaim", 5, {})
    rows = [run(case, "kaim", 5, None, WITHOUT)]
    rows += [run(case, "kaim", 5, 0.2, way) for way in WAYS]
    by_way = {row["way"]: row for row in rows}
    bars = [
        Bar(f"all of adult, t = 0.2, {way}: seconds", float(by_way[way]["seconds"]), "<", SECONDS)
        for way in WAYS
    ]
    kept = [float(by_way[way]["loss"]) for way in ("slices", "merge")]
    bars.append(Bar("all of adult, t = 0.2: loss of slices over that of merging",
                    kept[0] / kept[1], "<", 1))  # fmt: skip
    told = [[row[field] for field in FIELDS] for row in rows]
    return bars, {"losses_whole": [list(FIELDS), *told]}
