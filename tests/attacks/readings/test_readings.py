"""Files that are safe in one reading and people in another, and odd ones that are safe in all."""

from __future__ import annotations

import re
import warnings
from importlib import import_module
from pathlib import Path

import pytest

from attacks.readings.people import CASES, CODES, PEOPLE, call, real

for one in sorted(Path(__file__).parent.glob("*_files.py")):
    import_module(f"attacks.readings.{one.stem}")
ALL = [pytest.param(one, id=f"{kind}: {one.name}") for kind, of in CASES.items() for one in of]


@pytest.mark.parametrize("case", ALL)
def test_readings(case, tmp_path, shoal):
    """What another reader sees is real; the judge says what it must, and tells nobody's data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other libraries about what is wrong with a file
        path = call(case.make, tmp_path, case.value)
        if case.see is not None:
            assert real(seen := call(case.see, path, case.value)), str(seen)[:2000]
    ran = shoal("verify", path, *case.arguments)
    words = ran.err if ran.code == 2 else ran.out + ran.err
    assert ran.code in CODES[case.verdict], f"exit code {ran.code}: {words}"
    if case.verdict != "either" or ran.code == 2:  # or it is judged instead of refused
        assert re.search(case.says, words, re.I), words
    for person in PEOPLE:
        assert person.name not in words
        assert str(person.zip) not in words
    assert "101**" not in ran.err


def test_every_file_is_in_the_list():
    """README.md says of every file what it is, what the other reader sees and what is answered."""
    listed = (Path(__file__).parent / "README.md").read_text("utf-8")
    assert all(one.what.split(" | ")[0] in listed for of in CASES.values() for one in of)
