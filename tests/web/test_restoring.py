"""From a comparison back to the form, in a real browser."""

from __future__ import annotations

import pytest

from browsers import choose_roles, expect
from desks import SAMPLE

DRAWS = True  # charts

COMPARED = {
    "roles": {
        "quasi_identifiers": ["age", "postcode"], "identifiers": ["name", "number"],
        "sensitive": ["diagnosis"], "other": ["cost"], "by": ["sex"], "weight": "weight",
        "drop": ["income"], "keep_unique": ["cost"],
    },
    "protect": {
        "k": 4, "l": 2, "alpha": 0.9, "method": "mdav", "effort": "quick", "seed": 7,
        "small_strata": "merge", "incomplete": "delete", "missing_sensitive": "value",
    },
    "release": {
        "aggregate": "generalize", "round": {"cost": 100}, "weights_as": "rounded:5",
        "spreadsheet_safe": False,
    },
    "hierarchies": {"postcode": "prefixes:4,3,2"},
    "input": {"missing": ["", "unknown"], "types": {"age": "number"}},
}  # fmt: skip

CSV = "name;number;age;postcode;sex;cost;weight;income;diagnosis\n" + "".join(
    f"n{i};{i};{20 + i % 50};{10000 + 7 * i % 900};{'fm'[i % 2]};{i * 3.5};{1 + i % 3};{i};"
    f"{'abcd'[i % 4]}\n"
    for i in range(160)
)


def asked_by(page, action):
    """Return the recipe of the first trial that a page asks for after an action."""
    with page.tab.expect_request("**/trial", timeout=60_000) as waiting:
        action()
    return waiting.value.post_data_json["recipe"]


def said(tree):
    """A recipe without what says nothing."""
    if isinstance(tree, dict):
        found = {key: said(value) for key, value in tree.items()}
        return {key: value for key, value in found.items() if value not in (None, {}, [])}
    return tree


@pytest.mark.slow
def test_a_point_restores_all_that_was_compared(page, drawing_desk):
    """Whatever the form says by now, a point of the frontier brings back what was compared."""
    desk = drawing_desk
    file = desk.upload("stays.csv", CSV.encode())
    desk.looked(file)
    more = {"k": [4, 6], "methods": ["mdav", "hilbert"], "budget": 600}
    job = desk.start(file, COMPARED, "compare", compare=more)
    told = desk.done(job, 300)
    assert told["state"] == "done", told["error"]
    page.tab.goto(f"http://127.0.0.1:{desk.port}/files/{file}")
    page.columns()
    page.role(2, "drop")
    page.protect(9)
    page.tab.wait_for_timeout(1500)
    desk.post(f"/files/{file}/look", {"input": {"delimiter": ","}})
    assert desk.looked(file)["reading"] == {"delimiter": ","}
    page.tab.goto(f"http://127.0.0.1:{desk.port}/jobs/{job}")
    page.on("use-point", 3).wait_for()
    point = told["result"]["comparison"]["points"][3]
    found = asked_by(page, page.on("use-point", 3).click)
    wanted = {**COMPARED["protect"], "k": point["k"], "method": point["method"]}
    assert said(found) == {**COMPARED, "protect": wanted}
    page.go("run")
    assert page.on("compare-k").input_value() == "4,6"
    assert desk.get(f"/files/{file}.json")["reading"] == {}


@pytest.mark.slow
def test_what_the_form_cannot_say_is_not_left_out(page, drawing_desk):
    """A comparison by a program that asked for more than the form has is not restored in part."""
    desk = drawing_desk
    file = desk.stays()
    recipe = {**SAMPLE, "protect": {"k": 4, "enforce": "merge", "l": 2}}
    job = desk.start(file, recipe, "compare", compare={"k": [4], "methods": ["mdav"]})
    desk.done(job, 300)
    page.tab.goto(f"http://127.0.0.1:{desk.port}/jobs/{job}")
    page.on("use-point").click()
    expect(page.on("error")).to_contain_text("settings that the form does not have")


@pytest.mark.slow
def test_one_k_is_compared_unless_more_are_named(page):
    """Where nobody lists values of k, methods are compared with the k that was chosen."""
    page.sample()
    choose_roles(page)
    page.protect(8)
    page.go("run")
    page.unfold("compare")
    page.tab.route("**/jobs", lambda route: route.fulfill(status=400, json={"error": "no"}))
    with page.tab.expect_request("**/jobs") as waiting:
        page.on("compare-run").click()
    assert waiting.value.post_data_json["compare"]["k"] == [8]
