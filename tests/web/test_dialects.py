"""The desk with a file that is not plain csv."""

from __future__ import annotations

import re

from hospital import MEASURED, NAMES, export

QUASI = ["Alter", "Geschlecht", "Aufnahme", "Größe", "Gewicht"]
ROLES = {
    "quasi_identifiers": QUASI,
    "identifiers": ["Fallnummer"],
    "sensitive": ["Diagnose"],
    "drop": ["PLZ", "Entlassung", "Kosten", *MEASURED],
    "other": ["Station"],
}


def check_german_rows(rows):
    """Dates and numbers before and after are in the notation of the file, intervals too."""
    day, number = r"\d\d\.\d\d\.\d{4}", r"[\d.]+,\d+"
    for name, one in (("Aufnahme", day), ("Größe", number)):
        shape = re.compile(rf"{one}|\[{one};{one}\]")
        at = rows["names"].index(name)
        cells = [row[at] for side in ("before", "after") for row in rows[side]]
        assert all(shape.fullmatch(cell) for cell in cells if cell not in (None, "*")), cells


def test_a_hospital_s_export_is_released_at_the_desk(desk, tmp_path, shoal):
    """What was found is said, the file is read so, and the release is written as the input is."""
    export(tmp_path / "h.csv", 120)
    file = desk.upload("h.csv", (tmp_path / "h.csv").read_bytes())
    told = desk.looked(file)
    assert told["state"] == "ready"
    assert told["reading"]["encoding"] == "cp1252"
    assert told["reading"]["date_format"] == "%d.%m.%Y"
    assert len(told["look"]["findings"]) == 6
    assert [column["name"] for column in told["look"]["columns"]] == NAMES
    kinds = {column["name"]: column["kind"] for column in told["look"]["columns"]}
    assert (kinds["Aufnahme"], kinds["Kosten"], kinds["PLZ"]) == ("date", "decimal", "text")
    recipe = {"protect": {"k": 5, "method": "hilbert"}, "roles": ROLES}
    check_german_rows(desk.post(f"/files/{file}/trial", {"recipe": recipe, "rows": True})["rows"])
    job = desk.start(file, recipe)
    told = desk.done(job)
    assert told["state"] == "done", told
    assert "--encoding cp1252" in told["command"].replace("\\\n", " ")
    release = tmp_path / "release.csv"
    release.write_bytes(desk.ask("GET", f"/jobs/{job}/files/release.csv").body)
    assert release.read_bytes().decode("cp1252").startswith("Alter;Geschlecht;Aufnahme;Größe;")
    quasi = ",".join(QUASI)
    asked = ("-k", 5, "--quasi", quasi, "--encoding", "cp1252", "--keep", "Diagnose")
    assert shoal("verify", release, *asked).code == 0


def test_a_file_is_read_in_another_way(desk):
    """Whoever knows better says so, and the file is read anew."""
    file = desk.upload("t.csv", b"a;b\n1,5;x\n2,5;y\n3,25;z\n")
    assert desk.looked(file)["reading"] == {"decimal": ","}
    desk.post(f"/files/{file}/look", {"input": {"decimal": ".", "delimiter": ";"}})
    told = desk.looked(file)
    assert told["look"]["columns"][0]["kind"] == "text"
    assert told["look"]["findings"] == []
