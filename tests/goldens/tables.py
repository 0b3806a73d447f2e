"""Tables of the goldens, made from seeds, and the ways in which they are handed over."""

from __future__ import annotations

import bz2
import csv
import datetime
import gzip
import io
import json
import os
import random
import sqlite3
import tempfile
import zipfile
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

Columns = dict[str, list[Any]]


class NotHereError(Exception):
    """What a case needs is not on this machine: the reference tables, or Java."""


def people(rows: int = 150, seed: int = 1) -> Columns:
    """Return people with every kind of column, some cells missing, some people in a household."""
    draw = random.Random(seed)
    pains, towns = ("none", "mild", "moderate", "severe"), ("Arles", "Bath", "Como", "Delft")
    table: Columns = {
        "id": [f"P{row:04d}" for row in range(rows)],
        "household": [f"H{row // 2 + row % 3 // 2:03d}" for row in range(rows)],
        "age": [draw.randint(18, 90) for _ in range(rows)],
        "pay": [round(draw.lognormvariate(10, 0.6), 2) for _ in range(rows)],
        "height": [round(draw.gauss(170, 9), 1) for _ in range(rows)],
        "sex": [draw.choice("fm") for _ in range(rows)],
        "town": [draw.choice(towns) for _ in range(rows)],
        "zip": [f"{draw.choice((10, 10, 25, 31))}{draw.randint(0, 40):03d}" for _ in range(rows)],
        "pain": [draw.choice(pains) for _ in range(rows)],
        "born": [_day(1930, draw.randint(0, 25_000)) for _ in range(rows)],
        "smokes": [draw.random() < 0.3 for _ in range(rows)],
        "ill": [draw.choice("aabbccdef") for _ in range(rows)],
        "cost": [round(draw.lognormvariate(6, 1), 1) for _ in range(rows)],
        "w": [draw.choice((1.0, 1.5, 2.0, 3.5)) for _ in range(rows)],
    }
    for name, share in (("pay", 0.06), ("zip", 0.05), ("pain", 0.04), ("ill", 0.03)):
        for row in range(rows):
            if draw.random() < share:
                table[name][row] = None
    return table


def _day(year: int, days: int) -> datetime.date:
    return datetime.date(year, 1, 1) + datetime.timedelta(days)


def numbers(rows: int = 120, columns: int = 4, seed: int = 2) -> Columns:
    """Return numbers in three clouds."""
    draw = random.Random(seed)
    centers = [[draw.uniform(-5, 5) for _ in range(columns)] for _ in range(3)]
    cells = [[draw.gauss(draw.choice(centers)[j], 1) for j in range(columns)] for _ in range(rows)]
    return {f"x{j}": [round(row[j], 4) for row in cells] for j in range(columns)}


def ties(rows: int = 61, seed: int = 13) -> Columns:
    """Return few whole numbers of several sizes, so that distances tie and records repeat."""
    draw = random.Random(seed)
    scales = ((6, 1), (5, 10), (3, 100))
    return {
        f"y{j}": [draw.randint(0, most) * size for _ in range(rows)]
        for j, (most, size) in enumerate(scales)
    }


def mixed(rows: int = 75, seed: int = 14) -> Columns:
    """Return numbers and categories with missing cells, without identifiers, and an outcome."""
    draw = random.Random(seed)
    table: Columns = {
        "age": [draw.randint(20, 60) for _ in range(rows)],
        "size": [draw.choice(("small", "medium", "large", "huge")) for _ in range(rows)],
        "code": [
            f"{draw.randint(1, 3)}{draw.randint(0, 2)}{draw.randint(0, 4)}" for _ in range(rows)
        ],
        "flag": [draw.random() < 0.4 for _ in range(rows)],
        "pay": [draw.randint(10, 99) / 2 for _ in range(rows)],
    }
    for name, share in (("age", 0.05), ("code", 0.08), ("pay", 0.1)):
        table[name] = [None if draw.random() < share else cell for cell in table[name]]
    return table


def clinic(rows: int = 96, seed: int = 15) -> Columns:
    """Return patients whose illness goes with their age, a cost with a long tail, and a pain."""
    draw = random.Random(seed)
    age = [draw.randint(20, 69) for _ in range(rows)]
    ill = [draw.choice("aaab" if years < 40 else "bccadef") for years in age]
    return {
        "age": age,
        "height": [round(draw.gauss(170, 9), 1) for _ in range(rows)],
        "sex": [draw.choice("fm") for _ in range(rows)],
        "ill": [None if draw.random() < 0.06 else cell for cell in ill],
        "cost": [round(draw.lognormvariate(3, 1) + years) for years in age],
        "pain": [draw.choice(("none", "none", "mild", "severe")) for _ in range(rows)],
    }


def categories(rows: int = 120, seed: int = 3) -> Columns:
    """Return four columns of categories, without a missing cell."""
    draw = random.Random(seed)
    return {
        name: [draw.choice(letters) for _ in range(rows)]
        for name, letters in (("a", "uvw"), ("b", "klmn"), ("c", "xyz"), ("s", "pqrst"))
    }


def visits(rows: int = 160, seed: int = 4) -> Columns:
    """Return people with several records each, whose age stays and whose illness changes."""
    draw = random.Random(seed)
    found: Columns = {"id": [], "age": [], "pay": [], "ill": []}
    person = 0
    while len(found["id"]) < rows:
        person += 1
        age, pay = draw.randint(20, 80), draw.randint(10, 99)
        for _ in range(draw.choice((1, 1, 2, 3))):
            for name, cell in zip(
                found, (f"P{person:03d}", age, pay, draw.choice("abcde")), strict=True
            ):
                found[name].append(cell)
    return found


def wave(number: int, pool: int = 60, each: int = 45, letters: str = "abcdef") -> Columns:
    """Return a wave of a series: of the same people some come and some go, values stay."""
    draw = random.Random(5)
    pool_of = [
        (f"P{row:03d}", draw.randint(20, 80), draw.randint(10, 99), draw.choice(letters))
        for row in range(pool)
    ]
    rows = sorted(random.Random(50 + number).sample(range(pool), each))
    names = ("id", "age", "pay", "ill")
    return {name: [pool_of[row][at] for row in rows] for at, name in enumerate(names)}


def year(number: int) -> Columns:
    """Return a wave whose people also live somewhere, and some of whom are iller than before."""
    table = wave(number)
    towns = ("Arles", "Bath", "Como")
    ill = ["f" if (int(who[1:]) + number) % 9 == 0 else i for who, i in _pairs(table)]
    return {**table, "ill": ill, "town": [towns[int(who[1:]) % 3] for who in table["id"]]}


def _pairs(table: Columns) -> Any:
    return zip(table["id"], table["ill"], strict=True)


def released(coarse: int = 10) -> Columns:
    """Return a table in classes: ages in steps, some missing, with what is sensitive in them."""
    draw = random.Random(18)
    table: Columns = {
        "age": [row // 5 * coarse for row in range(60)],
        "sex": ["fm"[row // 10 % 2] for row in range(60)],
        "ill": [draw.choice("aaabbcd") for _ in range(60)],
        "pain": [draw.choice(("none", "mild", "severe")) for _ in range(60)],
        "cost": [draw.randint(1, 30) for _ in range(60)],
    }
    table["ill"][3] = table["ill"][40] = table["sex"][11] = table["sex"][44] = None
    return table


def large(rows: int = 6000, seed: int = 6) -> Columns:
    """Return a table for runs by regions."""
    table = people(rows, seed)
    return {
        name: table[name] for name in ("id", "age", "pay", "height", "sex", "town", "ill", "cost")
    }


def padded(rows: int = 1400) -> Columns:
    """Return a table that is taken to be too large for the least memory that can be given.

    Its first records have long texts, and tell how large a record is.
    """
    return {**large(rows), "padding": ["x" * 100_000 if row < 52 else "" for row in range(rows)]}


def odd() -> Columns:
    """Return names and texts that files and messages easily get wrong."""
    rows = 24
    return {
        'a "b", c': [row % 4 for row in range(rows)],
        "größe": [f"ü{row % 3}" for row in range(rows)],
        "=sum": [("=1+1", "-x", "+y")[row % 3] for row in range(rows)],
        " spaced": [row % 2 * 0.5 for row in range(rows)],
    }


def moments(rows: int = 40, seed: int = 13) -> Columns:
    """Return dates, times, times with a zone, spans and times of day."""
    draw = random.Random(seed)
    start = datetime.datetime(2024, 2, 27, 22, 30)
    times = [start + datetime.timedelta(minutes=draw.randint(0, 90_000)) for _ in range(rows)]
    zone = datetime.timezone(datetime.timedelta(hours=2))
    return {
        "when": [None if row % 13 == 5 else time for row, time in enumerate(times)],
        "zoned": [time.replace(tzinfo=zone) for time in times],
        "day": [time.date() for time in times[::-1]],
        "lasts": [datetime.timedelta(minutes=draw.randint(1, 600)) for _ in range(rows)],
        "clock": [f"{draw.randint(0, 23):02d}:30" for _ in range(rows)],
    }


def kinds(rows: int = 36, seed: int = 14) -> Columns:
    """Return kinds of cells beside those of people: decimals, large and single ones, no value."""
    draw = random.Random(seed)
    return {
        "small": [draw.randint(-3, 3) for _ in range(rows)],
        "exact": [Decimal(draw.randint(-500, 500)).scaleb(-2) for _ in range(rows)],
        "half": [draw.choice((0.5, 1.25, None, -0.75)) for _ in range(rows)],
        "wide": [draw.randint(0, 9) * 10**15 + 1 for _ in range(rows)],
        "word": [draw.choice(("yes", "no", "")) for _ in range(rows)],
        "flag": [draw.choice((True, False, None)) for _ in range(rows)],
        "nothing": [None] * rows,
    }


def hollow(rows: int = 20) -> Columns:
    """Return columns of which one has no value and one hardly any."""
    return {
        "a": [row % 6 for row in range(rows)],
        "b": ["uvw"[row % 3] for row in range(rows)],
        "c": [row // 5 for row in range(rows)],
        "none": [None] * rows,
        "most": [None if row % 5 else row for row in range(rows)],
    }


def spellings(rows: int = 40) -> Columns:
    """Return texts that differ by a blank, their case or an invisible sign."""
    towns = "Ulm", "Ulm ", "ULM", "Ulm\u200b", "Köln", "Ko\u0308ln", "Bonn"
    return {
        "town": [towns[row * row % len(towns)] for row in range(rows)],
        "n": [row % 9 for row in range(rows)],
        "mark": [("yes", "no", "", " yes")[row % 4] for row in range(rows)],
    }


def formulas(rows: int = 30) -> Columns:
    """Return texts that a spreadsheet would run."""
    texts = "=1+1", "-x", "+y", "@z", "plain", "'quoted", "\tindented"
    return {
        "n": [row % 7 for row in range(rows)],
        "code": [("=A", "-B", "c")[row // 2 % 3] for row in range(rows)],
        "what": [texts[row % len(texts)] for row in range(rows)],
    }


def business(rows: int = 90, seed: int = 7) -> Columns:
    """Return skewed figures of firms, a few of them huge, by branch."""
    draw = random.Random(seed)
    return {
        "branch": [draw.choice(("food", "steel", "wood")) for _ in range(rows)],
        "turnover": [round(draw.paretovariate(1.1) * 100) for _ in range(rows)],
        "staff": [round(draw.paretovariate(1.3) * 5) for _ in range(rows)],
        "export": [round(draw.random(), 3) for _ in range(rows)],
    }


TABLES = {
    "people": people,
    "numbers": numbers,
    "ties": ties,
    "mixed": mixed,
    "clinic": clinic,
    "categories": categories,
    "visits": visits,
    "large": large,
    "padded": padded,
    "odd": odd,
    "moments": moments,
    "moments_plain": lambda: {name: moments()[name] for name in ("when", "day", "clock")},
    "kinds": kinds,
    "formulas": formulas,
    "hollow": hollow,
    "spellings": spellings,
    "business": business,
    "released": released,
    "few": lambda: people(12, 8),
    "twelve": lambda: ties(12, 16),
    "dozen": lambda: {name: cells for name, cells in mixed(12, 17).items() if name != "code"},
    "wide": lambda: numbers(60, 24, 9),
    "column": lambda: numbers(80, 1, 10),
    "duplicates": lambda: {name: cells * 4 for name, cells in categories(15, 11).items()},
    "constant": lambda: {"a": [7] * 30, "b": [row % 5 for row in range(30)]},
    "cloud": lambda: numbers(3000, 6, 13),
    "hundreds": lambda: people(600, 12),
    **{f"wave{number}": (lambda number=number: wave(number)) for number in (1, 2, 3)},
    **{f"year{number}": (lambda number=number: year(number)) for number in (1, 2)},
}
REFERENCE = ("census", "tarragona", "eia", "adult")


@cache
def table_of(name: str) -> Columns:
    """Return a table by its name; "census:300" are the first 300 records of a reference table."""
    if name in TABLES:
        return TABLES[name]()
    reference, _, first = name.partition(":")
    if reference not in REFERENCE:
        raise KeyError(f"there is no table {name}")
    folder = os.environ.get("SHOAL_DATA")
    if not folder:
        raise NotHereError(f"table {reference}: SHOAL_DATA is not set")
    with (Path(folder) / f"{reference}.csv").open(newline="", encoding="utf-8") as file:
        head, *body = csv.reader(file)
    body = body[: int(first or len(body))]
    return {name: _typed([row[at] for row in body]) for at, name in enumerate(head)}


def _typed(cells: list[str]) -> list[Any]:
    for kind in (int, float):
        try:
            return [kind(cell) if cell else None for cell in cells]
        except ValueError:
            continue
    return [cell or None for cell in cells]


def as_csv(table: Columns, delimiter: str = ",", **how: Any) -> str:
    """Return a table as the text of a csv."""
    out = io.StringIO()
    written = csv.writer(out, delimiter=delimiter, lineterminator=how.pop("end", "\n"), **how)
    written.writerow(table)
    written.writerows([_cell(cell) for cell in row] for row in zip(*table.values(), strict=True))
    return out.getvalue()


def _cell(cell: Any) -> str:
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def _german(table: Columns) -> str:
    """Return a csv as a German spreadsheet writes it: semicolons, decimal commas, day first."""

    def cell(value: Any) -> Any:
        if isinstance(value, float):
            return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))
        return f"{value:%d.%m.%Y}" if isinstance(value, datetime.date) else value

    return as_csv({n: [cell(c) for c in cells] for n, cells in table.items()}, ";")


def _with_marks(table: Columns) -> str:
    """Return a csv in which NA stands for what is missing."""
    return as_csv({n: ["NA" if c is None else c for c in cells] for n, cells in table.items()})


def _lines(table: Columns) -> str:
    rows = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
    return "".join(f"{json.dumps(row, default=str)}\n" for row in rows)


def _fixed(table: Columns) -> str:
    """Return a text of fixed widths, ten characters a column."""
    rows = [list(table), *zip(*table.values(), strict=True)]
    return "".join("".join(f"{_cell(cell):<10}" for cell in row).rstrip() + "\n" for row in rows)


def _zipped(table: Columns, *more: str) -> bytes:
    """Return a zip archive of a csv, and of other files with a line of text."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in (("people.csv", as_csv(table)), *((name, "a\n1\n") for name in more)):
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text)
    return out.getvalue()


def _zstd(text: bytes) -> bytes:
    import pyarrow as pa

    return pa.compress(text, codec="zstd", asbytes=True)


TEXTS = {  # ways to write a table as text: ending, and bytes of a table
    "csv": (".csv", lambda t: as_csv(t).encode()),
    "tsv": (".tsv", lambda t: as_csv(t, "\t").encode()),
    "txt": (".txt", lambda t: as_csv(t, "|").encode()),
    "crlf": (".csv", lambda t: as_csv(t, end="\r\n").encode()),
    "quoted": (".csv", lambda t: as_csv(t, quoting=csv.QUOTE_ALL).encode()),
    "apostrophes": (".csv", lambda t: as_csv(t, quotechar="'", quoting=csv.QUOTE_ALL).encode()),
    "german": (".csv", lambda t: _german(t).encode("cp1252")),
    "utf-16": (".csv", lambda t: as_csv(t).encode("utf-16")),
    "bom": (".csv", lambda t: as_csv(t).encode("utf-8-sig")),
    "commented": (".csv", lambda t: f"made by hand\n{as_csv(t)}# the end\n".encode()),
    "na": (".csv", lambda t: _with_marks(t).encode()),
    "fixed": (".txt", lambda t: _fixed(t).encode()),
    "csv.gz": (".csv.gz", lambda t: gzip.compress(as_csv(t).encode(), mtime=0)),
    "csv.zip": (".csv.zip", _zipped),
    "csv.bz2": (".csv.bz2", lambda t: bz2.compress(as_csv(t).encode())),
    "csv.zst": (".csv.zst", lambda t: _zstd(as_csv(t).encode())),
    "jsonl": (".jsonl", lambda t: _lines(t).encode()),
    # what is no table, or a broken one
    "zip of two": (".csv.zip", lambda t: _zipped(t, "more.csv")),
    "gzip named csv": (".csv", lambda t: gzip.compress(as_csv(t).encode(), mtime=0)),
    "cut gzip": (".csv.gz", lambda t: gzip.compress(as_csv(t).encode(), mtime=0)[:-99]),
    "bomb": (".csv.gz", lambda t: gzip.compress(as_csv(t).encode() + b"1,2\n" * 10**6, 9, mtime=0)),
    "pdf named csv": (".csv", lambda t: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(range(256))),
    "utf-16 without mark": (".csv", lambda t: as_csv(t).encode("utf-16-le")),
    "cut utf-16": (".csv", lambda t: as_csv(t).encode("utf-16")[:-1]),
    "a byte of latin-1": (".csv", lambda t: as_csv(t).encode().replace(b"Como", b"C\xf4mo", 1)),
    "cut parquet": (".parquet", lambda t: _bytes(_parquet, t)[:-40]),
    "csv named parquet": (".parquet", lambda t: as_csv(t).encode()),
    "cut feather": (".feather", lambda t: _bytes(_feather, t)[:-40]),
    "csv named xlsx": (".xlsx", lambda t: as_csv(t).encode()),
    "csv named sav": (".sav", lambda t: as_csv(t).encode()),
    "csv named sqlite": (".sqlite", lambda t: as_csv(t).encode()),
}  # fmt: skip


def _arrow(table: Columns) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(cells) for name, cells in table.items()})


def _frame(table: Columns) -> Any:
    import pandas as pd

    return pd.DataFrame(table)


def _parquet(table: Columns, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(_arrow(table), path)


def _bytes(write: Any, table: Columns) -> bytes:
    """Return what a library writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        write(table, path)
        return path.read_bytes()


def _feather(table: Columns, path: Path) -> None:
    from pyarrow import feather

    feather.write_feather(_arrow(table), path)


def _statistics(writer: str) -> Any:
    def write(table: Columns, path: Path) -> None:
        import pyreadstat

        plain = {name: [_plain(c) for c in cells] for name, cells in table.items()}
        getattr(pyreadstat, writer)(_frame(plain), str(path))

    return write


def _zsav(table: Columns, path: Path) -> None:
    _statistics("write_sav")(table, path.with_suffix(".sav"))
    path.with_suffix(".sav").rename(path)


def _plain(cell: Any) -> Any:
    return int(cell) if isinstance(cell, bool) else cell


def _labelled(table: Columns, path: Path) -> None:
    """Write an SPSS file with value labels, a label of a column and a user-missing code."""
    import pyreadstat

    codes = {"none": 1.0, "mild": 2.0, "moderate": 3.0, "severe": 4.0, None: 9.0}
    frame = _frame({**table, "pain": [codes[cell] for cell in table["pain"]]})
    labels = {"pain": {1.0: "none", 2.0: "mild", 3.0: "moderate", 4.0: "severe", 9.0: "unknown"}}
    pyreadstat.write_sav(
        frame, str(path), variable_value_labels=labels, column_labels={"age": "Age in years"},
        missing_ranges={"pain": [9.0]},
    )  # fmt: skip


def _workbook(table: Columns, path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "table"
    book.active.append(list(table))
    for row in zip(*table.values(), strict=True):
        book.active.append(row)
    book.create_sheet("empty")
    book.save(path)


def _opened(table: Columns, path: Path) -> None:
    """Write an OpenDocument spreadsheet, by hand: no library here does."""
    rows = "".join(
        f"<table:table-row>{''.join(map(_opened_cell, row))}</table:table-row>"
        for row in (list(table), *zip(*table.values(), strict=True))
    )
    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content{names}><office:body>'
        f'<office:spreadsheet><table:table table:name="table">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    listed = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        "</manifest:manifest>"
    )
    files = ("mimetype", kind), ("META-INF/manifest.xml", listed), ("content.xml", content)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files:
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text)


def _opened_cell(cell: Any) -> str:
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, bool):
        said = f'"boolean" office:boolean-value="{str(cell).lower()}"'
    elif isinstance(cell, int | float):
        said = f'"float" office:value="{cell}"'
    elif isinstance(cell, datetime.date):
        said = f'"date" office:date-value="{cell.isoformat()}"'
    else:
        said = '"string"'
    text = f"<text:p>{escape(str(cell))}</text:p>"
    return f"<table:table-cell office:value-type={said}>{text}</table:table-cell>"


def _formulas(table: Columns, path: Path) -> None:
    """Write a workbook whose first column is formulas, which nobody has computed."""
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(list(table))
    for first, *row in zip(*table.values(), strict=True):
        book.active.append([f"={first}+0", *row])
    book.save(path)


def _structs(table: Columns, path: Path) -> None:
    """Write Parquet whose first column is intervals, of which one has no lower end."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    name, *rest = table
    ends = [{"low": cell // 10 * 10, "high": cell // 10 * 10 + 10} for cell in table[name]]
    ends[0] = {"low": None, "high": ends[0]["high"]}
    arrays = {name: pa.array(ends), **{other: pa.array(table[other]) for other in rest}}
    pq.write_table(pa.table(arrays), path)


def _sqlite(table: Columns, path: Path) -> None:
    columns = ", ".join(f'"{name}"' for name in table)
    marks = ", ".join("?" * len(table))
    with sqlite3.connect(path) as base:
        base.execute(f"create table t ({columns})")
        rows = zip(*([_stored(c) for c in cells] for cells in table.values()), strict=True)
        base.executemany(f"insert into t values ({marks})", rows)  # noqa: S608
    base.close()


def _two_tables(table: Columns, path: Path) -> None:
    """Write a database of two tables, the second without the last column."""
    _sqlite(table, path)
    *names, _ = table
    with sqlite3.connect(path) as base:
        listed = ", ".join(f'"{name}"' for name in names)
        base.execute(f"create table u as select {listed} from t")  # noqa: S608
        base.execute("create view v as select * from t")
    base.close()


def _stored(cell: Any) -> Any:
    return cell.isoformat() if isinstance(cell, datetime.date) else _plain(cell)


def _duckdb(table: Columns, path: Path) -> None:
    import duckdb

    with duckdb.connect(str(path)) as base:
        base.register("given", _arrow(table))
        base.execute("create table t as select * from given")


BINARY = {  # ways to write a table by a library: ending, what writes it
    "parquet": (".parquet", _parquet),
    "feather": (".feather", _feather),
    "arrow": (".arrow", _feather),
    "sav": (".sav", _statistics("write_sav")),
    "zsav": (".zsav", _zsav),
    "dta": (".dta", _statistics("write_dta")),
    "xpt": (".xpt", _statistics("write_xport")),
    "labelled": (".sav", _labelled),
    "xlsx": (".xlsx", _workbook),
    "ods": (".ods", _opened),
    "formulas": (".xlsx", _formulas),
    "structs": (".parquet", _structs),
    "sqlite": (".sqlite", _sqlite),
    "sqlite-two": (".sqlite", _two_tables),
    "duckdb": (".duckdb", _duckdb),
}  # fmt: skip


def _polars(table: Columns) -> Any:
    import polars

    return polars.DataFrame(table)


def _categorical(table: Columns) -> Any:
    frame = _frame(table)
    for name in ("sex", "town"):
        frame[name] = frame[name].astype("category")
    return frame.set_index("id")


def _array(table: Columns) -> Any:
    import numpy as np

    return np.array(list(table.values()), float).T


OBJECTS = {  # ways to hand a table over in memory
    "dict": lambda t: {name: list(cells) for name, cells in t.items()},
    "rows": lambda t: [list(row) for row in zip(*t.values(), strict=True)],
    "records": lambda t: [dict(zip(t, row, strict=True)) for row in zip(*t.values(), strict=True)],
    "pandas": _frame,
    "categorical": _categorical,
    "polars": _polars,
    "lazy": lambda t: _polars(t).lazy(),
    "pyarrow": _arrow,
    "stream": lambda t: _arrow(t).to_reader(),
    "numpy": _array,
}


def hand_over(name: str, way: str, place: Path) -> Any:
    """Return a table as an object, or the name of a file that holds it in a folder.

    "file:NAME" is a file that the case has written itself.
    """
    if name.startswith("file:"):
        return name.removeprefix("file:")
    table = table_of(name)
    if way in OBJECTS:
        return OBJECTS[way](table)
    stem = name.replace(":", "-")
    if way.startswith("parts"):  # a folder of three files of a kind
        return _parts(table, way.partition("-")[2] or "csv", place / f"{stem}-parts")
    ending, write = TEXTS.get(way) or BINARY[way]
    path = place / f"{stem}{ending}"
    if way in TEXTS:
        path.write_bytes(write(table))
    else:
        write(table, path)
    return f"{path.name}#t" if way in ("sqlite", "duckdb", "csv named sqlite") else path.name


def _parts(table: Columns, way: str, folder: Path) -> str:
    folder.mkdir()
    rows = len(next(iter(table.values())))
    ending, write = TEXTS.get(way) or BINARY[way]
    for number in range(3):
        cut = slice(number * rows // 3, (number + 1) * rows // 3)
        some = {name: cells[cut] for name, cells in table.items()}
        path = folder / f"part{number}{ending}"
        if way in TEXTS:
            path.write_bytes(write(some))
        else:
            write(some, path)
    return f"{folder.name}/*{ending}"
