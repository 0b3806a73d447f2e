"""What only the steward may know lies in a folder of its own that others cannot open."""

from __future__ import annotations

import json
import stat

import pytest

import shoal as library
from layouts import LAYOUTS, said, write_table


def test_the_seed_is_not_told(handed):
    """With the seed and a guess of the input a run can be repeated, and its release compared."""
    assert str(handed.SEED).encode() not in said(handed.files)
    for file in handed.files:
        if file.suffix == ".json":
            assert json.loads(file.read_bytes()).get("seed") is None
        if file.suffix == ".toml":
            assert "seed" not in file.read_text()


@pytest.mark.parametrize("handed", [o for o in LAYOUTS if "pack" not in o], indirect=True)
def test_where_the_input_lies_is_not_told(handed):
    """Names of folders and files of whoever made a release are looked for in what is published."""
    text = said(handed.files)
    for word in (b"Ward-7-secret", b"dr-gray", b"gray-towns"):
        assert word not in text


def test_nobody_else_can_read_it(handed):
    """Another user of the machine looks for files with the exact report, the recipe, the key."""
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o666 for file in handed.files)
    assert stat.S_IMODE(handed.private.stat().st_mode) == 0o700
    names = {"report.json", "report.html", "run.toml", "commitment.key"}
    if handed.layout == "file without a page":
        names.remove("report.html")
    assert {file.name for file in handed.private.iterdir()} == names
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in handed.private.iterdir())


def test_the_key_and_the_exact_papers_stay_apart(handed):
    """Whoever is handed the release folder, or the files by their name, gets no private file."""
    key = (handed.private / "commitment.key").read_text().strip()
    assert len(bytes.fromhex(key)) == 32
    assert key.encode() not in said(handed.files)
    folder = handed.private.with_name("out")
    if folder.is_dir():
        assert not [one for one in folder.rglob("*") if one.is_dir()]
        assert "commitment.key" not in {one.name for one in folder.iterdir()}
    exact = json.loads((handed.private / "report.json").read_bytes())
    assert exact["input"]["records"] == 60
    assert exact["input"]["sha256"]
    for file in handed.files:
        if file.name.endswith("report.json"):
            assert set(json.loads(file.read_bytes())["input"]) == {"kind", "commitment", "columns"}


def test_a_looser_private_folder_is_closed(tmp_path):
    """A folder that others could open is there before: they wait for the key to be put there."""
    path, _ = write_table(tmp_path / "in.csv")
    private = tmp_path / "out.private"
    private.mkdir()
    private.chmod(0o777)
    (private / "mine.txt").write_text("mine")
    asked = {"k": 3, "quasi_identifiers": ["age"], "drop": ["town", "illness", "name"]}
    library.anonymize(path, **asked, method="mdav").save(tmp_path / "out")
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert (private / "mine.txt").read_text() == "mine"


def test_a_link_is_not_followed(tmp_path):
    """Somebody puts a link to a place of theirs where the private folder will be."""
    path, _ = write_table(tmp_path / "in.csv")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "out.private").symlink_to(tmp_path / "theirs")
    asked = {"k": 3, "quasi_identifiers": ["age"], "drop": ["town", "illness", "name"]}
    result = library.anonymize(path, **asked, method="mdav")
    for write in (result.save, result.pack):
        with pytest.raises(library.OutputError, match="link"):
            write(tmp_path / "out")
    assert list((tmp_path / "theirs").iterdir()) == []
    assert not (tmp_path / "out").exists()
