"""The key of a ledger: keyed hashes of people and values, and message codes of lines."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import InputError, shown

SUFFIX = ".key"
BYTES = 32
HEADER = "shoal ledger key; private, keep it apart from the ledger: "
PERSON, VALUE = 32, 16  # digits of the hashes: of people they must not meet, of values few are


@dataclass(frozen=True)
class Key:
    """The secret of a ledger."""

    secret: bytes = field(repr=False)

    @classmethod
    def new(cls) -> Key:
        """Return a random key."""
        return cls(secrets.token_bytes(BYTES))

    @classmethod
    def load(cls, ledger: Path) -> Key:
        """Read the key beside a ledger."""
        path = key_path(ledger)
        lost = (
            "without its key a ledger tells nothing and cannot be continued; bring the key back, "
            "or begin a new ledger and add the earlier releases from their originals"
        )
        try:
            text = path.read_text("ascii").strip()
        except FileNotFoundError:
            raise InputError(f"{shown(path)}: the key is not there; {lost}") from None
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{shown(path)}: the key cannot be read; {lost}") from None
        digits = text.removeprefix(HEADER.strip()).strip()
        try:
            secret = bytes.fromhex(digits)
        except ValueError:
            secret = b""
        if len(secret) != BYTES:
            raise InputError(f"{shown(path)}: this is no key of a ledger; {lost}")
        return cls(secret)

    def to_bytes(self) -> bytes:
        """Return the content of the key's file."""
        return f"{HEADER}{self.secret.hex()}\n".encode("ascii")

    def person(self, text: str) -> str:
        """Return the number of a person, by the text that identifies her."""
        return self._hash("person", text)[:PERSON]

    @staticmethod
    def nobody() -> str:
        """Return a random number that looks as one of a person."""
        return secrets.token_hex(PERSON // 2)

    def value(self, column: str, text: str) -> str:
        """Return the number of a value of a column."""
        return self._hash(f"value\0{column}", text)[:VALUE]

    def code(self, before: str, line: str) -> str:
        """Return the message code of a line after another (HMAC-SHA256, RFC 2104)."""
        return self._hash(f"line\0{before}", line)

    def _hash(self, what: str, text: str) -> str:
        message = f"{what}\0{text}".encode("utf-8", "surrogateescape")
        return hmac.digest(self.secret, message, "sha256").hex()


def key_path(ledger: Path) -> Path:
    """Return where the key of a ledger lies."""
    return ledger.with_name(ledger.name + SUFFIX)
