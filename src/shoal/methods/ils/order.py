"""Random order of pairs, without a list of them.

A pass visits the places 0, 1, ... of a square of side m; a Feistel network of four rounds, with
random tables that are drawn anew for every pass, says which number stands at a place, and the other
way round at which place a number stands (Luby and Rackoff 1988; here with sums modulo m). A list of
all pairs, shuffled, would take memory of the order of n²/k².
"""

from __future__ import annotations

from shoal.kernels.arrays import Integers
from shoal.kernels.jit import inlined
from shoal.kernels.random import Random, draw

ROUNDS = 4


@inlined
def shuffle(order: Integers, side: int, random: Random) -> None:
    """Draw a new order of the places of a square. order OUT (ROUNDS, at least m), random IN/OUT."""
    for step in range(ROUNDS):
        for i in range(side):
            order[step, i] = draw(random, side)


@inlined
def number_at(order: Integers, place: int, side: int) -> int:
    """Return the number that stands at a place of the square."""
    row = int(place / side)
    column = place - row * side
    for step in range(ROUNDS):
        row, column = column, row + order[step, column]
        column -= side if column >= side else 0
    return row * side + column


@inlined
def place_of(order: Integers, number: int, side: int) -> int:
    """Return the place of the square that a number stands at."""
    row = int(number / side)
    column = number - row * side
    for step in range(ROUNDS - 1, -1, -1):
        row, column = column - order[step, row], row
        row += side if row < 0 else 0
    return row * side + column
