"""The decorators of kernels: flags and cache.

`nogil` lets a thread pool run kernels side by side. There is no `fastmath` (a sum must not
depend on the machine's vector width) and no `parallel` (it can abort the process or a fork).
Kernels allocate nothing, so that no references need be counted: in a search that took more than
half of the time (measured), and it takes time to compile. Compiled code is cached on disk where a
folder is writable, and compiled anew where none is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba

try:
    from shoal.kernels import compiling
except ImportError:  # another Numba
    TWICE, TOGETHER, ALONE = {}, {}, {}
else:
    TWICE = {"pipeline_class": compiling.Twice}
    TOGETHER = {"pipeline_class": compiling.Together}
    ALONE = {"pipeline_class": compiling.Alone}

P = ParamSpec("P")
R = TypeVar("R")

ANY = 0  # added to a number that is written out, or a kernel is compiled for that number alone

FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
UNCOUNTED: dict[str, Any] = {**FLAGS, "_nrt": False, "no_cfunc_wrapper": True}
PART: dict[str, Any] = {**UNCOUNTED, "no_cpython_wrapper": True}


COMPILED = re.compile(r"^(?:from shoal\.kernels\.jit import|from numba|import numba)", re.M)
CONSTANTS = re.compile(r"^from shoal\.([\w.]+) import (\([^)]*\)|[^\n]*)", re.M)


def kernel_sources(root: Path) -> list[Path]:
    """Return the modules in a folder whose code is compiled, wherever they lie, in order.

    They are recognized by the decorators they import. A kernel holds the value that a constant of
    another module had when it was compiled, so modules that they take constants from belong to
    them.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    likely = [(path, text) for path, text in texts.items() if "jit" in text or "numba" in text]
    paths = [path for path, text in likely if COMPILED.search(text)]
    seen = set(paths)
    for path in paths:  # grows as it is gone through
        for module, names in CONSTANTS.findall(texts[path]):
            if not re.search(r"\b[A-Z][A-Z0-9_]+\b", names):
                continue
            base = root.joinpath(*module.split("."))
            source = next((p for p in (base.with_suffix(".py"), base / "__init__.py")
                           if p in texts), None)  # fmt: skip
            if source is not None and source not in seen:
                seen.add(source)
                paths.append(source)
    return sorted(paths)


@cache
def source_stamp() -> str:
    """Return a digest of all kernel sources: a change in one throws away the cache of each.

    Numba looks only at the file that holds a function, not at those it calls into.
    """
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in kernel_sources(root):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@contextmanager
def _disk_may_fail(cache_file: Any) -> Iterator[None]:
    """Treat a cache that cannot be read or written as one that is not there.

    An index that cannot be understood, damaged or of another version, is thrown away: else it
    could never be replaced.
    """
    try:
        yield
    except OSError:
        pass
    except Exception:
        with suppress(OSError, AttributeError):
            Path(cache_file._index_path).unlink()


def _guard(dispatcher: Any) -> None:
    cache_ = dispatcher._cache
    cache_file = getattr(cache_, "_cache_file", None)
    if cache_file is not None and hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = source_stamp()
    # without its first step, which learns all that can be compiled: what is cached is compiled
    load = getattr(cache_, "_load_overload", cache_.load_overload)
    save = cache_.save_overload

    def load_overload(*arguments: Any) -> Any:
        with _disk_may_fail(cache_file):
            return load(*arguments)
        return None

    def save_overload(*arguments: Any) -> None:
        with _disk_may_fail(cache_file):
            save(*arguments)

    cache_.load_overload, cache_.save_overload = load_overload, save_overload


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function only as a part of those that call it.

    A compiled function is optimized anew with every function around it, so the cost of compiling
    grows with the depth of the calls: the small steps between a loop and its sweeps are inlined.
    Called from Python it is compiled as a kernel is, and returns no arrays.
    """
    flags = {"inline": "always", **UNCOUNTED, **TOGETHER}
    return numba.njit(**flags)(function)  # type: ignore[no-any-return]


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, once for the types it is called with."""
    return _compiled(function, {**UNCOUNTED, **TOGETHER})


def part(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call: the wrapper for Python is left out."""
    return _compiled(function, {**PART, **TOGETHER})


def hot(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a part that most time is spent in: optimized twice, it is up to a tenth faster."""
    return _compiled(function, {**PART, **TWICE})


def steps(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a part that leaves the work to others: those are not optimized once more."""
    return _compiled(function, {**PART, **ALONE})


def loop(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that leaves the work to others: those are not optimized once more."""
    return _compiled(function, {**UNCOUNTED, **ALONE})


def _compiled(function: Callable[P, R], flags: dict[str, Any]) -> Callable[P, R]:
    return guarded(lambda cache: numba.njit(cache=cache, **flags)(function))  # type: ignore[no-any-return]


def guarded(compile_: Callable[[bool], Any]) -> Any:
    """Return what is compiled, with a cache where a folder for it is writable."""
    try:
        compiled = compile_(True)
        if hasattr(compiled, "_cache"):  # not where NUMBA_DISABLE_JIT is set
            _guard(compiled)
    except RuntimeError:  # no folder for the cache is writable
        compiled = compile_(False)
    return compiled


def load_cached(kernel: Callable[..., Any]) -> int:
    """Load what is compiled of a kernel from its cache, and compile nothing; return how many.

    A process that forks does so once for all that it forks.
    """
    cache_ = getattr(kernel, "_cache", None)
    cache_file = getattr(cache_, "_cache_file", None)
    if cache_ is None or cache_file is None:  # there is no cache, or the compiler is off
        return 0
    loaded = 0
    with _disk_may_fail(cache_file):
        context: Any = kernel.targetctx  # type: ignore[attr-defined]
        for key in cache_file._load_index():
            if key == cache_._index_key(key[0], context.codegen()):  # of this machine, as it is
                kernel.compile(key[0])  # type: ignore[attr-defined]
                loaded += 1
    return loaded
