"""What a worker does with ledgers: say what one holds, withdraw a release, make one under it."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.ledger.entries import Release, Withdrawal
from shoal.ledger.keeping import withdraw_release
from shoal.ledger.key import key_path
from shoal.ledger.ledger import Ledger
from shoal.web.messages import ProgressWriter

HANDED = "ledger"  # the folder of copies beside a release
SAYS = "the ledger after this release; private, and needed for the next one"
KEY_SAYS = "the key of the ledger; private, keep it apart from the ledger"


def ledger(request: Mapping[str, Any], _place: Path, _progress: ProgressWriter) -> dict[str, Any]:
    """Say what a ledger holds, in counts; with `withdraw`, after a release was withdrawn."""
    path = Path(request["path"])
    number = request.get("withdraw")
    if number is not None:
        own = withdraw_release(path, int(number))
    elif path.exists() or key_path(path).exists():
        own = Ledger.load(path)
    else:
        return {"releases": [], "people": 0, "several": 0, "left": 0}
    gone = {one.release for one in own.entries if isinstance(one, Withdrawal)}
    times = Counter(person for one in own.releases for person in one.roll.people)
    return {
        "releases": [
            _release(one, one.number in gone) for one in own.entries if isinstance(one, Release)
        ],
        "people": len(times),
        "several": sum(1 for often in times.values() if often > 1),
        "left": len(own.left),
    }


def _release(entry: Release, gone: bool) -> dict[str, Any]:
    """Return what is said of a release in a ledger."""
    return {
        "number": entry.number,
        "file": entry.file,
        "people": len(entry.roll.people),
        "withheld": entry.withheld,
        "k": entry.promise.k,
        "l": entry.promise.l,
        "state": "withdrawn" if gone else "made" if entry.made else "added",
    }


def handed_out(path: Path, made: Path) -> list[dict[str, Any]]:
    """Copy a ledger and its key beside a release; return them as downloads."""
    folder = made / HANDED
    folder.mkdir(mode=0o700)
    files = []
    for source, says in ((path, SAYS), (key_path(path), KEY_SAYS)):
        target = folder / source.name
        shutil.copyfile(source, target)
        target.chmod(0o600)
        name = f"{HANDED}/{source.name}"
        files.append({"name": name, "bytes": target.stat().st_size, "says": says})
    return files
