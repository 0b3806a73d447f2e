"""The page in a real browser: newcomers, cancels, reloads, keyboards and hostile names."""

from __future__ import annotations

import csv
import io
import os
import re
import unicodedata
from itertools import product
from pathlib import Path

import pytest

import shoal
from browsers import ENGLISH, QUASI, SAMPLE_ROLES, Page, choose_roles, expect, taken_home
from desks import SAMPLE, Server
from shoal.web import serve
from thorough import spread
from web_hostile import HOSTILE

DRAWS = True  # charts

WIDTHS = {"wide": 1280, "narrow": 390}
THEMES = "light", "dark"


def opened_report(page):
    """Open the report of the job as a page; return its tab."""
    with page.tab.expect_popup() as waiting:
        page.on("report").click()
    waiting.value.wait_for_url("**/links/*")
    return waiting.value


def test_a_newcomer_goes_from_the_sample_to_a_verified_release(page, tmp_path):
    """Open, choose, estimate, run, judge, take home: the file is safe by the library's own word."""
    page.sample()
    choose_roles(page)
    page.protect(6)
    page.on("speed-fast").click()
    assert "1 in 6" in page.on("k-means").inner_text()
    page.go("run")
    expect(page.on("estimate")).to_contain_text(re.compile("loss about .* %"))
    page.run()
    assert re.search(r"at least\s+6 records", page.verdict())
    assert page.on("verdict").locator("[aria-current=true]").inner_text() == "safe as asked"
    assert page.tab.locator("[data-test=column-chart]").count() == 5  # all that are released
    page.chart()
    assert page.on("linkage").inner_text().count("%") >= 1
    assert page.on("risks").locator("tr").count() > 5
    assert page.on("utilities").locator("tr").count() > 5
    assert page.on("sizes").count() == 1
    release = taken_home(page, "release.csv")
    (tmp_path / "release.csv").write_bytes(release)
    quasi = ["age", "sex", "postcode", "income"]
    assert shoal.verify(tmp_path / "release.csv", k=6, quasi_identifiers=quasi).ok
    rows = list(csv.DictReader(io.StringIO(release.decode())))
    assert set(rows[0]) == {*quasi, "diagnosis"}
    assert len(rows) == 2000
    page.unfold("elsewhere")
    assert "shoal anonymize patients.csv -k 6" in page.on("command").inner_text()
    assert "k=6" in page.on("python").inner_text()
    for name in ("everything.zip", "certificate.json", "report.html", "run.toml"):
        assert len(taken_home(page, name)) > 100


@pytest.mark.slow
def test_the_secret_belongs_to_the_tab(chromium, drawing_desk):
    """It is in no address and no cookie; a reload keeps it, and another tab must bring its own."""
    page = Page(chromium, drawing_desk)
    here = f"http://127.0.0.1:{page.desk.port}/"
    page.on("open-sample").wait_for()
    page.tab.reload()
    page.on("open-sample").wait_for()
    assert page.tab.url == here
    assert page.tab.evaluate("history.length") <= 2
    assert page.context.cookies() == []
    assert page.tab.evaluate("localStorage.length") == 0
    other = page.context.new_page()
    for path in ("", f"files/{'0' * 32}", f"jobs/{'0' * 32}"):
        other.goto(here + path)
        told = other.locator("[data-test=error]").inner_text()
        assert "Open the address that shoal serve printed" in told
    other.goto(f"{here}#token=wrong")
    expect(other.locator("[data-test=error]")).to_contain_text("shoal serve printed")
    other.evaluate("(address) => location.assign(address)", page.desk.address)  # in the same tab
    other.locator("[data-test=open-sample]").wait_for()
    assert "token" not in other.url
    other.goto(f"{here}jobs/{'0' * 32}")
    expect(other.locator("[data-test=error]")).to_contain_text("no such job")
    page.close()


def test_the_file_that_opens_the_browser_leads_to_the_desk(page, tmp_path, monkeypatch):
    """The browser is given a file that only its owner reads; its page goes on to the desk."""
    given = []
    monkeypatch.setattr(serve.webbrowser, "open", given.append)
    serve._open(tmp_path, page.desk.address)
    assert page.desk.token not in given[0]
    other = page.context.new_page()
    other.goto(given[0])
    other.locator("[data-test=open-sample]").wait_for()
    assert other.url == f"http://127.0.0.1:{page.desk.port}/"


@pytest.mark.slow
def test_exact_figures_are_marked(page, made):
    """Jobs, comparisons and every table of measures say that they are not to be published."""
    _, job, compared = made
    for key, least in ((job, 4), (compared, 1)):
        page.tab.goto(f"http://127.0.0.1:{page.desk.port}/jobs/{key}")
        page.verdict()
        marks = page.tab.locator("[data-test=private]")
        assert marks.count() >= least
        assert all("do not publish" in text for text in marks.all_inner_texts())


@pytest.mark.slow
def test_the_report_opens_once(page, made):
    """The report is a page without script in a tab of its own; its address is good for one look."""
    page.tab.goto(f"http://127.0.0.1:{page.desk.port}/jobs/{made[1]}")
    page.verdict()
    page.go("take")
    report = opened_report(page)
    assert report.locator("h1").inner_text() == "Release report"
    assert report.evaluate("window.opener") is None
    assert report.evaluate("window.origin") == "null"  # a sandbox: the tab's storage is not its own
    report.reload()
    assert "was used" in report.locator("body").inner_text()
    opened_report(page)


@pytest.mark.slow
@pytest.mark.reference
def test_adult_by_upload(page, tmp_path):
    """The adult table, uploaded through the page, becomes a verified release."""
    path = Path(os.environ["SHOAL_DATA"]) / "adult.csv"
    page.upload(path)
    page.columns()
    with path.open() as file:
        header = next(csv.reader(file))
    page.go("protection")
    page.on("weight").select_option("")  # fnlwgt is proposed as the survey weight
    page.go("columns")
    quasi = ["age", "sex", "race", "education"]
    for column, name in enumerate(header):
        page.role(column, QUASI if name in quasi else "drop")
    page.protect(10, method="kaim-fast", effort="quick")
    page.run()
    page.verdict(120)
    (tmp_path / "release.csv").write_bytes(taken_home(page, "release.csv"))
    assert shoal.verify(tmp_path / "release.csv", k=10, quasi_identifiers=quasi).ok


def numbers(tmp_path, rows=3000):
    """A file that a search takes a while for."""
    import numpy as np

    matrix = np.random.default_rng(0).normal(size=(rows, 6))
    path = tmp_path / "numbers.csv"
    np.savetxt(path, matrix, fmt="%.3f", delimiter=",", header="a,b,c,d,e,f", comments="")
    return path


def long_search(page, tmp_path):
    """Start a search of a minute on a file of numbers."""
    page.upload(numbers(tmp_path))
    page.columns()
    choose_roles(page, [QUASI] * 6)
    page.protect(method="ilsmc+", time_limit="60")
    page.run()


@pytest.mark.slow
def test_stop_with_the_best_after_a_reload(page, tmp_path):
    """The loss falls live; a reload in mid-run loses nothing; stopping keeps the best, verified."""
    long_search(page, tmp_path)
    page.on("stop-keep").wait_for()
    page.tab.wait_for_selector("[data-test=curve] svg")
    page.tab.reload()
    page.on("stop-keep").wait_for()
    page.tab.wait_for_selector("[data-test=curve] svg")
    page.on("stop-keep").click()
    page.verdict()
    page.tab.reload()
    page.verdict()


@pytest.mark.slow
def test_cancel_and_two_jobs(page, tmp_path):
    """A job is discarded; another that waited behind it comes to its end."""
    long_search(page, tmp_path)
    first = page.tab.url
    page.on("stop-keep").wait_for()
    page.tab.go_back()
    page.go("protection")
    assert page.on("time-limit").input_value() == "60"  # the draft was kept
    page.protect(method="mdav", time_limit="")
    page.run()
    second = page.tab.url
    assert second != first
    assert re.search("(1|one) job", page.tab.locator("main").inner_text())  # is before it
    page.tab.goto(first)
    page.on("stop-discard").click()
    page.on("confirm").click()
    page.on("canceled").wait_for()
    page.tab.goto(second)
    page.verdict()


@pytest.mark.slow
def test_a_wrong_file_is_told_in_words(page, tmp_path):
    """An archive, a broken table: one line says what is wrong, and the page goes on."""
    book = tmp_path / "book.zip"
    book.write_bytes(b"PK\x03\x04 not a table")
    page.on("upload").set_input_files(book)
    page.on("error").wait_for()
    assert "not a whole zip file" in page.on("error").inner_text()
    page.tab.goto(page.desk.address)
    broken = tmp_path / "broken.csv"
    broken.write_text("a,b\n1,2\n1,2,3\n")
    page.upload(broken)
    page.on("error").wait_for()
    assert "line 3" in page.on("error").inner_text()
    doubt = tmp_path / "doubt.csv"
    doubt.write_text("a;b,c\n" + "1;2,x\n3;4,y\n" * 10)
    page.tab.goto(page.desk.address)
    page.upload(doubt)
    page.on("error").wait_for()
    page.on("delimiter").select_option(";")  # the file is read again at once
    page.columns()
    assert "b,c" in page.row(1).inner_text()


@pytest.mark.slow
def test_the_frontier_picks_a_method(page):
    """A comparison shows its chart; using a point brings its method and k to the file's page."""
    page.sample()
    choose_roles(page)
    page.go("run")
    page.unfold("compare")
    page.on("compare-k").fill("3, 5")
    page.on("compare-budget").fill("4")
    page.on("compare-run").click()
    page.tab.wait_for_url("**/jobs/*")
    page.on("frontier").wait_for(timeout=90_000)
    page.chart("frontier")
    job = page.tab.url
    page.on("use-point").click()
    page.tab.wait_for_url("**/files/*#protection")
    page.on("k").wait_for()
    assert page.on("k").input_value() == "3"
    assert page.on("method").input_value() == "auto"  # what auto runs is the first of all runs
    page.on("k").fill("9")
    page.tab.goto(job)
    page.chart("frontier")
    click_a_point(page)
    page.tab.wait_for_url("**/files/*#protection")
    page.on("k").wait_for()
    assert page.on("k").input_value() in ("3", "5")
    page.go("run")
    assert page.on("compare-k").input_value() == "3,5"


ORANGE = """(canvas) => {
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  for (let i = 4 * 40 * canvas.width; i < data.length; i += 4) {
    if (data[i] === 224 && data[i + 1] === 122 && data[i + 2] === 63) {
      const at = i / 4, scale = canvas.clientWidth / canvas.width;
      return [(at % canvas.width) * scale, Math.floor(at / canvas.width) * scale + 2];
    }
  }
  return null;
}"""


def click_a_point(page):
    """Click on the first point of the frontier, by its color."""
    canvas = page.on("frontier").locator("canvas")
    x, y = canvas.evaluate(ORANGE)
    canvas.click(position={"x": x, "y": y})


@pytest.mark.slow
def test_hierarchies_are_built_edited_and_checked(page):
    """A rule makes a tree; the text is edited; the check says live how many values lack a place."""
    page.sample()
    choose_roles(page)
    page.go("protection")
    page.unfold("hierarchies")
    tree = page.tab.locator("[data-test=tree-open]").nth(2)
    tree.click()
    coverage = page.tab.locator("[data-test=tree-coverage]").locator("visible=true")
    expect(coverage).to_contain_text(re.compile("all 60 values", re.IGNORECASE))
    page.tab.locator("[data-test=tree-expert] > summary").locator("visible=true").click()
    flat = page.tab.locator("[data-test=tree-text]").locator("visible=true").input_value()
    page.tab.locator("[data-test=tree-rule]").locator("visible=true").fill("prefixes:4,3")
    page.tab.keyboard.press("Enter")
    text = page.tab.locator("[data-test=tree-text]").locator("visible=true")
    expect(text).not_to_have_value(flat)
    assert text.input_value().splitlines()[0].count(";") == 3  # value, four signs, three, root
    whole = text.input_value()
    text.fill("\n".join(whole.strip().splitlines()[:-3]) + "\n")
    expect(coverage).to_contain_text("3 values have no place")


@pytest.mark.slow
def test_by_keyboard_alone(page):
    """Open the sample, choose k and run without a mouse; focus is always to be seen."""
    tab = page.tab

    def reach(name, most=400):
        for _ in range(most):
            tab.keyboard.press("Tab")
            found = tab.evaluate("document.activeElement?.dataset?.test ?? ''")
            seen = tab.evaluate(
                "(() => { const e = document.activeElement; const s = getComputedStyle(e);"
                " return e === document.body || s.outlineStyle !== 'none'"
                " || s.boxShadow !== 'none' || e.matches('.unseen'); })()"
            )
            assert seen, tab.evaluate("document.activeElement.outerHTML")[:200]
            if found == name:
                return
        raise AssertionError(f"{name} cannot be reached")

    reach("open-sample")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/files/*")
    page.on("rows").wait_for()
    reach("next")
    tab.keyboard.press("Enter")
    page.on("column-row").wait_for()
    for role in SAMPLE_ROLES:
        reach("role")
        tab.evaluate("document.activeElement.focus()")
        labels = {"identifier": "Id", QUASI: "Q", "drop": "L", "sensitive": "S"}
        tab.keyboard.type(labels[role])
    for step in ("at-risk", "at-protection"):
        reach("next")
        tab.keyboard.press("Enter")
        page.on(step).wait_for()
    reach("k")
    tab.keyboard.press("Control+A")
    tab.keyboard.type("4")
    reach("speed-automatic")
    tab.keyboard.press("ArrowDown")  # fast
    for step in ("at-preview", "at-run"):
        reach("next")
        tab.keyboard.press("Enter")
        page.on(step).wait_for()
    reach("run")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/jobs/*")
    assert re.search(r"at least\s+4 records", page.verdict())


def seen(text):
    """Return a text as the page shows it: signs that cannot be seen by their numbers."""
    return "".join(
        f"⟨U+{ord(sign):04X}⟩" if unicodedata.category(sign) == "Cf" else sign for sign in text
    )


@pytest.mark.slow
def test_hostile_names_and_cells_are_shown_and_do_nothing(chromium, tmp_path):
    """W3: 40 payloads as headers, cells, labels and file names; no script runs, all are shown."""
    assert len(HOSTILE) >= 40
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t")
    count = len(HOSTILE)
    writer.writerow([*HOSTILE, "number"])
    for row in range(12):
        writer.writerow([*(HOSTILE[(i + row) % count] for i in range(count)), row % 5])
    with Server(tmp_path) as desk:
        page = Page(chromium, desk)
        name = f"{HOSTILE[1].replace('/', '')}.csv"
        page.tab.locator("[data-test=upload]").set_input_files(
            {"name": name, "mimeType": "text/csv", "buffer": text.getvalue().encode()}
        )
        page.tab.wait_for_url("**/files/*")
        page.on("rows").wait_for()
        page.unfold("reading")
        page.on("delimiter").select_option("\t")  # commas and semicolons are in the header, too
        expect(page.on("rows")).to_contain_text(seen(HOSTILE[0]))
        shown = page.tab.locator("main").inner_text()
        page.columns()
        shown += page.tab.locator("main").inner_text()
        for one in HOSTILE:
            assert seen(one) in shown, one
        assert name in shown
        assert page.tab.evaluate("window.__x") is None
        for column in range(count):
            page.role(column, QUASI if column in (0, 1, 2, 31) else "drop")
        page.role(count, "sensitive")
        page.protect(3, method="kaim")
        page.unfold("hierarchies")
        page.tab.locator("[data-test=tree-open]").first.click()
        page.tab.wait_for_timeout(1500)
        page.go("preview")
        page.on("preview-rows").wait_for()
        page.run()
        page.verdict()
        for at in range(page.tab.locator("[data-test=chart]").count()):
            page.on("chart", at).scroll_into_view_if_needed()
            page.tab.wait_for_timeout(300)
        page.chart()
        assert HOSTILE[0] in page.tab.locator("main").inner_text()
        assert page.tab.evaluate("window.__x") is None
        page.go("take")
        report = opened_report(page)
        assert HOSTILE[0] in report.locator("body").inner_text()
        assert report.evaluate("window.__x") is None
        page.tab.goto(desk.address)
        page.on("file-card").wait_for()
        assert name in page.tab.locator("main").inner_text()
        assert page.tab.evaluate("window.__x") is None
        page.close()


@pytest.fixture(scope="module")
def made(drawing_desk):
    """A file, a job and a comparison of it that are done."""
    desk = drawing_desk
    file = desk.stays()
    job = desk.start(file, {**SAMPLE, "protect": {"k": 5, "effort": "quick"}})
    more = {"k": [3, 5], "methods": ["kaim", "hilbert"]}
    compared = desk.start(file, SAMPLE, "compare", compare=more)
    assert desk.done(compared)["state"] == "done"
    return file, job, compared


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), spread(product(WIDTHS, THEMES), 1, several=True))
def test_pages_fit_and_are_pictured(page, made, thorough, width, theme):
    """At both widths, in both themes, no page scrolls sideways; where all tests run, pictures."""
    file, job, compared = made
    page.look(WIDTHS[width], theme)
    for name, path in (("home", "/"), ("file", f"/files/{file}"), ("job", f"/jobs/{job}"),
                       ("compare", f"/jobs/{compared}")):  # fmt: skip
        page.tab.goto(f"http://127.0.0.1:{page.desk.port}{path}")
        if name in ("job", "compare"):
            page.chart("chart" if name == "job" else "frontier")
        page.tab.locator("h2").first.wait_for()
        page.tab.wait_for_timeout(300)
        if thorough:
            page.shot(f"{name}-{width}-{theme}")
        assert not page.is_wide(), (name, width)
        ground = page.tab.evaluate("getComputedStyle(document.body).backgroundColor")
        light = sum(int(x) for x in ground[4:-1].split(",")[:3]) > 380
        assert light == (theme == "light")


def test_a_narrow_page_in_german(page, made):
    """At 390 px nothing of a release is cut off, and all that is said of it is German."""
    page.tab.evaluate("localStorage.setItem('shoal-language', 'de')")
    try:
        page.look(390)
        page.tab.goto(f"http://127.0.0.1:{page.desk.port}/jobs/{made[1]}")
        page.verdict()
        page.chart()
        said = page.tab.locator("main").inner_text()
        assert "Wer alle Quasi-Identifikatoren einer Person kennt" in said
        assert ENGLISH.findall(said) == []
        assert page.cut_off(".rail", "[data-test=risks]", "[data-test=utilities]") == []
        page.go("take")
        taken = page.tab.locator("main").inner_text().replace("release.csv", "")
        assert ENGLISH.findall(taken) == []
        assert page.cut_off(".rail", "[data-test=downloads]") == []
    finally:
        page.tab.evaluate("localStorage.clear()")
