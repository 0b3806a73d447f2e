"""(k,e)-anonymity of numbers (Zhang, Koudas, Srivastava and Yu 2007, ICDE, definition 1).

In plain words: whoever has found a person's class knows neither the person's number nor about how
large it is: a class holds at least k different numbers, and from the least to the greatest it is at
least e.

Precondition: `numbers` are the exact values of a class; missing ones are left out. Postcondition: a
class without numbers has no range at all. Both parts hold for the union of classes that have them.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction


def width(numbers: Iterable[Fraction]) -> Fraction:
    """Return how far it is from the least number to the greatest, exactly."""
    every = list(numbers)
    return max(every) - min(every) if every else Fraction(0)
