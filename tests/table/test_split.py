"""Fast ways through csv text: the same cells, kinds, values and bytes as the slow ones."""

from __future__ import annotations

import random
from itertools import product
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import csv_text
from shoal.release.write import csv_bytes
from shoal.table.csv_text import facts as facts_of
from shoal.table.csv_text.cells import Cells, recognized
from shoal.table.csv_text.decide import decide, values_of
from shoal.table.csv_text.facts import look
from shoal.table.csv_text.plain_numbers import Trimmed
from shoal.table.csv_text.scan import WHOLE, check_text
from shoal.table.csv_text.split import Head, first_empty_line, scan_part, split
from shoal.table.dialects.notation import Notation
from shoal.table.read import read_csv
from shoal.table.roles import Kind
from shoal.table.source import Source
from thorough import spread

SIGNS = [b"a", b"1", b",", b"\n", b"\r\n", b'"', b'""', b"\xc3\xa9", b"\xff", b"\0", b"\r",
         b'"a,b"', b'"x\ny"', b'"z""",', b"\xef\xbb\xbf", b"1,2\n", b"\n\n"]  # fmt: skip


@given(raw=st.lists(st.sampled_from(SIGNS), max_size=14).map(b"".join), columns=st.integers(1, 3))
def test_split_is_what_a_slow_look_gives(raw, columns):
    """Text that is split has the cells, quotes and lines that a look at each byte finds."""
    names = ("a", "b", "c")[:columns]
    head = Head(",".join(names).encode() + b"\n", names, ",")
    fast = split(raw, head)
    if fast is None:
        return
    check_text(raw, "t.csv")
    slow, layout = scan_part(raw, head, "t.csv", WHOLE)
    assert first_empty_line(head.raw + raw, layout, WHOLE) is None
    assert [c.to_pylist() for c in fast.cells] == [c.to_pylist() for c in slow.cells]
    for one, other in zip(fast.quoted, slow.quoted, strict=True):
        assert (one is None) == (other is None)
        assert one is None or np.array_equal(one, other)
    rows = np.arange(fast.records)
    assert np.array_equal(*(rows if p.lines is None else p.lines for p in (fast, slow)))
    assert fast.breaks == slow.breaks


LOOKS = [
    ["1", "0", "-3", "+4", "12", "-0"],
    ["1.5", ".5", "3.", "-0.25", "+7", "123456789.123456", "0.0"],
    ["1e5", "2E-3", "-1.50e+07", "0e0", ".5e1", "4.9e-324", "1.7976931348623157e308"],
    ["0.1000000000000000055", "12345678901234567", "9" * 19, "-" + "9" * 18],
    ["2024-01-01", "2024-02-29", "0001-01-01", "9999-12-31"],
    ["2024-01-01T10:00", "1999-12-31T23:59"],
    ["2024-01-01 10:00:00.125", "0001-01-01 00:00:00.000"],
    ["true", "false"],
    ["0", "1"],
    ["a", "Zürich", "x y", "na", "inf.", "\u00a05"],
    ["2024-01-01T10:00Z", "1999-12-31T23:59Z"],
    ["2024-01-01 10:00:00+01:00", "1999-12-31 23:59:00+01:00"],
    ["2024-01-01T10:00+0100", "1999-12-31T23:59-0330"],
    ["19.0", "23.0", "-4.0", "+0.0", "123456789012345678.0"],
    ["12.3", "12.300000000000001", "0.30000000000000004", "1.50", "1e-7"],
    ["1.2345678901234567", "12345.678901234567", "2"],
]
ODD = ["", "", " 5", "5\t", " ", "007", "01.5", "1e999", "1e-400", "0." + "0" * 330 + "1", "9" * 20,
       "9" * 39, "9" * 400, "inf", "-nan", "1_000", "١٢", "0x1f", "2024-02-30", "0000-01-01",
       "2024-01-01T24:00", "2024-01-01T10:00Z", "1.2.3", "--1", "1-2", ".", "+", "e5", "1e", "$5",
       "1,5", "1/2/03", "NA", "yes", "TRUE", "1e123456", "2024-1-1", "12:30", "x" * 20]  # fmt: skip


def column(draw):
    """Draw the cells of a column: of one look, some odd."""
    cells = draw.choices(draw.choice(LOOKS), k=draw.randint(1, 40))
    if draw.random() < 0.2:
        cells += [f"n{draw.getrandbits(30):x}" for _ in range(30)]
    if draw.random() < 0.2:
        cells += [str(draw.gauss(0, 1)) for _ in range(30)]
    share = draw.choice([0, 0, 0.05, 0.5])
    return [draw.choice(ODD) if draw.random() < share else cell for cell in cells]


class Slow(Cells):
    """Cells that are looked at by the distinct ones only."""

    plain = None


def slow_look(cells):
    """Return the facts that the distinct cells show."""
    with mock.patch.object(facts_of, "_text_facts", return_value=None):
        return look(cells)


@pytest.mark.parametrize("seed", spread(range(4), 1))
def test_facts_and_values_are_those_of_distinct_cells(seed):
    """Plain and varied columns have the facts, kinds and values that their distinct cells have."""
    draw = random.Random(seed)
    for _ in range(250):
        cells = pa.array(column(draw))
        missing = draw.choice([("",), ("",), ("", "NA", "0"), ()])
        declared = draw.choice([None, None, None, "number", "date", "boolean", "text"])
        fast, slow = Cells(cells, missing, declared), Slow(cells, missing, declared)
        facts = look(fast)
        assert facts == slow_look(slow)
        assert fast.records == (facts.present if facts.present else slow.records)
        verdict = decide("x", facts, declared)
        one, other = values_of(fast, verdict), values_of(slow, verdict)
        one.validate(full=True)
        assert one.type == other.type
        assert repr(one.to_pylist()) == repr(other.to_pylist())


def plain_text(draw):
    """Draw a well-formed csv text of plain columns, and its rows."""
    width, count = draw.randint(1, 4), draw.randint(1, 60)
    columns = [draw.choices([*draw.choice(LOOKS[:7] + LOOKS[9:]), ""], k=count)
               for _ in range(width)]  # fmt: skip
    texts = ['say "hi"', "a\nb", "x,y", "", "\r\n"]
    columns.append([draw.choice([f"t{draw.getrandbits(9)}", *texts]) for _ in range(count)])
    rows = [[(name, False) for name in "abcde"[: width + 1]]]
    for cells in zip(*columns, strict=True):
        needs = [any(sign in c for sign in '",\r\n') or draw.random() < 0.1 for c in cells]
        rows.append(list(zip(cells, needs, strict=True)))
    return csv_text.written(rows), rows


def read_in_pieces(text, size, threads=None, held_as=bytes):
    """Read csv text that is cut into pieces of a size."""
    source = Source("t.csv", "csv")
    said = {"missing": ("",), "types": {}}
    return read_csv(held_as(text.encode()), source, **said, threads=threads, piece=size)


@pytest.mark.parametrize(
    ("threads", "size"), spread(product([1, 3], [1, 60, 2**22]), 3, several=True)
)
def test_read_and_written_as_the_slow_twin_does(threads, size, thorough):
    """A file cut anywhere is read as it is sign by sign, and comes back byte for byte."""
    draw = random.Random(size)
    for _ in range(60 if thorough else 6):
        text, rows = plain_text(draw)
        table = read_in_pieces(text, size, threads, draw.choice([bytes, memoryview]))
        expected = csv_text.records(text)
        assert [[cell for cell, _ in row] for _, row in expected] == [
            [cell for cell, _ in row] for row in rows
        ]
        found = [int(table.source.where([row]).split()[1]) for row in range(table.rows)]
        assert found == [line for line, _ in expected[1:]]
        for index, own in enumerate(table.columns):
            cells = [row[index][0] for _, row in expected[1:]]
            assert own.cells.to_pylist() == cells
            quoted = [row[index][1] for _, row in expected[1:]]
            assert (own.quoted is None) == (not any(quoted))
            assert own.quoted is None or own.quoted.tolist() == quoted
            kind, values = csv_text.kind_and_values(cells)
            if own.kind in (Kind.FLOAT, Kind.INTEGER, Kind.DATE, Kind.DATETIME):
                assert own.kind == kind
                assert repr(own.values.to_pylist()) == repr(values)
            if own.kind is Kind.DECIMAL:
                assert own.values.to_pylist() == values
        order = np.array(draw.sample(range(table.rows), table.rows))
        ordered = [rows[0], *(rows[1:][row] for row in order)]
        written = csv_bytes(table, order, threads=threads)
        assert written == csv_text.written(ordered).encode()


@pytest.mark.parametrize("held_as", [bytes, memoryview])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_long_files_are_cut_and_joined(held_as, mark):
    """A part with something odd is looked at alone; the table is that of the whole."""
    lines = [f"{i},{i / 4},w{i % 7}" for i in range(400)]
    lines[200] = f'200,50.0,"{"x" * 70_000}"'
    lines[300] = "300,75.0,\ufeffw"
    text = mark + "a,b,c\n" + "\n".join(lines) + "\n\n\n"
    table = read_in_pieces(text, 200, held_as=held_as)
    assert table["a"].values.to_pylist() == list(range(400))
    assert [len(cell) for cell in table["c"].cells.to_pylist()[199:202]] == [2, 70_000, 2]
    assert table["c"].cells[300].as_py() == "\ufeffw"
    with pytest.raises(shoal.InputError, match=r"t\.csv, line 402 \(record 401\): 1 cell,"):
        read_in_pieces(text.replace("\n\n\n", "\n7\n"), 200, held_as=held_as)


@pytest.mark.parametrize("held_as", [bytes, memoryview])
def test_a_header_longer_than_what_is_looked_at_first(held_as):
    """A header of many lines, in quotes, is found wherever it ends."""
    name = "x\n" * 400
    every = [f'"{index}{name}"' for index in range(400)]
    text = ",".join(every) + "\n" + ",".join("1" for _ in every)
    table = read_in_pieces(text, 200, held_as=held_as)
    assert list(table.names) == [one.strip('"') for one in every]
    assert table.rows == 1


def test_other_notations():
    """Numbers and dates of a declared notation are recognized as what they mean."""
    notation = Notation(decimal=",", date="%d.%m.%Y")
    numbers = recognized(Trimmed(pa.array(["1,5", "-2", ",25"]), None), notation)
    assert list(map(str, numbers.values(Kind.DECIMAL, 2).to_pylist())) == ["1.50", "-2.00", "0.25"]
    absent = np.array([False, True, False])
    dates = recognized(Trimmed(pa.array(["31.12.1999", "", "01.02.2024"]), absent), notation)
    assert list(map(str, dates.values(Kind.DATE, 0).to_pylist())) == [
        "1999-12-31", "None", "2024-02-01",
    ]  # fmt: skip
    assert recognized(Trimmed(pa.array(["31.02.1999"]), None), notation) is None


def test_released_cells_of_every_kind(tmp_path):
    """Values of groups are written in the format of their column, in quotes where they need it."""
    path = tmp_path / "t.csv"
    path.write_text(
        "i;d;f;t;day;long\n-1;0.50;1e3;x;0001-01-01;0.0000001\n2;.25;2.5;a,b;1999-12-31;1\n;;;;;\n"
    )
    table = shoal.read(path, delimiter=";").mapped(lambda c: c.replace(protected=True))
    assert csv_bytes(table, np.arange(3)).decode() == (
        "i;d;f;t;day;long\n-1;0.50;1000.0;x;0001-01-01;0.0000001\n"
        "2;0.25;2.5;a,b;1999-12-31;1.0000000\n*;*;*;*;*;*\n"
    )
