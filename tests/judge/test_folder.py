"""Releases of many files: what their manifest may say, and what may lie beside it."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as library
from shoal.errors import InputError
from shoal.storage.places import Folder, Remote

QUASI = ["age", "zip"]


@pytest.fixture
def release(tmp_path):
    """A release of many files, with its manifest."""
    rng = np.random.default_rng(1)
    raw = pa.table({"age": rng.integers(18, 90, 300), "zip": rng.integers(1000, 9999, 300)})
    pq.write_table(raw, tmp_path / "in.parquet")
    library.anonymize_file(
        tmp_path / "in.parquet", tmp_path / "out/", k=5, quasi_identifiers=QUASI, engine="threads"
    )
    return tmp_path / "out"


def rewritten(release, change):
    """Write the manifest anew, changed."""
    path = release / "manifest.json"
    told = json.loads(path.read_text())
    change(told)
    path.write_text(json.dumps(told))


@pytest.mark.parametrize("outside", ["../outside.parquet", "ABSOLUTE", "sub/../../outside.parquet"])
def test_a_part_outside(release, tmp_path, outside):
    """A part that lies elsewhere is not what a reader of the folder reads."""
    told = json.loads((release / "manifest.json").read_text())
    part = told["parts"][0]["file"]
    shutil.move(release / part, tmp_path / "outside.parquet")
    (release / "sub").mkdir()
    name = str(tmp_path / "outside.parquet") if outside == "ABSOLUTE" else outside
    rewritten(release, lambda told: told["parts"][0].update(file=name))
    with pytest.raises(InputError, match=r"manifest\.json"):
        library.verify(release, k=5, quasi_identifiers=QUASI)


def test_a_part_that_is_listed_twice(release):
    """Records that count twice make small classes large."""
    part = json.loads((release / "manifest.json").read_text())["parts"][0]
    rewritten(release, lambda told: told["parts"].append(part))
    with pytest.raises(InputError, match=r"manifest\.json"):
        library.verify(release, k=5, quasi_identifiers=QUASI)


@pytest.mark.parametrize("text", ["1" * 10_000, "{}", "null", '{"schema": "shoal.manifest/1"}'])
def test_a_manifest_that_is_none(release, text):
    """What is no manifest of ours ends with one line."""
    (release / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json is not one of ours"):
        library.verify(release, k=5, quasi_identifiers=QUASI)


def test_what_is_not_checked_is_said(release):
    """A key that nobody knows is a warning; a k that is lower than what there is, is true."""
    rewritten(release, lambda told: told.update(k=2, promise="differential privacy"))
    found = library.verify(release, k=5, quasi_identifiers=QUASI)
    assert found.ok
    assert found.warnings == ("manifest.json says what is not checked: 'promise'",)


def test_a_folder_of_save(tmp_path):
    """The folder that save writes is verified, with its papers, and no other file beside them."""
    table = pa.table({"age": list(range(20)), "zip": list(range(20))})
    result = library.anonymize(table, k=5, quasi_identifiers=QUASI)
    result.save(tmp_path / "out", format="parquet")
    assert library.verify(tmp_path / "out", k=5, quasi_identifiers=QUASI).ok
    (tmp_path / "out" / "notes.txt").write_text("x")
    with pytest.raises(InputError, match=r"'notes\.txt'"):
        library.verify(tmp_path / "out", k=5, quasi_identifiers=QUASI)


def test_entries(tmp_path):
    """Files, folders and links are told apart, at a path and at a URL; nothing is hidden."""
    (tmp_path / "sub").mkdir()
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "x.half").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "sub")
    wanted = {".hidden": "file", "link": "link", "sub": "folder", "x.half": "file"}
    assert Folder(tmp_path).entries() == wanted
    assert Remote(f"local://{tmp_path}").entries() == wanted
    assert Remote(f"local://{tmp_path}/nothing").entries() == {}
