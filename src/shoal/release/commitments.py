"""Keyed commitments to the input: they disclose nothing, and can be proven later.

A plain hash of an input confirms guesses: whoever knows all but a few cells tries the rest. A
commitment is HMAC-SHA256 of the hash under a random key of 32 bytes, new for every release, that
lies in its private folder alone. Each says what it is of, so that none stands for another.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import InputError, shown
from shoal.storage.private_folder import KEY

LABEL = "shoal-commitment/1"


@dataclass(frozen=True)
class Commitments:
    """Makes and compares the commitments of one release."""

    key: bytes = field(repr=False)

    @classmethod
    def new(cls) -> Commitments:
        """Return commitments under a new random key."""
        return cls(secrets.token_bytes(32))

    @classmethod
    def load(cls, folder: Path) -> Commitments:
        """Return those whose key lies in a private folder."""
        path = folder / KEY
        try:
            key = bytes.fromhex(path.read_text(encoding="ascii").strip())
        except OSError as error:
            raise InputError(f"{shown(path)}: cannot be read: {error.strerror}") from None
        except ValueError:
            key = b""
        if len(key) != 32:
            raise InputError(f"{shown(path)}: this is no key of commitments")
        return cls(key)

    def to_text(self) -> str:
        """Return the key as it lies in the private folder."""
        return f"{self.key.hex()}\n"

    def of_file(self, what: str, sha256: str, column: str = "") -> str:
        """Commit to the input, or to the hierarchy of a column: to the hash of its file."""
        message = json.dumps([LABEL, what, column, sha256]).encode("ascii")
        return hmac.new(self.key, message, hashlib.sha256).hexdigest()

    def of_values(self, what: str, values: Sequence[str], column: str = "") -> str:
        """Commit to the order of a column's values, or to what stands for a missing cell."""
        digest = hashlib.sha256(json.dumps(list(values)).encode("ascii")).hexdigest()
        return self.of_file(what, digest, column)


def same(one: str | None, other: str | None) -> bool:
    """Tell whether two commitments are the same, in a time that tells nothing of them."""
    return one is not None and other is not None and hmac.compare_digest(one, other)
