"""Array layout of a search on hierarchies: few arrays, many columns."""

# what describes a column of a group, and of a record's group without it; OWN is a mass
LOW, HIGH, OWN = 0, 1, 2
NODE, CELL = 3, 4  # of a record: its own node
MASS = 0  # of a record: in the row behind its columns
CORE_LOW, CORE_HIGH, CORE_OWN, CORE_HELD, SPAN = 3, 4, 5, 6, 7  # of a group: what is left for sure

COST, SURE = 0, 1  # of a column of a group
LOSS, SLACK = 0, 1  # of a group: in the row behind its columns

LABEL, SLOT = 0, 1  # columns of the records
RECORD, NEW = 0, 1  # columns of the pool

# columns of the groups: some of the group, some lists of groups; the members come last; HELD is
# the mass of the members
SIZE, HELD, QUEUED, ALIVE_AT, ALIVE, FREE, QUEUE, MEMBERS = range(8)

WAITS, CHANGED = 1, 2  # why a group is queued

# places in the counts; behind them the groups that were found last
(
    LIVING, SPARE, HEAD, WAITING, ITERATION, IMPROVED, SHIFTS_TRIED, SWAPS_TRIED, SHIFTS, SWAPS,
    DISSOLVED, BY_DISSOLVING, REGROUPED, BY_REGROUPING, RESPLIT, BY_RESPLITTING,
    K, MOST, MAY_SHIFT, MAY_SWAP, MAY_DISSOLVE, MAY_REGROUP, MAY_RESPLIT, SAMPLES, AROUND, STOP,
    LOOKING, LOOKED, LOOKS, GROUPS, PARTNER, BREACH, RULES, FOUND,
) = range(34)  # fmt: skip

# places in the sums; behind them what the groups that were found last would cost. PENALTY is what
# breaking the rules by 1 costs every member of a group; 0: no move may break them. TEMPERATURE is
# what a perturbation may add to the loss, on average; 0: only what gains is kept
(
    CURRENT, BY_SHIFTS, BY_SWAPS, BY_DISSOLVE, BY_REGROUP, BY_RESPLIT, PENALTY, TEMPERATURE, KEYS,
) = range(9)  # fmt: skip

LOOK = 1e-7  # seconds that a look at a group takes, in 8 columns
TIE = 1e-10  # what a cell must gain on average for a move to count
