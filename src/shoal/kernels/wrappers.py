"""The Python wrapper of a kernel: one shared step for each kind of argument.

Numba writes the steps that unbox an argument anew for every argument. A kernel of thirty arrays
then has as much machine code in its wrapper as in its loop, all of it optimized. Here the steps are
functions, and the wrapper calls them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.pythonapi import NativeValue, PythonAPI
from numba.np.numpy_support import as_dtype

UNFIT = "can't unbox array from PyObject into native value.  The object maybe of a different type"
BIT = ir.IntType(1)
SHARED = types.Integer | types.Float | types.Boolean


class Waiting:
    """An argument in memory, not read before the kernel is called.

    Read at once, all fields of all arrays would be kept over every step that follows.
    """

    def __init__(self, read: Callable[[], Any]) -> None:
        self.read = read


def _read(value: Any) -> Any:
    return value.read() if isinstance(value, Waiting) else value


def reading_late(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls a compiled one, with arguments that are read only now."""

    def called(
        self: Any, builder: Any, callee: Any, resty: Any, argtys: Any, args: Any, attrs: Any = None
    ) -> Any:
        return call(self, builder, callee, resty, argtys, [_read(one) for one in args], attrs)

    return called


def by_shared_steps(unbox: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that unboxes an argument of a kernel by a call of a shared step."""

    def unboxed(self: Any, typ: Any, obj: Any) -> Any:
        if self.context.enable_nrt or getattr(self, "within", False):
            return unbox(self, typ, obj)
        if type(typ) is types.Array:
            return _array(self, typ, _array_step(self), (obj,))
        if isinstance(typ, types.BaseTuple):
            return _tuple(self, typ, obj)
        if isinstance(typ, SHARED):
            return _scalar(self, typ, obj, unbox)
        self.within = True  # what another kind of argument is made of, it reads at once
        try:
            return unbox(self, typ, obj)
        finally:
            self.within = False

    return unboxed


def _step(
    api: Any, name: str, kinds: list[Any], write: Callable[[PythonAPI, Any], Any]
) -> ir.Function:
    """Return a function of the wrapper's module that says whether it failed; write it if it is new.

    Its name is of this wrapper alone: loaded code finds functions of other kernels by their names.
    """
    module, name = api.module, f"wrapper.{name}.{api.builder.function.name}"
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, ir.FunctionType(BIT, kinds), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    builder.ret(write(PythonAPI(api.context, builder), function.args))
    return function


def _array_step(api: Any) -> ir.Function:
    """Return the step that reads an object's array, with items of a given size."""
    size = api.context.get_value_type(types.intp)

    def write(inner: Any, args: Any) -> Any:
        obj, holder, found, expected = args
        builder = inner.builder
        code = inner.numba_array_adaptor(obj, holder)
        fits = builder.icmp_unsigned("==", builder.load(found), expected)
        failed = builder.or_(cgutils.is_not_null(builder, code), builder.not_(fits))
        with builder.if_then(failed, likely=False):
            inner.err_set_string("PyExc_TypeError", UNFIT)
        return failed

    return _step(api, "array", [api.pyobj, api.voidptr, size.as_pointer(), size], write)


def _item_step(api: Any) -> ir.Function:
    """Return the step that reads the array at a place of a tuple."""
    size = api.context.get_value_type(types.intp)
    array = _array_step(api)

    def write(inner: Any, args: Any) -> Any:
        obj = inner.builder.call(_getter(inner), args[:2])
        with inner.builder.if_then(cgutils.is_null(inner.builder, obj), likely=False):
            inner.builder.ret(cgutils.true_bit)
        return inner.builder.call(array, (obj, *args[2:]))

    kinds = [api.pyobj, api.py_ssize_t, api.voidptr, size.as_pointer(), size]
    return _step(api, "item", kinds, write)


def _getter(api: Any) -> Any:
    kind = ir.FunctionType(api.pyobj, [api.pyobj, api.py_ssize_t])
    return api._get_function(kind, name="PyTuple_GetItem")


def _array(api: Any, typ: Any, step: ir.Function, whence: tuple[Any, ...]) -> Any:
    builder = api.builder
    array = api.context.make_array(typ)(api.context, builder)
    holder = array._getpointer()
    size = array._get_ptr_by_name("itemsize")
    expected = size.type.pointee(as_dtype(typ.dtype).itemsize)
    untyped = builder.bitcast(holder, api.voidptr)
    failed = builder.call(step, (*whence, untyped, size, expected))
    return NativeValue(Waiting(lambda: builder.load(holder)), is_error=failed)


def _scalar(api: Any, typ: Any, obj: Any, unbox: Callable[..., Any]) -> Any:
    kind = api.context.get_value_type(typ)

    def write(inner: Any, args: Any) -> Any:
        native = unbox(inner, typ, args[0])
        inner.builder.store(native.value, args[1])
        return native.is_error

    step = _step(api, str(typ), [api.pyobj, kind.as_pointer()], write)
    holder = cgutils.alloca_once(api.builder, kind)
    failed = api.builder.call(step, (obj, holder))
    value = Waiting(lambda: api.builder.load(holder))
    return NativeValue(value, is_error=failed)


def _tuple(api: Any, typ: Any, obj: Any) -> Any:
    """Take a tuple apart; what a place is too much or too little of is an error of that place."""
    builder = api.builder
    count = api.tuple_size(obj)
    failed = builder.icmp_unsigned("!=", count, count.type(len(typ)))
    with builder.if_then(failed, likely=False):
        text = f"size mismatch for tuple, expected {len(typ)} element(s) but got %zd"
        api.err_format("PyExc_ValueError", text, count)
    values, cleanups = [], []
    for place, kind in enumerate(typ):
        if type(kind) is types.Array:
            at = api.py_ssize_t(place)
            native = _array(api, kind, _item_step(api), (obj, at))
        else:
            native = api.to_native_value(kind, api.tuple_getitem(obj, place))
        values.append(native.value)
        failed = builder.or_(failed, native.is_error)
        if native.cleanup is not None:
            cleanups.append(native.cleanup)

    def cleanup() -> None:
        for one in reversed(cleanups):
            one()

    value = Waiting(lambda: api.context.make_tuple(builder, typ, [_read(one) for one in values]))
    return NativeValue(value, is_error=failed, cleanup=cleanup if cleanups else None)
