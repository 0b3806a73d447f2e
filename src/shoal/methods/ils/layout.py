"""Array layout of a search.

Few arrays, many columns: what a step reads of a record or of a group lies in one row, and the
compiler has less to do.
"""

from __future__ import annotations

# columns of the records; INCUMBENT + 1 is BEST, HAS_MOVED + 1 is whether it moved since the best
LABEL, SLOT, INCUMBENT, BEST, HAS_MOVED, HAS_MOVED_BEST, RECORD_COLUMNS = range(7)

# columns of the groups; the members come last
(
    SIZE, ALIVE_AT, LARGE_AT, AS_TARGET, AS_CHANGED, CHANGED_AT, LOOKED_AT, AS_PARTNER, MEMBERS,
) = range(9)  # fmt: skip

# columns of the centers behind the coordinates, counted from the end
RADIUS, LOSS, MASS, CENTER_COLUMNS = -1, -2, -3, 4

# rows of the lists
(
    ALIVE, LARGE, FREE, TARGETS, CHANGED, MOVED, MOVED_BEST, PARTNERS, EXCESS, LISTS,
) = range(10)  # fmt: skip

# places in the counts; the first ones are the lengths of the lists
(
    AT, PASS, LEVEL, CLOCK, LISTED, PERTURBED, ITERATION, IMPROVED, PAIRS, SHIFTS_TRIED,
    SWAPS_TRIED, SHIFTS, SWAPS, DISSOLVED, DISTILLED, BY_DISSOLVING, BY_DISTILLING, RETURNS,
    LARGEST, WAITING, COUNTS,
) = range(LISTS, LISTS + 21)  # fmt: skip

# places in the sums: INCUMBENT and BEST stand where their columns are among the records
CURRENT, BY_SHIFTS, INCUMBENT_SUM, BEST_SUM, BY_SWAPS, BY_DISSOLVE, BY_DISTILL, SUMS = range(8)

# places in the choices
(
    K, MOST, FEWEST, EVERY, AGAIN, MAY_SHIFT, MAY_SWAP, MAY_SPLIT, MAY_DISSOLVE, MAY_DISTILL,
    SAMPLES, RULE, RETURN_TO_BEST, SINCE, STOP, TOTAL, PATIENCE, BREACH, RULES, WEIGHTED, PAIRWISE,
    DUE, GROWS, CHOICES,
) = range(24)  # fmt: skip

# places in the levels
FIRST, LAST, TARGET, LEVELS = range(4)

PASSES = 64  # passes that are counted one by one
