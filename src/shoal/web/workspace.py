"""Workspace: private folder of files and jobs, removed with its server."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
from pathlib import Path

from filelock import FileLock

from shoal.storage import system
from shoal.storage.places import remove_unheld
from shoal.storage.system import Lock

ROOM, MARK = re.compile("room-[0-9a-f]{16}"), "room"


class Workspace:
    """Folder of one server, locked while it runs; left-over ones are removed."""

    def __init__(self, path: Path, held: Lock) -> None:
        self.path = path
        self._held: Lock | None = held
        self._salt = secrets.token_bytes(16)

    def named(self, name: str) -> str:
        """Return an id for a name: the same while the server lives, and of no use to guess."""
        return hashlib.blake2b(os.fsencode(name), key=self._salt, digest_size=16).hexdigest()

    def leave(self) -> None:
        """Remove the folder; a second time does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._held is not None:
            self._held.release()
            self._held = None


def make_workspace(base: Path) -> Workspace:
    """Create a private folder, and remove those of ended servers.

    Whatever else lies in the base is left alone: rooms are in a folder of their own, and bear a
    mark.
    """
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    house = base / "desk"
    house.mkdir(mode=0o700, exist_ok=True)
    with FileLock(house / "lock"):  # one at a time
        for left in house.iterdir():
            if ROOM.fullmatch(left.name) and not left.is_symlink() and (left / MARK).is_file():
                remove_unheld(left)
        path = house / f"room-{secrets.token_hex(8)}"
        path.mkdir(mode=0o700)
        held = system.lock_folder(path)
        (path / MARK).touch(0o600)
    for name in ("files", "jobs", "asked"):
        (path / name).mkdir(mode=0o700)
    return Workspace(path, held)
