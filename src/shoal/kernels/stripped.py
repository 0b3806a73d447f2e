"""Stripped partitions: classes of at least two records, refined column by column.

A record that is alone in its class stays alone, whichever columns are added: it is left out, and
what remains gets small soon (Huhtala, Kärkkäinen, Porkka and Toivonen 1999, Comput. J. 42(2)).
"""

from __future__ import annotations

from shoal.kernels.arrays import Integers
from shoal.kernels.jit import jit


@jit
def refine(
    rows: Integers, starts: Integers, classes: int, codes: Integers, count: Integers,
    place: Integers, finer: Integers, finer_starts: Integers, alone: Integers,
) -> tuple[int, int]:  # fmt: skip
    """Split classes by one more column; return how many finer classes and lone records there are.

    rows IN: records class by class, that of class c from starts[c] to starts[c + 1]. codes IN: of
    every record from 0 on. count, place IN/OUT: of every code, count is 0 before and after. finer,
    finer_starts OUT: as rows and starts, of classes of at least two. alone OUT: all others.
    """
    made = 0
    lone = 0
    free = 0
    finer_starts[0] = 0
    for c in range(classes):
        low, high = starts[c], starts[c + 1]
        for i in range(low, high):
            count[codes[rows[i]]] += 1
        for i in range(low, high):
            row = rows[i]
            code = codes[row]
            if count[code] == 1:
                count[code] = 0
                alone[lone] = row
                lone += 1
                continue
            if count[code] > 0:  # the first of its class: the others follow
                place[code] = free
                free += count[code]
                made += 1
                finer_starts[made] = free
                count[code] = -count[code]
            finer[place[code]] = row
            place[code] += 1
            count[code] += 1
    return made, lone


@jit
def add_minimal(
    alone: Integers, lone: int, mask: int, heads: Integers, masks: Integers, nexts: Integers,
    used: int,
) -> int:  # fmt: skip
    """Note a set of columns with the lone records that no known set within it makes unique.

    alone IN: `lone` records that are unique by the columns of `mask`, a bit a column. masks, nexts
    IN/OUT: chains of sets, of record r from heads[r] on, -1 at the end. Returns how many are used.
    """
    for i in range(lone):
        row = alone[i]
        at = heads[row]
        while at >= 0 and masks[at] & mask != masks[at]:
            at = nexts[at]
        if at < 0:
            masks[used] = mask
            nexts[used] = heads[row]
            heads[row] = used
            used += 1
    return used
