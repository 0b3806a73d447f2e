"""Random numbers in kernels: the same for a seed on any machine."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.jit import inlined, part

Random = npt.NDArray[np.uint64]


@part
def uniform(random: Random) -> float:
    """Return a random number in [0, 1): xorshift64* (Vigna 2016). random IN/OUT."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return ((x * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(11)) * (  # type: ignore[no-any-return]
        1.0 / 9007199254740992.0
    )


@inlined
def draw(random: Random, below: int) -> int:
    """Return a random number from 0 to below - 1. random IN/OUT."""
    return np.int64(uniform(random) * below)  # type: ignore[return-value]
