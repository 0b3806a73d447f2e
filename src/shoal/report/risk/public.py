"""Figures of a table's own risk that may be published: stable against k people.

Adding, removing or replacing k records changes each by at most its bound. A record that is added or
removed changes only its own class (missing cells match nothing else here, or nothing is published):

- unique records: by at most 1, itself or the one that is left; classes: by at most 1;
- records in classes of fewer than k: by at most k - 1, all of a class that falls below k, or all
  that one was short of;
- right links, the sum over classes of f E[1/F]: by at most 1, for that of a class lies between 0
  and 1, whatever its weights; records above a threshold τ: by at most 1/τ, for r > τ takes f < 1/τ.

A replaced record is one removed and one added, so that k of them change a count of which one record
changes c by at most 2 c k; and the share in n records, added and removed ones too, by at most
2 c k / (n - k).
All else (scores, models, the smallest class, a population table) has no such bound and is private.
"""

from __future__ import annotations

from shoal.measures.disclosure.assess import Assessment
from shoal.measures.disclosure.figures import Figure, SetRisk
from shoal.report.public.rounding import Stable


def stable_figures(
    one: Assessment, figures: dict[str, Figure], sets: tuple[SetRisk, ...]
) -> dict[str, Stable]:
    """Return the figures that may be published, before rounding."""
    rows, k = one.key.rows, one.asked.k
    if one.asked.missing_as != "own" or one.known.population is not None or rows <= k:
        return {}
    steps = {
        "sample_uniques": 1.0,
        "average": 1.0,
        "below_k": k - 1.0,
        "marketer": 1.0,
        "above": 1.0 / one.asked.threshold,
    }
    found = {"records": Stable(float(rows), float(k), float(rows), False)}
    for key, change in steps.items():
        if key in figures:
            found[key] = _share(figures[key].value, change, rows, k)
    if one.sampled is None:
        for part in sets:
            name = " + ".join(part.columns)
            found[f"unique by {name}"] = _share(100.0 * part.unique / rows, 1.0, rows, k)
    return found


def _share(value: float, change: float, rows: int, k: int) -> Stable:
    """Return a share of records in percent, of which one record changes so many."""
    bound = 200.0 * change * k / (rows - k)
    return Stable(value, bound, 100.0, True)
