"""Compiled code: how often LLVM optimizes it.

This reaches into Numba below what it documents, as `compiling.py` does.
"""

from __future__ import annotations

from typing import Any

from numba.core import codegen
from numba.core.codegen import JITCodeLibrary

BUILDS = hasattr(codegen, "create_pass_builder")  # older ones have all passes ready


class Once(JITCodeLibrary):
    """Compiled code whose module is gone through once: not also before, in search of references."""

    def _optimize_final_module(self) -> None:
        if not BUILDS:
            super()._optimize_final_module()
            return
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class OnceTogether(Once):
    """Compiled code that is optimized once: with all it calls, and not also before."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout


class OnceAlone(JITCodeLibrary):
    """Compiled code that is optimized once: before what it calls, optimized already, joins it."""

    def _optimize_final_module(self) -> None:
        pass
