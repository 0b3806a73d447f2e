"""The sources of kernels: which modules they are, and whether one has changed."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from functools import cache
from pathlib import Path

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

    Numba looks only at the file that holds a function, not at those it calls into. The digest is
    kept beside compiled code until the time or size of a module changes: reading all modules takes
    a tenth of a second.
    """
    root = Path(__file__).parents[1]
    kept = Path(__file__).parent / "__pycache__" / "sources.stamp"
    looks = _looks(root)
    with suppress(OSError, ValueError):
        known, stamp = kept.read_text(encoding="ascii").split()
        if known == looks:
            return stamp
    digest = hashlib.sha256()
    for path in kernel_sources(root):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    stamp = digest.hexdigest()
    if looks == _looks(root):  # else a source was changed meanwhile
        _keep(kept, f"{looks} {stamp}\n")
    return stamp


def _looks(root: Path) -> str:
    """Return a digest of the paths, times and sizes of all modules."""
    found, folders = [], [str(root)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    state = entry.stat()
                    found.append((entry.path, state.st_mtime_ns, state.st_size))
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()


def _keep(path: Path, text: str) -> None:
    """Write a file whole or not at all; where its folder is not writable, nothing is kept."""
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        written = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            written.write_text(text, encoding="ascii")
            written.replace(path)
        except OSError:
            written.unlink(missing_ok=True)
