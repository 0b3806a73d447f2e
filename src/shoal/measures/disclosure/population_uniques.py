"""How many people are unique in the population, by the class sizes of a sample alone.

Three models, and which of them to believe (Dankar, El Emam, Neisa and Roffey 2012, BMC Med. Inform.
Decis. Mak. 12:66). s_i is the number of classes of i records, u that of all classes, n of records,
π the sampling fraction, N = n / π.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.measures.disclosure.pitman import pitman
from shoal.measures.disclosure.slide_negative_binomial import slide_negative_binomial

FEW = 0.1  # sampling fraction up to which Pitman's model is believed


@dataclass(frozen=True)
class PopulationUniques:
    """Estimated shares of the population that are unique in it; None where a model has no answer.

    `chosen` names the model that the rule of Dankar and others picks, `share` is its estimate.
    """

    zayatz: float | None
    pitman: float | None
    snb: float | None
    chosen: str
    share: float


def population_uniques(sizes: Integers, fraction: float) -> PopulationUniques:
    """Return the estimates by all models, and the choice among them.

    Pitman's where at most a tenth of the population is in the sample and the model has an answer;
    else the smaller one of Zayatz's and of the slide negative binomial.
    """
    held, counts = np.unique(sizes, return_counts=True)
    people = float((held * counts).sum()) / fraction
    if not (held == 1).any():
        return PopulationUniques(0.0, 0.0, 0.0, "none", 0.0)
    estimates = {
        "zayatz": zayatz(held, counts, fraction),
        "pitman": pitman(held, counts, fraction),
        "snb": slide_negative_binomial(held, counts, fraction),
    }
    shares = {
        name: None if value is None else min(value / people, 1.0)
        for name, value in estimates.items()
    }
    order = ["pitman", "zayatz"] if fraction <= FEW else _smaller_first(shares)
    chosen = next(name for name in order if shares[name] is not None)
    share = shares[chosen]
    assert share is not None
    return PopulationUniques(shares["zayatz"], shares["pitman"], shares["snb"], chosen, share)


def _smaller_first(shares: dict[str, float | None]) -> list[str]:
    """Return the models for large samples, the smaller estimate first."""
    known = [name for name in ("snb", "zayatz") if shares[name] is not None]
    return sorted(known, key=lambda name: shares[name] or 0.0)


def zayatz(held: Integers, counts: Integers, fraction: float) -> float | None:
    """Return the estimated number of unique people (Zayatz 1991, U.S. Bureau of the Census).

    s_1 P(F=1 | f=1) / π, by Bayes: P(F=j) is s_j / u, the share of the sample's own classes, and
    P(f=1 | F=j) hypergeometric, of n records drawn from N.
    """
    drawn = int((held * counts).sum())
    people = round(drawn / fraction)
    chances = np.array([_drawn_once(int(size), drawn, people) for size in held])
    alone = counts[held == 1].sum() * chances[held == 1].sum()
    every = float((counts * chances).sum())
    if not every:
        return None
    return float(counts[held == 1].sum() * alone / every / fraction)


def _drawn_once(size: int, drawn: int, people: int) -> float:
    """Return the chance that of `size` people exactly one is among those drawn without return."""
    rest = people - drawn
    if size - 1 > rest:
        return 0.0
    # size * n / N * product of (N - n - i) / (N - 1 - i), i < size - 1
    i = np.arange(size - 1, dtype=float)
    with np.errstate(divide="ignore"):
        logs = np.log(rest - i) - np.log(people - 1 - i)
    return float(size * drawn / people * np.exp(logs.sum()))
