"""`shoal risk`: figures on stdout, records in a private file, errors with the option to say."""

from __future__ import annotations

import csv
import json
import stat

import pytest

QUASI = ("--quasi", "age,sex,postcode")


@pytest.fixture(scope="module")
def stays(tmp_path_factory, repository):
    """A file of 300 hospital stays."""
    path = tmp_path_factory.mktemp("risk") / "stays.csv"
    lines = (repository / "src/shoal/datasets/patients.csv").read_text().splitlines()[:301]
    path.write_text("\n".join([*lines, ""]))
    return path


def test_figures_columns_and_records(shoal, stays, tmp_path):
    """The summary is printed; the records lie in a file that only their owner may read."""
    target = tmp_path / "risks.csv"
    ran = shoal("risk", stays, *QUASI, "--sampling-fraction", "0.1", "--records", target)
    assert ran.code == 0, ran.err
    assert "300 records by age, sex, postcode" in ran.out
    assert "Which columns make people unique" in ran.out
    assert "do not publish" in ran.out
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with target.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["record"] for row in rows] == [str(i) for i in range(1, 301)]
    assert {"class_size", "population", "risk", "model_risk", "suda", "dis_suda"} <= set(rows[0])


def test_json_public_and_words(shoal, stays):
    """--json is private and whole, --public has rounded figures alone, --words says sentences."""
    whole = json.loads(shoal("risk", stays, *QUASI, "--json").out)
    assert whole["audience"] == "private"
    assert len(whole["sets"]) == 7
    public = json.loads(shoal("risk", stays, *QUASI, "--public").out)
    assert public["audience"] == "public"
    assert set(public) == {"schema", "audience", "quasi_identifiers", "k", "figures"}
    assert "In words:" in shoal("risk", stays, *QUASI, "--words").out


def test_the_file_of_records_is_checked_before_the_work(shoal, stays, tmp_path):
    """A file that exists or has no known ending is refused, and nothing is printed."""
    there = tmp_path / "there.csv"
    there.write_text("x")
    for target, words in ((there, "exists"), (tmp_path / "r.foo", "ends in .csv")):
        ran = shoal("risk", stays, *QUASI, "--records", target)
        assert ran.code == 2
        assert words in ran.err
        assert ran.out == ""
    assert there.read_text() == "x"
    assert shoal("risk", stays, *QUASI, "--records", stays, "--force").code == 2


def test_options_in_messages(shoal, stays):
    """Messages name options as the command line has them."""
    ran = shoal("risk", stays, *QUASI, "--weight", "income", "--sampling-fraction", "0.1")
    assert ran.code == 2
    assert "--weight and --sampling-fraction" in ran.err
    assert "--quasi" in shoal("risk", stays).out


def test_a_chart_is_written(shoal, stays, tmp_path):
    """The spec of the chart holds shares of columns."""
    target = tmp_path / "chart.json"
    assert shoal("risk", stays, *QUASI, "--chart", target).code == 0
    assert len(json.loads(target.read_text())["data"]["values"]) == 9
