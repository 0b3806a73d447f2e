"""Place of a pack: checked before any work, made beside it, then given its name in one step."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError, OutputError, exists, shown
from shoal.release.pack.signing import check_key
from shoal.release.targets import Targets
from shoal.storage import private_folder, system
from shoal.storage.places import is_inside, remove_unheld
from shoal.storage.staging import MARK, Staging, check_above, probe, umask, uninterrupted

if TYPE_CHECKING:
    from shoal.settings import Settings

NAME, SIGNATURE = "certificate.json", "certificate.sig"
SCHEMA = "shoal-certificate/1"
OLD = ".shoal-old"  # a pack that is being replaced


def check_pack_place(
    folder: Path, kind: str, force: bool, settings: Settings, sign: str | os.PathLike[str] | None
) -> Targets:
    """Return the targets of a pack; refuse, before any work is done, where it cannot be written."""
    inputs = {"input": settings.input.path, "ledger": settings.series.ledger}
    check_folder(folder, force, inputs)
    if sign is not None:
        check_key(sign)
    targets = Targets.in_folder(folder, kind)
    staging = Staging(force=force, folders=[targets.private])
    for name in private_folder.FILES:
        staging.check(targets.private / name)
    return targets


def check_folder(folder: Path, force: bool, inputs: Mapping[str, str | None]) -> None:
    """Refuse a place where a pack cannot be written, before any work is done.

    `inputs` are files that must not lie in it, by what they are.
    """
    check_above(folder)
    restore(folder)
    try:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise OutputError(f"{shown(folder)}: this is no folder")
        inside = {path.name for path in folder.iterdir()} if folder.exists() else set()
        probe(folder.absolute().parent)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a valid path"
        raise OutputError(f"{shown(folder)}: cannot be written: {reason}") from None
    here = Path.cwd()
    if folder.resolve() in (here, *here.parents):
        raise OutputError(f"{shown(folder)}: this folder is in use; take one of its own")
    for what, path in inputs.items():
        if path is not None and is_inside(Path(path), folder):
            raise OutputError(f"{shown(folder)}: the {what} lies in it; take a folder of its own")
    if inside and not force:
        raise exists(folder)
    with contextlib.suppress(InputError):
        inside -= {NAME, SIGNATURE, *certified(folder)}
    if inside:
        raise OutputError(
            f"{shown(folder)} holds files that are no part of a pack; it is not replaced"
        )


def certified(folder: Path) -> list[str]:
    """Return the names of the files that a certificate covers."""
    tree = certificate_tree(folder)
    files = tree.get("files")
    if tree.get("schema") != SCHEMA or not isinstance(files, Mapping):
        raise InputError(f"{shown(folder / NAME)}: this is no certificate")
    return list(files)


def certificate_tree(folder: Path) -> Mapping[str, Any]:
    """Return what the certificate of a pack holds, as JSON."""
    path = folder / NAME
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{shown(folder)}: there is no {NAME}; this is no release pack") from None
    except OSError:
        raise InputError(f"{shown(path)}: cannot be read as text") from None
    except (ValueError, RecursionError):
        raise InputError(f"{shown(path)}: this is not JSON") from None
    if not isinstance(tree, Mapping):
        raise InputError(f"{shown(path)}: this is no certificate")
    return tree


@contextlib.contextmanager
def made_beside(folder: Path) -> Iterator[Path]:
    """Yield a folder beside the final one that only its owner can read; it is gone in the end."""
    place = folder.parent / f".{folder.name}{MARK}-{secrets.token_hex(6)}"
    with contextlib.ExitStack() as stack:
        try:
            _sweep(folder)
            stack.callback(shutil.rmtree, place, ignore_errors=True)
            place.mkdir(mode=0o700)
        except OSError as error:
            raise OutputError(f"{shown(folder)}: cannot be written: {error.strerror}") from None
        with contextlib.suppress(OSError):
            stack.enter_context(system.lock_folder(place))
        yield place


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
    mask = umask()
    old = folder.parent / f".{folder.name}{OLD}-{secrets.token_hex(6)}"
    try:
        with uninterrupted():
            for path in place.iterdir():
                path.chmod(0o666 & ~mask)
            if force and folder.exists():
                folder.rename(old)
            system.move_folder(place, folder)
            folder.chmod(0o777 & ~mask)
    except OSError as error:
        if old.exists() and not folder.exists():
            old.rename(folder)
        raise OutputError(f"{shown(folder)}: cannot be named: {error.strerror}") from None
    shutil.rmtree(old, ignore_errors=True)
