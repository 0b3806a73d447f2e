"""The desk that the tests of a module share."""

from __future__ import annotations

import pytest

from desks import Server


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A server that lives as long as the module's tests."""
    with Server(tmp_path_factory.mktemp("desk")) as server:
        yield server
