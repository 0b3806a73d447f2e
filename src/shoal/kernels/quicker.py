"""What Numba works out only once, or not at all, while a kernel is compiled.

This reaches into Numba below what it documents, as `compiling.py` does.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

from numba._dynfunc import make_function
from numba.core import cgutils, config, event, inline_closurecall, ir, ssa
from numba.core.annotations import type_annotations
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.errors import WarningsFixer
from numba.core.inline_closurecall import InlineWorker
from numba.core.lowering import Lower
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import ConfigStack
from numba.core.transforms import canonicalize_cfg
from numba.core.types import BaseFunction, Dispatcher, Type, unliteral

from shoal.kernels.libraries import Linked

READ: dict[Any, Any] = {}  # functions to be inlined, as they are read
CALLS: dict[Any, Any] = {}  # types of calls
HASHES: dict[int, tuple[Any, int]] = {}  # types and their hashes, by address
CONSTANT = {str, int, bool, float, type(None), ir.Loc}


class _Copies:
    """Copies of the blocks of inlined functions: those of one function share its variables.

    Copied block by block, all variables of a function are copied with each of its blocks.
    """

    def __init__(self) -> None:
        self.scope: Any = None
        self.memo: dict[int, Any] = {}

    def deepcopy(self, block: Any) -> Any:
        """Return a copy of a block, of a function whose blocks come one after the other."""
        scope = getattr(block, "scope", None)
        if scope is None or scope is not self.scope or id(block) in self.memo:
            self.scope, self.memo = scope, {}
        return copy.deepcopy(block, self.memo)


def _copy_of(self: Any, memo: dict[int, Any]) -> Any:
    """Return a copy of a part of a function; the general way asks how it is to be stored."""
    made = memo[id(self)] = object.__new__(type(self))
    own = vars(made)
    for name, value in vars(self).items():
        own[name] = value if type(value) in CONSTANT else copy.deepcopy(value, memo)
    return made


def _if_new(refresh: Callable[..., None]) -> Callable[..., None]:
    """Return a function that looks for implementations that were registered, if there are any.

    Numba looks through all of them whenever it asks whether there is a special one.
    """
    seen: dict[int, int] = {}

    def refreshed(self: Any) -> None:
        if seen.get(id(self)) != _registered(self):
            refresh(self)
            seen[id(self)] = _registered(self)

    return refreshed


def _registered(context: Any) -> int:
    """Return how many implementations and types there are, in all registries of a context."""
    own, typing = context._registries, context.typing_context._registries
    return sum(
        len(getattr(registry, name))
        for registry, loader in (*own.items(), *typing.items())
        for name in loader.registry_items
    )


def _remembered(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that finds the types of a call, and of calls with equal types only once."""

    def resolved(self: Any, context: Any, args: Any, kws: Any) -> Any:
        key = self, context, tuple(args), tuple(kws.items())
        if key not in CALLS:
            CALLS[key] = resolve(self, context, args, kws)
        return CALLS[key]

    return resolved


def _hashed_once(hash_: Callable[[Any], int]) -> Callable[[Any], int]:
    """Return a function that computes the hash of a type once: that of a tuple takes all its parts.

    It is not kept with the type, which may be stored, as it holds for this process alone.
    """

    def hashed(self: Any) -> int:
        known = HASHES.get(id(self))
        if known is None:
            known = HASHES[id(self)] = self, hash_(self)
        return known[1]

    return hashed


def _read_once(read: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that reads a function to be inlined, once for all places it is called at.

    What is read is copied before it is changed.
    """

    def reading(self: Any, func: Any, enable_ssa: bool = False) -> Any:
        key = func, enable_ssa
        if key not in READ:
            READ[key] = read(self, func, enable_ssa)
        self.flags.enable_ssa = enable_ssa  # as every reading does
        return READ[key]

    return reading


class _Renaming:
    """Renaming of variables that are assigned to several times, one after the other.

    Statements that do not mention a variable stay as they are without a look at them: else each
    variable takes a walk through the whole function.
    """

    def __init__(self, run: Callable[..., Any]) -> None:
        self.run = run
        self.blocks: dict[Any, set[str]] = {}  # the names that blocks mention, by label
        self.statements: dict[int, tuple[Any, set[str]]] = {}

    def renamed(self, blocks: Any) -> Any:
        """Return the blocks of a function, in which every variable is assigned to once."""
        self.blocks.clear()
        self.statements.clear()
        return self.run(blocks)

    def rewritten(self, blocks: Any, states: dict[str, Any], handler: Any) -> dict[Any, Any]:
        """Return blocks in which one variable is replaced; later ones are other names."""
        made, name = {}, states["varname"]
        for label, block in blocks.items():
            if label not in self.blocks:
                self.blocks[label] = set().union(*map(self._names, block.body))
            made[label] = ir.Block(scope=block.scope, loc=block.loc)
            made[label].body = list(block.body)
            if name in self.blocks[label]:
                states["label"], states["block"] = label, block
                made[label].body = [self._replaced(one, states, handler) for one in block.body]
        return made

    def _replaced(self, statement: Any, states: dict[str, Any], handler: Any) -> Any:
        if states["varname"] not in self._names(statement):
            return statement
        if isinstance(statement, ir.Assign):
            return handler.on_assign(states, statement)
        return handler.on_other(states, statement)

    def _names(self, statement: Any) -> set[str]:
        known = self.statements.get(id(statement))
        if known is None:
            names = {variable.name for variable in statement.list_vars()}
            known = self.statements[id(statement)] = statement, names
        return known[1]


def _for_any(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that compiles a kernel for numbers, not for one that is written out."""

    def resolved(self: Any, context: Any, args: Any, kws: Any) -> Any:
        plain = {name: unliteral(kind) for name, kind in kws.items()}
        return resolve(self, context, tuple(map(unliteral, args)), plain)

    return resolved


def _not_called(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes the Python wrapper, which a part has not."""

    def executable(self: Any, library: Any, fndesc: Any, env: Any) -> Any:
        if not isinstance(library, Linked):
            return make(self, library, fndesc, env)
        library._ensure_finalized()
        name = fndesc.qualname.split(".")[-1]
        return make_function(fndesc.lookup_module(), name, "", 0, env, (library,))

    return executable


def _variables(self: Any, value: Any) -> list[Any]:
    """Return the variables in a part of a statement, in their order."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        value = (value,)
    found: list[Any] = []
    for one in value:
        if isinstance(one, ir.Var):
            found.append(one)
        elif isinstance(one, ir.Inst):
            found += one.list_vars()
        elif isinstance(one, list | tuple | dict):
            found += _variables(self, one)
    return found


def _without_entries(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that finds out how long variables live, when it is asked.

    Which of them live at the beginning of a block is a question of generators and Python objects,
    and where they end one of references, which kernels do not count.
    """

    def processed(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        own = self.func_ir
        if own.is_generator:
            run(self, emit_dels, extend_lifetimes)
            return
        own.blocks = canonicalize_cfg(own.blocks)
        own.variable_lifetime = VariableLifetime(own.blocks)
        own.generator_info = None
        flags = ConfigStack.top_or_none()
        if emit_dels and (flags is None or flags.nrt):  # no kernel, but what one calls of Numba
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)

    return processed


def _unmarked(place: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes a place for a variable; a debugger must know its size."""

    def placed(self: Any, name: str, lltype: Any, datamodel: Any = None) -> Any:
        if self.flags.debuginfo:
            return place(self, name, lltype, datamodel)
        return cgutils.alloca_once(self.builder, lltype, name=name, zfill=False)

    return placed


def _silent(say: Callable[..., None]) -> Callable[..., None]:
    """Return a function that says what happens; that LLVM is called, it does not."""

    def said(kind: str, *details: Any, **named: Any) -> None:
        if kind != "numba:llvm_lock":
            say(kind, *details, **named)

    return said


@contextmanager
def quicker() -> Iterator[None]:
    """Let Numba work out less than it does alone, while one kernel is compiled.

    Nobody else compiles meanwhile, and what others compile later is compiled in Numba's own way.
    A kernel that is compiled on the way, as another calls it, finds all of it in place.
    """
    copies = SimpleNamespace(copy=copy.copy, deepcopy=_Copies().deepcopy)
    renaming = _Renaming(ssa._run_ssa)
    changes: list[tuple[Any, str, Any]] = [
        (inline_closurecall, "copy", copies),
        (InlineWorker, "run_untyped_passes", _read_once(InlineWorker.run_untyped_passes)),
        (BaseFunction, "get_call_type", _remembered(BaseFunction.get_call_type)),
        (Dispatcher, "get_call_type", _for_any(Dispatcher.get_call_type)),
        (CPUContext, "get_executable", _not_called(CPUContext.get_executable)),
        (Lower, "alloca_lltype", _unmarked(Lower.alloca_lltype)),
        (event, "start_event", _silent(event.start_event)),
        (event, "end_event", _silent(event.end_event)),
        (type_annotations, "TypeAnnotation", lambda **_: ""),  # a listing for readers
        (PostProcessor, "run", _without_entries(PostProcessor.run)),
        (ir.Inst, "_rec_list_vars", _variables),
        (ssa, "_run_ssa", renaming.renamed),
        (ssa, "_run_block_rewrite", renaming.rewritten),
        (ssa, "_logger", SimpleNamespace(debug=lambda *_: None)),  # called for every statement
        (config, "SLP_VECTORIZE", 1),  # equal steps side by side: sums of their own, same numbers
        (CPUContext, "refresh", _if_new(CPUContext.refresh)),
        (Type, "__hash__", _hashed_once(Type.__hash__)),
        # set up for each of thousands of steps; kernels give no warnings about types
        (WarningsFixer, "catch_warnings", lambda *_, **__: nullcontext()),
        *((kind, "__deepcopy__", _copy_of) for kind in (ir.Block, ir.Inst, ir.Scope)),
        (ir.Loc, "__deepcopy__", lambda self, _memo: self),  # places in a source do not change
    ]
    with global_compiler_lock:
        if isinstance(vars(inline_closurecall)["copy"], SimpleNamespace):
            yield
            return
        before = [vars(owner).get(name) for owner, name, _ in changes]
        for owner, name, changed in changes:
            setattr(owner, name, changed)
        try:
            yield
        finally:
            for (owner, name, _), own in zip(changes, before, strict=True):
                if own is None:
                    delattr(owner, name)
                else:
                    setattr(owner, name, own)
