"""The folder that a pack is made in, beside its final place, and how it gets its name."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from glob import escape
from pathlib import Path

from shoal.backends.staging import MARK, uninterrupted
from shoal.backends.storage import remove_unheld
from shoal.errors import OutputError, shown
from shoal.system.current import current
from shoal.system.interface import Lock

OLD = ".shoal-old"  # a pack that is being replaced


@contextlib.contextmanager
def aside(folder: Path) -> Iterator[Path]:
    """Yield a folder beside the final one that only its owner can read; it is gone in the end."""
    place = folder.parent / f".{folder.name}{MARK}-{secrets.token_hex(6)}"
    try:
        _sweep(folder)
        place.mkdir(mode=0o700)
    except OSError as error:
        raise OutputError(f"{shown(folder)}: cannot be written: {error.strerror}") from None
    held: Lock | None = None
    with contextlib.suppress(OSError):
        held = current().lock_folder(place)
    done = False
    try:
        yield place
        done = True
    finally:
        if held is not None:
            held.release()
        if not done:
            shutil.rmtree(place, ignore_errors=True)


def restore(folder: Path) -> None:
    """Give a pack its name again that a killed run had set aside and put nothing in its place."""
    with contextlib.suppress(OSError):
        if not folder.exists():
            for old in folder.parent.glob(f".{escape(folder.name)}{OLD}-*"):
                old.rename(folder)
                return


def _sweep(folder: Path) -> None:
    """Remove unlocked private folders that killed runs left."""
    name = escape(folder.name)
    aside = folder.parent.glob(f".{name}{OLD}-*") if folder.exists() else ()
    for left in [*folder.parent.glob(f".{name}{MARK}-*"), *aside]:
        remove_unheld(left)


def give_name(place: Path, folder: Path, force: bool) -> None:
    """Give a finished folder its name; interrupts wait."""
    mask = os.umask(0o077)
    os.umask(mask)
    old = folder.parent / f".{folder.name}{OLD}-{secrets.token_hex(6)}"
    moved = False
    try:
        with uninterrupted():
            for path in place.iterdir():
                path.chmod(0o666 & ~mask)
            if force and folder.exists():
                folder.rename(old)
                moved = True
            current().move_folder(place, folder)
            folder.chmod(0o777 & ~mask)
    except OSError as error:
        if moved and not folder.exists():
            old.rename(folder)
        raise OutputError(f"{shown(folder)}: cannot be named: {error.strerror}") from None
    if moved:
        shutil.rmtree(old, ignore_errors=True)
