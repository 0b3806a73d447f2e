"""Files that their own libraries read: of SPSS, Stata and SAS, Feather, Excel, and of databases.

What pyreadstat and pyarrow read, they read in a fresh process: all that it knows of the file is its
bytes, and it answers with an Arrow file in the private folder, and with an exit code. A workbook is
a zip of XML, and most of what it may hold is not seen by whoever reads its cells: formulas,
comments, drawings, hidden rows, properties. Only parts and elements are let pass that hold cells,
or how they look. Of a database, only the table is judged: that its file holds more is said.
"""

from __future__ import annotations

import html
import io
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from shoal.errors import listed, pip_install, shown
from shoal.judge import fresh_reader as reader
from shoal.judge import in_words, refuse
from shoal.judge.arrow_tables import check_hidden, load, of_values
from shoal.judge.engine import CLOSED, Engine, quoted
from shoal.judge.parquet import check_metadata
from shoal.judge.source import RATIO, Source, check_names, check_unpacked, more

REASONS = {
    0: "",
    reader.LACKING: f"this is a file of SPSS, Stata or SAS; {pip_install('formats')} to read it",
    reader.LARGE: f"unpacks to more than {RATIO} times its size; not a table",
    reader.BROKEN: "not a whole file of its kind, or damaged",
}
LABELS = "the labels of the columns and of the file were not judged; read what they tell"
BOOKS = "xlsx", "xlsm"
OTHERS = "xlsb", "xls", "ods"  # of which nobody can say what they hold beside their cells
EXACT = 2.0**53  # up to which floats are whole numbers
FONT = "|r|rPr|rFont|b|i|u|sz|color|family|charset|scheme|vertAlign|strike"
ANY = r"\w+"
ANEW = "save the values alone in a new workbook, or write csv"
# parts of a workbook, and the elements that each may have
PARTS = {
    r"\[Content_Types\]\.xml": "Types|Default|Override",
    r"(xl/)?_rels/(workbook\.xml)?\.rels": "Relationships|Relationship",
    r"docProps/(app|core)\.xml": ANY,
    r"xl/(styles|theme/theme\d+)\.xml": ANY,
    r"xl/workbook\.xml": "workbook|fileVersion|workbookPr|workbookProtection|bookViews|workbookView"
    "|sheets|sheet|definedNames|calcPr|AlternateContent|Choice|absPath|revisionPtr|extLst|ext"
    "|calcFeatures|feature",
    r"xl/sharedStrings\.xml": "sst|si|t|phoneticPr" + FONT,
    r"xl/worksheets/sheet\d+\.xml": "worksheet|sheetPr|tabColor|outlinePr|pageSetUpPr|dimension"
    "|sheetViews|sheetView|pane|selection|sheetFormatPr|cols|col|sheetData|row|c|v|is|t|pageMargins"
    "|pageSetup|printOptions|sheetProtection|ignoredErrors|ignoredError|phoneticPr" + FONT,
}
ELEMENT = re.compile(r"<(?:\w+:)?(\w+)")
TEXT = re.compile(r"<(?!/|(?:\w+:)?[vt][ >])[^>]*>\s*[^<\s]")  # that is not of a cell
PROPERTY = re.compile(r"<(?:\w+:)?(\w+)[^>]*>([^<]*[^<\s][^<]*)")
NOT_PLAIN = re.compile(r"<!|<\?(?!xml )|<(?!\?)[^>]*=\s*'|TargetMode\s*=\s*\"External")
HIDDEN = re.compile(
    r'\b(?:hidden|zeroHeight)\s*=\s*"(?!0"|false")|\b(?:ht|width)\s*=\s*"0(?:\.0*)?"'
    r'|\b(?:state|visibility)\s*=\s*"(?!visible"|frozen|split)'
)
# properties that tell nothing: dates, numbers, and names of programs
TOLD = re.compile(
    r"(created|modified|lastPrinted)=[\dTZ:.+-]+|(creator|lastModifiedBy)=openpyxl|revision=\d+"
    r"|(DocSecurity|TotalTime|AppVersion|i4)=[\d.]+|lpstr=(Worksheets|Arbeitsblätter)"
    r"|(ScaleCrop|LinksUpToDate|SharedDoc|HyperlinksChanged)=(true|false)"
    r"|Application=(Microsoft (Macintosh )?Excel|LibreOffice)[\w./$ ]{0,80}"
)
SHEET_NAME = re.compile(r'<(?:\w+:)?sheet [^>]*\bname="([^"]*)"')
CELL, STRING = re.compile(r'<c r="([A-Z]+)(\d+)"'), re.compile(r'\bt="s"[^>]*><v>(\d+)</v>')
TWO_VALUES = re.compile(r"</(?:\w+:)?(?:v|is)>\s*<(?:\w+:)?(?:v|is)\b")
DIGITS = re.compile(r'<c(?![^>]*\bt="(?!n"))[^>]*>\s*<v>[^<]{25}')  # a double has fewer signs
FORMAT_CODE = re.compile(r'formatCode="([^"]*)"')
# what a section of a number format shows beside its value: texts in quotes, signs, a currency
SHOWN = re.compile(r"\"(.*?)\"|\\(.)|\[\$([^\]-]{5,}|[^\]-]*\d)[^\]]*\]|\[[^\]]*\]|[_*].")
PLACES = re.compile(r"[0#?@ymdhsge]|general", re.I)
SQLITE, DUCKDB = b"SQLite format 3\0", b"DUCK"
EVERY = {
    "sqlite": "SELECT 'main', name FROM sqlite_schema WHERE type IN ('table', 'view') "
    "AND name NOT GLOB 'sqlite_*'",
    "duckdb": "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal "
    "UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal",
}


def library_table(
    engine: Engine, path: Path, kind: str, table: str, published: bool, by: str
) -> Source:
    """Make a table of a file of one of these kinds, read `by` its library."""
    if kind not in (*BOOKS, *OTHERS):
        return _fresh_table(engine, path, kind, table, published, by)
    refuse((
        kind in OTHERS and published,
        f"{path.name}: what such a workbook holds beside its cells cannot be seen; save it as "
        "xlsx, csv or Parquet",
    ))  # fmt: skip
    filled = [rows for rows in _sheets(path, published) if rows]
    refuse((
        len(filled) != 1,
        f"{path.name}: {len(filled)} sheets hold something; save the release as the only one",
    ))  # fmt: skip
    header, *records = filled[0]
    refuse((not all(isinstance(cell, str) and cell for cell in header),
            f"{path.name}: the first row of the sheet must name every column"))  # fmt: skip
    check_names(header, path.name)
    columns = {str(name): [_value(row[at]) for row in records] for at, name in enumerate(header)}
    return of_values(engine, table, columns, path.name, by)


def _fresh_table(
    engine: Engine, path: Path, kind: str, table: str, published: bool, by: str
) -> Source:
    """Make a table of a file that a fresh process reads."""
    target, none = engine.new_file(), subprocess.DEVNULL
    code = subprocess.run(
        [sys.executable, "-P", reader.__file__, str(path.resolve()), kind, str(target)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}, check=False,
        stdin=none, stdout=none, stderr=none,
    ).returncode  # fmt: skip
    refuse((code, f"{path.name}: {REASONS.get(code, 'the process that reads it ended')}"))
    with pa.memory_map(str(target)) as file:
        given = pa.ipc.open_file(file).read_all()
        told = dict(given.schema.metadata)
        beside, said = json.loads(told.pop(reader.BESIDE)), json.loads(told.pop(reader.SAID))
        given = given.replace_schema_metadata(told)
        if published:
            refuse((beside, more(path.name, listed(beside))))
            check_hidden(given, path.name)
            check_metadata(given.schema, {}, path.name)
        source = load(engine, table, given, path.name, by)
        return replace(source, warnings=(f"{path.name}: {LABELS}",)) if said else source


def _value(cell: Any) -> Any:
    """Return a cell's value; a blank one is missing, and a sheet's whole numbers are floats."""
    is_whole = isinstance(cell, float) and cell.is_integer() and abs(cell) < EXACT
    return int(cell) if is_whole else None if cell == "" else cell


def _sheets(path: Path, published: bool) -> list[list[list[Any]]]:
    """Return the cells of each sheet of a workbook, which may hold nothing else."""
    what = f"{path.name}: this is a spreadsheet; {pip_install('formats')} to read it"
    with in_words(what, ImportError):
        import python_calamine as calamine
    raw = path.read_bytes()
    with in_words(
        f"{path.name}: not a whole workbook, or one with a password",
        calamine.CalamineError, zipfile.BadZipFile, UnicodeError, RuntimeError,
    ):  # fmt: skip
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                size = sum(part.file_size for part in archive.infolist())
                check_unpacked(size, len(raw), path.name)
                if published:
                    _check_zip(archive, raw, path.name)
                    _check_parts(archive, path.name)
        with calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw)) as book:
            return [book.get_sheet_by_name(one).to_python() for one in book.sheet_names]


def _check_zip(archive: zipfile.ZipFile, raw: bytes, name: str) -> None:
    """Refuse comments, and bytes that belong to no part; Excel leaves zeros behind names."""
    members = sorted(archive.infolist(), key=lambda one: one.header_offset)
    starts = [*(one.header_offset for one in members), archive.start_dir]
    is_plain = starts[0] == 0 and not archive.comment
    for one, next_one in zip(members, starts[1:], strict=True):
        names, extras = struct.unpack_from("<HH", raw, one.header_offset + 26)
        start = one.header_offset + 30 + names
        rest = next_one - start - extras - one.compress_size
        is_plain &= rest in ((12, 16, 24) if one.flag_bits & 8 else (0,)) and not one.comment
        for extra in (one.extra, raw[start : start + extras]):
            is_plain &= len(extra) < 33 or not extra[8:].strip(b"\0")
    refuse((not is_plain, more(name, "bytes or comments around the parts of its zip", ANEW)))


def _check_parts(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse what whoever reads the cells does not see."""
    used, strings, parts = set[str](), 0, archive.namelist()
    for part in parts:
        elements = next((own for known, own in PARTS.items() if re.fullmatch(known, part)), "")
        refuse((not elements or parts.count(part) > 1,
                more(name, f"the part {shown(part)}", ANEW)))  # fmt: skip
        content = archive.read(part).decode()
        tags = ELEMENT.findall(content)
        foreign = set(tags) - set(elements.split("|")) if elements != ANY else ()
        texts = PROPERTY.findall(content) if part.startswith("docProps/") else []
        sheets = SHEET_NAME.findall(archive.read("xl/workbook.xml").decode()) if texts else []
        is_told = all(text in sheets or TOLD.fullmatch(f"{tag}={text}") for tag, text in texts)
        places = [(int(one[2]), len(one[1]), one[1]) for one in CELL.finditer(content)]
        is_plain = places == sorted(set(places)) and len(places) == tags.count("c")
        hidden = elements != ANY and HIDDEN.search(content)
        formats = [one for code in FORMAT_CODE.findall(content)
                   for one in html.unescape(code).split(";")]  # fmt: skip
        refuse(*((is_wrong, more(name, f"{what} in {part}", ANEW)) for is_wrong, what in (
            (foreign, "a formula" if "f" in foreign else shown(min(foreign, default=""))),
            (NOT_PLAIN.search(content) or hidden, "something that is hidden, or elsewhere,"),
            (not all(map(_shows_value, formats)), "a number format that shows another value"),
            (not is_told or (not texts and TEXT.search(content)), "a text or property"),
            (not is_plain or TWO_VALUES.search(content), "cells that are there twice,"),
            (DIGITS.search(content), "numbers of more digits than a double has"),
        )))  # fmt: skip
        used |= set(STRING.findall(content))
        strings += tags.count("si")
    refuse((len(used) < strings, more(name, "texts that no cell has", ANEW)))


def _shows_value(section: str) -> bool:
    """Tell whether a section of a number format shows the number, date or text itself."""
    plain, texts = SHOWN.sub("", section), "".join(map("".join, SHOWN.findall(section)))
    is_if = re.search(r"\[[^\]]*[<>=]", section)
    return bool(PLACES.search(plain)) and not (re.search(r"\w", texts) or is_if or '"' in plain)


def database_table(engine: Engine, file: Path, wanted: str, table: str) -> Source:
    """Make a table of one in a database file; if none is named, there must be one alone.

    The file is opened to be read alone, by a connection of its own that opens nothing else.
    """
    import duckdb

    kind, words = _kind(file), "not a whole database, or another program is writing to it"
    with (
        in_words(f"{file.name}: {words}", sqlite3.Error, duckdb.Error),
        closing(_connection(file, kind)) as own,
    ):
        every = [tuple(map(str, row)) for row in own.execute(EVERY[kind]).fetchall()]
        schema, name = _chosen(every, wanted, file.name)
        where, title = f"{quoted(schema)}.{quoted(name)}", f"{file.name}#{name}"
        if kind == "sqlite":
            rows = own.execute(f"SELECT * FROM {where}")
            heads = [str(head) for head, *_ in rows.description]
            cells = list(map(list, zip(*rows, strict=True))) or [[] for _ in heads]
            check_names(heads, title)
            columns = dict(zip(heads, cells, strict=True))
            source = of_values(engine, table, columns, title, "Python's sqlite3")
        else:
            kinds = own.execute(f"DESCRIBE SELECT * FROM {where}").fetchall()
            texts = ", ".join(  # spans of time and bits
                f"{quoted(one)}::VARCHAR AS {quoted(one)}" if of in ("INTERVAL", "BIT")
                else quoted(one) for one, of, *_ in kinds
            )  # fmt: skip
            given = own.sql(f"SELECT {texts} FROM {where}").to_arrow_table()
            check_hidden(given, title)
            source = load(engine, table, given, title, "DuckDB")
    others = f", and {len(every) - 1} other tables or views" if len(every) > 1 else ""
    warning = (
        f"only the table {shown(name)} was judged: whatever else {file.name} holds goes with it "
        f"(what was deleted may still be in it{others}); publish a csv or Parquet file"
    )
    return replace(source, warnings=(warning,))


def _kind(file: Path) -> str:
    """Return what a database file is, by its first bytes; its changes must be in it."""
    with file.open("rb") as raw:
        head = raw.read(len(SQLITE))
    kind = "sqlite" if head == SQLITE else "duckdb" if head[8:12] == DUCKDB else ""
    refuse((not kind, f"{file.name}: not a DuckDB or SQLite database, or an encrypted one"))
    for ending in ("-wal", "-journal") if kind == "sqlite" else (".wal",):
        beside = file.with_name(file.name + ending)
        refuse((beside.is_file() and beside.stat().st_size,
                f"{file.name}: changes to it are not yet in the file ({beside.name})"))  # fmt: skip
    return kind


def _connection(file: Path, kind: str) -> Any:
    """Return a connection that changes nothing, and makes no file beside it."""
    import duckdb

    if kind == "duckdb":
        closed = {**CLOSED, "enable_external_access": False, "lock_configuration": True}
        return duckdb.connect(str(file.absolute()), read_only=True, config=closed)
    place = f"file:{quote(str(file.absolute()))}?mode=ro&immutable=1"
    connection = sqlite3.connect(place, uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    if file.stat().st_size % page:  # SQLite would read zeros after its end
        raise sqlite3.DatabaseError
    return connection


def _chosen(every: list[tuple[str, ...]], wanted: str, file: str) -> tuple[str, ...]:
    """Return the table that is meant, as schema and name."""
    texts = {one: one[1] if one[0] == "main" else ".".join(one) for one in every}
    meant = [one for one, text in texts.items() if wanted in ("", text, ".".join(one))]
    what = f"no table {shown(wanted)}" if wanted and not meant else "no single table"
    there = listed(texts.values()) or "there is none"
    refuse((len(meant) != 1, f"{file}: {what} in this database; say {file}#NAME: {there}"))
    return meant[0]
