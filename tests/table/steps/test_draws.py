"""Random numbers that follow from a secret."""

from __future__ import annotations

import numpy as np
import pytest

from naive import stepping
from shoal.errors import RequestError
from shoal.table.steps.draws import Draws, check_secret, new_secret

SECRET = "0123456789abcdef" * 4


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
def test_draws_are_those_of_the_twin(count):
    """Words, uniforms and normals are what SHAKE-256 and Box and Muller give."""
    draws = Draws(SECRET).of("3", "noise", "pay")
    use = ["3", "noise", "pay"]
    assert draws.words(count).tolist() == stepping.words(SECRET, use, count)
    assert draws.uniforms(count).tolist() == [w / 2**53 for w in stepping.words(SECRET, use, count)]
    assert draws.normals(count) == pytest.approx(stepping.normals(SECRET, use, count), abs=1e-12)


def test_another_use_draws_others():
    """Each use, and each secret, has numbers of its own, and the same use the same ones."""
    one, other = Draws(SECRET).of("a"), Draws(SECRET).of("b")
    assert one.words(50).tolist() == Draws(SECRET).of("a").words(50).tolist()
    assert one.words(50).tolist() != other.words(50).tolist()
    assert one.words(50).tolist() != Draws(new_secret()).of("a").words(50).tolist()


def test_draws_are_spread_as_they_should():
    """Uniforms fill the unit interval evenly, normals have mean 0 and variance 1."""
    uniforms, normals = Draws(SECRET).uniforms(20_000), Draws(SECRET).normals(20_000)
    counts = np.histogram(uniforms, 10, (0, 1))[0]
    assert ((counts - 2_000) ** 2 / 2_000).sum() < 30  # chi-square, 9 degrees: p < 0.001 beyond
    assert abs(normals.mean()) < 0.03
    assert abs(normals.std() - 1) < 0.03


def test_an_order_holds_all():
    """A random order has every number once."""
    assert sorted(Draws(SECRET).order(100).tolist()) == list(range(100))


def test_secrets_are_checked_and_not_shown():
    """A secret has 64 digits, two are different, and no repr shows one."""
    check_secret(new_secret())
    assert new_secret() != new_secret()
    assert SECRET not in repr(Draws(SECRET))
    for wrong in ("", "abc", SECRET.upper(), SECRET + "0"):
        with pytest.raises(RequestError, match="64 hexadecimal digits"):
            check_secret(wrong)
