"""Compilers of kernels: how often LLVM optimizes them.

This reaches into Numba below what it documents; where a version of it has no such places, or is
newer than those that this was tried with, kernels are compiled in its own way (`jit.py`), which
takes longer and gives the same numbers.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from numba import config, version_info
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from shoal.kernels.libraries import Once, OnceAlone, OnceTogether

NEWEST = 0, 68  # version of Numba that this was tried with

if version_info[:2] > NEWEST:
    raise ImportError(f"tried with Numba up to {NEWEST[0]}.{NEWEST[1]}")


class Twice(Compiler):
    """Numba's compiler. No garbage is collected meanwhile: that took a twelfth of the time."""

    library: type[JITCodeLibrary] = Once

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile a function."""
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()  # as Numba does with its own
        collects, together = gc.isenabled(), config.SLP_VECTORIZE
        gc.disable()
        config.SLP_VECTORIZE = 1  # equal steps side by side: sums of their own, same numbers
        try:
            return super().compile_extra(func)  # type: ignore[no-untyped-call]
        finally:
            config.SLP_VECTORIZE = together
            if collects:
                gc.enable()


class Together(Twice):
    """Optimizes a function once, with all it calls."""

    library = OnceTogether


class Alone(Twice):
    """Optimizes a function once, without what it calls."""

    library = OnceAlone
