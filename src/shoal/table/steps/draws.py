"""Draws: random numbers that follow from a secret alone.

They are the output of SHAKE-256 (FIPS 202, 2015) of the secret and of what they are for: nobody who
sees some of them can tell others, and they are the same with every version of every library. Who
repeats a release with its secret repeats its noise, so that two copies cannot be averaged.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import RequestError

if TYPE_CHECKING:
    from shoal.kernels.arrays import Floats, Integers

LABEL = "shoal-steps/1"
SECRET = re.compile(r"[0-9a-f]{64}")


def new_secret() -> str:
    """Return a new secret of 32 random bytes, as text."""
    return secrets.token_hex(32)


def check_secret(secret: str) -> None:
    """Raise RequestError for what is no secret."""
    if not SECRET.fullmatch(secret):
        raise RequestError("secret must be 64 hexadecimal digits, as a private recipe has them")


@dataclass(frozen=True)
class Draws:
    """The random numbers of one step of a release."""

    secret: str = field(repr=False)
    use: tuple[str, ...] = ()

    def of(self, *use: str) -> Draws:
        """Return the draws for one use: others than those for any other one."""
        return Draws(self.secret, (*self.use, *use))

    def words(self, count: int) -> Integers:
        """Return so many whole numbers of 53 random bits."""
        text = json.dumps([LABEL, self.secret, *self.use]).encode("ascii")
        stream = hashlib.shake_256(text).digest(8 * count)
        return (np.frombuffer(stream, dtype="<u8") >> np.uint64(11)).astype(np.int64)

    def uniforms(self, count: int) -> Floats:
        """Return numbers that are uniform in [0, 1)."""
        drawn: Floats = self.words(count).astype(np.float64) * 2.0**-53
        return drawn

    def normals(self, count: int) -> Floats:
        """Return standard normal numbers (Box and Muller 1958)."""
        half = (count + 1) // 2
        pairs = self.uniforms(2 * half)
        radius = np.sqrt(-2.0 * np.log1p(-pairs[:half]))
        angle = 2.0 * np.pi * pairs[half:]
        both = np.concatenate((radius * np.cos(angle), radius * np.sin(angle)))
        normal: Floats = both[:count]
        return normal

    def order(self, count: int) -> Integers:
        """Return the numbers from 0 on in a random order."""
        mixed: Integers = np.argsort(self.words(count), kind="stable")
        return mixed
