"""Codes of a sample between two questions: hierarchies and nodes do not change with k.

A worker lives for one question; what it has coded lies beside the held table for the next one.
Nothing is read but what a worker of the same server wrote: its content has a message code under a
key that is drawn when the server's workers are imported, and is in their memory alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import pickle
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.system.current import current
from shoal.table.encode_nodes import Coded, code
from shoal.table.hierarchy.specify import is_file
from shoal.table.roles import Role
from shoal.table.table import Table

KEY = secrets.token_bytes(32)  # workers are forked, and share it
SIZE = 32  # bytes of a message code
MOST = 20_000  # records of a table whose codes are kept
KEPT = 3  # tables whose codes are kept


@dataclass(frozen=True)
class HeldCodes:
    """What codes a table as `code` does, or knows it from an earlier question."""

    folder: Path

    def __call__(
        self,
        table: Table,
        texts: Mapping[str, str],
        folder: Path | None,
        ranges: Sequence[str],
        on_column: Callable[[int, int], None] | None,
    ) -> Coded:
        """Return the quasi-identifiers as nodes of hierarchies."""
        if table.rows > MOST:
            return code(table, texts, folder, ranges, on_column)
        path = self.folder / f"coded-{_name(table, texts, folder, ranges)}"
        found = _read(path)
        if found is None:
            found = code(table, texts, folder, ranges, on_column)
            with contextlib.suppress(OSError):  # there may be no room: the next one codes it again
                self._write(path, found)
        return found

    def _write(self, path: Path, coded: Coded) -> None:
        content = pickle.dumps(coded, 5)
        made = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
        made.write_bytes(_message_code(path, content) + content)
        current().replace(made, path)
        others = sorted(self.folder.glob("coded-*"), key=lambda one: one.stat().st_mtime_ns)
        for old in others[:-KEPT]:
            old.unlink(missing_ok=True)


def _read(path: Path) -> Coded | None:
    """Return what a worker of this server has coded; None where there is nothing of the kind."""
    try:
        written = path.read_bytes()
    except OSError:
        return None
    own, content = written[:SIZE], written[SIZE:]
    if not hmac.compare_digest(own, _message_code(path, content)):
        return None
    found = pickle.loads(content)  # noqa: S301 - a worker of this server wrote it
    assert isinstance(found, Coded)
    return found


def _message_code(path: Path, content: bytes) -> bytes:
    made = hashlib.blake2b(path.name.encode(), key=KEY, digest_size=SIZE)
    made.update(content)
    return made.digest()


def _name(
    table: Table, texts: Mapping[str, str], folder: Path | None, ranges: Sequence[str]
) -> str:
    """Return a name that differs wherever what is coded does: of cells, rules and files of them."""
    files = []
    for rule in texts.values():
        if is_file(rule):
            place = Path(rule) if folder is None else folder / rule
            with contextlib.suppress(OSError):  # who reads it will say so
                found = place.stat()
                files.append((found.st_size, found.st_mtime_ns, found.st_ino))
    columns = table.with_role(Role.QUASI_IDENTIFIER)
    said = (table.source.name, columns, dict(texts), folder, list(ranges), files)
    content = pickle.dumps(said, 5)
    return hashlib.blake2b(content, key=KEY, digest_size=16).hexdigest()
