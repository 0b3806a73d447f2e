"""`warmup`: compile the kernels of every method, of rules and of risks."""

from __future__ import annotations

import time

import numpy as np

from shoal.extras import has
from shoal.measures.risk.assignment import by_auction, exactly
from shoal.methods.registry import methods
from shoal.pipeline.anonymize import anonymize
from shoal.pipeline.microaggregate import microaggregate


def warmup() -> dict[str, float]:
    """Run every method on a tiny table; return the seconds each took, compilation included.

    Methods whose extra is not installed are left out.
    """
    matrix = np.random.default_rng(0).normal(size=(24, 3))
    seconds, begun = {}, time.perf_counter()

    def note(name: str) -> None:
        nonlocal begun
        before, begun = begun, time.perf_counter()
        seconds[name] = begun - before

    for method in methods():
        if method.extra is None or has(method.extra):
            microaggregate(matrix[:, : method.columns], 3, method=method.name)
            note(method.name)
    for enforce in ("swap", "slices"):
        anonymize(
            matrix, 3, method="ilsmc-near", quasi_identifiers=["x0", "x1"], sensitive=["x2"], l=2,
            t=0.4, enforce=enforce,
        )  # fmt: skip
    note("what is asked beyond k")
    for match in (exactly, by_auction):
        match(np.abs(matrix), np.full(matrix.shape[1], matrix.shape[0] // matrix.shape[1]))
    note("linkage one to one")
    return seconds
