"""Excel workbooks: python-calamine reads the cells, once the file holds nothing but cells.

A workbook is a zip of XML, and most of what it may hold is not seen by whoever reads its cells:
formulas, comments, drawings, hidden rows, properties. Only parts and elements are let pass that
hold cells, or how they look.
"""

from __future__ import annotations

import html
import io
import itertools
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from shoal.errors import InputError, pip_install, shown
from shoal.judge.arrow_tables import of_values
from shoal.judge.checks import check_names, check_unpacked, more
from shoal.judge.engine import Engine
from shoal.judge.source import Source

READER = "python-calamine"
BOOKS = "xlsx", "xlsm"
OTHERS = "xlsb", "xls", "ods"  # of which nobody can say what they hold beside their cells
EXACT = 2.0**53  # up to which floats are whole numbers
FONT = "|r|rPr|rFont|b|i|u|sz|color|family|charset|scheme|vertAlign|strike"
ANY = r"\w+"
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
FORMAT_CODE = re.compile(r'formatCode="([^"]*)"')
# what a section of a number format shows beside its value: texts in quotes, signs, a currency
SHOWN = re.compile(r"\"(.*?)\"|\\(.)|\[\$([^\]-]{5,}|[^\]-]*\d)[^\]]*\]|\[[^\]]*\]|[_*].")
PLACES = re.compile(r"[0#?@ymdhsge]|general", re.I)


def workbook_table(engine: Engine, path: Path, kind: str, table: str, published: bool) -> Source:
    """Make a table of the one sheet that holds something; its first row is the header."""
    if kind in OTHERS and published:
        raise InputError(
            f"{path.name}: what such a workbook holds beside its cells cannot be seen; save it as "
            "xlsx, csv or Parquet"
        )
    try:
        import python_calamine as calamine
    except ImportError:
        raise InputError(
            f"{path.name}: this is a spreadsheet; {pip_install('formats')} to read it"
        ) from None
    raw = path.read_bytes()
    try:
        if raw.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                size = sum(part.file_size for part in archive.infolist())
                check_unpacked(size, len(raw), path.name)
                if published:
                    _check(archive, path.name)
        with calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw)) as book:
            sheets = [book.get_sheet_by_name(one).to_python() for one in book.sheet_names]
    except (calamine.CalamineError, zipfile.BadZipFile, UnicodeError, RuntimeError):
        raise InputError(f"{path.name}: not a whole workbook, or one with a password") from None
    filled = [rows for rows in sheets if rows]
    if len(filled) != 1:
        raise InputError(
            f"{path.name}: {len(filled)} sheets hold something; save the release as the only one"
        )
    header, *records = filled[0]
    if not all(isinstance(cell, str) and cell for cell in header):
        raise InputError(f"{path.name}: the first row of the sheet must name every column")
    names = [str(cell) for cell in header]
    check_names(names, path.name)
    columns = {name: [_value(row[at]) for row in records] for at, name in enumerate(names)}
    return of_values(engine, table, columns, path.name, READER)


def _value(cell: Any) -> Any:
    """Return a cell's value; a blank one is missing, and a sheet's whole numbers are floats."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < EXACT:
        return int(cell)
    return None if cell == "" else cell


def _check(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse what whoever reads the cells does not see."""
    used: set[str] = set()
    strings, parts = 0, archive.namelist()
    for part in parts:
        elements = next((own for known, own in PARTS.items() if re.fullmatch(known, part)), None)
        if elements is None or parts.count(part) > 1:
            raise _more(name, f"the part {shown(part)}")
        content = archive.read(part).decode()
        counts = Counter(found[1] for found in ELEMENT.finditer(content))
        foreign = counts.keys() - elements.split("|")
        if foreign and elements != ANY:
            raise _more(name, f"{shown(min(foreign))} in {part}")
        if NOT_PLAIN.search(content) or (elements != ANY and HIDDEN.search(content)):
            raise _more(name, f"something that is hidden, or elsewhere, in {part}")
        if not all(map(_shows_value, FORMAT_CODE.findall(content))):
            raise _more(name, "a number format that shows something else than the value")
        texts = PROPERTY.findall(content) if part.startswith("docProps/") else []
        sheets = SHEET_NAME.findall(archive.read("xl/workbook.xml").decode()) if texts else []
        is_told = all(text in sheets or TOLD.fullmatch(f"{tag}={text}") for tag, text in texts)
        if not is_told or (not texts and TEXT.search(content)):
            raise _more(name, f"a text in {part}")
        places = ((int(one[2]), len(one[1]), one[1]) for one in CELL.finditer(content))
        rises = sum(
            place < other
            for place, other in itertools.pairwise(itertools.chain([(0, 0, "")], places))
        )
        if rises < counts["c"] or TWO_VALUES.search(content):
            raise _more(name, f"cells that are there twice, in {part}")
        used |= set(STRING.findall(content))
        strings += counts["si"]
    if len(used) < strings or archive.comment:
        raise _more(name, "texts that no cell has")


def _shows_value(code: str) -> bool:
    """Tell whether every section of a number format shows the number, date or text itself."""
    for section in html.unescape(code).split(";"):
        plain = SHOWN.sub("", section)
        is_text = any(re.search(r"\w", "".join(found)) for found in SHOWN.findall(section))
        is_if = re.search(r"\[[^\]]*[<>=]", section)
        if is_text or is_if or '"' in plain or not PLACES.search(plain):
            return False
    return True


def _more(name: str, what: str) -> InputError:
    return more(name, what, "save the values alone in a new workbook, or write csv")
