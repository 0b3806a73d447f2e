"""What lies in the files that a run has written, read by others than the program itself."""

from __future__ import annotations

import csv
import gzip
import io
import json
import stat
from itertools import pairwise
from pathlib import Path
from typing import Any

from goldens.telling import hash_of, told, without_places

REPORTS = "report.json", "comparison.json"
PAPERS = ".json", ".html", ".md", ".toml"
PASSING = "shoal = ", "sha256 = ", "commitment = ", "# "  # lines of a recipe that change


def names_in(place: str | Path) -> list[str]:
    """Return the names of all files in a folder, in order; what others may read is said."""
    folder = Path(place)
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            secret = "" if stat.S_IMODE(path.stat().st_mode) & 0o077 else " (private)"
            found.append(f"{path.relative_to(folder)}{secret}")
    return found


def told_of(output: str) -> dict[str, Any]:
    """Return what an output holds: its files, cells, and the figures of both of its reports."""
    place = Path(output)
    private = Path(f"{output.rstrip('/')}.private")
    whole = output.endswith("/") or place.is_dir()
    parts = sorted([*place.glob("release.*"), *place.glob("part-*.parquet")]) if whole else [place]
    beside = place if whole else place.parent
    if not whole:
        private = place.with_name(f"{place.name.split('.')[0]}.private")
    found: dict[str, Any] = {}
    if whole and place.is_dir():
        found["files"] = names_in(place)
    elif place.parent.is_dir():
        found["files"] = [
            n for n in names_in(place.parent) if n.split(".")[0] == place.name.split(".")[0]
        ]
    if private.is_dir():
        found["private files"] = names_in(private)
    public, exact = _figures(beside), _figures(private)
    in_order = {**exact, **public}.get("order of release", "shuffled") != "shuffled"
    alike = sorted(name for name in public if name in exact and public[name] == exact[name])
    found |= {f"public: {name}": public[name] for name in public if name not in alike} | exact
    if alike:  # said once, and which they are by a hash
        found["public as private"] = [len(alike), hash_of(alike)]
    cells = [cells_in(part, in_order) for part in parts if part.exists()]
    if cells:
        found["cells"] = cells[0][0] if len(cells) == 1 else hash_of([one for one, _ in cells])
        rising = sorted({name for _, names in cells for name in names})
        found |= {"sorted by": rising} if rising else {}
    return found


def _figures(folder: Path) -> dict[str, Any]:
    """Return the figures of the reports in a folder."""
    found = {}
    for path in (folder / name for name in REPORTS):
        if path.is_file():
            found |= told(json.loads(path.read_text("utf-8")))
    return found


def looked_at(names: list[str]) -> dict[str, str]:
    """Return what files hold that a command wrote beside its answer."""
    found = {}
    for name in names:
        if Path(name).is_dir():
            every = sorted(path for path in Path(name).iterdir() if path.suffix not in PAPERS)
            found |= {f"file {path}": cells_in(path)[0] for path in every}
        else:
            found[f"file {name}"] = _content(Path(name))
    return found


def folder_of(given: str) -> str:
    """Return the folder of files that a table was handed over as."""
    return given.rpartition("/")[0] if given.endswith(("*", "*.csv", "*.parquet")) else given


def _content(path: Path) -> str:
    """Return a hash of cells, of a tree or of lines; of pages and drawings, that they are there."""
    if not path.exists():
        return "not there"
    if path.name.endswith((".csv", ".parquet", ".jsonl")):
        head, rows = _table_in(path)
        return hash_of([head, [[str(cell) for cell in row] for row in rows]])
    if path.suffix == ".json":
        return hash_of(json.loads(path.read_text("utf-8")))
    if path.suffix == ".toml":
        lines = without_places(path.read_text("utf-8"), str(Path.cwd())).splitlines()
        return hash_of([line for line in lines if not line.startswith(PASSING)])
    return path.suffix


def cells_in(path: Path, in_order: bool = False) -> tuple[str, list[str]]:
    """Return a hash of the cells of a released file, in no order unless it is said to be kept.

    Of the columns, those are named whose cells rise from row to row: a shuffled file has none.
    """
    head, rows = _table_in(path)
    texts = [[str(cell) for cell in row] for row in rows]
    columns = zip(head, zip(*texts, strict=False), strict=False)
    rising = [name for name, cells in columns if all(a < b for a, b in pairwise(cells))]
    return hash_of([head, texts if in_order else sorted(texts)]), rising if texts[5:] else []


def _table_in(path: Path) -> tuple[list[str], list[Any]]:
    name = path.name
    if name.endswith((".csv", ".tsv", ".txt", ".gz")):
        raw = path.read_bytes()
        text = _decoded(gzip.decompress(raw) if name.endswith(".gz") else raw)
        head, *rows = csv.reader(io.StringIO(text, newline=""))
        return [*head, _written(raw, text)], rows
    if name.endswith(".jsonl"):
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return sorted({key for line in lines for key in line}), [
            sorted(one.items()) for one in lines
        ]
    if name.endswith(".parquet"):
        import pyarrow.parquet as pq

        return _of_arrow(pq.read_table(path))
    if name.endswith((".feather", ".arrow")):
        from pyarrow import feather

        return _of_arrow(feather.read_table(path))
    if name.endswith(".xlsx"):
        from openpyxl import load_workbook

        head, *rows = load_workbook(path).worksheets[0].values
        return list(head), rows
    import pyreadstat

    read = {"dta": "read_dta", "xpt": "read_xport"}.get(name.rpartition(".")[2], "read_sav")
    frame, about = getattr(pyreadstat, read)(str(path))
    labels = [str(about.variable_value_labels), str(about.column_names_to_labels)]
    return [*frame.columns, *labels], frame.to_numpy().tolist()


def _written(raw: bytes, text: str) -> str:
    """Return how a csv is written, as far as its cells do not show it."""
    mark = (
        "with a mark" if raw[:3] == b"\xef\xbb\xbf" or raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
    )
    ascii_only = "" if text.isascii() else f"{len(raw) - len(text)} bytes more than letters"
    ends = "lines end with \\r\\n" if "\r\n" in text else ""
    return f"{mark} {ascii_only} {ends}"


def _of_arrow(table: Any) -> tuple[list[str], list[Any]]:
    head = [f"{field.name}: {field.type}" for field in table.schema]
    return head, [list(row.values()) for row in table.to_pylist()]


def _decoded(raw: bytes) -> str:
    for encoding in (
        ("utf-16",) if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252")
    ):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")
