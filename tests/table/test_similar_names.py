"""Names of columns that read alike."""

from __future__ import annotations

import unicodedata

from shoal.table.inspect import inspect
from shoal.table.read import read
from shoal.table.similar_names import names_alike, similar_name_notes

ALIKE = ["age", "Age", " age", "städt", unicodedata.normalize("NFD", "städt"), "ages", "a ge"]


def test_names_that_read_alike():
    """Names that differ in case, spaces around them or Unicode form are one set, others none."""
    assert names_alike(ALIKE) == [("age", "Age", " age"), (ALIKE[3], ALIKE[4])]
    assert names_alike(["a", "b", "ab", "a b"]) == []
    assert names_alike(["zip\u200b", "ZIP"]) == [("zip\u200b", "ZIP")]


def test_inspect_and_notes_tell_of_them(tmp_path):
    """Inspection says of a column which others read alike; notes name every set once."""
    file = tmp_path / "f.csv"
    file.write_text("age,Age,b\n1,2,3\n4,5,6\n", encoding="utf-8")
    found = inspect(read(file))
    assert [column.alike for column in found.columns] == [("Age",), ("age",), ()]
    assert "'age', 'Age' differ only in case, spaces or Unicode form" in found.summary()
    assert len(similar_name_notes(ALIKE)) == 2
