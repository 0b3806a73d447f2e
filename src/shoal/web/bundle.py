"""JavaScript bundle of the chart library, made once and cached."""

from __future__ import annotations

import hashlib
import secrets
from importlib import metadata
from pathlib import Path

from shoal.storage import system
from shoal.storage.places import cache_folder

SNIPPET = "window.vegaEmbed = vegaEmbed;"


def bundle(folder: Path) -> Path:
    """Return the file of the library, in the cache or else in a room of the server's own.

    Where there is none of this version it is made, which takes some seconds.
    """
    made_of = f"{metadata.version('vl-convert-python')} {SNIPPET}"
    name = f"vega-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.js"
    for base in (cache_folder(), folder):
        path = base / name
        try:
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                _make(path)
        except OSError:
            continue
        return path
    raise OSError("no folder for the library of charts can be written")


def _make(path: Path) -> None:
    import vl_convert

    made = path.with_name(f".{path.name}-{secrets.token_hex(6)}")
    try:
        made.write_text(vl_convert.javascript_bundle(SNIPPET), encoding="utf-8")
        system.replace(made, path)
    finally:
        made.unlink(missing_ok=True)
