"""Attacks on the desk with what a real browser keeps, sends and remembers."""

from __future__ import annotations

import pytest

import browsers  # noqa: F401 - which says whether there is one


@pytest.fixture(scope="module")
def used(chromium, drawing_desk, tmp_path_factory):
    """A browser in which a steward has made a release and downloaded it.

    Its requests with all that was sent, and the address of the download, are noted.
    """
    desk = drawing_desk
    table = tmp_path_factory.mktemp("table") / "numbers.csv"
    table.write_text("a,b\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(60)))
    context = chromium.new_context(accept_downloads=True)
    sent = []
    context.on("request", lambda one: sent.append((one.url, one.all_headers())))
    tab = context.new_page()
    tab.set_default_timeout(60_000)
    tab.goto(desk.address)
    tab.locator("[data-test=upload]").set_input_files(table)
    tab.wait_for_url("**/files/*")
    tab.locator("[data-test=step-columns]").click()
    for column in range(2):
        row = tab.locator("[data-test=column-row]").nth(column)
        row.locator("[data-test=role]").select_option("quasi-identifier")
    tab.locator("[data-test=step-protection]").click()
    tab.locator("[data-test=k]").fill("3")
    tab.locator("[data-test=expert] > summary").click()
    tab.locator("[data-test=method]").select_option("mdav")
    tab.locator("[data-test=step-run]").click()
    tab.locator("[data-test=run]").click()
    tab.wait_for_url("**/jobs/*")
    tab.locator("[data-test=verdict]").wait_for()
    tab.locator("[data-test=step-take]").click()
    with tab.expect_download() as waiting:
        tab.locator("[data-test=downloads]").get_by_text("release.csv", exact=True).click()
    waiting.value.path()
    yield desk, context, sent, waiting.value.url
    context.close()


def test_no_address_and_no_referer_holds_the_token(used):
    """Whoever reads a log of requests, or is told where a request comes from, has the token."""
    desk, _, sent, download = used
    assert len(sent) > 20
    for address, headers in sent:
        assert desk.token not in address.split("#")[0], address.split("?")[0]
        assert not headers.get("referer")  # a request that a page gave up has an empty one
    assert desk.token not in download


def test_the_browser_keeps_no_cookie(used):
    """Every server of this machine is sent the cookies of 127.0.0.1."""
    _, context, sent, _ = used
    assert context.cookies() == []
    assert not any("cookie" in headers for _, headers in sent)


def test_the_address_of_a_download_is_of_no_use(used):
    """Somebody opens it again from the browser's list of downloads, in another tab."""
    _, context, _, download = used
    answer = context.request.get(download)
    assert answer.status == 404
    assert b"a,b" not in answer.body()


def test_another_tab_is_not_let_in(used):
    """A page that somebody opens in the steward's browser, or a second desk's tab, asks."""
    desk, context, _, _ = used
    tab = context.new_page()
    tab.goto(f"http://127.0.0.1:{desk.port}/static/mark.svg")
    status = tab.evaluate("fetch('/desk.json', {credentials: 'include'}).then((a) => a.status)")
    assert status == 403
