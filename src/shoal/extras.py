"""Optional libraries: which extra brings them, and the one line that names it where they lack.

Nothing is chosen by what is installed: a request that needs an extra is refused without it.
"""

from __future__ import annotations

import importlib.util

from shoal.errors import RequestError, pip_install

EXTRAS = {
    "web": ("fastapi", "uvicorn"),
    "charts": ("vl_convert",),
    "optimal": ("highspy",),
    "formats": ("polars", "pyreadstat", "python_calamine", "xlsxwriter"),
    "dask": ("dask", "distributed"),
    "spark": ("pyspark", "fsspec"),
    "sklearn": ("sklearn",),
    "sign": ("cryptography",),
}  # modules by the extra of pyproject.toml that brings them


def has(extra: str) -> bool:
    """Tell whether everything that an extra brings is installed, without importing it."""
    return all(is_installed(module) for module in EXTRAS[extra])


def is_installed(module: str) -> bool:
    """Tell whether a module can be imported, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def check_extra(extra: str, what: str) -> None:
    """Raise RequestError if an extra is not installed; `what` is what needs it."""
    if not has(extra):
        raise RequestError(f"{what}: {pip_install(extra)}")
