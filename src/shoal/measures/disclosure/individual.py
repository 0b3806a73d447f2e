"""Individual risk: the chance that a record is linked rightly, given its class and its weights."""

from __future__ import annotations

import numpy as np

from shoal.errors import RequestError
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.risk.classes import expected_share

FORMULAS = ("exact", "approximate")
CLOSED = 3  # records of a class up to which the approximation is exact, too


def individual_risks(members: Floats, population: Floats, formula: str = "exact") -> Floats:
    """Return of every record E[1/F | f]: f records match it, the population holds about F.

    Given f, F - f is negative binomial with p = f / F (Benedetti and Franconi 1998). `exact` is its
    expectation; `approximate` is p / (f - (1 - p)) for f > 3, as μ-Argus and sdcMicro have it
    (Hundepool and others 2012, section 3.3.1), and exact up to there. Records whose population is
    known to be f have the risk 1 / f.
    """
    if formula not in FORMULAS:
        raise RequestError(f"formula must be one of {', '.join(FORMULAS)}")
    p = members / np.maximum(population, members)
    risks = expected_share(members.astype(np.int64), p)
    if formula == "approximate":
        risks = np.where(members > CLOSED, p / (members - (1.0 - p)), risks)
    return risks


def household_risks(risks: Floats, households: Integers) -> Floats:
    """Return of every record the chance that any member of its household is linked rightly.

    1 - product of (1 - r) over the members (Hundepool and others 2012, section 3.3.3).
    """
    with np.errstate(divide="ignore"):
        nobody = np.bincount(households, np.log1p(-np.minimum(risks, 1.0)))
    whole: Floats = -np.expm1(nobody)
    return whole[households]
