"""The desk's estimate: whatever a steward chose, however many tabs ask."""

from __future__ import annotations

import http.client
import json
import threading
import time

import pytest

from desks import census_like, workers_of
from thorough import spread

CSV = "age;pain;town\n" + "".join(
    f"{20 + i % 50};{'-9' if i % 9 == 0 else i % 4};{'abc'[i % 3]}\n" for i in range(120)
)
QUASI = {"quasi_identifiers": ["age", "pain"]}
READING = [
    {"missing": ["", "-9"]},
    {"types": {"pain": "text"}},
    {"delimiter": ";"},
    {"missing": ["", "-9"], "types": {"age": "number"}, "delimiter": ";"},
]


@pytest.mark.parametrize("reading", spread(READING, 2), ids=str)
def test_a_file_is_estimated_as_it_is_read(desk, reading):
    """A missing word, a type or a delimiter changes how a csv is read, and nothing else."""
    file = desk.upload("stays.csv", CSV.encode())
    desk.looked(file)
    recipe = {"roles": QUASI, "protect": {"k": 3, "method": "mdav"}, "input": reading}
    guess = desk.post(f"/files/{file}/preview", {"recipe": recipe})
    assert guess["records"] == 120
    assert guess["loss"] > 0
    desk.post(f"/files/{file}/look", {"input": reading})
    assert desk.looked(file)["state"] == "ready"
    again = desk.post(f"/files/{file}/preview", {"recipe": {**recipe, "input": {}}})
    assert again["loss"] == guess["loss"]


@pytest.mark.parametrize("k", spread([30, 121, 3000], 1))
def test_k_beyond_the_records_is_said_in_the_usual_words(desk, k):
    """A k above n is told as n < k, and any k up to n has an estimate."""
    file = desk.upload("stays.csv", CSV.encode())
    desk.looked(file)
    recipe = {"roles": QUASI, "protect": {"k": k, "method": "mdav"}}
    answer = desk.ask("POST", f"/files/{file}/preview", {"recipe": recipe})
    if k <= 120:
        assert answer.status == 200, answer.body
        assert answer.json["sample"] == 120
        return
    assert answer.status == 400
    assert answer.json["error"] == (f"stays.csv: n = 120 records < k = {k}, a group cannot be made")


def asked(desk, file, tab, seeds, found):
    """Ask for estimates one after the other, as a tab does; note the status of each."""
    for seed in seeds:
        recipe = {"protect": {"k": 4, "method": "ilsmc+", "seed": seed}}
        body = {"recipe": recipe, "tab": tab}
        found.append(desk.ask("POST", f"/files/{file}/preview", body).status)


@pytest.mark.slow
def test_two_tabs_are_both_answered(desk):
    """Tabs on one file take turns: each gets its estimates, and none is turned away for another."""
    file = desk.upload("numbers.csv", census_like(500))
    desk.looked(file)
    tabs_of = "one", "two", "three"
    found = {tab: [] for tab in tabs_of}
    tabs = [
        threading.Thread(target=asked, args=(desk, file, tab, range(2), said))
        for tab, said in found.items()
    ]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join(120)
    assert found == {tab: [200, 200] for tab in tabs_of}


def test_a_new_question_of_a_tab_ends_its_own(desk):
    """Who changes something before the estimate has come waits for the new one alone."""
    file = desk.upload("numbers.csv", census_like(3000))
    desk.looked(file)
    first, other, last = [], [], []
    told = [(first, "one"), (other, "two"), (last, "one")]
    tabs = [
        threading.Thread(target=asked, args=(desk, file, tab, [seed], said))
        for seed, (said, tab) in enumerate(told)
    ]
    for tab in tabs:
        tab.start()
        time.sleep(0.1)
    for tab in tabs:
        tab.join(120)
    assert (first, other, last) == ([409], [200], [200])


def test_who_has_left_is_not_worked_for(desk):
    """A page that is closed, or no longer wants its estimate, leaves no worker behind."""
    file = desk.upload("numbers.csv", census_like(3000))
    desk.looked(file)
    body = json.dumps({"recipe": {"protect": {"k": 4, "method": "ilsmc+"}}, "tab": "one"})
    asked = (f"/files/{file}/preview", body, {**desk.secret, "Content-Type": "application/json"})
    link = http.client.HTTPConnection("127.0.0.1", desk.port, timeout=60)
    link.request("POST", *asked)
    end = time.monotonic() + 20
    while not workers_of(desk):
        assert time.monotonic() < end
        time.sleep(0.02)
    link.close()
    end = time.monotonic() + 30
    while workers_of(desk):
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("tab", spread([5, "x" * 101, ["one"]], 1), ids=repr)
def test_a_tab_has_a_short_name(desk, tab):
    """What is no name of a tab is refused."""
    file = desk.sample()
    body = {"recipe": {"protect": {"k": 4}}, "tab": tab}
    assert desk.post(f"/files/{file}/preview", body, 400)["error"] == "a tab is a short text"
