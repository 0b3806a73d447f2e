"""What a job leaves behind: charts, archives, and the list of downloads with what each is."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.backends.private_folder import RECIPE, REPORT, private_folder
from shoal.hints import said
from shoal.report.reload import load_report
from shoal.settings import load
from shoal.settings.hints import stored
from shoal.table.files.database_names import file_of, table_of
from shoal.web.messages import CHARTS, MADE, PACKED, PRIVATE, write_json

SAYS = {
    "release": "the table that may be released",
    PRIVATE: "exact report, recipe, key of the commitments: do not publish",
    "report.html": "the report, for people",
    "report.json": "the report, for programs",
    "run.toml": "the recipe, without what only you may know",
    "certificate.json": "what was verified, with the hashes of all files",
    "certificate.schema.json": "the schema of the certificate",
    "dictionary.csv": "the columns of the release, explained",
    "README.md": "what is in this pack",
    "comparison.csv": "all runs",
    "comparison.json": "all runs, for programs",
    "comparison.html": "all runs as a page",
}


def finished(
    place: Path, drawn: list[dict[str, Any]], request: Mapping[str, Any], notes: Sequence[str]
) -> dict[str, Any]:
    """Write the charts and an archive of the results; return the list of downloads.

    Hierarchies lie beside: their lines may hold values that the release does not show. Notes that
    the report's file has as a recipe says them are shown in the words of the page.
    """
    made = place / MADE
    (place / CHARTS).mkdir(mode=0o700)
    for number, chart in enumerate(drawn):
        write_json(place / CHARTS / f"{number}.json", chart.pop("spec"))
        chart["id"] = number
    names = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    _zipped(place / PACKED, made, names)
    files = [_file(place / PACKED, PACKED, "all of these that may be handed over")]
    files += [_file(made / name, name, SAYS.get(name, SAYS["release"])) for name in names]
    report, own = None, private_folder(made)
    if own.is_dir():
        _carried(own, request)
        report = json.loads((own / REPORT).read_bytes())
        whole = load_report(own / REPORT)[0]
        shown = {stored(note): said(note) for note in notes}
        report["notes"] = [shown.get(note, note) for note in report["notes"]]
        report |= {"made_by": whole.made_by(), "said_of_constant": whole.constant_notes()}
        _zipped(place / PRIVATE, own, sorted(path.name for path in own.iterdir()))
        files.append(_file(place / PRIVATE, PRIVATE, SAYS[PRIVATE]))
    for rule, name in request["trees"].items():
        (made / name).parent.mkdir(mode=0o700, exist_ok=True)
        shutil.copyfile(rule, made / name)
        files.append(_file(made / name, name, "a hierarchy that was used; not to be published"))
    return {"report": report, "files": files, "charts": drawn}


def _carried(own: Path, request: Mapping[str, Any]) -> None:
    """Rewrite the recipe in a private folder with the download names of files."""
    names = {str(Path(rule).resolve()): name for rule, name in request["trees"].items()}
    recipe = load(own / RECIPE)
    trees = {
        column: names.get(str((own / rule).resolve()), rule)
        for column, rule in recipe.hierarchies.items()
    }
    path = Path(request["path"])
    table = table_of(path)
    name = f"{file_of(path).name}#{table}" if table else path.name
    noted = {} if recipe.series.ledger is None else {"ledger": Path(recipe.series.ledger).name}
    published = recipe.replace(input={"path": name}, release={"output": None}, series=noted)
    published = published.model_copy(update={"hierarchies": trees})
    (own / RECIPE).write_text(published.to_toml(), encoding="utf-8")


def _zipped(path: Path, folder: Path, names: list[str]) -> None:
    """Write an archive: a tenth larger than it could be, in a seventh of the time."""
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in names:
            archive.write(folder / name, name)


def _file(path: Path, name: str, says: str) -> dict[str, Any]:
    return {"name": name, "bytes": path.stat().st_size, "says": says}
