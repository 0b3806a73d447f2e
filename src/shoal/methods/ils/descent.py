"""The first local optimum of a small table, without clock, curve and log: what a block needs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.ils import state as states
from shoal.methods.ils.advance import advance
from shoal.methods.ils.layout import (
    AGAIN,
    BEST,
    DUE,
    EVERY,
    FEWEST,
    FIRST,
    LABEL,
    LAST,
    MAY_DISSOLVE,
    MAY_DISTILL,
    MAY_SHIFT,
    MAY_SPLIT,
    MAY_SWAP,
    PATIENCE,
    RETURN_TO_BEST,
    RULE,
    SAMPLES,
)
from shoal.methods.ils.parameters import Search
from shoal.methods.ils.start import small_groups
from shoal.methods.ils.state import State
from shoal.methods.ils.stopping import NEVER
from shoal.partition import canonical_labels
from shoal.progress import StopToken

PAIRS_A_CALL = 2_000_000  # a fraction of a second
DESCENT = Search(neighbors=0)  # all pairs: a block has few


def descend(
    matrix: Floats, k: int, start: Integers, seed: int, stop: StopToken,
    weights: Floats | None = None,
) -> Integers:  # fmt: skip
    """Return the local optimum that a search by `DESCENT` comes to first, from groups of k.

    Requires 2 <= k and 2k rows. Where a search is asked to finish, the groups as they are then.
    """
    rows = matrix.shape[0]
    nobody, most = np.zeros((rows, 0), dtype=np.int64), 4 * k
    s = states.make(matrix, nobody, k, most, 1, _first_draw(seed), weights=weights)
    set_choices(s, DESCENT, k)
    trace = np.zeros(1)
    with stop.searching():
        states.load(s, small_groups(matrix, start, k))
        while True:
            stop.check()
            if stop.finish:
                return canonical_labels(s.records[:, LABEL])
            if advance(s, trace, PAIRS_A_CALL):
                return canonical_labels(s.records[:, BEST])


@lru_cache(maxsize=16)
def _first_draw(seed: int) -> int:
    """Return the first number that the first run of a search draws."""
    return int(np.random.default_rng([seed, 0]).integers(1, 2**63))


def set_choices(s: State, options: Search, k: int) -> None:
    """Write down what is asked of a search, where a kernel reads it. s IN/OUT."""
    rows, choices = s.points.shape[0], s.choices
    most, least = rows // k, -(-rows // (2 * k - 1))
    choices[FEWEST] = most - int((most - least) * options.share)
    choices[EVERY] = s.neighbors.shape[1] == 0
    choices[AGAIN] = options.local != "changed"
    choices[DUE] = options.local == "due"
    choices[MAY_SHIFT], choices[MAY_SWAP] = ("shift" in options.moves, "swap" in options.moves)
    choices[MAY_SPLIT] = "split" in options.moves
    choices[MAY_DISSOLVE] = "dissolve" in options.perturbations
    choices[MAY_DISTILL] = "distill" in options.perturbations
    choices[SAMPLES] = options.samples
    choices[RULE] = options.acceptance.code
    choices[RETURN_TO_BEST] = options.acceptance.returns_to_best
    choices[PATIENCE] = options.stop.patience or NEVER
    s.levels[FIRST], s.levels[LAST] = options.acceptance.numbers
