"""Journal of a release that gets its name, for whoever comes after a run that was killed.

A ledger has the entry of a release before the release has its name. While files are named, a
journal lies beside the ledger. Where a run was killed meanwhile and the release has its temporary
name alone, the next one that locks the ledger takes back the entry and the other files: release
and entry appear together, or not at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.errors import InputError, shown
from shoal.storage.staging import Staging

SUFFIX = ".journal"


def journal_path(ledger: Path) -> Path:
    """Return where the journal of a ledger lies while a release is named."""
    return ledger.with_name(f".{ledger.name}{SUFFIX}")


@contextlib.contextmanager
def journaled(ledger: Path, staging: Staging, release: Path) -> Iterator[None]:
    """Keep a journal while staged files get their names.

    `release` is the temporary name of what the entry is of, a file or a folder. It gets its name
    last; as long as the temporary one is there alone, it has not got it.
    """
    content = ledger.read_bytes() if ledger.exists() else b""
    tree = {
        "release": str(release.absolute()),
        "targets": [str(target.absolute()) for one, target in staging.waiting if one == release],
        "length": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "files": [
            [str(target.absolute()), _sha256(temporary)]
            for temporary, target in staging.waiting
            if temporary != release and not target.exists()
        ],
    }
    place = journal_path(ledger)
    with Staging(force=True) as own:
        own.add(place, json.dumps(tree).encode("utf-8"), private=True)
        own.commit()
    try:
        yield
    finally:
        place.unlink(missing_ok=True)


def settle(ledger: Path) -> None:
    """Take back what a killed run had named before its release; the ledger must be locked."""
    place = journal_path(ledger)
    try:
        tree = json.loads(place.read_text("utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        raise InputError(f"{shown(place)}: the journal of the ledger cannot be read") from None
    release = Path(tree["release"])
    if _has_name(release, tree.get("targets", [])):
        release.unlink()  # a file may have both names for a moment
    elif release.exists():
        for name, digest in tree["files"]:
            with contextlib.suppress(OSError):
                if _sha256(Path(name)) == digest:
                    Path(name).unlink()
        _shorten(ledger, tree)
        _remove(release)
    place.unlink(missing_ok=True)


def _has_name(release: Path, targets: list[str]) -> bool:
    """Tell whether a file has its own name beside the temporary one."""
    with contextlib.suppress(OSError):
        return any(release.samefile(target) for target in targets)
    return False


def _shorten(ledger: Path, tree: dict[str, Any]) -> None:
    """Cut the last entry off a ledger that begins with what it held before."""
    content = ledger.read_bytes() if ledger.exists() else b""
    before = content[: tree["length"]]
    if before and content != before and hashlib.sha256(before).hexdigest() == tree["sha256"]:
        with Staging(force=True) as staging:
            staging.add(ledger, before, private=True)
            staging.commit()


def _remove(release: Path) -> None:
    """Remove a file or folder that never got its name."""
    with contextlib.suppress(OSError):
        if release.is_dir():
            shutil.rmtree(release)
        else:
            release.unlink()


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
