"""What a group may not break, as numbers: the fast form of what `shoal.models` states plainly.

`asked` holds three counts, then for every sensitive column a head of HEAD numbers, and behind them
the distributions and magnitudes that the heads point to; `told` has the code of every record's
value in every column, and room to work behind them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels.jit import part

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

COLUMNS, DOMINATED, ROWS, ROOM, HEADS = range(5)

# a column's head: what is asked (0 where nothing is), and how values are apart
(
    LEAST, LOG, C, FROM, ALPHA, T, FORM, AT, PLACES, BASE, HEAD,
) = range(11)  # fmt: skip

NO_FORM, TREE, LINE = 0.0, 1.0, 2.0
PARENT, LENGTH, SHARE, NODE = range(4)  # of a node of a tree
PERCENT, MAGNITUDES, DOMINANCE = range(3)  # of a column that the p % rule is for

NEAR = 1e-11  # what rounding may do to a distance


class Rules(NamedTuple):
    """All rules of a table."""

    asked: Floats
    told: Integers


NONE = Rules(np.zeros(HEADS), np.zeros((1, 1), dtype=np.int64))


def reordered(rules: Rules, order: Integers) -> Rules:
    """Return the rules for the records in another order."""
    asked, told = rules.asked.copy(), rules.told.copy()
    told[: order.size] = rules.told[order]
    for d in range(int(asked[DOMINATED])):
        head = HEADS + int(asked[COLUMNS]) * HEAD + d * DOMINANCE
        at = int(asked[head + MAGNITUDES])
        asked[at : at + order.size] = rules.asked[at : at + order.size][order]
    return Rules(asked, told)


@part
def line(
    asked: Floats, told: Integers, at: int, places: int, j: int, rows: int, size: int
) -> float:
    """Return the earth mover's distance of sorted ranks from all, in a line of places.

    The ranks are told[rows:rows + size, j]; -1 is missing, and apart. asked[at:] has the share that
    is missing in all, the cumulated shares of the others, and the sums of these, from 0 on.
    """
    missing = 0
    while missing < size and told[rows + missing, j] < 0:
        missing += 1
    apart = abs(missing / size - asked[at])
    there, total, begin = size - missing, 0.0, 0
    shares, sums = at + 1, at + 1 + places
    if there == 0 or places < 2:
        return apart  # type: ignore[no-any-return]
    for i in range(missing, size + 1):
        end = places - 1 if i == size else told[rows + i, j]
        if end > begin:
            level = (i - missing) / there
            low, high = begin, end  # the first place where all are above the group
            while low < high:
                middle = (low + high) // 2
                if asked[shares + middle] > level:
                    high = middle
                else:
                    low = middle + 1
            total += level * (low - begin) - (asked[sums + low] - asked[sums + begin])
            total += asked[sums + end] - asked[sums + low] - level * (end - low)
            begin = end
    return max(apart, total / (places - 1))  # type: ignore[no-any-return]


@part
def tree(
    asked: Floats, told: Integers, at: int, base: float, j: int, rows: int, size: int, tally: int
) -> float:
    """Return the earth mover's distance of nodes from all, in a tree. told IN/OUT from tally on."""
    total = base
    for turn in range(2):
        for i in range(size):
            node = told[rows + i, j]
            while node >= 0:
                place = at + NODE * node
                count = told[tally + node, j]
                if turn == 0:
                    told[tally + node, j] = count + 1
                elif count > 0:
                    share = asked[place + SHARE]
                    total += asked[place + LENGTH] * (abs(count / size - share) - share)
                    told[tally + node, j] = 0
                node = np.int64(asked[place + PARENT])
    return total


@part
def uneven(asked: Floats, told: Integers, head: int, j: int, rows: int, size: int) -> float:
    """Return by how much sorted codes break what is asked of their counts. told IN/OUT."""
    distinct, most, logs, run, kept = 0, 0, 0.0, 0, 0
    top, tops = int(asked[head + FROM]) - 1, rows + size  # the largest counts but the first l - 1
    left = size
    for i in range(size):
        run += 1
        if i + 1 < size and told[rows + i + 1, j] == told[rows + i, j]:
            continue
        distinct += 1
        most = max(most, run)
        logs += run * math.log(run)
        if top > 0:
            at = kept
            while at > 0 and told[tops + at - 1, j] < run:
                told[tops + at, j] = told[tops + at - 1, j]
                at -= 1
            told[tops + at, j] = run
            kept += 1
        run = 0
    for i in range(min(top, kept)):
        left -= told[tops + i, j]
    broken = 0.0
    if distinct < asked[head + LEAST]:
        broken += 1.0 - distinct / asked[head + LEAST]
    if asked[head + LOG] > 0.0:
        lacking = asked[head + LOG] - (math.log(size) - logs / size)
        broken += lacking if lacking > NEAR else 0.0
    if asked[head + FROM] > 0.0:
        more = most - asked[head + C] * left
        broken += (more + 1e-3) / size if more > -NEAR else 0.0
    if asked[head + ALPHA] > 0.0:
        more = most / size - asked[head + ALPHA]
        broken += more if more > NEAR else 0.0
    return broken


@part
def breach(
    asked: Floats, told: Integers, groups: Integers, group: int, size: int, first: int,
    leaving: int, entering: int,
) -> float:  # fmt: skip
    """Return by how much a group breaks the rules when one record leaves and another enters.

    Either may be nobody, -1. The members are groups[group, first:first + size]. 0: all are kept.
    """
    broken, rows = 0.0, int(asked[ROWS])
    for j in range(int(asked[COLUMNS])):
        head, count = HEADS + j * HEAD, 0
        for i in range(size + 1):
            row = entering if i == size else groups[group, first + i]
            if row < 0 or (row == leaving and i < size):
                continue
            code, at = told[row, j], rows + count
            while at > rows and told[at - 1, j] > code:
                told[at, j] = told[at - 1, j]
                at -= 1
            told[at, j] = code
            count += 1
        if count == 0:
            continue
        broken += uneven(asked, told, head, j, rows, count)
        form, at = asked[head + FORM], int(asked[head + AT])
        if form > 0.0:
            if form == LINE:
                apart = line(asked, told, at, int(asked[head + PLACES]), j, rows, count)
            else:
                tally = rows + int(asked[ROOM])
                apart = tree(asked, told, at, asked[head + BASE], j, rows, count, tally)
            more = apart - asked[head + T]
            broken += more if more > NEAR else 0.0
    for d in range(int(asked[DOMINATED])):
        head = HEADS + int(asked[COLUMNS]) * HEAD + d * DOMINANCE
        at = int(asked[head + MAGNITUDES])
        largest, second, rest = 0.0, 0.0, 0.0
        for i in range(size + 1):
            row = entering if i == size else groups[group, first + i]
            if row < 0 or (row == leaving and i < size):
                continue
            value = asked[at + row]
            if value > largest:
                rest, second, largest = rest + second, largest, value
            elif value > second:
                rest, second = rest + second, value
            else:
                rest += value
        more = asked[head + PERCENT] / 100.0 * largest - rest
        broken += more / largest if more > NEAR * largest else 0.0
    return broken


@part
def keeps(
    asked: Floats, told: Integers, groups: Integers, columns: tuple[int, int], one: int, two: int,
    x: int, y: int,
) -> bool:  # fmt: skip
    """Tell whether two groups break the rules no more after x has left one for two, and y back.

    Either record may be nobody, -1. `columns` of the groups: their size, and their first member.
    """
    if asked[COLUMNS] + asked[DOMINATED] == 0.0:
        return True
    size, first = columns
    change = 0.0
    for side in range(2):
        group = one if side == 0 else two
        many = groups[group, size]
        leaving, entering = (x, y) if side == 0 else (y, x)
        change += breach(asked, told, groups, group, many, first, leaving, entering)
        if side == 1 and change == 0.0:
            return True
    for side in range(2):
        group = one if side == 0 else two
        change -= breach(asked, told, groups, group, groups[group, size], first, -1, -1)
    return change <= 0.0
