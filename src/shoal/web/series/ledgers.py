"""Ledgers at the desk: of the folder, or of files brought in; and what a page asks of a series.

A page names a ledger by its id. Those of the folder are continued where they lie; others lie with
the desk's files until it ends, and every run hands out the ledger that it continued.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.series.key import key_path
from shoal.settings.release import SeriesSettings
from shoal.web.bodies import Refused
from shoal.web.uploads import kept_name, last_part, plain_name
from shoal.web.workspace import Workspace

ENDING = ".ledger"
MOST = 50  # ledgers that are brought in
ASKED = frozenset(SeriesSettings.model_fields)


@dataclass(frozen=True)
class KnownLedger:
    """A ledger that can be chosen."""

    id: str
    name: str
    path: Path
    origin: str  # folder, upload or new

    def to_json(self) -> dict[str, Any]:
        """Return what a list says of it."""
        return {"id": self.id, "name": self.name, "origin": self.origin}


class Ledgers:
    """Ledgers by generated ids; no path of a client is ever opened."""

    def __init__(self, workspace: Workspace, folder: Path | None) -> None:
        self.workspace, self.folder = workspace, folder
        self._own: dict[str, KnownLedger] = {}

    def every(self) -> dict[str, KnownLedger]:
        """Return the ledgers that can be chosen, by id."""
        found = {}
        if self.folder is not None:
            inside = self.folder.resolve()
            with contextlib.suppress(OSError):
                for path in sorted(self.folder.iterdir()):
                    plain = path.name.endswith(ENDING) and not path.name.startswith(".")
                    if plain and path.is_file() and path.resolve().parent == inside:
                        key = self.workspace.named(path.name)
                        found[key] = KnownLedger(key, plain_name(path.name), path, "folder")
        return {**self._own, **found}

    def of(self, key: Any) -> KnownLedger:
        """Return a ledger by its id."""
        known = self.every().get(key) if isinstance(key, str) else None
        if known is None:
            raise Refused(404, "there is no such ledger on the desk")
        return known

    def begin(self, name: Any) -> KnownLedger:
        """Return a new ledger, which the first release under it begins; in the folder if any."""
        own = _name_of(name)
        if self.folder is None:
            return self._kept(own, "new")
        path = self.folder / own
        if path.exists() or key_path(path).exists():
            raise Refused(409, "the folder has a ledger of this name; choose it, or another name")
        key = self.workspace.named(own)
        self._own[key] = KnownLedger(key, own, path, "folder")
        return self._own[key]

    def bring(self, name: Any, ledger: Any, key: Any) -> KnownLedger:
        """Keep a ledger and its key that a page brings; reading it checks both."""
        if not isinstance(ledger, str) or not isinstance(key, str):
            raise Refused(400, "a ledger and its key are two files: NAME.ledger, NAME.ledger.key")
        known = self._kept(_name_of(name), "upload")
        for path, text in ((known.path, ledger), (key_path(known.path), key)):
            path.touch(0o600)
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return known

    def forget(self, known: KnownLedger) -> None:
        """Remove a ledger that was brought in and is none."""
        del self._own[known.id]
        for path in (known.path, key_path(known.path)):
            path.unlink(missing_ok=True)

    def _kept(self, name: str, origin: str) -> KnownLedger:
        if len(self._own) >= MOST:
            raise Refused(409, f"{MOST} ledgers are open; begin with a new desk")
        key = secrets.token_hex(16)
        place = self.workspace.path / "ledgers" / key
        place.mkdir(mode=0o700, parents=True)
        self._own[key] = KnownLedger(key, name, place / name, origin)
        return self._own[key]

    def series(self, asked: Any) -> dict[str, Any]:
        """Return the series that a page asks for, as settings have it: with the ledger's path."""
        if not isinstance(asked, Mapping) or set(asked) - ASKED:
            raise Refused(400, "the recipe's part series says something that is not known here")
        given = {key: value for key, value in asked.items() if value is not None}
        return {**given, "ledger": str(self.of(given.get("ledger")).path)}

    def named(self, name: str) -> str | None:
        """Return the id of a ledger by its name; None where none or several have it."""
        found = [one.id for one in self.every().values() if one.name == last_part(name)]
        return found[0] if len(found) == 1 else None


def _name_of(name: Any) -> str:
    """Return the name of a ledger on disk."""
    if not isinstance(name, str) or not name.strip():
        raise Refused(400, "a ledger needs a name")
    plain = name.strip().removesuffix(".key").removesuffix(ENDING)
    return kept_name(f"{plain}{ENDING}", ENDING)
