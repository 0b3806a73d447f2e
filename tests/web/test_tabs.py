"""Several tabs of a real browser on one desk."""

from __future__ import annotations

from itertools import pairwise

import pytest

from browsers import Page, choose_roles, expect


@pytest.mark.slow
def test_tabs_on_one_file_both_get_their_estimates(page, chromium):
    """Two tabs that ask at the same time are both answered, and neither asks again and again."""
    page.sample()
    choose_roles(page)
    other = Page(chromium, page.desk)
    other.tab.goto(page.tab.url)
    other.go("columns")
    answers = []
    for one in (page, other):
        one.tab.on(
            "response", lambda said: answers.append(said.status) if "/preview" in said.url else None
        )
        one.protect(7)
        one.go("run")
    for one in (page, other):
        expect(one.on("estimate")).to_contain_text("loss about", timeout=90_000)
    page.tab.wait_for_timeout(2500)
    assert answers.count(409) == 0
    assert len(answers) <= 4  # the change of k, and at most what was under way before
    other.close()


@pytest.mark.slow
def test_a_file_that_is_busy_is_asked_less_and_less(page):
    """While the server says that it is busy, a page waits longer every time; then it goes on."""
    asked = []
    page.sample()
    choose_roles(page)
    page.go("run")
    expect(page.on("estimate")).to_contain_text("loss about", timeout=90_000)

    def busy(route):
        asked.append(page.tab.evaluate("performance.now()"))
        route.fulfill(status=409, json={"error": "the file is not ready"})

    page.tab.route("**/preview", busy)
    page.protect(6)
    page.go("run")
    expect(page.on("estimate")).to_contain_text("busy")
    page.tab.wait_for_timeout(8000)
    waits = [after - before for before, after in pairwise(asked)]
    assert len(waits) == 2  # after 1.8 and 3.6 seconds; the next would be after 7.2
    assert waits[1] > 1.5 * waits[0]
    page.tab.unroute("**/preview")
    expect(page.on("estimate")).to_contain_text("loss about", timeout=90_000)
