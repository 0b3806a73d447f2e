"""Steps, presets and ledgers at the desk: what the page asks for is what is released."""

from __future__ import annotations

import base64
import csv
import io
import json
import time
import tomllib
import zipfile
from dataclasses import MISSING, fields

import pytest

from desks import SAMPLE
from shoal.settings.presets import ADVICE, PRESETS
from shoal.table.steps.registry import STEPS
from shoal.web.request import step_forms

KEPT = {
    **SAMPLE,
    "roles": {
        "quasi_identifiers": ["age", "sex", "postcode", "income", "year"],
        "identifiers": ["name", "number"], "sensitive": ["diagnosis"],
        "other": ["length_of_stay", "cost"],
        "keep_unique": ["cost"],
    },
    "protect": {"k": 4, "method": "hilbert", "suppress": 0.02},
}  # fmt: skip
EVERY = [
    {"kind": "round", "column": "income", "digits": "-3"},
    {"kind": "top", "column": "age", "share": "10%"},
    {"kind": "bottom", "column": "length_of_stay", "at": 2, "becomes": "limit"},
    {"kind": "recode", "column": "sex", "values": {"F": "woman"}, "rest": "keep"},
    {"kind": "level", "column": "age", "hierarchy": "widths:5,10"},
    {"kind": "prefix", "column": "postcode", "length": "3"},
    {"kind": "rare", "column": "diagnosis", "least": 5},
    {"kind": "coarsen", "column": "admission_date", "to": "month"},
    {"kind": "derive", "name": "year", "of": "admission_date", "what": "year"},
    {"kind": "drop", "columns": ["weight"]},
    {"kind": "noise", "columns": ["cost"], "how": "zero-sum"},
    {"kind": "rankswap", "column": "length_of_stay"},
    {"kind": "recordswap", "columns": ["cost"], "share": 0.2},
    {"kind": "pram", "column": "diagnosis", "keep": 0.9},
]
SECRET = "0f" * 32


def checked(desk, steps=EVERY):
    """Steps as the page has them, after the server has checked each."""
    return [desk.post("/steps/check", {"step": one}) for one in steps]


def test_the_page_is_told_every_step_with_its_fields(desk, repository):
    """Forms are made of the registry: all kinds and fields, each with a text in the page."""
    told = desk.get("/steps.json")
    assert told == json.loads(json.dumps(step_forms()))
    assert [one["kind"] for one in told] == list(STEPS) == sorted(STEPS, key=list(STEPS).index)
    texts = (repository / "src/shoal/web/static/en.js").read_text(encoding="utf-8")
    for one, cls in zip(told, STEPS.values(), strict=True):
        assert f'"step.{one["kind"]}"' in texts
        assert f'"step.{one["kind"]}_what"' in texts
        assert [own["name"] for own in one["fields"]] == [own.name for own in fields(cls)]
        for own, field in zip(one["fields"], fields(cls), strict=True):
            of_kind = f'"stepfield.{one["kind"]}.{own["name"]}"'
            assert f'"stepfield.{own["name"]}"' in texts or of_kind in texts
            assert all(f'"stepchoice.{choice}"' in texts for choice in own["choices"])
            assert own["needed"] == (field.default is MISSING)


def test_the_page_is_told_every_preset_with_its_source(desk, repository):
    """Presets are those of the library, and the page says that they are no legal advice."""
    told = desk.get("/presets.json")
    assert {one["name"]: (one["k"], one["source"]) for one in told} == {
        one.name: (one.k, one.source) for one in PRESETS.values()
    }
    texts = (repository / "src/shoal/web/static/en.js").read_text(encoding="utf-8")
    assert all(f'"preset.{name}"' in texts for name in PRESETS)
    assert ADVICE.split(", ")[1] in texts


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("level age trees.csv", "a step is a table"),
        ({"kind": "level", "column": "age", "hierarchy": "/etc/passwd"}, "must be a rule here"),
        ({"kind": "round", "column": "age"}, "say digits, or to what"),
        ({"kind": "noise", "columns": []}, "must be names of columns"),
        ({"kind": "magic"}, "is no step"),
    ],
)
def test_a_step_that_is_wrong_is_refused_at_once(desk, step, said):
    """A page hears what is wrong with a step; a path is none of its fields."""
    assert said in desk.post("/steps/check", {"step": step}, 400)["error"]
    file = desk.stays()
    recipe = {**SAMPLE, "steps": [step]}
    assert said in desk.post(f"/files/{file}/trial", {"recipe": recipe, "tab": "a"}, 400)["error"]


def test_every_step_is_tried_run_said_and_kept(desk):
    """All kinds of steps in one release: gauges, the run, its command, its settings, its secret."""
    file = desk.stays()
    steps = checked(desk)
    recipe = {**KEPT, "steps": steps, "secret": SECRET}
    tried = desk.post(f"/files/{file}/trial", {"recipe": recipe, "tab": "a", "rows": True})
    assert {"year", "income"} <= {one["name"] for one in tried["columns"]}
    job = desk.start(file, recipe)
    told = desk.done(job)
    assert told["state"] == "done", told["error"]
    assert "--step 'round income -3'" in told["command"]
    assert "steps.Pram(" in told["python"] or "pram" in told["python"]
    assert SECRET not in told["command"] + told["python"]
    first = _release(desk, job)
    again = desk.start(file, recipe)
    desk.done(again)
    assert sorted(_release(desk, again)) == sorted(first)  # the same noise, not a second draw
    rows = list(csv.DictReader(io.StringIO(first.decode())))
    assert 196 <= len(rows) <= 200
    assert {row["sex"] for row in rows} <= {"woman", "M", "*"}
    assert "weight" not in rows[0]
    toml = desk.post(f"/files/{file}/settings", {"recipe": recipe})["toml"]
    assert [one["kind"] for one in tomllib.loads(toml)["steps"]] == [one["kind"] for one in EVERY]
    back = desk.post(f"/files/{file}/settings/open", {"text": toml})
    assert back["recipe"]["steps"] == steps
    assert back["recipe"]["secret"] == SECRET
    assert back["left"] == []


def _release(desk, job):
    """The released file of a job."""
    answer = desk.ask("GET", f"/jobs/{job}/files/release.csv")
    assert answer.status == 200
    return answer.body


def year(first):
    """Records of 60 people from a number on: some of them are in the next year, too."""
    rows = [f"p{i},{20 + 7 * i % 60},{1000 + 37 * i % 900},{'abc'[i % 3]}\n" for i in range(90)]
    return ("who,age,pay,ill\n" + "".join(rows[first : first + 60])).encode()


SERIES = {
    "roles": {"quasi_identifiers": ["age", "pay"], "sensitive": ["ill"], "person": "who"},
    "protect": {"k": 3, "l": 2, "method": "mdav"},
}


def made(desk, content, ledger, **more):
    """A release under a ledger; return what is said of the job."""
    file = desk.upload("stays.csv", content)
    desk.looked(file)
    recipe = {**SERIES, "series": {"ledger": ledger, **more}}
    tried = desk.post(f"/files/{file}/trial", {"recipe": recipe, "tab": "a"})
    assert tried["k"] >= 3
    job = desk.start(file, recipe)
    told = desk.done(job)
    assert told["state"] == "done", told["error"]
    return file, job, told


@pytest.mark.slow
def test_this_year_is_published_after_last_year(desk):
    """A ledger begins with a release, goes home, comes back with its key, and knows who is who."""
    first = desk.post("/ledgers", {"name": "stays"}, 201)
    assert first["name"] == "stays.ledger"
    assert desk.get(f"/ledgers/{first['id']}.json")["releases"] == []
    _, job, told = made(desk, year(0), first["id"])
    assert "--ledger stays.ledger" in told["command"]
    assert "result.save(" in told["python"]
    assert (desk.folder / "stays.ledger").exists()  # where it was begun, it was continued
    handed = {
        name: desk.ask("GET", f"/jobs/{job}/files/ledger/{name}").body.decode()
        for name in ("stays.ledger", "stays.ledger.key")
    }
    both = {"ledger": handed["stays.ledger"], "key": handed["stays.ledger.key"]}
    wrong = desk.post("/ledgers", {"name": "stays.ledger", **both, "key": "no key"}, 400)
    assert "no key of a ledger" in wrong["error"]
    brought = desk.post("/ledgers", {"name": "stays.ledger", **both}, 201)
    assert {one["origin"] for one in desk.get("/ledgers.json")} == {"folder", "upload"}
    file, _, _ = made(desk, year(30), brought["id"], withhold=0.5)
    holds = desk.get(f"/ledgers/{brought['id']}.json")
    assert [one["state"] for one in holds["releases"]] == ["made", "made"]
    assert 0 < holds["several"] <= 30
    after = desk.post(f"/ledgers/{brought['id']}/withdraw", {"release": 2})
    assert [one["state"] for one in after["releases"]] == ["made", "withdrawn"]
    recipe = {**SERIES, "series": {"ledger": brought["id"], "withhold": 0.1}}
    toml = desk.post(f"/files/{file}/settings", {"recipe": recipe})["toml"]
    assert tomllib.loads(toml)["series"]["ledger"] == "stays.ledger"
    assert "series.ledger" in desk.post(f"/files/{file}/settings/open", {"text": toml})["left"]


@pytest.mark.parametrize("ledger", ["/etc/passwd", "../stays.ledger", "0" * 32, None, 7])
def test_a_ledger_is_none_of_a_client_s_paths(desk, ledger):
    """A recipe names a ledger by the id that the desk gave it, and by nothing else."""
    file = desk.stays()
    body = {"file": file, "recipe": {**SAMPLE, "series": {"ledger": ledger}}}
    assert "no such ledger" in desk.post("/jobs", body, 404)["error"]


def test_a_comparison_leaves_out_what_would_make_its_runs_differ(desk):
    """A preset, a budget of records and a ledger say nothing to a comparison."""
    file = desk.stays()
    protect = {"preset": "ema", "suppress": 0.01, "method": "hilbert"}  # which says k
    recipe = {**SAMPLE, "protect": protect, "series": {"ledger": "0" * 32}}
    job = desk.start(file, recipe, "compare", compare={"k": [4], "methods": ["hilbert"]})
    assert desk.done(job)["state"] == "done"


def file_of(name, content):
    """Return a file as a page sends it with a request."""
    return {"name": name, "base64": base64.b64encode(content).decode()}


@pytest.mark.slow
def test_a_ledger_is_kept_at_the_desk(desk):
    """An earlier release is added, a series judged; people leave once it was said what it costs."""
    first = desk.upload("old.csv", year(0))
    desk.looked(first)
    job = desk.start(first, SERIES)
    assert desk.done(job)["state"] == "done"
    before = _release(desk, job)
    private = zipfile.ZipFile(io.BytesIO(desk.ask("GET", f"/jobs/{job}/files/private.zip").body))
    path = f"/ledgers/{desk.post('/ledgers', {'name': 'kept'}, 201)['id']}"
    body = {"file": first, "person": "who", "recipe": private.read("run.toml").decode()}
    wrong = desk.post(f"{path}/add", {**body, "release": file_of("r.csv", before[:-20])}, 400)
    assert "not what the recipe makes" in wrong["error"]
    added = desk.post(f"{path}/add", {**body, "release": file_of("r.csv", before)})
    assert [(one["state"], one["people"]) for one in added["releases"]] == [("added", 60)]
    assert (added["entries"], len(added["last"])) == (1, 12)
    _, later, _ = made(desk, year(30), path.split("/")[2], withhold=0.5, expect_overlap=0.8)
    verdict = desk.post(f"{path}/verdict", {})["verdict"]  # what the desk made, it finds
    assert (verdict["ok"], verdict["releases"], verdict["absent"]) == (True, 2, [])
    assert verdict["fewest"] >= 2
    other = [file_of("a.csv", before), file_of("b.csv", _release(desk, later) + b"\n")]
    told = desk.post(f"{path}/verdict", {"files": other})["verdict"]
    assert (told["ok"], told["problems"]) == (
        False, ["b.csv: no release of the ledger has this content"],
    )  # fmt: skip
    cost = desk.post(f"{path}/forget", {"people": ["p40", "nobody"]})
    assert (cost["cost"]["people"], cost["cost"]["unknown"], cost["left"]) == (2, 1, 0)
    assert cost["cost"]["companions"] >= 2
    gone = desk.post(f"{path}/forget", {"people": ["p40", "nobody"], "sure": True})
    assert (gone["cost"], gone["left"]) == (cost["cost"], 2)
    texts = desk.post(f"{path}/take", {})
    assert texts["ledger"] == (desk.folder / "kept.ledger").read_text()
    for act, asked, code in (
        ("forget", {"people": [7]}, 400),
        ("other", {}, 404),
        ("verdict", {"files": [{"name": "../x.csv"}]}, 400),
        ("add", {**body, "release": {"name": "r", "base64": ""}}, 415),
    ):
        desk.post(f"{path}/{act}", asked, code)


def flowing(desk, key, right):
    """Wait until what is said of a stream is as it should be."""
    for _ in range(300):
        (told,) = [one for one in desk.get("/streams.json")["streams"] if one["id"] == key]
        if right(told):
            return told
        time.sleep(0.1)
    raise AssertionError(told)


@pytest.mark.slow
def test_a_folder_that_fills_is_released_in_batches(desk):
    """Batches are counted and verified as they come; stopped, the next start goes on."""
    arriving = desk.folder / "arriving"
    arriving.mkdir()
    (arriving / "1.csv").write_bytes(year(0))
    file = desk.upload("stays.csv", year(0))
    desk.looked(file)
    sources = {one["name"]: one for one in desk.get("/streams.json")["sources"]}
    source = sources["arriving"]
    assert source["folder"] == "arriving-batches"
    body = {"file": file, "recipe": SERIES, "source": source["id"], "batch": 25, "delay": "1h"}
    first = desk.post("/streams", {**body, "follow": True}, 201)["id"]
    assert "being read already" in desk.post("/streams", body, 409)["error"]
    told = flowing(desk, first, lambda one: one["counts"].get("come") == 60)
    told = flowing(desk, first, lambda one: len(one["batches"]) == 2)
    assert [one["path"] for one in told["batches"]] == ["batch-000001.csv", "batch-000002.csv"]
    assert all(one["smallest"] >= 3 for one in told["batches"])
    (arriving / "2.csv").write_bytes(year(30))
    told = flowing(desk, first, lambda one: one["counts"]["come"] == 120)
    assert desk.post(f"/streams/{first}/stop", {})["state"] == "stopped"
    again = desk.post("/streams", {**body, "delay": None}, 201)["id"]
    told = flowing(desk, again, lambda one: one["state"] == "done")
    counts = told["counts"]
    assert (counts["released"], counts["waiting"], counts["again"]) == (90, 0, 30)
    assert len(list((desk.folder / "arriving-batches").iterdir())) == counts["batches"]
    other = {**SERIES, "protect": {**SERIES["protect"], "k": 4}}
    failed = desk.post("/streams", {**body, "recipe": other}, 201)["id"]
    told = flowing(desk, failed, lambda one: one["state"] == "failed")
    assert "released with other options: “k”" in told["error"]
    for wrong, code in (({"source": "../x"}, 404), ({"batch": 1}, 400), ({"delay": 7}, 400)):
        desk.post("/streams", {**body, **wrong}, code)
