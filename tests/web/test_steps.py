"""The way in steps, in a real browser: the rail, undo, words, reading, hierarchies, preview."""

from __future__ import annotations

import re

import pytest

from accessibility import faults_of
from browsers import QUASI, expect
from desks import SAMPLE

DRAWS = True  # charts

STEPS = ["open", "columns", "risk", "protection", "preview", "run"]
DRAFT = {
    "k": "4", "method": "hilbert",
    "roles": ["identifier", "identifier", QUASI, QUASI, QUASI, "drop", "drop", "drop", QUASI,
              "sensitive", "drop"],
    "trees": [None] * 4 + [{"rule": "flat"}] + [None] * 6,
}  # fmt: skip


@pytest.fixture(scope="module")
def made(drawing_desk):
    """A file with a draft, and a release of it."""
    file = drawing_desk.stays()
    answer = drawing_desk.ask("PUT", f"/files/{file}/draft", DRAFT)
    assert answer.status == 200
    recipe = {**SAMPLE, "protect": {"k": 4, "method": "hilbert"}, "hierarchies": {}}
    job = drawing_desk.start(file, recipe)
    other = drawing_desk.start(file, {**recipe, "protect": {"k": 8, "method": "hilbert"}})
    assert drawing_desk.done(other)["state"] == "done"
    return file, job


@pytest.fixture
def opened(page, made):
    """The page of the file."""
    page.tab.goto(f"http://127.0.0.1:{page.desk.port}/files/{made[0]}")
    page.on("rows").wait_for()
    return page


def ready(page, step):
    """Wait until a step shows what it asked for."""
    shown = {"risk": "risk-now", "protection": "gauges", "preview": "preview-rows",
             "run": "estimate"}  # fmt: skip
    if step in shown:
        expect(page.on(shown[step])).to_contain_text(re.compile(r"\d"))


@pytest.mark.slow
def test_the_rail_leads_through_every_step(opened, made):
    """Next goes on, the address names the step, what was seen has its tick, the address leads back.

    On every step, in both themes, nothing lacks a name, a label, an order or contrast, and nothing
    is wider than a phone.
    """
    page = opened
    for theme, width in (("light", 1280), ("dark", 390)):
        page.look(width, theme)
        page.go("open")
        for step in STEPS:
            page.on(f"at-{step}").wait_for()
            assert page.tab.evaluate("location.hash") in (f"#{step}", "")
            ready(page, step)
            assert faults_of(page.tab) == [], (step, theme)
            assert not page.is_wide(), (step, theme)
            if step != "run":
                page.tab.locator("[data-test=next]:visible").click()
        page.tab.reload()
        page.on("at-run").wait_for()
    marks = page.on("rail").locator("li.done")
    assert marks.count() == 6
    page.go("columns")
    page.tab.go_back()
    page.on("at-run").wait_for()
    page.tab.locator("[data-test=next]:visible").click()
    assert re.search(r"at least\s+[48] records", page.verdict())
    for step in ("judge", "take"):
        page.go(step)
        assert faults_of(page.tab) == [], step
        assert not page.is_wide(), step


@pytest.mark.slow
def test_whatever_was_changed_is_undone_and_done_again(opened):
    """A role, k by its slider and a way to make groups go back one by one, and come again."""
    page = opened
    page.role(2, "drop")
    page.protect()
    page.on("k-slider").fill("9")
    page.on("speed-least").click()
    assert page.on("k").input_value() == "9"
    for _ in range(2):
        page.on("undo").click()
    assert page.on("k").input_value() == "4"
    assert not page.on("speed-least").is_checked()
    page.tab.locator("h1").click()
    page.tab.keyboard.press("Control+z")
    page.go("columns")
    assert page.row(2).locator("[data-test=role]").input_value() == QUASI
    for _ in range(3):
        page.on("redo").click()
    assert page.row(2).locator("[data-test=role]").input_value() == "drop"
    expect(page.on("redo")).to_be_disabled()
    for box in (5, 6):
        page.row(box).locator("[data-test=pick]").check()
    page.on("roles-several").select_option(QUASI)
    assert page.row(6).locator("[data-test=role]").input_value() == QUASI
    for _ in range(4):
        page.on("undo").click()
    page.tab.wait_for_timeout(700)  # saved
    page.tab.reload()
    page.go("columns")
    assert page.row(2).locator("[data-test=role]").input_value() == QUASI


@pytest.mark.slow
def test_the_page_speaks_german(opened):
    """A language is chosen in the head, holds for other pages, and marks the page's language."""
    page = opened
    page.on("language").select_option("de")
    expect(page.on("step-protection")).to_contain_text("Schutz")
    assert page.tab.evaluate("document.documentElement.lang") == "de"
    page.go("protection")
    expect(page.on("gauges")).to_contain_text("Verlust je Spalte")
    page.on("term").click()
    expect(page.tab.locator(".meaning:visible")).to_contain_text("k-Anonymität")
    page.tab.evaluate("localStorage.clear()")


@pytest.mark.slow
def test_records_before_and_after_are_for_the_screen_alone(opened):
    """The preview shows real cells, marks what changes, offers what helps, and is not printed."""
    page = opened
    page.go("preview")
    rows = page.on("preview-rows")
    rows.wait_for()
    assert 4 <= rows.locator("tbody tr").count() <= 20
    assert "→" in rows.locator("td.changed").first.inner_text()
    offered = page.on("improve-do")
    offered.wait_for()
    expect(page.on("improve")).to_contain_text("postcode")
    offered.click()
    page.go("columns")
    page.on("undo").click()
    page.go("preview")
    page.tab.emulate_media(media="print")
    expect(rows).to_be_hidden()
    page.tab.emulate_media(media="screen")
    expect(rows).to_be_visible()


def test_risk_follows_roles_and_the_population(opened):
    """Columns that count, the records most at risk (not in print), and what a share adds."""
    page = opened
    page.go("risk")
    columns = page.on("risk-columns")
    expect(columns).to_contain_text("postcode")
    expect(page.on("riskiest").locator("td.changed").first).to_be_visible()
    expect(page.on("risk-k")).to_contain_text("not k-anonymous")
    page.tab.emulate_media(media="print")
    expect(page.on("riskiest")).to_be_hidden()
    page.tab.emulate_media(media="screen")
    page.on("fraction").fill("10")
    expect(page.on("population")).to_contain_text("of the population")
    page.role(2, "drop")
    page.go("risk")
    expect(columns).not_to_contain_text("age")
    for _ in range(2):
        page.on("undo").click()
    expect(columns).to_contain_text("age")
    expect(page.on("population")).to_be_hidden()


def test_names_of_recent_files_are_kept_where_that_is_wanted(page, made):
    """Nothing is kept before somebody asks for it, and nothing after they no longer do."""
    kept = "localStorage.getItem('shoal-recent')"
    assert page.tab.evaluate(kept) is None
    page.tab.locator("summary", has_text="Recent files").click()
    page.on("recent").check()
    expect(page.on("recent-names")).to_contain_text("patients.csv")
    page.on("recent").uncheck()
    assert page.tab.evaluate(kept) is None
    expect(page.on("recent-names")).to_be_empty()


def test_a_table_dropped_on_a_file_is_opened(opened):
    """What no column is named for is offered as a table of its own, and the page stays."""
    page = opened
    page.tab.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["a,b\\n1,2\\n3,4\\n"], "other.csv"));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true,
            cancelable: true }));
        }"""
    )
    page.on("open-dropped").click()
    expect(page.tab.locator("h1")).to_have_text("other.csv")


@pytest.mark.slow
def test_a_file_is_read_again_as_soon_as_that_changes(page):
    """Another decimal sign or word for missing shows at once in the first rows."""
    text = "age;pay\n" + "".join(f"{20 + i};{i},5\n" for i in range(20)) + "99;-9\n"
    page.upload({"name": "stays.csv", "mimeType": "text/csv", "buffer": text.encode()})
    expect(page.on("findings")).to_contain_text("comma")
    page.on("decimal").focus()
    page.on("decimal").select_option(".")
    expect(page.on("findings")).to_be_hidden()
    assert page.tab.evaluate("document.activeElement.dataset.test") == "decimal"
    page.on("decimal").select_option(",")
    page.on("missing-words").fill("99")
    page.tab.keyboard.press("Tab")
    page.go("columns")
    expect(page.row(0)).to_contain_text("4.8 %")


def test_several_hierarchies_go_to_the_columns_they_are_named_for(opened, tmp_path):
    """Files given at once are matched by name; one that fits no column is said, not guessed."""
    page = opened
    page.go("protection")
    page.unfold("hierarchies")
    (tmp_path / "patients_hierarchy_sex.csv").write_text("F;*\nM;*\n")
    (tmp_path / "age.csv").write_text("".join(f"{i};{i // 10 * 10}s;*\n" for i in range(120)))
    (tmp_path / "ward.csv").write_text("A;*\n")
    page.on("tree-files").set_input_files(sorted(tmp_path.glob("*.csv")))
    told = page.on("dropped")
    expect(told).to_contain_text("age.csv: hierarchy of age")
    expect(told).to_contain_text("patients_hierarchy_sex.csv: hierarchy of sex")
    expect(told).to_contain_text("ward.csv: no column has a name like that")
    expect(page.on("tree-open")).to_contain_text("given as text")
    page.on("undo").click()
    page.on("undo").click()
    expect(page.on("tree-open")).to_contain_text("automatic")


def test_settings_and_runs_come_home(opened, made, tmp_path):
    """Saved settings bring a changed form back; everything is one download; runs stand beside."""
    page = opened
    page.go("run")
    with page.tab.expect_download() as waiting:
        page.on("keep-settings").click()
    kept = tmp_path / "run.toml"
    waiting.value.save_as(kept)
    page.protect(13)
    page.go("open")
    page.unfold("settings")
    page.on("open-settings").set_input_files(kept)
    expect(page.on("settings-told")).to_contain_text("settings are taken")
    page.go("protection")
    assert page.on("k").input_value() == "4"
    page.tab.goto(f"http://127.0.0.1:{page.desk.port}/jobs/{made[1]}")
    page.verdict()
    page.unfold("beside")
    expect(page.on("beside-table")).to_contain_text("Loss of postcode")
    page.chart()
    expect(page.tab.locator(".chart:visible:not([data-drawn=yes])")).to_have_count(0)  # for a print
    area = page.on("chart").locator("canvas").bounding_box()
    page.on("chart").locator("canvas").hover(
        position={"x": 0.4 * area["width"], "y": 0.8 * area["height"]}
    )
    expect(page.on("hover")).to_contain_text("records")
    page.go("take")
    with page.tab.expect_download() as waiting:
        page.on("take-all").click()
    assert waiting.value.suggested_filename == "everything.zip"
    expect(page.on("step-take").locator(".mark")).to_have_text("✓")


def test_numbers_that_are_postcodes_begin_with_their_prefixes(page):
    """A fresh draft does not average codes; what is saved of a draft is left as it is."""
    trees = page.tab.evaluate(
        """async (address) => {
          const { restored } = await import(address);
          const column = (name, kind, hierarchy) => ({ name, kind, hierarchy,
            suspected: "quasi-identifier" });
          const look = { columns: [column("postcode", "integer", "prefixes:4,3"),
            column("age", "integer", "widths:5,10"), column("zip", "text", "prefixes:4,3")] };
          return [restored(look, null).trees, restored(look, { trees: [] }).trees];
        }""",
        page.module("draft.js"),
    )
    assert trees == [[{"rule": "prefixes:4,3"}, None, None], [None, None, None]]
