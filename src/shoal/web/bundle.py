"""The library that draws charts in the browser, as a dependency brings it: made once, kept."""

from __future__ import annotations

import os
import secrets
from importlib import metadata
from pathlib import Path

SNIPPET = "window.vegaEmbed = vegaEmbed;"


def bundle(base: Path) -> Path:
    """Return the file of the library; where there is none of this version it is made."""
    version = metadata.version("vl-convert-python")
    path = base / f"vega-{version}.js"
    if not path.exists():
        import vl_convert

        made = path.with_name(f".{path.name}-{secrets.token_hex(6)}")
        try:
            made.write_text(vl_convert.javascript_bundle(SNIPPET), encoding="utf-8")
            os.replace(made, path)  # noqa: PTH105 - one step
        finally:
            made.unlink(missing_ok=True)
    return path
