"""Protection on the page, in a real browser: steps, hierarchies by sight, presets, a ledger."""

from __future__ import annotations

import io
import re
import zipfile
from importlib import resources

import pytest

from accessibility import faults_of
from browsers import QUASI, expect
from desks import SAMPLE, Server

DRAWS = True  # the desk and browser of other modules

DRAFT = {
    "k": "4", "method": "hilbert", "seen": [],
    "roles": ["identifier", "identifier", QUASI, QUASI, QUASI, QUASI, "other", "drop", QUASI,
              "sensitive", "drop"],
}  # fmt: skip


@pytest.fixture
def opened(page, drawing_desk):
    """The protection of a file whose columns have roles; with the recipes that it asks to try."""
    file = drawing_desk.stays()
    assert drawing_desk.ask("PUT", f"/files/{file}/draft", DRAFT).status == 200
    page.tried = []

    def note(request):
        if request.url.endswith("/trial"):
            page.tried.append(request.post_data_json["recipe"])

    page.tab.on("request", note)
    page.tab.goto(f"http://127.0.0.1:{page.desk.port}/files/{file}#protection")
    expect(page.on("gauges")).to_contain_text(re.compile(r"\d %"))
    page.file = file
    yield page
    page.tab.remove_listener("request", note)


def tried(page, right):
    """Wait until a recipe that is as it should be was tried; return it."""
    for _ in range(150):
        if page.tried and right(page.tried[-1]):
            return page.tried[-1]
        page.tab.wait_for_timeout(100)
    raise AssertionError(page.tried[-1:])


def add(page, kind, **given):
    """Fill the form of a step and take it."""
    page.on("change-kind").select_option(kind)
    for name, value in given.items():
        control = page.on(f"change-{name}")
        if isinstance(value, list):
            for one in value:
                control.get_by_label(one, exact=True).check()
        elif name in ("column", "to", "how"):
            control.select_option(value)
        else:
            control.fill(value)
    page.on("change-take").click()


def kinds(page):
    """The kinds of the steps in the list, in their order."""
    return page.tab.locator("[data-test=change] strong").all_inner_texts()


@pytest.mark.slow
def test_steps_are_added_moved_undone_and_tried(opened):
    """A step is a form of its kind's fields; the list is what is tried, saved and opened again."""
    page = opened
    page.unfold("steps-part")
    add(page, "round", column="income")
    expect(page.on("change-form")).to_contain_text("say digits, or to what it rounds multiples")
    page.on("change-digits").fill("-3")
    page.on("change-take").click()
    add(page, "coarsen", column="admission_date", to="quarter")
    add(page, "noise", columns=["length_of_stay"], amount="0.2")
    expect(page.on("change", 2)).to_contain_text("0.2")
    assert kinds(page) == ["Round", "Coarser dates", "Noise"]
    page.on("change-up", 1).click()
    assert kinds(page) == ["Coarser dates", "Round", "Noise"]
    moved = ["coarsen", "round", "noise"]
    recipe = tried(page, lambda one: [step["kind"] for step in one.get("steps", ())] == moved)
    assert recipe["steps"][0] == {"kind": "coarsen", "column": "admission_date", "to": "quarter"}
    assert re.fullmatch("[0-9a-f]{64}", recipe["secret"])
    page.on("change-remove", 2).click()
    page.on("undo").click()
    page.on("undo").click()
    assert kinds(page) == ["Round", "Coarser dates", "Noise"]
    page.on("redo").click()
    page.on("change-edit", 1).click()
    page.on("change-digits").fill("-2")
    page.on("change-take").click()
    expect(page.on("change", 1)).to_contain_text("-2")
    edited = tried(page, lambda one: one["steps"][1].get("digits") == -2)
    toml = page.desk.post(f"/files/{page.file}/settings", {"recipe": edited})["toml"]
    page.on("change-remove", 0).click()
    page.tab.wait_for_timeout(700)  # saved
    page.tab.reload()
    expect(page.on("changes")).to_contain_text("Noise")
    assert kinds(page) == ["Round", "Noise"]
    page.go("open")
    page.unfold("settings")
    content = {"name": "run.toml", "mimeType": "text/plain", "buffer": toml.encode()}
    page.on("open-settings").set_input_files(content)
    expect(page.on("settings-told")).to_contain_text("settings are taken")
    page.go("protection")
    assert kinds(page) == ["Coarser dates", "Round", "Noise"]


def test_a_step_keeps_its_form_until_the_server_has_answered(opened):
    """Nobody opens another form, or takes a step twice, while one is being checked."""
    page = opened
    page.unfold("steps-part")
    waiting = []

    def hold(route):
        waiting.append(route)

    page.tab.route("**/steps/check", hold)
    page.on("change-kind").select_option("coarsen")
    page.on("change-column").select_option("admission_date")
    page.on("change-take").click()
    for control in ("change-take", "change-cancel", "change-kind"):
        expect(page.on(control)).to_be_disabled()
    [asked] = waiting
    asked.continue_()
    expect(page.on("change-form")).to_be_hidden()
    expect(page.on("change-kind")).to_be_enabled()
    assert kinds(page) == ["Coarser dates"]
    page.on("change-edit").click()
    expect(page.on("change-remove")).to_be_disabled()
    page.on("undo").click()
    expect(page.on("change-form")).to_be_hidden()
    assert kinds(page) == []


@pytest.mark.slow
def test_a_column_that_a_step_makes_takes_its_place(opened):
    """Of an age made of dates the role is asked; the dates are no longer in the recipe."""
    page = opened
    page.unfold("steps-part")
    add(page, "derive", name="year", at="")
    expect(page.on("change-form")).to_contain_text("say at which date")
    page.on("change-what").select_option("year")
    page.on("change-take").click()
    recipe = tried(page, lambda one: one.get("steps"))
    assert recipe["roles"]["quasi_identifiers"] == ["age", "sex", "postcode", "income", "year"]
    expect(page.on("gauges")).to_contain_text("year")
    expect(page.on("gauges")).not_to_contain_text("admission_date")


def editor(page, column):
    """Open the hierarchy of a column."""
    page.unfold("hierarchies")
    whole = page.tab.locator(".editor").filter(
        has=page.tab.locator("summary", has_text=re.compile(f"^{column} "))
    )
    whole.locator("summary").first.click()
    whole.locator("[data-test=by-sight]").wait_for()
    return whole


@pytest.mark.slow
def test_hierarchies_are_made_by_sight(opened):
    """Cuts by button, key and pointer; parts of dates; signs of codes; words in named groups."""
    page = opened
    age = editor(page, "age")
    age.locator("[data-test=cut-add]").click()
    mark = age.locator("[data-test=cut]")
    before = float(mark.get_attribute("aria-valuenow"))
    page.tab.keyboard.press("ArrowRight")  # a new mark has the focus
    assert float(mark.get_attribute("aria-valuenow")) == before + 1
    age.locator("[data-test=cut-add]").click()
    handle = age.locator("[data-test=cut] .handle").last.bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.tab.mouse.move(x, y)
    page.tab.mouse.down()
    page.tab.mouse.move(x - 30, y, steps=3)
    page.tab.mouse.up()
    low, high = (
        int(one.get_attribute("aria-valuenow")) for one in age.locator("[data-test=cut]").all()
    )
    assert low < high < 51
    tried(page, lambda one: one["hierarchies"].get("age") == f"cuts:{low},{high}")
    age.locator("[data-test=cut]").last.focus()
    page.tab.keyboard.press("Delete")
    tried(page, lambda one: one["hierarchies"].get("age") == f"cuts:{low}")
    dates = editor(page, "admission_date")
    for level in ("month", "year"):
        dates.locator(f"[data-test=level-{level}]").click()
    codes = editor(page, "postcode")
    expect(codes.locator("[data-test=level-4]")).to_have_attribute("aria-pressed", "true")
    codes.locator("[data-test=level-4]").click()
    words = editor(page, "sex")
    words.locator("[data-test=groups-open]").click()
    words.locator("[data-test=group-add]").click()
    page.tab.keyboard.press("Control+a")
    page.tab.keyboard.type("anyone")
    page.tab.keyboard.press("Tab")
    words.locator("[data-test=chip]").first.drag_to(words.locator("[data-test=bin]").last)
    words.locator("[data-test=chip]").first.focus()
    page.tab.keyboard.press("Space")
    words.locator("[data-test=move-here]").last.focus()
    page.tab.keyboard.press("Enter")
    assert words.locator("[data-test=bin]").last.locator("[data-test=chip]").count() == 2
    recipe = tried(page, lambda one: {"sex", "postcode"} <= set(one["hierarchies"]))
    assert recipe["hierarchies"]["admission_date"] == "dates:month,year"
    assert recipe["hierarchies"]["postcode"] == "prefixes:3,2,1"
    expect(words.locator("[data-test=tree-text]")).to_have_value("F;anyone;*\nM;anyone;*\n")


def test_presets_budgets_and_a_ledger_are_a_choice_each(opened):
    """A preset says k and its source; a ledger asks who is who; nobody is shut out in any theme."""
    page = opened
    page.on("preset").select_option("ema")
    assert page.on("k").input_value() == "11"
    expect(page.on("preset-about")).to_contain_text("EMA/90915/2016")
    expect(page.on("preset-about")).to_contain_text("not legal advice")
    page.on("suppress").select_option("0.02")
    recipe = tried(page, lambda one: one["protect"].get("suppress"))
    assert (recipe["protect"]["preset"], recipe["protect"]["suppress"]) == ("ema", 0.02)
    page.on("k").fill("6")
    expect(page.on("gauges")).to_contain_text("asks for a k of at least 11")
    page.on("k").fill("12")
    page.on("speed-cells").check()
    tried(page, lambda one: one["protect"].get("method") == "local-suppression")
    page.on("suppress").select_option("0")
    page.unfold("series")
    page.unfold("ledger-new")
    page.on("ledger-name").fill("stays")
    page.on("ledger-begin").click()
    expect(page.on("ledger-holds")).to_contain_text("this one will be the first")
    expect(page.on("gauges")).to_contain_text("who is who")
    page.unfold("survey")
    page.on("person").select_option(label="number")
    page.on("withhold").select_option("0.05")
    series = tried(page, lambda one: one.get("series", {}).get("withhold"))["series"]
    assert series["ledger"] in {one["id"] for one in page.desk.get("/ledgers.json")}
    page.unfold("steps-part")
    page.on("change-kind").select_option("recode")
    editor(page, "age").locator("[data-test=cut-add]").click()
    editor(page, "sex").locator("[data-test=groups-open]").click()
    page.on("board").wait_for()
    for theme, width in (("light", 1280), ("dark", 390)):
        page.look(width, theme)
        expect(page.on("gauges")).not_to_have_class(re.compile("stale"))
        assert faults_of(page.tab) == [], theme
        assert not page.is_wide(), theme


@pytest.mark.slow
def test_a_ledger_is_kept_on_the_page(opened):
    """An earlier release is added; a series is judged, people leave, an overlap is weighed."""
    page = opened
    known = page.desk.post("/ledgers", {"name": "kept"}, 201)
    roles = {**SAMPLE["roles"], "person": "number"}
    recipe = {"roles": roles, "protect": {"k": 4, "method": "hilbert"}}
    before = page.desk.start(page.file, recipe)
    job = page.desk.start(page.file, {**recipe, "series": {"ledger": known["id"]}})
    assert page.desk.done(job)["state"] == "done"
    page.tab.reload()
    page.unfold("survey")
    page.on("person").select_option(label="number")
    page.unfold("series")
    page.unfold("ledger-new")
    page.on("ledger-name").fill("earlier")
    page.on("ledger-begin").click()
    page.unfold("ledger-keep")
    path = f"/jobs/{before}/files"
    private = zipfile.ZipFile(io.BytesIO(page.desk.ask("GET", f"{path}/private.zip").body))
    for control, name, content in (
        ("add-recipe", "run.toml", private.read("run.toml")),
        ("add-release", "r.csv", page.desk.ask("GET", f"{path}/release.csv").body),
    ):
        given = {"name": name, "mimeType": "text/plain", "buffer": content}
        page.on(control).set_input_files(given)
    page.on("ledger-add-go").click()
    expect(page.on("ledger-holds")).to_contain_text("added later")
    page.on("ledger").select_option(known["id"])
    page.on("expect-overlap").select_option("0.8")
    expect(page.on("overlap-note")).to_contain_text("at least 5 people instead of 4")
    series = tried(page, lambda one: one.get("series", {}).get("expect_overlap"))["series"]
    assert series["expect_overlap"] == 0.8
    page.unfold("ledger-keep")
    expect(page.on("ledger-checked")).to_contain_text("its message code is right")
    page.on("ledger-verdict-go").click()
    expect(page.on("series-ok")).to_contain_text("keeps its promises")
    expect(page.on("series-verdict")).to_contain_text("1 of 1 releases")
    page.on("leave-people").fill("H4271486\nnobody\n")
    page.on("ledger-leave-go").click()
    expect(page.on("leave-cost")).to_contain_text("others shared a group with them")
    for theme, width in (("light", 1280), ("dark", 390)):
        page.look(width, theme)
        assert faults_of(page.tab) == [], theme
        assert not page.is_wide(), theme
    page.on("ledger-leave_sure-go").click()
    page.on("confirm").click()
    expect(page.on("ledger-checked")).to_contain_text("2 entries")
    assert page.desk.get(f"/ledgers/{known['id']}.json")["left"] == 2


@pytest.fixture
def filling(page, tmp_path):
    """The run of a file of a desk whose folder has a folder with records in it."""
    arriving = tmp_path / "data" / "coming"
    arriving.mkdir(parents=True)
    lines = resources.files("shoal.datasets").joinpath("patients.csv").read_bytes().split(b"\n")
    (arriving / "1.csv").write_bytes(b"\n".join([*lines[:121], b""]))
    usual = page.desk
    with Server(tmp_path / "desk", tmp_path / "data", draws=False) as desk:
        file = desk.stays()
        assert desk.ask("PUT", f"/files/{file}/draft", {**DRAFT, "person": 1}).status == 200
        page.desk = desk
        page.begin()
        page.tab.goto(f"http://127.0.0.1:{desk.port}/files/{file}#run")
        yield page
        page.tab.goto("about:blank")
        page.desk = usual


@pytest.mark.slow
def test_a_stream_on_the_page(filling):
    """A folder of the desk is released in batches that the page counts; it can be stopped."""
    page = filling
    page.unfold("streams")
    page.on("stream-source").select_option(label="coming → coming-batches")
    page.on("stream-batch").fill("60")
    page.on("stream-delay").fill("1h")
    page.on("stream-go").click()
    expect(page.on("stream-list")).to_contain_text("batch-000002.csv")
    expect(page.on("stream-list")).to_contain_text("verified, k = 4")
    expect(page.on("stream-come")).to_have_text("120")
    for theme, width in (("light", 1280), ("dark", 390)):
        page.look(width, theme)
        assert faults_of(page.tab) == [], theme
        assert not page.is_wide(), theme
    page.on("stream-stop").click()
    expect(page.on("stream-state")).to_contain_text("What waits is kept")
