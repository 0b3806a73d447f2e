"""Room for the members of groups, where nothing limits their sizes."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.ils.layout import GROWS, LARGEST, MEMBERS, MOST
from shoal.methods.ils.state import State

ROOM = 10**8  # places for the members of all groups


def enough_for(start: Integers, k: int) -> int:
    """Return for how many members each group has room at first; 0 where memory is too small."""
    most = max(4 * k, 2 * int(np.bincount(start).max()))
    return most if _places(start.size // k + 1, most) <= ROOM else 0


def widened(s: State) -> State:
    """Return the state with twice the room in every group where one has come to half of it.

    Where that would take too much memory, sizes are limited from here on. s IN/OUT.
    """
    most = int(s.choices[MOST])
    if 2 * s.counts[LARGEST] <= most or s.choices[GROWS] == 0:
        return s
    rows = s.groups.shape[0]
    if _places(rows, 2 * most) > ROOM:
        s.choices[GROWS] = 0
        return s
    groups = np.zeros((rows, MEMBERS + 4 * most + 1), dtype=np.int64)
    groups[:, : s.groups.shape[1]] = s.groups
    s.choices[MOST] = 2 * most
    return s._replace(groups=groups, apart=np.zeros((2, 2 * most + 1)))


def waiting_places(s: State) -> Integers:
    """Return room for the places that wait in a pass: those of a part of all pairs."""
    groups = s.groups.shape[0]
    return np.zeros(min(groups * groups // 8, 10**6) + groups, dtype=np.int64)


def _places(groups: int, most: int) -> int:
    return groups * 2 * most
