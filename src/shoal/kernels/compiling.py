"""Compiler passes of kernels: how often LLVM optimizes them.

This reaches into Numba below what it documents; where a version of it has no such places, kernels
are compiled in its own way (`jit.py`), which takes a fifth longer and gives the same numbers.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _Together(JITCodeLibrary):
    """Compiled code that is optimized once: with all it calls, and not also before."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout


class _Alone(JITCodeLibrary):
    """Compiled code that is optimized once: before what it calls, optimized already, joins it."""

    def _optimize_final_module(self) -> None:
        pass


class Twice(Compiler):
    """Numba's compiler. No garbage is collected meanwhile: that took a twelfth of the time."""

    library: type[JITCodeLibrary] | None = None

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile a function."""
        if self.library is not None:
            self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()  # as Numba does with its own
        collects = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)  # type: ignore[no-untyped-call]
        finally:
            if collects:
                gc.enable()


class Together(Twice):
    """Optimizes a function once, with all it calls."""

    library = _Together


class Alone(Twice):
    """Optimizes a function once, without what it calls."""

    library = _Alone
