"""Earlier releases of the same input that lie beside a new one: two tell more than one."""

from __future__ import annotations

import json
from pathlib import Path

LARGEST, MOST = 32 * 2**20, 200  # bytes of a report, and reports, that are looked at


def earlier_releases(report: Path, sha256: str | None) -> list[str]:
    """Return the names of other releases in the folder of a report that came of the same input.

    An input is known by its hash. What cannot be read as a report of ours is passed over.
    """
    if sha256 is None:
        return []
    found = []
    for path in sorted(report.parent.glob("*report.json"))[:MOST]:
        try:
            if path.samefile(report) or path.stat().st_size > LARGEST:
                continue
            told = json.loads(path.read_bytes())
            if told["input"]["sha256"] == sha256:
                found.append(str(told["release"].get("file", path.name)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return found
