"""The commands of a series: anonymize --ledger, verify --ledger, ledger add, withdraw, forget."""

from __future__ import annotations

import json

import pytest

from series_tables import random_series

ROLES = ["--quasi", "age,pay", "--sensitive", "ill", "-k", "3", "--method", "mdav"]
SERIES = [*ROLES, "--l", "2", "--person", "id", "--ledger", "s.ledger", "--withhold", "90%"]
STRICT = ["--over-series", "worlds"]


@pytest.fixture
def years(tmp_path, monkeypatch):
    """Three tables as csv files, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for number, table in enumerate(random_series(2, people=36, each=28)):
        lines = [
            ",".join(table),
            *(",".join(map(str, row)) for row in zip(*table.values(), strict=True)),
        ]
        (tmp_path / f"{number}.csv").write_text("\n".join([*lines, ""]))
    return tmp_path


def test_a_series_from_the_command_line(shoal, years):
    """Releases are made one after the other, verified together, withdrawn; people leave."""
    for number in range(2):
        ran = shoal("anonymize", f"{number}.csv", *SERIES, "-o", f"r{number}.csv", "--no-report")
        assert ran.code == 0, ran.err
    ran = shoal("verify", "r0.csv", "r1.csv", "--ledger", "s.ledger")
    assert ran.code == 0
    assert "the series keeps its promises: 2 of 2 releases" in ran.out
    assert "against whoever knows all releases" in ran.out
    assert json.loads(shoal("verify", "r0.csv", "--ledger", "s.ledger", "--json").out)["ok"]

    ran = shoal("ledger", "check", "s.ledger")
    assert "release 2: r1.csv" in ran.out
    assert shoal("ledger", "withdraw", "s.ledger", "2").code == 0
    assert shoal("ledger", "withdraw", "s.ledger", "7").code == 2
    name = (years / "0.csv").read_text().splitlines()[1].split(",")[0]
    ran = shoal("ledger", "forget", "s.ledger", name)
    assert "1 people left" in ran.err
    assert name not in ran.err

    ran = shoal("anonymize", "0.csv", *SERIES, "-o", "r2.csv", "--no-report")
    assert ran.code == 0, ran.err
    private = json.loads((years / "r2.private" / "report.json").read_text())
    assert any("1 people left" in note for note in private["notes"])
    public = json.loads((years / "r2.report.json").read_text())
    assert any("a release of a series" in note for note in public["public_notes"])
    assert not any("withheld" in note for note in public["public_notes"])


def test_what_l_means_is_chosen_by_the_first_release_that_is_made(shoal, years):
    """A release that was added says nothing of it, one that was made does; the judge names it."""
    shoal(
        "anonymize",
        "0.csv",
        *ROLES,
        "--l",
        "2",
        "--identifier",
        "id",
        "-o",
        "r0.csv",
        "--no-report",
    )
    shoal("ledger", "add", "s.ledger", "r0.private/run.toml", "--person", "id")
    ran = shoal("anonymize", "1.csv", *SERIES, *STRICT, "-o", "r1.csv", "--no-report")
    assert ran.code == 0, ran.err
    ran = shoal("verify", "r0.csv", "r1.csv", "--ledger", "s.ledger")
    assert "against whoever knows all releases" in ran.out
    weak = ["--over-series", "sets"]
    ran = shoal("anonymize", "2.csv", *SERIES, *weak, "-o", "r2.csv", "--no-report")
    assert ran.code == 2
    assert "begun with --over-series worlds" in ran.err


def test_an_earlier_release_is_added_from_its_recipe(shoal, years):
    """A release made without a ledger is made again, compared, and noted."""
    made = shoal(
        "anonymize", "0.csv", *ROLES, "--l", "2", "--identifier", "id", "-o", "r0.csv",
        "--no-report",
    )  # fmt: skip
    assert made.code == 0, made.err
    add = ("ledger", "add", "s.ledger", "r0.private/run.toml", "--person", "id")
    ran = shoal(*add)
    assert ran.code == 0, ran.err
    assert "release 1: r0.csv, 28 people" in ran.err
    ran = shoal("anonymize", "1.csv", *SERIES, "-o", "r1.csv", "--no-report")
    assert ran.code == 0, ran.err
    assert shoal("verify", "r1.csv", "r0.csv", "--ledger", "s.ledger").code == 0
    assert "added before" in shoal(*add).err

    text = (years / "r0.csv").read_text()
    (years / "r0.csv").write_text(text.replace(",a\n", ",b\n", 1))
    (years / "s.ledger").unlink()
    (years / "s.ledger.key").unlink()
    ran = shoal(*add)
    assert ran.code == 2
    assert "not what the recipe makes" in ran.err
    assert not (years / "s.ledger").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--ledger", "s.ledger", "-o", "o.csv"], "say --person"),
        (["--withhold", "5%", "-o", "o.csv"], "say --ledger"),
        (["--ledger", "s.ledger", "--person", "id", "--memory", "1GB", "-o", "o.csv"], "--memory"),
        (["--ledger", "s.ledger", "--person", "age", "-o", "o.csv"], "several records"),
        (["--ledger", "s.ledger", "--person", "id", "-o", "-"], "is noted in its ledger"),
        (["--ledger", "s.ledger", "--person", "id", "--changing", "pay", "-o", "o.csv"], "neither"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(shoal, years, words, said):
    """Each refusal is one line that says what to do, and nothing is written."""
    roles = ["--quasi", "pay", "--sensitive", "ill", "--l", "2", "-k", "3", "--method", "mdav"]
    roles += [] if "age" in words else ["--drop", "age"]
    ran = shoal("anonymize", "0.csv", *roles, *words)
    assert ran.code == 2, ran.err
    assert said in ran.err
    assert not (years / "s.ledger").exists()
    assert not (years / "o.csv").exists()


def test_a_budget_that_is_too_small_ends_with_3(shoal, years):
    """Where more people must be withheld than may be, the message says the share that would do."""
    strict = [*SERIES, *STRICT]
    assert shoal("anonymize", "0.csv", *strict, "-o", "r0.csv", "--no-report").code == 0
    few = [word for word in strict if word not in ("--withhold", "90%")]
    ran = shoal("anonymize", "1.csv", *few, "-o", "r1.csv", "--no-report")
    assert ran.code == 3
    assert "--withhold" in ran.err
    assert not (years / "r1.csv").exists()


def test_a_value_that_changed_is_named(shoal, years):
    """People with another value than before are counted; the option for such columns is named."""
    assert shoal("anonymize", "0.csv", *SERIES, "-o", "r0.csv", "--no-report").code == 0
    text = (years / "0.csv").read_text()
    (years / "1.csv").write_text(text.replace(",a\n", ",zz\n"))
    ran = shoal("anonymize", "1.csv", *SERIES, "-o", "r1.csv", "--no-report")
    assert ran.code == 2
    assert "--changing ill" in ran.err
    ran = shoal("anonymize", "1.csv", *SERIES, "--changing", "ill", "-o", "r1.csv", "--no-report")
    assert ran.code == 0, ran.err


def test_several_releases_need_a_ledger(shoal, years):
    """Without a ledger one release is verified at a time."""
    ran = shoal("verify", "0.csv", "1.csv", "-k", "3")
    assert ran.code == 2
    assert "--ledger" in ran.err
    assert "no report beside tells them" in shoal("verify", "0.csv").err
