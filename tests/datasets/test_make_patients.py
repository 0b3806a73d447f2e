"""The invented hospital file is what its generator makes, byte for byte."""

from __future__ import annotations

from pathlib import Path

import make_patients
from make_patients import patients_csv

from shoal import datasets

COMMITTED = Path(datasets.__file__).with_name("patients.csv")


def test_committed_file_is_the_output(capsysbinary):
    """The committed file is what the module writes to standard output; another seed differs."""
    make_patients.main()
    text = capsysbinary.readouterr().out
    assert COMMITTED.read_bytes() == text == patients_csv(seed=20260101).encode()
    other = patients_csv(seed=1)
    assert len(set(other.splitlines()) & set(text.decode().splitlines())) == 1  # the header


def test_rows_argument():
    """The number of rows is the one asked for, down to a header alone."""
    header = COMMITTED.read_text("utf-8").splitlines()[0]
    assert len(patients_csv(rows=7).splitlines()) == 8
    assert patients_csv(rows=0) == f"{header}\n"
