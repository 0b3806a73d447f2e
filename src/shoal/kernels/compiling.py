"""Compilers of kernels: how often LLVM optimizes them, and what Numba works out only once.

This reaches into Numba below what it documents; where a version of it has no such places, or is
newer than those that this was tried with, kernels are compiled in its own way (`jit.py`), which
takes nearly twice as long and gives the same numbers.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from numba import version_info
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from shoal.kernels.libraries import (
    LinkedAlone,
    LinkedOnce,
    LinkedTogether,
    Once,
    OnceAlone,
    OnceTogether,
)
from shoal.kernels.quicker import quicker

NEWEST = 0, 68  # version of Numba that this was tried with

if version_info[:2] > NEWEST:
    raise ImportError(f"tried with Numba up to {NEWEST[0]}.{NEWEST[1]}")


class Twice(Compiler):
    """Numba's compiler. No garbage is collected meanwhile: that took a twelfth of the time."""

    library: type[JITCodeLibrary] = Once
    linked: type[JITCodeLibrary] = LinkedOnce

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile a function."""
        flags, codegen = self.state.flags, self.state.targetctx.codegen()
        is_part = flags.no_cpython_wrapper and flags.no_cfunc_wrapper
        kind = self.linked if is_part else self.library
        self.state.library = kind(codegen, func.__qualname__)
        self.state.library.enable_object_caching()  # as Numba does with its own
        collects = gc.isenabled()
        gc.disable()
        try:
            with quicker():
                return super().compile_extra(func)  # type: ignore[no-untyped-call]
        finally:
            if collects:
                gc.enable()


class Together(Twice):
    """Optimizes a function once, with all it calls."""

    library = OnceTogether
    linked = LinkedTogether


class Alone(Twice):
    """Optimizes a function once, without what it calls."""

    library = OnceAlone
    linked = LinkedAlone
