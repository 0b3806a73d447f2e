"""How kernels pass arrays to each other: where the numbers lie, and the shape.

Numba passes seven fields for an array of one dimension, nine for two. Who owns it is no question of
kernels, the size of an item stands in its type, and the rest comes of the shape. A kernel of thirty
arrays had calls with over two hundred arguments, and most machine code was made of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.core.targetconfig import ConfigStack
from numba.np.numpy_support import as_dtype

NO_KERNEL = "a kernel cannot pass an array to {}, which is no kernel"
KERNELS: set[tuple[str, str]] = set()  # by module and name


def by_us() -> bool:
    """Tell whether a kernel is compiled, and not a function of Numba that a kernel calls."""
    flags = ConfigStack.top_or_none()
    return flags is not None and not flags.nrt


def _is_lean(model: Any) -> bool:
    return type(model.fe_type) is types.Array and by_us()


def _fields(model: Any) -> tuple[str, ...]:
    return ("data", "shape") if model.fe_type.layout == "C" else ("data", "shape", "strides")


def _model(model: Any, field: str) -> Any:
    return model._models[model.get_field_position(field)]


def lean_type(own: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that says of what types the arguments are that stand for an array."""

    def get_argument_type(self: Any) -> Any:
        if not _is_lean(self):
            return own(self)
        return tuple(_model(self, field).get_argument_type() for field in _fields(self))

    return get_argument_type


def lean_arguments(own: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes arguments of an array."""

    def as_argument(self: Any, builder: Any, value: Any) -> Any:
        if not _is_lean(self):
            return own(self, builder, value)
        return tuple(
            _model(self, field).as_argument(builder, self.get(builder, value, field))
            for field in _fields(self)
        )

    return as_argument


def lean_array(own: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes an array of arguments."""

    def from_argument(self: Any, builder: Any, value: Any) -> Any:
        if not _is_lean(self):
            return own(self, builder, value)
        given = {
            field: _model(self, field).from_argument(builder, one)
            for field, one in zip(_fields(self), value, strict=True)
        }
        fields = {**_derived(self, builder, given["shape"]), **given}
        array = ir.Constant(self.get_value_type(), None)  # nobody owns it
        for field, one in fields.items():
            array = self.set(builder, array, one, field)
        return array

    return from_argument


def _derived(model: Any, builder: Any, shape: Any) -> dict[str, Any]:
    """Return what the shape of an array without gaps says of it."""
    size = _model(model, "itemsize").get_value_type()
    item = size(as_dtype(model.fe_type.dtype).itemsize)
    strides = ir.Constant(shape.type, ir.Undefined)
    count, step = size(1), item
    for axis in reversed(range(model.fe_type.ndim)):
        strides = builder.insert_value(strides, step, axis)
        length = builder.extract_value(shape, axis)
        count, step = builder.mul(count, length), builder.mul(step, length)
    return {"nitems": count, "itemsize": item, "strides": strides}


def declared(declare: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that declares what is called; all that get arrays must be kernels."""

    def declaring(self: Any, module: Any, fndesc: Any) -> Any:
        kernel = (fndesc.modname, fndesc.qualname) in KERNELS
        if by_us() and not kernel and _get_array(fndesc.argtypes):
            raise TypeError(NO_KERNEL.format(fndesc.qualname))
        return declare(self, module, fndesc)

    return declaring


def _get_array(kinds: Any) -> bool:
    return any(
        isinstance(kind, types.Array) or (isinstance(kind, types.BaseTuple) and _get_array(kind))
        for kind in kinds
    )
