"""What the desk answers before a run: risk as it is, trials, improvements, settings, events."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from importlib import resources

import pytest

from desks import SAMPLE
from naive.risk_now import alone_and_below

QUASI = SAMPLE["roles"]["quasi_identifiers"]
PLAIN = {**SAMPLE, "protect": {"k": 5, "method": "hilbert"}, "hierarchies": {}}
ROWS = 200


@pytest.fixture(scope="module")
def file(desk):
    """The first stays of the sample."""
    return desk.stays(ROWS)


def records():
    """The same records, as the csv module reads them."""
    text = resources.files("shoal.datasets").joinpath("patients.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))[:ROWS]


def test_the_risk_of_a_file_as_it_is(desk, file):
    """Records alone and among fewer than k, by all columns, each, sets, and all but one.

    Who knows which share of the population is in the file learns more; nonsense is refused.
    """
    told = desk.post(f"/files/{file}/risk", {"recipe": PLAIN})
    rows = records()

    def counted(names):
        return alone_and_below([[row[name] for name in names] for row in rows], 5)

    assert {tuple(one["columns"]) for one in told["sets"]} >= {("age", "income")}
    for one in [told["all"], *told["sets"]]:
        assert (one["alone"], one["below"]) == counted(one["columns"]), one["columns"]
    for one in told["by_column"]:
        assert one["alone"] == counted([one["name"]])[0]
        rest = [name for name in QUASI if name != one["name"]]
        assert (one["without"], one["below_without"]) == counted(rest)
    assert sum(told["smallest"]) == told["all"]["alone"]
    keys = {one["key"] for one in told["figures"]}
    assert {"expected", "dis", "special_uniques"} <= keys
    assert "population_uniques" not in keys
    more = desk.post(f"/files/{file}/risk", {"recipe": PLAIN, "fraction": 0.1})
    assert {"population_uniques", "journalist"} <= {one["key"] for one in more["figures"]}
    for wrong in (0, 2, "1", True):
        body = {"recipe": PLAIN, "fraction": wrong}
        assert desk.ask("POST", f"/files/{file}/risk", body).status == 400


def test_who_is_most_at_risk_and_by_which_values(desk, file):
    """The marked values of a record are in it alone, and fewer of them are not enough."""
    found = desk.post(f"/files/{file}/risk", {"recipe": PLAIN})["riskiest"]
    assert found["names"] == QUASI
    rows = [[row[name] for name in QUASI] for row in records()]
    for one in found["rows"]:
        cells = ["" if cell is None else cell for cell in one["cells"]]
        marked = [at for at, by in enumerate(one["found_by"]) if by]

        def matching(places, cells=cells):
            return sum(all(row[at] == cells[at] for at in places) for row in rows)

        assert matching(marked) == 1
        assert all(matching([at for at in marked if at != left]) > 1 for left in marked)


def test_a_file_that_somebody_sent_is_judged_by_its_groups(desk):
    """The smallest group, and how many share a sensitive value with all of theirs."""
    towns, ills = "aabbbcc", ["flu", "flu", "flu", "cold", "", "", ""]
    text = "town,ill\n" + "".join(f"{town},{ill}\n" for town, ill in zip(towns, ills, strict=True))
    file = desk.upload("sent.csv", text.encode())
    assert desk.looked(file)["state"] == "ready"
    roles = {"quasi_identifiers": ["town"], "sensitive": ["ill"]}
    recipe = {"roles": roles, "protect": {"k": 2}}
    told = desk.post(f"/files/{file}/risk", {"recipe": recipe})
    assert told["all"] == {"columns": ["town"], "alone": 0, "below": 0, "smallest": 2}
    assert told["same"] == [{"column": "ill", "records": 4}]
    assert told["riskiest"] is None


def test_a_file_is_read_once(desk):
    """Questions find the table that the look has read, as long as it is read the same way."""
    key = desk.stays(60)
    [folder] = (desk.work / "desk").glob(f"room-*/files/{key}/held")
    [kept] = folder.iterdir()
    before = {path.name: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert set(before) == {"sample", "table"}
    desk.post(f"/files/{key}/trial", {"recipe": PLAIN})
    desk.post(f"/files/{key}/risk", {"recipe": PLAIN})
    assert {path.name: path.stat().st_mtime_ns for path in kept.iterdir()} == before
    assert len(list(folder.iterdir())) == 1
    typed = {**PLAIN, "input": {"types": {"postcode": "text"}}}
    desk.post(f"/files/{key}/trial", {"recipe": typed})
    assert len(list(folder.iterdir())) == 2
    desk.ask("DELETE", f"/files/{key}")
    assert not folder.exists()


def test_a_trial_tells_loss_and_risk_and_keeps_rows_for_the_screen(desk, file):
    """Rows come only where they are asked for: those of the file, beside what k of them share."""
    told = desk.post(f"/files/{file}/trial", {"recipe": PLAIN})
    assert "rows" not in told
    assert told["k"] >= 5
    assert told["highest"] == pytest.approx(100 / told["k"])
    assert {one["name"] for one in told["columns"]} == set(QUASI)
    assert all(0 <= one["loss"] <= 100 for one in told["columns"])
    rows = desk.post(f"/files/{file}/trial", {"recipe": PLAIN, "rows": True})["rows"]
    assert rows["names"] == [*QUASI, "diagnosis"]
    assert 5 <= len(rows["before"]) <= 20
    real = {tuple(one[name] for name in rows["names"]) for one in records()}
    assert {tuple(cell or "" for cell in row) for row in rows["before"]} <= real
    for group in set(rows["groups"]):
        at = [i for i, own in enumerate(rows["groups"]) if own == group]
        assert len(at) >= 5
        assert len({tuple(rows["after"][i][:4]) for i in at}) == 1
    assert desk.get(f"/files/{file}.json")["draft"] is None  # and nothing of it is kept
    roles = {**SAMPLE["roles"], "quasi_identifiers": ["age", "weight"]}  # weights are missing
    roles["drop"] = ["sex", "postcode", "income", "cost", "admission_date", "length_of_stay"]
    weighed = {**PLAIN, "roles": roles}
    rows = desk.post(f"/files/{file}/trial", {"recipe": weighed, "rows": True})["rows"]
    assert len(rows["before"]) >= 5


def test_what_loses_most_gets_a_change_that_was_tried(desk, file):
    """A column of codes is offered its first digits; what was offered loses less when it is run."""
    flat = {**PLAIN, "hierarchies": {"postcode": "flat"}}
    found = desk.post(f"/files/{file}/improve", {"recipe": flat})["changes"]
    offered = next(one for one in found if one["rule"] is not None)
    assert (offered["column"], offered["rule"]) == ("postcode", "prefixes:4,3,2")
    assert offered["loss"] < offered["loss_before"]
    changed = {**PLAIN, "hierarchies": {"postcode": offered["rule"]}}
    again = desk.post(f"/files/{file}/trial", {"recipe": changed})
    assert again["loss"] == pytest.approx(offered["loss"])


def test_settings_are_kept_and_opened_without_a_record(desk, file):
    """What was saved says the same when it is opened; what the form cannot say is named."""
    recipe = {**SAMPLE, "protect": {"k": 7, "l": 2, "effort": "quick"}}
    text = desk.post(f"/files/{file}/settings", {"recipe": recipe})["toml"]
    tree = tomllib.loads(text)
    assert tree["input"]["path"] == "patients.csv"
    assert tree["protect"]["k"] == 7
    assert not any(row["name"] in text or row["number"] in text for row in records())
    told = desk.post(f"/files/{file}/settings/open", {"text": text})
    assert told["left"] == []
    assert told["recipe"]["roles"]["quasi_identifiers"] == QUASI
    assert told["recipe"]["protect"]["l"] == 2
    assert told["recipe"]["hierarchies"] == {"postcode": "prefixes:4,3,2"}
    more = '[protect]\nk = 3\nruns = 4\n[hierarchies]\nage = "ages.csv"\n[search]\nruns = 2\n'
    told = desk.post(f"/files/{file}/settings/open", {"text": more})
    assert {"hierarchies.age", "search.runs"} <= set(told["left"])
    assert told["recipe"]["protect"]["k"] == 3
    for wrong in ("k = ", "[protect]\nk = 0\n", '[protect]\nk = 3\nnonsense = "x"\n'):
        answer = desk.ask("POST", f"/files/{file}/settings/open", {"text": wrong})
        assert answer.status == 400, wrong
        assert "opened-" not in answer.json["error"]


def test_events_of_a_job_come_until_it_ends(desk, file):
    """A stream of lines, each the job as it is then; the last has the result."""
    job = desk.start(file, PLAIN)
    answer = desk.ask("GET", f"/jobs/{job}/events")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    lines = [json.loads(line) for line in answer.body.splitlines()]
    assert [line["id"] for line in lines] == [job] * len(lines)
    assert lines[-1]["state"] == "done"
    assert lines[-1]["result"]["report"]["verification"]["ok"]
    assert all(line["state"] in ("queued", "running") for line in lines[:-1])
    assert desk.ask("GET", f"/jobs/{'0' * 32}/events").status == 404
