"""The desk over HTTP with its charts: from the sample to a release, and comparisons."""

from __future__ import annotations

import io
import zipfile

import pytest

import shoal
from desks import SAMPLE, census_like, running


@pytest.mark.slow
def test_from_the_sample_to_a_verified_release(drawing_desk, tmp_path):
    """A newcomer's path over JSON: look, estimate, run, judge, take home, and verify elsewhere."""
    desk = drawing_desk
    file = desk.sample()
    told = desk.get(f"/files/{file}.json")
    look = told["look"]
    assert look["records"] == 2000
    assert len(look["rows"]) == 20
    ages = next(column for column in look["columns"] if column["name"] == "age")
    assert sum(ages["bins"]["counts"]) == 2000 - ages["missing"]
    assert ages["suspected"] == "quasi-identifier"
    guess = desk.post(f"/files/{file}/preview", {"recipe": SAMPLE})
    assert guess["loss"] > 0
    assert guess["seconds"] > 0
    assert guess["why"].startswith("kaim+: ")
    assert guess["method"] == "kaim+"
    job = desk.start(file, SAMPLE)
    told = desk.done(job)
    assert told["state"] == "done", told["error"]
    assert told["expected"]["seconds"] > 0
    report = told["result"]["report"]
    assert report["verification"]["ok"] is True
    assert report["k"] == 5
    assert report["made_by"] == "method kaim+"
    names = {one["name"] for one in told["result"]["files"]}
    assert {"release.csv", "report.html", "certificate.json", "run.toml", "everything.zip"} <= names
    archive = desk.ask("GET", f"/jobs/{job}/files/everything.zip")
    assert archive.headers["content-disposition"].startswith("attachment")
    with zipfile.ZipFile(io.BytesIO(archive.body)) as packed:
        packed.extractall(tmp_path / "pack")
    assert shoal.check_pack(tmp_path / "pack").ok
    private = desk.ask("GET", f"/jobs/{job}/files/private.zip").body
    with zipfile.ZipFile(io.BytesIO(private)) as packed:
        packed.extractall(tmp_path / "pack.private")
    checked = shoal.check_pack(tmp_path / "pack", private=tmp_path / "pack.private")
    assert "the private folder is that of this pack" in checked.done
    recipe = (tmp_path / "pack.private" / "run.toml").read_text()
    assert "desk/room-" not in recipe
    assert "output" not in recipe
    quasi = SAMPLE["roles"]["quasi_identifiers"]
    assert shoal.verify(tmp_path / "pack" / "release.csv", k=5, quasi_identifiers=quasi).ok
    for chart in told["result"]["charts"]:
        spec = desk.get(f"/jobs/{job}/charts/{chart['id']}.json")
        assert spec["data"]["values"] or chart["group"] == "loss"
    columns = [chart["column"] for chart in told["result"]["charts"] if chart["column"]]
    assert columns == [*quasi, "diagnosis"]  # any of them before and after, texts too
    page = desk.ask("GET", f"/jobs/{job}/report")
    assert "sandbox" in page.headers["content-security-policy"]
    assert b"<script" not in page.body
    assert b"<svg" in page.body


@pytest.mark.slow
def test_compare(drawing_desk):
    """A comparison has its frontier as a chart, its pick and its files."""
    desk = drawing_desk
    file = desk.stays()
    more = {"k": [3, 5], "methods": ["kaim", "hilbert"], "budget": 60}
    told = desk.done(desk.start(file, SAMPLE, "compare", compare=more))
    assert told["state"] == "done", told["error"]
    points = told["result"]["comparison"]["points"]
    assert len(points) == 4
    assert sum(point["picked"] for point in points) == 1
    [chart] = told["result"]["charts"]
    assert chart["group"] == "frontier"
    values = desk.get(f"/jobs/{told['id']}/charts/{chart['id']}.json")["data"]["values"]
    assert {(v["method"], v["k"]) for v in values} == {(p["method"], p["k"]) for p in points}
    wrong = ({}, {"k": []}, {"k": [1]}, {"k": ["3"]}, {"k": [3], "methods": []},
             {"k": [3], "budget": -1}, {"k": [3], "budget": "x"}, {"k": [True]})  # fmt: skip
    for one in wrong:
        body = {"file": file, "kind": "compare", "recipe": SAMPLE, "compare": one}
        assert desk.ask("POST", "/jobs", body).status == 400


@pytest.mark.slow
def test_a_comparison_is_stopped_with_what_it_has(drawing_desk):
    """Runs that were made are compared; the one under way ends with its best, others are left."""
    desk = drawing_desk
    file = desk.upload("numbers.csv", census_like(1500))
    desk.looked(file)
    more = {"k": [4], "methods": ["mdav", "ilsmc+", "ilsmc"]}
    job = desk.start(file, {"protect": {"k": 4}}, "compare", compare=more)
    assert running(desk, job)["curve"] == []
    desk.post(f"/jobs/{job}/stop", {"keep": True})
    told = desk.done(job, 40)
    assert told["state"] == "done", told["error"]
    first, *_, last = told["result"]["comparison"]["points"]
    assert first["information_loss"] > 0
    assert last["said"] == "left out, not run: interrupted"
