"""A ledger as the judge reads it: every message code recomputed, by code of its own."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import InputError, shown

DIGITS = 16  # of the number of a value


@dataclass(frozen=True)
class Kept:
    """The releases of a ledger that were not withdrawn, and the secret of its key."""

    releases: list[Mapping[str, Any]] = field(repr=False)
    secret: bytes = field(repr=False)

    @classmethod
    def read(cls, path: Path) -> Kept:
        """Read a ledger and the key beside it."""
        secret = _secret(path.with_name(f"{path.name}.key"))
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{shown(path)}: the ledger cannot be read") from None
        before, trees = "", []
        for number, line in enumerate(lines, 1):
            body, _, code = line.rpartition(" ")
            own = _mac(secret, f"line\0{before}\0{body}")
            if not hmac.compare_digest(own.encode(), code.encode()):
                raise InputError(
                    f"{shown(path)}, line {number}: its message code is wrong; the ledger was "
                    "changed, or the key is another's"
                )
            before = code
            trees.append(json.loads(body))
        gone = {tree["release"] for tree in trees if tree.get("kind") == "withdrawal"}
        every = [tree for tree in trees if tree.get("kind") == "release"]
        return cls([one for one in every if one["number"] not in gone], secret)

    def of_hash(self, sha256: str) -> Mapping[str, Any] | None:
        """Return the release whose file has this content."""
        for entry in self.releases:
            if entry["sha256"] == sha256:
                return entry
        return None


def value_number(secret: bytes, column: str, text: str) -> str:
    """Return the number of a value in the ledger."""
    return _mac(secret, f"value\0{column}\0{text}")[:DIGITS]


def _secret(path: Path) -> bytes:
    try:
        text = path.read_text("ascii")
        return bytes.fromhex(text.rpartition(":")[2].strip())
    except FileNotFoundError:
        raise InputError(f"{shown(path)}: the key of the ledger is not there") from None
    except (OSError, ValueError):
        raise InputError(f"{shown(path)}: this is no key of a ledger") from None


def _mac(secret: bytes, message: str) -> str:
    whole = message.encode("utf-8", "surrogateescape")
    return hmac.new(secret, whole, hashlib.sha256).hexdigest()
