"""Tasks of a worker, by the kinds of requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shoal.backends.extras import has
from shoal.web.improve import improve
from shoal.web.look import look
from shoal.web.messages import ProgressWriter
from shoal.web.preview import preview
from shoal.web.releases import anonymize, compare
from shoal.web.risk_now import risk
from shoal.web.series.ledger_tasks import ledger
from shoal.web.series.stream_events import stream
from shoal.web.trees import tree
from shoal.web.trial import trial


def about(request: Mapping[str, Any], _place: Path, _progress: ProgressWriter) -> dict[str, Any]:
    """List the methods, and make the library of charts where it is not there yet.

    Without the extra `charts` there is none.
    """
    from shoal.methods.registry import methods
    from shoal.web.bundle import bundle

    return {
        "vega": str(bundle(Path(request["room"]))) if has("charts") else None,
        "methods": [
            {
                "name": one.name, "kind": one.kind, "summary": one.summary, "cost": one.cost,
                "citation": one.citation, "columns": one.columns, "mixed": one.on_nodes,
            }
            for one in methods()
        ],
    }  # fmt: skip


KINDS: dict[str, Callable[[Mapping[str, Any], Path, ProgressWriter], dict[str, Any]]] = {
    "look": look,
    "tree": tree,
    "preview": preview,
    "risk": risk,
    "trial": trial,
    "improve": improve,
    "anonymize": anonymize,
    "compare": compare,
    "about": about,
    "ledger": ledger,
    "stream": stream,
}
