"""l-diversity (Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006), in three kinds.

In plain words: whoever has found a person's class still cannot tell the person's sensitive value,
because the class holds l well represented ones.

- *distinct*: at least l different values. Someone who rules out l - 1 of them knows the value.
- *entropy*: the entropy of the values is at least log l: as good as l equally frequent ones.
- *recursive (c,l)*: r1 < c (rl + … + rm), where r1 >= r2 >= … count the values: the most frequent
  value is not too frequent, even for someone who rules out l - 2 of the others.

Precondition: `counts` says how often each sensitive value occurs in a class, whatever its spelling.
Missing values are left out of it, or are a value of their own, as is asked (`missing_sensitive`); a
class of nothing but left-out ones has no diversity at all. All three hold for the union of classes
that have them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

NEAR = 1e-9  # closer than that, floats do not decide
FAR = Decimal("1e-30")  # farther than that, sixty digits do


def distinct(counts: Iterable[int]) -> int:
    """Return how many different values there are."""
    return sum(1 for count in counts if count > 0)


def entropy(counts: Iterable[int]) -> float:
    """Return the effective number of values: e to the power of the entropy.

    Rounding moves it neither to a whole number nor away from one, nor past it.
    """
    every = [count for count in counts if count > 0]
    size = sum(every)
    if not size:
        return 0.0
    if min(every) == max(every):
        return float(len(every))
    value = math.exp(math.fsum(count / size * math.log(size / count) for count in every))
    whole = float(round(value))
    if abs(value - whole) > NEAR * whole:
        return value
    side = _sign(every, Fraction(whole))
    if side == 0 or (value - whole) * side > 0:
        return value if side else whole
    return math.nextafter(whole, math.inf * side)


def has_entropy(counts: Iterable[int], wanted: float) -> bool:
    """Tell whether the entropy is at least log(wanted), exactly."""
    every = [count for count in counts if count > 0]
    value = entropy(every)
    if abs(value - wanted) > NEAR * wanted:
        return value > wanted
    return _sign(every, Fraction(str(wanted))) >= 0


def _sign(every: Sequence[int], wanted: Fraction) -> int:
    """Return the sign of the entropy less log(wanted), exactly: of n**n - l**n * prod(c**c).

    A common divisor of the counts has no say. Powers of large counts take long, so sixty digits of
    their logarithms decide first, and leave to the powers only what they cannot tell apart.
    """
    shared = math.gcd(*every)
    every = [count // shared for count in every]
    size = sum(every)
    with localcontext(prec=60):
        log_wanted = Decimal(wanted.numerator).ln() - Decimal(wanted.denominator).ln()
        more = size * (Decimal(size).ln() - log_wanted)
        more -= sum(count * Decimal(count).ln() for count in every)
    if abs(more) > FAR:
        return 1 if more > 0 else -1
    product = math.prod(count**count for count in every)
    many, few = size**size * wanted.denominator**size, wanted.numerator**size * product
    return int(many > few) - int(many < few)


def tail(counts: Iterable[int], wanted: int) -> tuple[int, int]:
    """Return the count of the most frequent value, and of all from the wanted-th on."""
    every = sorted((count for count in counts if count > 0), reverse=True)
    return (every[0] if every else 0), sum(every[wanted - 1 :])


def recursive(counts: Iterable[int], wanted: int) -> float:
    """Return r1 / (rl + … + rm), which must be below c; infinite where there are fewer than l."""
    first, rest = tail(counts, wanted)
    return first / rest if rest else math.inf


def is_recursive(counts: Iterable[int], c: float, wanted: int) -> bool:
    """Tell whether r1 < c (rl + … + rm), exactly."""
    first, rest = tail(counts, wanted)
    return rest > 0 and first < Fraction(str(c)) * rest


def worst_posterior(counts: Iterable[int], excluded: int) -> float:
    """Return how sure of a value someone can be who rules out so many others of a class.

    The most is learned by ruling out the most frequent ones but the one that is believed in.
    """
    every = sorted((count for count in counts if count > 0), reverse=True)
    if not every:
        return 0.0
    rest = sum(every) - sum(every[1 : 1 + excluded])
    return every[0] / rest
