"""The judge's csv parser beside the standard library's, on tables with everything odd in them."""

from __future__ import annotations

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.judge.limits import limited
from shoal.judge.readers.cells import TextCells, words_of_texts
from shoal.judge.readers.reading import opened
from shoal.judge.readers.written import Written
from thorough import examples

CELLS = ["", "1", "-2.50", "word", "é", "a b", '"quoted"', '"a,b"', '"two\nlines"', '"say ""hi"""',
         '5"', "*", "x" * 15, "x" * 16, "x" * 17, '"' + "y" * 30 + '"', '""', "\x80",
         "last\r"]  # fmt: skip
ENDS = ["\n", "\r\n"]


def by_the_library(text, width):
    """The records of a csv text, as the standard library reads them, or the error's kind."""
    rows = []
    reader = csv.reader(io.StringIO(text, newline="\n"), strict=True)
    try:
        next(reader)
        for row in reader:
            cells = row or [""]
            if len(cells) != width:
                if not row and not any(reader):
                    break
                return "ragged", rows
            rows.append(tuple(cells))
    except csv.Error:
        return "not csv", rows
    return "", rows


@st.composite
def texts(draw):
    """A csv text, mostly with as many cells in a row as the header has, and how many those are."""
    width = draw(st.integers(1, 4))
    end = draw(st.sampled_from(ENDS))
    lines = [",".join("abcd"[:width])]
    for _ in range(draw(st.integers(0, 12))):
        many = width if draw(st.integers(0, 15)) else draw(st.integers(1, 5))
        lines.append(",".join(draw(st.sampled_from(CELLS)) for _ in range(many)))
    text = end.join(lines) + draw(st.sampled_from(["", end, end * 3]))
    return text, width


@examples(300)
@given(texts(), st.integers(1, 60))
def test_records_are_those_of_the_standard_library(tmp_path_factory, case, piece):
    """Whatever the pieces, cells are those of the standard library, and so is what is refused."""
    text, width = case
    path = tmp_path_factory.getbasetemp() / "pieces.csv"
    path.write_bytes(text.encode("latin-1"))
    problem, wanted = by_the_library(text, width)
    with limited(piece=piece), opened(path, None, Written(",")) as source:
        assert source.header == list("abcd"[:width])
        if problem:
            with pytest.raises(shoal.InputError, match=r"cells?, the header|not strict csv"):
                list(source.rows(list(range(width))))
        else:
            assert list(source.rows(list(range(width)))) == wanted
            assert list(source.rows([width - 1])) == [row[-1:] for row in wanted]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a,b\n1,2\n3\n", r"line 3: 1 cell, the header has 2"),
        (b'a,b\n1,2\n"x"y,3\n', r"line 3: not strict csv"),
        (b'a,b\n1,2\n3,"open\n', r"line 3: not strict csv"),
        (b"a,b\n1,2\n3,\x004\n", r"line 3: a NUL byte"),
        (b"a,b\n1,2\n\n3,4\n", r"line 3: 1 cell, the header has 2"),
        (b'a,b\n"two\nlines",2\n3\n', r"line 4: 1 cell, the header has 2"),
        (b'a,b\n"say ""hi""",2\n3\n', r"line 3: 1 cell, the header has 2"),
        (b"a,b\n1,2\n3,4\rx\n", r"line 3: not strict csv"),
    ],
)
@pytest.mark.parametrize("piece", [1, 9, 10_000])
def test_errors_name_their_line(tmp_path, content, words, piece):
    """What is wrong is told with the number of its line, in a plain file and a packed one."""
    (tmp_path / "t.csv").write_bytes(content)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(content))
    for name in ("t.csv", "t.csv.gz"):
        with limited(piece=piece), pytest.raises(shoal.InputError, match=words):
            shoal.verify(tmp_path / name, k=1, quasi_identifiers=["a"])


def test_a_quote_in_the_header_takes_no_record(tmp_path):
    """A header whose names hold a quote ends with its line; the next lines are records."""
    (tmp_path / "t.csv").write_bytes(b'a,5"\n1,x\n1,7"\n')
    found = shoal.verify(tmp_path / "t.csv", k=2, quasi_identifiers=["a"])
    assert (found.ok, found.records) == (True, 2)


def test_words_of_texts_are_equal_where_texts_are():
    """Texts of any length, zeros among their bytes too, have their own words."""
    texts = [b"", b"\0", b"\0\0", b"a", b"a\0", b"\0a", b"x" * 7, b"x" * 8, b"x" * 14, b"x" * 15,
             b"x" * 16, b"x" * 15 + b"\0", b"y" * 16, b"x" * 200]  # fmt: skip
    words = [tuple(row) for row in words_of_texts([*texts, *texts]).tolist()]
    assert words[: len(texts)] == words[len(texts) :]
    assert len(set(words)) == len(texts)


def test_cells_come_apart_and_together():
    """Distinct cells, parts and some of the cells are those of a plain list."""
    cells = ["b", "a", "", "b", "x" * 40, "a", "é", "x" * 40]
    column = TextCells.of(cells)
    distinct, places = column.distinct()
    assert distinct == ["b", "a", "", "x" * 40, "é"]
    assert [distinct[place] for place in places] == cells
    assert column.part(2, 5).plain() == cells[2:5]
    assert column.take(np.array([7, 0])).plain() == [cells[7], cells[0]]
    assert column.to_arrow().to_pylist() == [cell.encode("latin-1") for cell in cells]
    assert TextCells.of([]).distinct()[0] == TextCells.of([]).plain() == []
