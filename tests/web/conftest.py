"""The tab that tests in a browser share."""

from __future__ import annotations

import pytest


@pytest.fixture
def page(chromium, drawing_desk):
    """A tab on the desk's first page; nothing may go wrong in it."""
    opened = chromium.page(drawing_desk)
    yield opened
    opened.check()
