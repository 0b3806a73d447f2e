"""Privacy models beyond k: each is its name, its question in SQL, and what it says in words.

A question is asked of one class at a time (`GROUP BY class`), over rows that say how often each
sensitive value occurs in it:

    n        how often the value occurs in the class
    known    the values of the class, all together
    rank     1 for the most frequent value of the class, 2 for the next, …
    whole    how often the value occurs in the whole release
    every    the values of the whole release, all together
    kinds    how many different values the whole release has
    amount   the number that the value is, where (k,e)-anonymity is asked

`figure` is what the class has, and `kept` whether that is enough, decided on whole numbers: a
threshold of 0.3 is the fraction 3/10. A class of nothing but missing values has no row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import e as EULER  # noqa: N812 - no class

from shoal.judge.requirement import Requirement

RULED_OUT = 20  # values, at most, that an attacker rules out


@dataclass(frozen=True)
class Model:
    """A privacy model with its threshold; `most` tells that less is better.

    `of_missing` tells that it says what it would be if missing values were counted otherwise.
    """

    name: str
    asked: float
    figure: str
    kept: str
    sentence: str
    most: bool = True
    of_missing: bool = True

    @property
    def is_diversity(self) -> bool:
        """Whether it is a kind of l-diversity."""
        return "diversity" in self.name


def exact(number: float) -> Fraction:
    """Return a threshold as the fraction that its digits are."""
    return Fraction(str(number))


def diversity(wanted: float, kind: str, c: float | None) -> Model:
    """Return l-diversity (Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006) of a kind."""
    if kind == "entropy":
        # n ln n is summed as whole numbers of 10**-15, so that the order of the rows is no matter.
        # Equal values come out below by less than the rounding, 10**-15 of the sum, and count.
        content = "sum((n * ln(n) * 1e15)::HUGEINT)::DOUBLE / 1e15"
        return Model(
            "entropy l-diversity", wanted,
            f"coalesce(exp(ln(sum(n)) - {content} / sum(n)), 0)",
            f"coalesce(sum(n) * (ln(sum(n)) - ln({wanted!r}::DOUBLE)) - {content} >= "
            "-1e-15 * sum(n) * ln(sum(n) + 1), false)",
            "the entropy of the values of a class is at least log l: they are as good as l equally "
            "frequent ones",
            most=False,
        )  # fmt: skip
    least = int(wanted)
    if kind == "recursive" and c is not None:
        ratio, rest = exact(c), f"sum(n) FILTER (rank >= {least})"
        return Model(
            f"recursive (c,{least})-diversity", c,
            f"coalesce(max(n) / {rest}, 'inf'::DOUBLE)",
            f"coalesce(max(n) * {ratio.denominator}::HUGEINT < {ratio.numerator} * {rest}, false)",
            "the most frequent value of a class occurs less than c times as often as all from the "
            "l-th on",
        )  # fmt: skip
    return Model(
        "distinct l-diversity", least, "count(n)", f"count(n) >= {least}",
        "a class has at least l different values", most=False,
    )  # fmt: skip


def share(alpha: float) -> Model:
    """Return (α,k)-anonymity (Wong, Li, Fu and Wang 2006)."""
    asked = exact(alpha)
    return Model(
        "(α,k)-anonymity", alpha, "coalesce(max(n) / sum(n), 0)",
        f"coalesce(max(n) * {asked.denominator}::HUGEINT <= {asked.numerator} * sum(n), true)",
        "no value has more than the share α of a class",
    )  # fmt: skip


def likeness(beta: float, kind: str) -> Model:
    """Return β-likeness (Cao and Karras 2012, definitions 2 and 3), basic or enhanced."""
    asked = exact(beta)
    gained = "(n * every - whole * known)"  # times whole * known: of a share p the gain q - p by p
    gain = f"{gained} / (whole * known)"
    kept = f"{gained} * {asked.denominator}::HUGEINT <= {asked.numerator} * (whole * known)"
    most = f"max(greatest({gain}, 0))"
    if kind == "enhanced":
        bound = f"{gain} <= -ln(whole / every)"
        kept = f"{gained} <= 0 OR ({kept} AND {bound})"
        most = f"CASE WHEN bool_or({gained} > 0 AND NOT {bound}) THEN 'inf' ELSE {most} END"
    return Model(
        f"{kind} β-likeness", beta, f"coalesce({most}, 0)", f"coalesce(bool_and({kept}), true)",
        "the share of a value in a class is above that in the release by at most β times, "
        "and by less for frequent values if enhanced",
    )  # fmt: skip


def disclosure(delta: float) -> Model:
    """Return δ-disclosure privacy (Brickell and Shmatikov 2008, definition 4)."""
    # e to the power of δ is no fraction: no share is that, and 18 digits tell on which side it is.
    bound = int(Decimal(str(delta)).exp() * 10**18)
    ratio = "(n * every)", "(whole * known)"
    inside = " AND ".join(
        f"{one}::HUGEINT * 1000000000000000000 < {other}::HUGEINT * {bound}"
        for one, other in (ratio, ratio[::-1])
    )
    if delta > EULER**3:  # beyond any ratio that whole numbers of 128 bits hold
        inside = f"abs(ln({ratio[0]} / {ratio[1]})) < {delta!r}"
    return Model(
        "δ-disclosure privacy", delta,
        "CASE WHEN count(n) < any_value(kinds) THEN 'inf' "
        f"ELSE coalesce(max(abs(ln({ratio[0]} / {ratio[1]}))), 0) END",
        f"count(n) = any_value(kinds) AND coalesce(bool_and({inside}), true)",
        "every value of the release is in every class, and its share there differs from that in "
        "the release by less than δ, in natural logarithms",
    )  # fmt: skip


def spread(k: int, e: float) -> list[Model]:
    """Return both parts of (k,e)-anonymity of numbers (Zhang and others 2007, definition 1)."""
    return [
        Model(
            "(k,e)-anonymity, different numbers", k, "count(amount)",
            f"count(amount) >= {k}", "a class has at least k different numbers",
            most=False, of_missing=False,
        ),
        Model(
            "(k,e)-anonymity, range", e, "coalesce(max(amount) - min(amount), 0)::DOUBLE",
            f"coalesce(max(amount) - min(amount) >= {Decimal(str(e)):f}, false)",
            "from the least to the greatest number of a class it is at least e",
            most=False, of_missing=False,
        ),
    ]  # fmt: skip


def models_of(requirement: Requirement, column: str) -> Iterator[Model]:
    """Yield the models that a sensitive column must keep, but for t-closeness (`closeness.py`)."""
    asked = {what: requirement.threshold(what, column) for what in ("alpha", "beta", "delta", "e")}
    least = requirement.threshold("l", column)
    if least is not None:
        yield diversity(least, requirement.l_kind, requirement.c)
    if asked["alpha"] is not None:
        yield share(asked["alpha"])
    if asked["beta"] is not None:
        yield likeness(asked["beta"], requirement.beta_kind)
    if asked["delta"] is not None:
        yield disclosure(asked["delta"])
    if asked["e"] is not None:
        yield from spread(requirement.k, asked["e"])
