"""The desk that the tests of a module share."""

from __future__ import annotations

import pytest

from desks import Server


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A server that lives as long as the module's tests."""
    with Server(tmp_path_factory.mktemp("desk")) as server:
        yield server


@pytest.fixture(scope="module")
def chromium():
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    from browsers import BROWSER, expect

    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium, desk):
    """A tab on the module's desk."""
    from browsers import Page

    opened = Page(chromium, desk)
    yield opened
    opened.close()
