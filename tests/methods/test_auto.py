"""What auto runs, and how what is asked beyond k came about: said as it truly was."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import shoal as library
from shoal.methods.auto import choose, choose_mixed
from shoal.methods.registry import METHODS
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.plan.plan import plan_table
from shoal.settings import build
from thorough import spread


def people(rows=240, seed=0):
    """Numbers and a sensitive column."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "income": rng.integers(10, 99, rows),
            "illness": rng.choice(["flu", "gout", "cold", "none"], rows),
        }
    )


ROLES = {"quasi_identifiers": ["age", "income"], "sensitive": ["illness"]}
ENFORCED = {
    "slices": "by slices in place of its groups",
    "swap": "by swapping records of its groups",
    "merge": "by merging its groups",
}


@pytest.mark.parametrize("method", spread(["mdav", "ilsmc+", "fast", "kaim", "k-member"], 3))
@pytest.mark.parametrize("enforce", ["auto", "slices", "swap", "merge"])
def test_the_first_line_names_the_way_taken(method, enforce):
    """The first line of a summary, and the reports' keys, say how l-diversity came about."""
    result = library.anonymize(people(), k=4, l=3, method=method, enforce=enforce,
                               max_iterations=20 if method == "ilsmc+" else None,
                               **ROLES)  # fmt: skip
    told = result.report.enforced
    assert told == result.partition.way
    assert told == enforce or (enforce == "auto" and told in ("slices", "swap"))
    first = result.summary().splitlines()[0]
    assert f"method {method}, l = 3 {ENFORCED[told]}" in first
    public = result.report.published()
    assert public.to_dict()["enforced"] == told
    assert public.summary().splitlines()[0] == first
    assert f"l = 3 {ENFORCED[told]}" in result.report.to_html()


def test_groups_that_kept_it_from_the_first():
    """Groups that keep what is asked as they were made are said to be the method's own."""
    result = library.anonymize(people(), k=40, l=2, method="mdav", **ROLES)
    assert result.report.enforced == "none"
    assert "method mdav, l = 2 in its own groups)" in result.summary().splitlines()[0]
    plain = library.anonymize(people(), k=4, method="mdav", **ROLES)
    assert plain.report.enforced == ""
    assert "(k = 4, method mdav)" in plain.summary().splitlines()[0]


def test_where_the_way_is_told_too(tmp_path, shoal):
    """Strata, households, the command line, packs and comparisons name the way as well."""
    data = people()
    data["home"] = [row // 2 for row in range(len(data))]
    data["region"] = [f"r{home % 2}" for home in data.home]
    asked = {**ROLES, "k": 4, "l": 3, "method": "mdav", "drop": ["home"]}
    strata = library.anonymize(data, by="region", **asked)
    assert set(strata.report.enforced.split(" and ")) <= {"slices", "swap"}
    homes = library.anonymize(data.drop(columns="region"), household="home",
                              **{**asked, "drop": [], "k": 2})  # fmt: skip
    assert homes.report.enforced in ("merge", "none")
    people().to_csv(tmp_path / "t.csv", index=False)
    end = shoal("anonymize", tmp_path / "t.csv", "-o", f"{tmp_path}/out/", "--k", "4", "--l", "3",
                "--method", "kaim", "--quasi", "age", "--quasi", "income",
                "--sensitive", "illness")  # fmt: skip
    assert end.code == 0, end.err
    told = json.loads((tmp_path / "out" / "report.json").read_text())["enforced"]
    assert told in ("slices", "swap")
    assert f"method kaim, l = 3 {ENFORCED[told]}" in end.err + end.out
    found = library.compare(people(), k=4, l=3, methods=["kaim", "k-member"], **ROLES)
    assert all(ENFORCED[point.enforced] in found.summary() for point in found.points)


@pytest.mark.parametrize("said", [None, {"age": "widths:10,20"}])
def test_auto_is_decided_once(said):
    """Grouping alone and a whole run take the same method by auto, for the same reason."""
    data = people()[["age", "income"]]
    run = library.anonymize(data, k=5, method="auto", hierarchies=said, effort="quick")
    alone = library.microaggregate(data, 5, method="auto", hierarchies=said, effort="quick")
    assert run.partition.method == alone.method == ("ilsmc+" if said is None else "kaim+")
    assert alone.reason == run.partition.reason


@pytest.mark.parametrize("said", [{}, {"age": "widths:10,20"}, {"illness": "flat"}])
def test_the_reason_is_of_the_method_that_runs(said):
    """The reason that is given for auto is of the method that it names, in a run and before it."""
    data = people()
    roles = {"quasi_identifiers": ["age", "income"], "other": ["illness"]}
    if "illness" in said:
        roles = {"quasi_identifiers": ["age", "illness"], "other": ["income"]}
    partition = library.anonymize(data, k=5, hierarchies=said, effort="quick", **roles).partition
    pick = choose_mixed if METHODS[partition.method].info.on_nodes else choose
    choice = pick(len(data), 2, 5, "quick")
    assert (partition.method, partition.reason) == (choice.method, choice.reason)
    settings = build({"protect": {"k": 5}, "roles": roles, "hierarchies": said})
    assert plan_table(library.read(data), settings)[0].by_hierarchies == (pick is choose_mixed)


def test_numbers_released_as_intervals():
    """Of them auto loses less than the search by distance and the one by trees alone."""
    rng = np.random.default_rng(0)
    years = rng.integers(1, 57, 200)
    data = {
        "years": years,
        "service": np.maximum(0, years - rng.integers(0, 12, 200)),
        "salary": 70_000 + 900 * years + np.round(rng.lognormal(9.5, 0.6, 200)).astype(int),
    }
    found = library.anonymize(data, 3, numbers="interval", intervals="text", threads=1)
    assert found.partition.loss_name == "ILoss rate, percent"
    assert found.report.exact_loss == pytest.approx(found.partition.information_loss)
    count = found.partition.search.iterations
    for method in ("ilsmc+", "kaim+"):
        one = library.anonymize(data, 3, numbers="interval", intervals="text", method=method,
                                max_iterations=count)  # fmt: skip
        assert found.report.exact_loss < one.report.exact_loss
    again = anonymize_with(data, found.settings, threads=2)
    assert again.partition.labels.tolist() == found.partition.labels.tolist()


def test_when_there_are_two_starts():
    """Groups by distance are a second start of auto where all quasi-identifiers are intervals."""
    table = library.read(people()[["age", "income"]])
    mixed = library.read(people())

    def begins_twice(data, release=None, **protect):
        settings = build({"protect": {"k": 5, **protect}, "release": release or {}})
        return plan_table(data, settings)[0].begins_twice

    intervals = {"numbers": "interval"}
    assert begins_twice(table, intervals)
    assert begins_twice(table, {"aggregate": {"age": "range", "income": "generalize"}})
    assert not begins_twice(table)
    assert not begins_twice(table, {"aggregate": {"age": "range"}})
    assert not begins_twice(table, intervals, method="kaim+")
    assert not begins_twice(table, intervals, max_iterations=50)
    assert not begins_twice(table, intervals, start="mdav")
    assert not begins_twice(mixed, intervals)
