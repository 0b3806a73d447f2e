"""Signatures of certificates: Ed25519, by the `cryptography` package where it is installed.

The signature is of the bytes of certificate.json, which names every other file by its hash; it is
64 plain bytes, as `openssl pkeyutl -verify -rawin` takes them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from shoal.errors import InputError, RequestError, pip_install, shown
from shoal.storage.staging import Staging

PUBLIC = ".pub.pem"


def sign(content: bytes, key: Path) -> bytes:
    """Return the signature of some bytes by the private key in a PEM file."""
    return bytes(_private(key).sign(content))


def is_signed(content: bytes, signature: bytes, key: Path) -> bool:
    """Tell whether a signature of some bytes is by the key whose public half is in a PEM file."""
    serialization, ed25519, invalid = _package()
    try:
        public = serialization.load_pem_public_key(_read(key))
    except Exception:
        public = None
    if not isinstance(public, ed25519.Ed25519PublicKey):
        raise InputError(f"{shown(key)}: this is no public Ed25519 key in PEM")
    try:
        public.verify(signature, content)
    except invalid:
        return False
    return True


def make_keys(target: Path) -> Path:
    """Write a new private key, for its owner alone, and beside it its public half; return that."""
    serialization, ed25519, _ = _package()
    if target.name.endswith(PUBLIC) or target.suffix != ".pem":
        raise RequestError(f"{shown(target)}: a key is written to a name that ends in .pem")
    made = ed25519.Ed25519PrivateKey.generate()
    secret = made.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public_bytes = made.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    public = target.with_name(target.name.removesuffix(".pem") + PUBLIC)
    with Staging(force=False) as staging:
        for one in (target, public):
            staging.check(one)
        staging.add(public, public_bytes)
        staging.add(target, secret, private=True)
        staging.commit()
    return public


def check_key(key: str | os.PathLike[str]) -> None:
    """Refuse a key that cannot sign, before any work is done."""
    _private(Path(key))


def _private(path: Path) -> Any:
    serialization, ed25519, _ = _package()
    try:
        key = serialization.load_pem_private_key(_read(path), password=None)
    except TypeError:
        raise InputError(f"{shown(path)}: the key is locked by a password; unlock it") from None
    except Exception:
        key = None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise InputError(f"{shown(path)}: this is no private Ed25519 key in PEM")
    return key


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{shown(path)}: cannot be read: {error.strerror}") from None


def _package() -> tuple[Any, Any, Any]:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise RequestError(
            f"signatures need the cryptography package: {pip_install('sign')}"
        ) from None
    return serialization, ed25519, InvalidSignature
