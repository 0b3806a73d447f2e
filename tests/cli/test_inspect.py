"""`shoal inspect`: no cell appears but on request; what it proposes runs as it is printed."""

from __future__ import annotations

import json
import random
import re
import shlex
from datetime import date, timedelta
from importlib import resources

import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import hospital
import shoal as library
from shoal.settings import load

TEXT = "name;age;when\nCANARY;19.0;2026-03-01T12:00:00Z\n\u001b[31mred;;2026-03-02T12:00:00Z\n"


@pytest.fixture(params=["csv", "parquet", "feather", "csv.gz"])
def file(request, tmp_path):
    """The same two records in several formats."""
    path = tmp_path / f"t.{request.param}"
    plain = tmp_path / "plain.csv"
    plain.write_text(TEXT)
    options = pyarrow.csv.ParseOptions(delimiter=";")
    table = pyarrow.csv.read_csv(plain, parse_options=options)
    if request.param == "parquet":
        pq.write_table(table, path)
    elif request.param == "feather":
        pyarrow.feather.write_feather(table, path)
    else:
        import gzip

        raw = TEXT.encode()
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def test_records_are_shown_on_request(shoal, file):
    """With --show-rows the first records are printed, safely; without it nothing of them is."""
    silent = shoal("inspect", file)
    assert silent.code == 0, silent.err
    assert "CANARY" not in silent.out
    told = shoal("inspect", file, "--show-rows", 5)
    assert told.code == 0, told.err
    assert "CANARY" in told.out
    assert "red" in told.out
    assert "\u001b" not in told.out
    rows = json.loads(shoal("inspect", file, "--show-rows", 1, "--json").out)["rows"]
    assert len(rows) == 1
    assert rows[0]["name"] == "CANARY"
    assert "rows" not in json.loads(shoal("inspect", file, "--json").out)


def test_what_was_settled_is_said(shoal, write):
    """Inspect says how cells were taken that another program wrote in its own way."""
    out = shoal("inspect", write("t.csv", TEXT)).out
    assert "age: whole numbers, written as 19.0 is" in out
    assert "when: times written with Z" in out


def test_what_is_left_open_is_said(shoal, write):
    """Where nothing can be proposed the question is printed, without an option line."""
    out = shoal("inspect", write("t.csv", "a;d\n1;01/02/1999\n2;03/04/2000\n")).out
    assert "to be settled:" in out
    assert "--date-format COLUMN=%d/%m/%Y" in out
    assert "read with these options" not in out


def patients(folder, rows=300):
    """Write the first records of the sample."""
    with resources.files("shoal").joinpath("datasets/patients.csv").open() as file:
        lines = file.read().splitlines()[: rows + 1]
    path = folder / "patients.csv"
    path.write_text("\n".join([*lines, ""]))
    return path


def dutch(folder, rows=240):
    """Write a Dutch table: people with several stays, weights, a scale, e-mail, remarks."""
    rng = random.Random(0)
    head = (
        "patiëntnummer;e-mailadres;geslacht;postcode;geboortedatum;pijn;opmerkingen;hoofddiagnose"
    )
    lines = [head]
    for i in range(rows):
        born = date(1930, 1, 1) + timedelta(days=rng.randrange(25_000))
        lines.append(
            f"P{i // 2};p{i // 2}@post.nl;{rng.choice('mv')};{rng.randrange(1000, 1999)} "
            f"{rng.choice('AB')}{rng.choice('XY')};{born};{rng.choice(['geen', 'licht', 'matig'])};"
            f"kwam op de {rng.randrange(9)}e dag terug met klacht {rng.randrange(999)} aan de zij;"
            f"{rng.choice('EK')}{rng.randrange(10, 30)}.{rng.randrange(3)}"
        )
    path = folder / "opnamen.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def french(folder, rows=240):
    """Write a French table as Excel does there: cp1252, decimal commas, days first."""
    rng = random.Random(0)
    lines = ["Prénom;Nom;Âge;Code postal;Date d'entrée;Poids;Revenu;Maladie"]
    for i in range(rows):
        day = date(2023, 1, 1) + timedelta(days=rng.randrange(600))
        lines.append(
            f"Zoé;Nom{i};{rng.randrange(18, 95)};{rng.randrange(75_001, 75_020)};{day:%d/%m/%Y};"
            f"{rng.gauss(70, 9):.1f};{rng.randrange(9, 90)}00,50;{rng.choice(['Asthme', 'Grippe'])}"
            .replace(".", ",")
        )  # fmt: skip
    path = folder / "séjours.csv"
    path.write_text("\r\n".join([*lines, ""]), encoding="cp1252")
    return path


def hospital_export(folder):
    """Write the German hospital's csv."""
    path = folder / "klinik.csv"
    hospital.export(path, rows=120)
    return path


TABLES = [patients, dutch, french, hospital_export]


@pytest.mark.slow
@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_the_printed_command_runs(shoal, tmp_path, monkeypatch, make):
    """The whole command that is printed runs as it stands, to a release that the judge verifies."""
    monkeypatch.chdir(tmp_path)
    path = make(tmp_path)
    out = shoal("inspect", path.name).out
    command = re.search(r"\n  (shoal anonymize (?:.*\\\n)*.*)\n", out)[1].replace("\\\n", " ")
    words = shlex.split(command)[1:]
    ran = shoal(*words, "--method", "mdav", "--no-report")
    assert ran.code == 0, ran.err
    assert "verified" in ran.err


@pytest.mark.parametrize("make", [dutch, french], ids=lambda make: make.__name__)
def test_the_recipe_runs(shoal, tmp_path, make):
    """The recipe names every column with a reason, and runs as it stands; none is overwritten."""
    path = make(tmp_path)
    recipe = tmp_path / "p.toml"
    wrote = shoal("inspect", path, "--recipe", recipe)
    assert wrote.code == 0, wrote.err
    columns = json.loads(shoal("inspect", path, "--json").out)["columns"]
    comments = [line for line in recipe.read_text().splitlines() if line.startswith("#   ")]
    assert len(comments) == len(columns)
    assert shoal("inspect", path, "--recipe", recipe).code == 2
    settings = load(recipe)
    assert settings.shoal is None
    named = [*settings.roles.identifiers, *settings.roles.quasi_identifiers,
             *settings.roles.sensitive, *settings.roles.other, *settings.roles.drop]  # fmt: skip
    assert sorted(named) == sorted(column["name"] for column in columns)
    recipe.write_text(recipe.read_text().replace("[protect]", '[protect]\nmethod = "mdav"'))
    ran = shoal("run", recipe, "-o", tmp_path / "out.csv", "--no-report")
    assert ran.code == 0, ran.err


def test_proposals_of_other_languages(shoal, tmp_path):
    """Dutch and French columns get the roles that their names and cells say."""
    seen = json.loads(shoal("inspect", dutch(tmp_path), "--json").out)
    roles = {column["name"]: column["suspected"] for column in seen["columns"]}
    assert roles == {
        "patiëntnummer": "identifier", "e-mailadres": "identifier", "opmerkingen": "drop",
        "geslacht": "quasi-identifier", "postcode": "quasi-identifier", "pijn": "quasi-identifier",
        "geboortedatum": "quasi-identifier", "hoofddiagnose": "sensitive",
    }  # fmt: skip
    assert seen["proposed"]["person"] == "patiëntnummer"
    assert seen["proposed"]["orders"]["pijn"][:3] == ["geen", "licht", "matig"]
    assert seen["proposed"]["hierarchies"] == {"postcode": "prefixes:6,5,4,3,2,1"}
    seen = json.loads(shoal("inspect", french(tmp_path), "--json").out)
    roles = {column["name"]: column["suspected"] for column in seen["columns"]}
    kept = [name for name, role in roles.items() if role in ("sensitive", "other")]
    assert kept == ["Maladie"]
    assert roles["Nom"] == roles["Prénom"] == "identifier"
    assert seen["proposed"]["hierarchies"] == {"Code postal": "prefixes:4,3,2,1"}


def test_python_says_the_same(tmp_path):
    """`shoal.inspect` has the options that the command prints, and `anonymize` takes them."""
    path = hospital_export(tmp_path)
    seen = library.inspect(path)
    assert seen.options["decimal"] == ","
    assert seen.options["hierarchies"]["PLZ"] == "prefixes:4,3,2,1"
    result = library.anonymize(path, k=3, method="mdav", **seen.options)
    assert result.report.k >= 3
    assert "Fallnummer" not in result.table.names


def test_nothing_to_group_makes_no_recipe(shoal, write, tmp_path):
    """Where every column names people there is no command, and a recipe is refused."""
    path = write("t.csv", "name,mail\nAda B,a@b.org\nBo C,c@d.org\n")
    ran = shoal("inspect", path, "--recipe", tmp_path / "r.toml")
    assert ran.code == 2
    assert "no command is proposed" in ran.out
    assert not (tmp_path / "r.toml").exists()
