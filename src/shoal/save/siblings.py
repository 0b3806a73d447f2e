"""Earlier releases of the same input beside a new one."""

from __future__ import annotations

import json
from pathlib import Path

from shoal.storage.private_folder import REPORT, SUFFIX, published_beside

LARGEST, MOST = 32 * 2**20, 200  # bytes of a report, and reports, that are looked at


def earlier_releases(private: Path, sha256: str | None) -> list[str]:
    """Return other releases beside that of a private folder which came of the same input.

    An input is known by its hash, which the exact reports in private folders hold. What cannot be
    read as a report of ours is passed over.
    """
    if not sha256:
        return []
    releases = []
    folder = private.parent
    for path in sorted(folder.glob(f"*{SUFFIX}/{REPORT}"))[:MOST]:
        try:
            if path.parent.samefile(private) or path.stat().st_size > LARGEST:
                continue
            report = json.loads(path.read_bytes())
            if report["input"]["sha256"] == sha256:
                file = published_beside(path.parent, str(report["release"]["file"]))
                releases.append(str(file.relative_to(folder)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return releases
