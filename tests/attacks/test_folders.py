"""Attacks on `verify FOLDER/`: records that whoever reads the folder reads, and verify does not."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import shoal as library
from shoal.errors import InputError
from thorough import spread

QUASI = ["age", "zip"]


@pytest.fixture
def raw():
    """The input, in which everybody is alone."""
    rng = np.random.default_rng(1)
    return pa.table({"age": rng.integers(18, 90, 300), "zip": rng.integers(1000, 9999, 300)})


@pytest.fixture
def release(tmp_path, raw):
    """A release of many files, with its manifest."""
    pq.write_table(raw, tmp_path / "in.parquet")
    library.anonymize_file(
        tmp_path / "in.parquet", tmp_path / "out/", k=5, quasi_identifiers=QUASI, engine="threads"
    )
    assert library.verify(tmp_path / "out", k=5, quasi_identifiers=QUASI).ok
    return tmp_path / "out"


@pytest.fixture
def bare(tmp_path):
    """A release without a manifest: safe parts, alone in a folder."""
    folder = tmp_path / "bare"
    folder.mkdir()
    for number in range(2):
        safe = pa.table({"age": [30 + number] * 10, "zip": [1000] * 10})
        pq.write_table(safe, folder / f"{number}.parquet")
    assert library.verify(folder, k=5, quasi_identifiers=QUASI).ok
    return folder


PLACES = [
    "sub/0.parquet", "year=2020/0.parquet", "a/b/c/0.parquet", "x.PARQUET", "x.parq", "x.pq", "x",
    "x.parquet.gz", "x.parquet.half", "_x.parq", ".x", ".sub/x.parquet", "x.csv", "README",
]  # fmt: skip


def put(folder, place, raw):
    """Write the raw records to a place in the folder."""
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(raw, path)


def refused(folder, word):
    """Tell whether verify refuses the folder, with the name of what is foreign in it."""
    try:
        found = library.verify(folder, k=5, quasi_identifiers=QUASI)
    except InputError as error:
        return word in str(error)
    return not found.ok


@pytest.mark.parametrize("place", spread(PLACES, 5))
def test_raw_records_beside_the_parts(release, raw, place):
    """The raw input lies where a reader of the folder finds it, and the manifest is silent."""
    put(release, place, raw)
    assert refused(release, place.partition("/")[0])


@pytest.mark.parametrize("place", PLACES)
def test_raw_records_without_a_manifest(bare, raw, place):
    """The same in a folder that has no manifest."""
    put(bare, place, raw)
    assert refused(bare, place.partition("/")[0])


@pytest.mark.parametrize("place", ["year=2020/0.parquet", "x.parq", "x"])
def test_a_dataset_reads_what_verify_passes(bare, raw, place):
    """Arrow's own reader of folders finds the raw records: does verify say it is safe?"""
    put(bare, place, raw)
    read = ds.dataset(bare, format="parquet", partitioning="hive").to_table()
    assert read.num_rows == 320  # the attack works for whoever reads the folder
    assert refused(bare, place.partition("/")[0])


@pytest.mark.parametrize("name", ["report.json", "report.html", "run.toml"])
@pytest.mark.parametrize("folder", ["release", "bare"])
def test_records_named_as_a_paper(request, folder, raw, name):
    """The raw records take the name of a paper, which may lie there."""
    place = request.getfixturevalue(folder)
    pq.write_table(raw, place / name)
    assert refused(place, name)


@pytest.mark.parametrize("folder", ["release", "bare"])
@pytest.mark.parametrize("name", ["report.json", "more", "linked"])
def test_links(request, tmp_path, folder, raw, name):
    """A link leads out of the folder, to the raw records or a folder of them."""
    place = request.getfixturevalue(folder)
    if name == "linked":
        (tmp_path / "elsewhere").mkdir()
        pq.write_table(raw, tmp_path / "elsewhere" / "0.parquet")
    else:
        pq.write_table(raw, tmp_path / "elsewhere")
    (place / name).unlink(missing_ok=True)
    (place / name).symlink_to(tmp_path / "elsewhere")
    assert refused(place, name)


def test_an_empty_folder_in_it(release):
    """A folder that is filled after the check is there already."""
    (release / "later").mkdir()
    assert refused(release, "later")


def test_a_part_that_is_a_link(release, tmp_path):
    """A listed part is a link to a file that changes after the check."""
    part = json.loads((release / "manifest.json").read_text())["parts"][0]["file"]
    (release / part).replace(tmp_path / "elsewhere")
    (release / part).symlink_to(tmp_path / "elsewhere")
    assert refused(release, part)


def rewritten(release, change):
    """Write the manifest anew, changed."""
    path = release / "manifest.json"
    told = json.loads(path.read_text())
    change(told)
    path.write_text(json.dumps(told))


LIES = {
    "k": lambda told: told.update(k=500),
    "k as text": lambda told: told.update(k="5"),
    "k true": lambda told: told.update(k=True),
    "no number": lambda told: told.update(k=float("nan")),
    "classes": lambda told: told.update(classes=told["classes"] + 1),
    "records": lambda told: told.update(records=10**6),
    "columns": lambda told: told.update(columns=["age"]),
    "columns in another order": lambda told: told["columns"].reverse(),
    "a column more": lambda told: told["columns"].append("diagnosis"),
    "records of a part": lambda told: told["parts"][0].update(records=1),
    "bytes of a part": lambda told: told["parts"][0].update(bytes=1),
    "quasi-identifiers": lambda told: told.update(quasi_identifiers=["nobody"]),
    "no quasi-identifiers": lambda told: told.update(quasi_identifiers=[]),
    "fewer quasi-identifiers": lambda told: told.update(quasi_identifiers=["age"]),
}


@pytest.mark.parametrize("lie", spread(LIES, 7))
def test_a_manifest_that_lies(release, lie, shoal):
    """A number of the manifest is changed: does verify still say that all is well?"""
    rewritten(release, LIES[lie])
    found = library.verify(release, k=5, quasi_identifiers=QUASI)
    assert not found.ok
    assert any("manifest.json" in problem for problem in found.problems)
    assert shoal("verify", release, "-k", 5, "--quasi", ",".join(QUASI)).code == 3


@pytest.mark.parametrize("asked", [["age"], QUASI])
def test_classes_by_other_columns(release, asked):
    """Whoever asks by fewer quasi-identifiers is told of a wrong number of classes all the same."""
    rewritten(release, LIES["classes"])
    assert not library.verify(release, k=2, quasi_identifiers=asked).ok


def test_a_key_that_is_said_twice(release):
    """Two readers of one manifest read two numbers."""
    path = release / "manifest.json"
    path.write_text(path.read_text().replace('"k":', '"k": 1000, "k":', 1))
    with pytest.raises(InputError, match=r"manifest\.json"):
        library.verify(release, k=5, quasi_identifiers=QUASI)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"parts":' * 100_000])
def test_a_manifest_that_breaks_its_reader(release, text):
    """A manifest of deep nesting ends with one line, not with a crash."""
    (release / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json"):
        library.verify(release, k=5, quasi_identifiers=QUASI)


@pytest.mark.parametrize("place", ["sub/0.parquet", "x.PARQUET", "x"])
def test_at_a_url(release, raw, place):
    """The same at a URL."""
    put(release, place, raw)
    with pytest.raises(InputError, match=place.partition("/")[0]):
        library.verify(f"local://{release}", k=5, quasi_identifiers=QUASI)


def test_a_forged_part(release, raw):
    """The manifest is rewritten for a raw part, with its hash and numbers: the classes tell."""

    def forge(told):
        part = told["parts"][0]
        told["records"] += raw.num_rows - part["records"]
        pq.write_table(raw, release / part["file"])
        content = (release / part["file"]).read_bytes()
        part.update(records=raw.num_rows, bytes=len(content),
                    sha256=hashlib.sha256(content).hexdigest())  # fmt: skip

    rewritten(release, forge)
    found = library.verify(release, k=1, quasi_identifiers=["age"])
    assert not found.ok  # its k, by its own quasi-identifiers
