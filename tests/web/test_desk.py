"""The desk over HTTP: from a file to a verified release, and all that can happen on the way."""

from __future__ import annotations

import io
import json
import signal
import time
import zipfile

import pytest

import shoal
from desks import LONG, SAMPLE, Server, alive, census_like, open_modes, running, workers_of
from thorough import spread

CANARY = "Zebulon7531"


@pytest.mark.parametrize("said", spread([{}, {"a": "widths:10,20"}], 1))
def test_an_estimate_explains_the_method_it_names(desk, said):
    """A tree on a column of numbers changes what auto runs, and the reason that is given."""
    rows = "".join(f"{row % 97},{row * 7 % 89}\n" for row in range(300))
    file = desk.upload("t.csv", f"a,b\n{rows}".encode())
    assert desk.looked(file)["state"] == "ready"
    recipe = {"protect": {"k": 5, "effort": "quick"}, "hierarchies": said}
    guess = desk.post(f"/files/{file}/preview", {"recipe": recipe})
    assert guess["method"] == ("kaim+" if said else "ilsmc+")
    assert guess["why"].startswith(f"{guess['method']}: ")


@pytest.mark.slow
def test_the_same_settings_give_what_the_command_line_gives(desk, tmp_path, shoal):
    """The desk's release is the command's, group for group."""
    file = desk.sample()
    job = desk.start(file, {**SAMPLE, "protect": {"k": 5, "method": "kaim"}})
    told = desk.done(job)
    released = desk.ask("GET", f"/jobs/{job}/files/release.csv").body.decode()
    from importlib import resources

    sample = tmp_path / "patients.csv"
    sample.write_bytes(resources.files("shoal.datasets").joinpath("patients.csv").read_bytes())
    import shlex

    words = shlex.split(told["command"].replace("\\\n", " "))
    assert words[:2] == ["shoal", "anonymize"]
    words = [str(sample) if word == "patients.csv" else word for word in words[1:]]
    words[words.index("--pack") + 1] = str(tmp_path / "pack")
    ran = shoal(*words)
    assert ran.code == 0, ran.err
    own = (tmp_path / "pack" / "release.csv").read_text()
    assert sorted(released.splitlines()) == sorted(own.splitlines())


@pytest.mark.slow
def test_trees(desk, tmp_path):
    """A hierarchy is built, checked and kept; one that lacks values says how many."""
    file = desk.sample()
    built = desk.post(f"/files/{file}/trees", {"column": "postcode", "rule": "prefixes:4,3"})
    assert built["uncovered"] == 0
    assert built["sizes"][-1] == 1
    root = built["nodes"]
    assert root["label"] == "*"
    assert root["count"] == sum(child["count"] for child in root["children"])
    assert built["id"] is None
    text = built["csv"]
    kept = desk.post(f"/files/{file}/trees", {"column": "postcode", "text": text})
    assert kept["id"]
    again = desk.post(f"/files/{file}/trees", {"column": "postcode", "text": text})
    assert again["id"] == kept["id"]
    named = desk.post(f"/files/{file}/trees", {"column": "postcode", "rule": f"tree:{kept['id']}"})
    assert (named["csv"], named["rule"]) == (text, "a file")
    lines = text.splitlines()
    short = desk.post(
        f"/files/{file}/trees", {"column": "postcode", "text": "\n".join(lines[:-2]) + "\n"}
    )
    assert short["uncovered"] == 2
    assert short["id"] is None
    assert {line.split(";")[0] for line in lines[-2:]} == set(short["values"])
    for wrong in ("a;b\na;c\n", "a;b\n;\n"):
        answer = desk.ask("POST", f"/files/{file}/trees", {"column": "postcode", "text": wrong})
        assert answer.status == 400
    recipe = {**SAMPLE, "hierarchies": {"postcode": f"tree:{kept['id']}"}}
    recipe["protect"] = {"k": 5, "method": "kaim"}
    told = desk.done(desk.start(file, recipe))
    assert told["state"] == "done", told["error"]
    assert "--hierarchy postcode=trees/postcode.csv" in told["command"]
    names = [one["name"] for one in told["result"]["files"]]
    assert "trees/postcode.csv" in names
    got = desk.ask("GET", f"/jobs/{told['id']}/files/trees/postcode.csv")
    assert got.body.decode() == text
    archive = desk.ask("GET", f"/jobs/{told['id']}/files/everything.zip").body
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        packed.extractall(tmp_path / "pack")
    assert shoal.check_pack(tmp_path / "pack").ok  # hierarchies are none of it


@pytest.mark.slow
def test_stopping_keeps_the_best_or_nothing(desk, tmp_path):
    """Two jobs queue; one is stopped and keeps its best, verified; the other is discarded."""
    file = desk.upload("numbers.csv", census_like())
    assert desk.looked(file)["state"] == "ready"
    first, second, third = (desk.start(file, LONG) for _ in range(3))
    running(desk, first)
    told = desk.wait(f"/jobs/{first}.json", lambda told: told["curve"])
    assert told["points"] == len(told["curve"])
    later = desk.get(f"/jobs/{first}.json?after={told['points']}")
    assert len(later["curve"]) == later["points"] - told["points"]
    assert desk.get(f"/jobs/{second}.json")["ahead"] == 1
    assert desk.get(f"/jobs/{third}.json")["ahead"] == 2
    desk.post(f"/jobs/{third}/stop", {"keep": False})
    assert desk.get(f"/jobs/{third}.json")["state"] == "canceled"
    desk.post(f"/jobs/{first}/stop", {"keep": True})
    told = desk.done(first, 30)
    assert told["state"] == "done", told["error"]
    assert told["result"]["report"]["verification"]["ok"]
    assert told["result"]["report"]["search"]["stopped_by"] == "interrupt"
    running(desk, second)
    desk.post(f"/jobs/{second}/stop", {"keep": False})
    told = desk.done(second, 30)
    assert told["state"] == "canceled"
    assert told["result"] is None
    assert not any(second in name for name in desk.left())
    again = desk.done(desk.start(file, {"protect": {"k": 4, "method": "mdav"}}))
    assert again["state"] == "done"


def test_what_cannot_be_is_told_in_one_line(desk):
    """Settings that are wrong are refused at once; what a run finds out is told by the job."""
    file = desk.sample()
    wrong = ({"protect": {}}, {"protect": {"k": 1}}, {"protect": {"k": 5, "l": "x"}}, [], 3,
             {"protect": 3}, {"roles": {"drop": "age"}, "protect": {"k": 3}})  # fmt: skip
    for recipe in wrong:
        answer = desk.ask("POST", "/jobs", {"file": file, "recipe": recipe})
        assert answer.status == 400
        assert "\n" not in answer.json["error"]
    told = desk.done(desk.start(file, {"protect": {"k": 3}}))
    assert told["state"] == "failed"
    assert "'name'" in told["error"]["said"]
    roles = {**SAMPLE["roles"], "quasi_identifiers": ["age", "agee"]}
    told = desk.done(desk.start(file, {**SAMPLE, "roles": roles}))
    assert "did you mean 'age'" in told["error"]["said"]
    never = {**SAMPLE, "protect": {"k": 5, "l": 5000}}
    told = desk.done(desk.start(file, never))
    assert (told["state"], told["error"]["kind"]) == ("failed", "422")
    assert desk.ask("POST", "/jobs", {"file": "0" * 32, "recipe": SAMPLE}).status == 404
    assert desk.ask("POST", f"/files/{file}/draft", {}).status == 405


BAD = {
    "ragged.csv": f"a,b\n1,{CANARY}\n1,2,{CANARY}\n",
    "double.csv": f"a,a\n1,{CANARY}\n",
    "mixed.csv": "a,b\n" + "1,2\n" * 50 + f"{CANARY},3\n",
    "bytes.csv": f"a,b\n{CANARY},".encode() + b"\xff\xfe\n",
    "infinite.csv": f"a,b,c\n1,inf,{CANARY}\n" + "2,3,x\n" * 30,
}


@pytest.mark.slow
def test_errors_hold_no_record_values(tmp_path):
    """W8: what is wrong with a file is told without a cell of it, in answers and on stderr."""
    with Server(tmp_path) as desk:
        for name, content in BAD.items():
            raw = content if isinstance(content, bytes) else content.encode()
            file = desk.upload(name, raw)
            told = desk.looked(file)
            if told["state"] == "failed":
                assert CANARY not in json.dumps(told), name
                continue
            recipe = {"roles": {"quasi_identifiers": ["a", "b"]}, "protect": {"k": 3}}
            job = desk.done(desk.start(file, recipe))
            shown = {key: job[key] for key in ("error", "stage", "result")}
            assert CANARY not in json.dumps(shown), name
            tree = desk.ask("POST", f"/files/{file}/trees", {"column": "a", "rule": "widths:5"})
            assert CANARY.encode() not in tree.body, name
        desk.close()
        assert CANARY not in desk.said.read_text()


@pytest.mark.slow
def test_what_lies_here_is_private_and_goes(tmp_path):
    """W7: with any umask only the owner reads it; finish, exit and a kill leave nothing behind."""
    own = [tmp_path / "work" / name for name in ("desk-mine", "desk/mine", "desk/room-0123")]
    for folder in own:
        folder.mkdir(parents=True)
    (tmp_path / "work").chmod(0o755)
    with Server(tmp_path, mask=0) as desk:
        assert all(folder.is_dir() for folder in own)  # what is somebody else's stays
        assert (tmp_path / "work").stat().st_mode & 0o777 == 0o755
        for folder in own:
            folder.rmdir()
        file = desk.sample()
        other = desk.upload("numbers.csv", census_like(50))
        desk.looked(other)
        job = desk.start(file, {**SAMPLE, "protect": {"k": 5, "method": "kaim"}})
        assert desk.done(job)["state"] == "done"
        assert open_modes(next(desk.work.glob("desk/room-*"))) == []
        assert any(job in name for name in desk.left())
        answer = desk.ask("DELETE", f"/files/{file}")
        assert answer.status == 200
        assert not any(file in name or job in name for name in desk.left())
        assert desk.ask("GET", f"/jobs/{job}.json").status == 404
        assert desk.get("/desk.json")["files"][0]["id"] == other
        assert desk.close() == 0
        assert desk.left() == []
    with Server(tmp_path) as desk:
        file = desk.upload("numbers.csv", census_like())
        desk.looked(file)
        running(desk, desk.start(file, LONG))
        assert desk.left()
        workers = workers_of(desk)
        assert len(workers) == 1
        desk.close(signal.SIGKILL)
        end = time.monotonic() + 30  # half of its time
        while any(alive(number) for number in workers):
            assert time.monotonic() < end, "the worker outlives its server"
            time.sleep(0.1)
        assert desk.left()
    with Server(tmp_path) as desk:
        names = {name.split("/")[1] for name in desk.left()}
        assert len(names) == 1  # of this server alone
        assert desk.close(signal.SIGHUP) == 0
        assert desk.left() == []


def test_files_of_the_folder(desk, tmp_path):
    """Files of the folder are listed by ids, links out of it are not; none is changed."""
    folder = desk.folder
    (folder / "numbers.csv").write_bytes(census_like(60))
    (folder / "notes.txt").write_text("x")
    (folder / ".hidden.csv").write_text("a\n1\n")
    (tmp_path / "secret.csv").write_text("a\n1\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    told = desk.get("/desk.json")["folder"]
    assert told["name"] == folder.name
    notes, entry = sorted(told["entries"], key=lambda one: one["name"])
    assert (notes["name"], entry["name"]) == ("notes.txt", "numbers.csv")
    file = desk.post("/files/open", {"entry": entry["id"]})["id"]
    assert desk.looked(file)["look"]["records"] == 60
    assert desk.done(desk.start(file, {"protect": {"k": 3, "method": "mdav"}}))["result"]
    assert desk.ask("DELETE", f"/files/{file}").status == 200
    assert (folder / "numbers.csv").read_bytes() == census_like(60)
    for path in folder.iterdir():
        path.unlink()


def test_a_file_is_read_in_another_way(desk):
    """A header that leaves a doubt is told; with the delimiter named the file is read and run."""
    file = desk.upload("two.csv", b"a;b,c\n" + b"1;2,x\n3;4,y\n" * 10)
    told = desk.looked(file)
    assert told["state"] == "failed"
    assert "“Columns are separated by”" in told["error"]
    for wrong in ({"path": "/etc/passwd"}, {"delimiter": 3}, [1]):
        assert desk.ask("POST", f"/files/{file}/look", {"input": wrong}).status == 400
    desk.post(f"/files/{file}/look", {"input": {"delimiter": ";"}})
    told = desk.looked(file)
    assert [column["name"] for column in told["look"]["columns"]] == ["a", "b,c"]
    recipe = {"roles": {"quasi_identifiers": ["a"], "drop": ["b,c"]}, "protect": {"k": 3}}
    done = desk.done(desk.start(file, recipe))
    assert done["state"] == "done", done["error"]
    assert "--delimiter ';'" in done["command"]


def test_what_no_answer_could_hold_is_refused(desk):
    """Half of a sign, and numbers that are none, are not taken: no page could show them."""
    file = desk.sample()
    for body in ('{"a": "\\ud800"}', '{"a": NaN}', '{"a": Infinity}'):
        assert desk.ask("PUT", f"/files/{file}/draft", body).status == 400
    assert desk.get(f"/files/{file}.json")["draft"] is None


@pytest.mark.parametrize(
    "cells",
    [["0.3", "0.30000000000000004"] * 5, [str(10**16 + 2 * i) for i in range(17)],
     [str(1_800_000_000_000_000_000 + i) for i in range(50)], ["1e300", "-1e300"] * 4,
     ["5"] * 6, ["true", "false"] * 4, ["2020-01-01T10:00:00Z", "2021-01-01T10:00:00Z"] * 4],
    ids=lambda cells: cells[0],
)  # fmt: skip
def test_odd_columns_are_looked_at(tmp_path, cells):
    """Narrow ranges, long numbers, huge ones, constants, booleans, times: all have their bins."""
    from shoal.web.charts import look

    path = tmp_path / "t.csv"
    path.write_text("a\n" + "\n".join(cells) + "\n")
    told = look({"path": str(path), "input": {}}, tmp_path, None)
    [column] = told["columns"]
    assert sum(column["bins"]["counts"]) == len(cells)
    assert len(column["bins"]["labels"]) == len(column["bins"]["counts"])
    assert told["rows"][0] == [cells[0]]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_the_head_of_a_large_file(tmp_path, ending):
    """Of a file that is too large for a question the first whole records are looked at."""
    import gzip

    import pandas as pd

    from shoal.web import tables

    frame = pd.DataFrame({"a": range(5000), "b": [f'x "{i}"\n,' for i in range(5000)]})
    path = tmp_path / f"t{ending}"
    if ending == ".parquet":
        frame.to_parquet(path, row_group_size=500)
    else:
        text = frame.to_csv(index=False).encode()
        path.write_bytes(gzip.compress(text) if ending == ".csv.gz" else text)
    (tmp_path / "p").mkdir()
    part = tables.head_of(path, tmp_path / "p", 20_000)
    some = tables.whole_table(part, {})
    assert 100 < some.rows < 5000 or ending == ".parquet"
    assert some["a"].values.to_pylist()[:100] == list(range(100))
    assert some["b"].values.to_pylist()[:100] == frame["b"].tolist()[:100]
    (tmp_path / "q").mkdir()
    table, records = tables.some_table(path, {}, tmp_path / "q", 20_000, lambda: 1.0)
    assert records >= table.rows


@pytest.mark.slow
def test_headers_that_would_run_are_told_before_the_run(desk):
    """A column called like a formula is refused by the estimate and at once by the run."""
    content = b"=a,b\n" + b"".join(b"%d,%d\n" % (i % 7, i % 5) for i in range(300))
    file = desk.upload("t.csv", content)
    desk.looked(file)
    recipe = {"protect": {"k": 3, "method": "mdav"}}
    answer = desk.ask("POST", f"/files/{file}/preview", {"recipe": recipe})
    assert "'=a'" in answer.json["error"]
    assert "--" not in answer.json["error"]
    told = desk.done(desk.start(file, recipe))
    assert "'=a'" in told["error"]["said"]
    recipe["release"] = {"spreadsheet_safe": False}
    assert desk.done(desk.start(file, recipe))["state"] == "done"


@pytest.mark.slow
def test_finish_in_the_middle_of_everything(desk):
    """A file that is looked at, estimated and run can be finished; the queue goes on."""
    other = desk.sample()
    file = desk.upload("numbers.csv", census_like())
    assert desk.ask("DELETE", f"/files/{file}").status == 200
    file = desk.upload("numbers.csv", census_like())
    desk.looked(file)
    jobs = [desk.start(file, LONG) for _ in range(3)]
    last = desk.start(other, {**SAMPLE, "protect": {"k": 5, "method": "kaim"}})
    running(desk, jobs[0])
    assert desk.ask("DELETE", f"/files/{file}").status == 200
    assert not any(file in name or job in name for name in desk.left() for job in jobs)
    assert desk.done(last)["state"] == "done"


def test_drafts_live_on_the_server(desk):
    """What the page notes of its choices is there after a reload; too much is refused."""
    file = desk.sample()
    assert desk.get(f"/files/{file}.json")["draft"] is None
    assert desk.ask("PUT", f"/files/{file}/draft", {"k": 7}).status == 200
    assert desk.get(f"/files/{file}.json")["draft"] == {"k": 7}
    assert desk.ask("PUT", f"/files/{file}/draft", {"x": "y" * (2 << 20)}).status == 413


@pytest.mark.slow
def test_in_the_memory_that_is_given(desk, tmp_path):
    """With a limit on memory the file is grouped by regions, and there is no pack."""
    file = desk.upload("numbers.csv", census_like(4000))
    desk.looked(file)
    recipe = {"protect": {"k": 4, "memory": "1GB", "effort": "quick"}}
    told = desk.done(desk.start(file, recipe, format="parquet"))
    assert told["state"] == "done", told["error"]
    names = {one["name"] for one in told["result"]["files"]}
    assert {"release.parquet", "report.json", "report.html", "private.zip"} <= names
    assert told["command"].endswith("-o release.parquet")
    private = desk.ask("GET", f"/jobs/{told['id']}/files/private.zip").body
    with zipfile.ZipFile(io.BytesIO(private)) as packed:
        recipe = packed.read("run.toml").decode()
    assert 'path = "numbers.csv"' in recipe
    assert "desk/room-" not in recipe


@pytest.mark.parametrize("form", ["csv.gz"])  # Parquet: with a limit on memory, below
def test_formats(desk, form):
    """The release has the format that was asked for."""
    file = desk.upload("numbers.csv", census_like(60))
    desk.looked(file)
    told = desk.done(desk.start(file, {"protect": {"k": 3, "method": "mdav"}}, format=form))
    assert f"release.{form}" in {one["name"] for one in told["result"]["files"]}
    assert f"--format {form}" in told["command"]
    body = {"file": file, "recipe": {"protect": {"k": 3}}, "format": "por"}
    assert desk.ask("POST", "/jobs", body).status == 400


def test_methods_and_the_library_of_charts(desk):
    """The methods are those of the library; the charts' library draws without eval."""
    assert [one["name"] for one in desk.get("/methods.json")] == [m.name for m in shoal.methods()]
    answer = desk.ask("GET", "/static/vega.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert len(answer.body) > 500_000
