"""Functions that kernels call by address, compiled on first use."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from shoal.kernels.jit import FLAGS, TOGETHER, guarded

JIT = not getattr(numba.config, "DISABLE_JIT", 0)
_BY_ADDRESS: dict[int, Any] = {}  # where nothing is compiled: what stands for the address


class ByAddress:
    """A function of (rules, members, size, leaving, entering), pointers first."""

    def __init__(self, signature: str, function: Callable[..., float]) -> None:
        self.signature, self.function = signature, function

    @cached_property
    def _compiled(self) -> Any:
        flags = {"error_model": FLAGS["error_model"], "_nrt": False, **TOGETHER}
        return guarded(
            lambda cache: numba.cfunc(self.signature, cache=cache, **flags)(self.function)
        )

    @property
    def address(self) -> int:
        """Where the compiled function stands; compiles it, or loads it from the cache."""
        if not JIT:
            _BY_ADDRESS[id(self)] = self.function
            return id(self)
        return int(self._compiled.address)


def by_address(signature: str) -> Callable[[Callable[..., float]], ByAddress]:
    """Make a function one that kernels call by its address."""
    return lambda function: ByAddress(signature, function)


def _call(
    typing: Any, function: Any, rules: Any, groups: Any, group: Any, first: Any, size: Any,
    leaving: Any, entering: Any,
) -> Any:  # fmt: skip
    del typing, function, rules, group, first, size, leaving, entering  # all whole numbers
    number = types.int64
    arguments = (number, number, groups, number, number, number, number, number)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        address, data, rows, row, place, *rest = values
        long, double = ir.IntType(64), ir.DoubleType()
        array = context.make_array(signature.args[2])(context, builder, rows)
        width = cgutils.unpack_tuple(builder, array.shape)[1]  # type: ignore[no-untyped-call]
        at = builder.add(builder.mul(row, width), place)
        members = builder.gep(array.data, [at])
        shape = ir.FunctionType(double, [double.as_pointer(), long.as_pointer(), long, long, long])
        target = builder.inttoptr(address, shape.as_pointer())
        return builder.call(
            target,
            [builder.inttoptr(data, double.as_pointer()),
             builder.bitcast(members, long.as_pointer()), *rest],
        )  # fmt: skip

    return types.float64(*arguments), codegen


def _call_plain(
    function: int, rules: int, groups: Any, group: int, first: int, size: int, leaving: int,
    entering: int,
) -> float:  # fmt: skip
    """Call a function that was not compiled."""
    pointer = ctypes.cast(int(rules), ctypes.POINTER(ctypes.c_double))
    members = groups[group, first:]
    return float(_BY_ADDRESS[int(function)](pointer, members, size, leaving, entering))


call: Callable[..., float] = intrinsic(_call) if JIT else _call_plain
