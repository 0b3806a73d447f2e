"""Refusals: whatever stops the reading of a text file names the option that would accept it."""

from __future__ import annotations

import pytest

import shoal
from shoal.hints import Message
from shoal.settings.hints import as_command

STRUCTURE = [
    (b"a,b\n1,2,3\n", {}, ["--delimiter", "--quote", "--skip-lines", "--comment"]),
    (b"a,b\n1,2\n\n3,4\n", {}, ["--comment"]),
    (b",b\n1,2\n", {}, ["--skip-lines"]),
    (b"a,a\n1,2\n", {}, ["--skip-lines"]),
    (b"h" * 2000 + b"\n1\n", {}, ["--delimiter", "--skip-lines"]),
    (b"a\n" + b"x" * 200_000 + b"\n", {}, ["--quote"]),
    (b'a,b\n1,"x\n2,y\n', {}, ["--quote"]),
    (b'a,b\n1,"x\n2,"y"\n', {}, ["--quote"]),
    (b'a\nx"y\n', {}, ["--quote"]),
    (b"a;b,c\n1;2,3\n", {}, ["--delimiter"]),
    (b"a\nx\0y\n", {}, ["--encoding"]),
    (b"a\nn\xe4\n", {}, ["--encoding cp1252"]),
    (b"a;b\n\x81;1\n", {"encoding": "cp1252"}, ["--encoding"]),
    (b"ab  c\n1   2\n12  3\n", {}, ["--widths 4,1", "--delimiter"]),
    (b"12345\n", {"widths": (2, 2)}, ["--widths"]),
    (b"x\nsoon\n", {"types": {"x": "number"}}, ["--missing", "--decimal", "--type x=text"]),
    (b"x\nsoon\n", {"types": {"x": "date"}}, ["--missing", "--date-format", "--type x=text"]),
    (b"x\nsoon\n", {"types": {"x": "boolean"}}, ["--missing", "--type x=text"]),
    (b"x\nTrue\nfalse\n", {"types": {"x": "boolean"}}, ["--type x=text"]),
]

CELLS = [
    ("1\n2\nsoon\n3\n", ["--missing", "--type"]),
    ('"1,5"\n"2,5"\n', ["--decimal", "--thousands", "--type"]),
    ("1\n1e999\n", ["--type"]),
    ("1e-400\n1\n", ["--type"]),
    ("1" * 50 + "\n1\n", ["--type"]),
    ("03/04/2005\n03/04/2006\n", ["--date-format", "--type"]),
    ("03.04.05\n03.04.06\n", ["--type"]),
    ("2024-02-30\n2024-01-01\n", ["--type"]),
    ("2024-01-01\n2024-01-02\nsoon\n", ["--missing", "--type"]),
    ("2024-01-01T10:00\n2024-01-01 10:00\n", ["--type"]),
    ("2024-01-01T10:00Z\n2024-01-01T10:00+01:00\n", ["--date-format x=%Y-%m-%dT%H:%M%z"]),
    ("true\n1\nyes\n", ["--type"]),
]


def assert_said(error, options):
    """Hold a refusal to one line that names its options, and no cell."""
    message = Message(error.marked).at(as_command)
    assert "--" not in str(error)
    assert "\n" not in message
    assert "soon" not in message
    for option in options:
        assert option in message.replace("COLUMN", "x"), option


@pytest.mark.parametrize(("content", "how", "options"), STRUCTURE, ids=range(len(STRUCTURE)))
def test_a_refused_file(write, content, how, options):
    """A file that cannot be cut into cells is refused with the options that cut it otherwise."""
    with pytest.raises(shoal.InputError) as caught:
        shoal.read(write("t.csv", content), **how)
    assert_said(caught.value, options)


@pytest.mark.parametrize(("cells", "options"), CELLS, ids=range(len(CELLS)))
def test_a_refused_column(write, cells, options):
    """A quasi-identifier in doubt is refused with the options that settle it, and text does."""
    path = write("t.csv", f"x\n{cells}")
    with pytest.raises(shoal.InputError) as caught:
        shoal.anonymize(path, k=2, quasi_identifiers=["x"], method="mdav")
    assert_said(caught.value, options)
    assert shoal.read(path, types={"x": "text"})["x"].doubt is None
