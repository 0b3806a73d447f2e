"""The command line with a file that is not plain csv: two commands from the file to its release."""

from __future__ import annotations

import json
import shlex

import pytest

from hospital import MEASURED, NAMES, export

ROLES = [
    "--quasi", "Alter,Geschlecht,Aufnahme,Größe,Gewicht,Kosten", "--identifier", "Fallnummer",
    "--sensitive", "Diagnose", "--other", "Station", "--drop",
    ",".join(["PLZ", "Entlassung", *MEASURED]), "--method", "kaim-fast",
]  # fmt: skip


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The hospital's export."""
    path = tmp_path_factory.mktemp("export") / "h.csv"
    export(path, 500)
    return path


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """Some records of the export."""
    path = tmp_path_factory.mktemp("export") / "h.csv"
    export(path, 150)
    return path


def options_of(shoal, path):
    """Return the options that inspect prints."""
    ran = shoal("inspect", path)
    assert ran.code == 0, ran.err
    assert all(name in ran.out for name in NAMES)
    _, _, after = ran.out.partition("read with these options:\n")
    return shlex.split(after.splitlines()[0])


def test_two_commands_from_the_file_to_its_release(shoal, exported, tmp_path):
    """The options that inspect prints read the file; the release is verified, in its dialect."""
    options = options_of(shoal, exported)
    ran = shoal("anonymize", exported, "-k", 5, *options, *ROLES, "-o", f"{tmp_path}/out/")
    assert ran.code == 0, ran.err
    release = tmp_path / "out" / "release.csv"
    header, first, *_ = release.read_bytes().decode("cp1252").split("\n")
    assert header == "Alter;Geschlecht;Aufnahme;Kosten;Größe;Gewicht;Station;Diagnose"
    cells = first.split(";")
    assert len(cells) >= 8
    assert (
        shoal("verify", release, "-k", 5).code == 0
    )  # the report beside it tells how it is written
    assert shoal("verify", release, "-k", 6).code == 3
    text = json.loads((tmp_path / "out" / "report.json").read_text())["release"]["text"]
    assert text == {
        "delimiter": ";", "encoding": "cp1252", "quote": '"', "decimal": ",", "thousands": ".",
    }  # fmt: skip
    again = shoal("run", tmp_path / "out.private" / "run.toml", "-o", f"{tmp_path}/again/")
    assert again.code == 0, again.err
    both = [(tmp_path / name / "release.csv").read_bytes() for name in ("out", "again")]
    assert sorted(both[0].split(b"\n")) == sorted(both[1].split(b"\n"))
    measured = shoal("measure", exported, release, "--json")
    assert measured.code == 0, measured.err
    assert json.loads(measured.out)["records"] == 500


def test_a_plain_release(shoal, few, tmp_path):
    """On request the release is UTF-8 with commas, points and ISO dates, and measures the same.

    But for a model that depends on the order of the rows.
    """
    options = options_of(shoal, few)
    losses = []
    for dialect in ("same", "plain"):
        ran = shoal(
            "anonymize", few, "-k", 5, *options, *ROLES, "--dialect", dialect, "--seed", 1,
            "-o", f"{tmp_path}/{dialect}/",
        )  # fmt: skip
        assert ran.code == 0, ran.err
        release = tmp_path / dialect / "release.csv"
        measured = shoal("measure", few, release, "--json")
        assert measured.code == 0, measured.err
        figures = json.loads(measured.out)["utility"]
        losses.append({key: one for key, one in figures.items() if key != "propensity"})
    assert losses[0] == losses[1]
    text = (tmp_path / "plain" / "release.csv").read_text(encoding="utf-8")
    assert text.startswith("Alter,Geschlecht,Aufnahme,Kosten,Größe,Gewicht,Station,Diagnose\n")
    assert '"HNO, Augen"' in text
    assert shoal("verify", tmp_path / "plain" / "release.csv", "-k", 5).code == 0


def test_a_pack_in_its_dialect(shoal, few, tmp_path):
    """A pack of such a release holds what reads it, and is checked again by it."""
    options = options_of(shoal, few)
    ran = shoal("anonymize", few, "-k", 5, *options, *ROLES, "--pack", tmp_path / "pack")
    assert ran.code == 0, ran.err
    checked = shoal("certificate", "check", tmp_path / "pack")
    assert checked.code == 0, checked.out + checked.err


def test_unsettled_files_are_refused_with_the_option(shoal, few, tmp_path):
    """Without options no command but inspect guesses: the refusal names what to say."""
    ran = shoal("anonymize", few, "-k", 5, *ROLES, "-o", tmp_path / "r.csv")
    assert ran.code == 2
    assert "--encoding" in ran.err
    ran = shoal("anonymize", few, "-k", 5, "--encoding", "cp1252", *ROLES, "-o",
                tmp_path / "r.csv")  # fmt: skip
    assert ran.code == 2
    assert "Klinikum" not in ran.err
