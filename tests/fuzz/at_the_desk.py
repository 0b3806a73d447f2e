"""A case by the desk's routes: upload, look, start, wait, take the files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from fuzz import doors
from fuzz.cases import Case, Finding
from fuzz.checks import Released, check_release, original_of
from fuzz.options import WRITTEN
from fuzz.reading import read_release, typed
from fuzz.running import Outcome
from fuzz.sources import plain_values, to_source

READING = ("missing", "types", *WRITTEN)


def run_desk(case: Case, folder: Path, desk: Any) -> Outcome:
    """Run a case as a page would; what is said against it is a refusal."""
    try:
        path = to_source(case, folder)
    except Exception:
        return Outcome("no table")
    answer = desk.ask("POST", f"/files?name={path.name}", path.read_bytes(),
                      {"Content-Type": "application/octet-stream"})  # fmt: skip
    if answer.status != 201:
        return _ended(case, answer, "upload")
    key = answer.json["id"]
    try:
        return _run_file(case, folder, desk, key)
    finally:
        desk.ask("DELETE", f"/files/{key}")


def _run_file(case: Case, folder: Path, desk: Any, key: str) -> Outcome:
    looked = desk.wait(f"/files/{key}.json", lambda told: told["state"] != "looking", 120)
    if looked["state"] != "ready":
        return Outcome(
            "refused", str(looked.get("error", "")), _bad(case, str(looked.get("error")))
        )
    options = {n: v for n, v in case.options.items() if n not in {*doors.NOT_THERE, "threads"}}
    trees = options.get("hierarchies")
    if isinstance(trees, dict):
        options["hierarchies"] = {c: r for c, r in trees.items() if not r.startswith("file:")}
    recipe = doors.recipe_tree(options)
    found = _previewed(case, desk, key, recipe) if case.seed % 3 == 0 else []
    body = {"file": key, "kind": "anonymize", "recipe": recipe}
    body["format"] = ("csv", "parquet", "csv.gz")[case.seed // 3 % 3]
    answer = desk.ask("POST", "/jobs", body)
    if answer.status not in (200, 201):
        ended = _ended(case, answer, "start")
        return Outcome(ended.ended, ended.said, [*found, *ended.findings])
    told = desk.done(answer.json["id"], 180)
    if told["state"] != "done":
        said = str(told.get("error", ""))
        return Outcome("refused", said, [*found, *_bad(case, said)])
    found += _pack(case.replace(options=options), folder, desk, answer.json["id"])
    desk.ask("DELETE", f"/jobs/{answer.json['id']}")
    return Outcome("released", "", found)


def _previewed(case: Case, desk: Any, key: str, recipe: dict[str, Any]) -> list[Finding]:
    """Ask for an estimate: an answer or a refusal in words."""
    answer = desk.ask("POST", f"/files/{key}/preview", {"recipe": recipe})
    if answer.status >= 500:
        return [_wrong(case, answer, "preview")]
    return _bad(case, answer.body.decode())


def _ended(case: Case, answer: Any, what: str) -> Outcome:
    if answer.status >= 500:
        return Outcome("crashed", what, [_wrong(case, answer, what)])
    try:
        said = answer.json["error"]
    except (ValueError, KeyError):
        return Outcome("crashed", what, [Finding("desk", f"{what}: no JSON error", case)])
    return Outcome("refused", said, _bad(case, said))


def _wrong(case: Case, answer: Any, what: str) -> Finding:
    return Finding("crash", f"{what}: {answer.status}", case, answer.body.decode()[:200])


def _bad(case: Case, said: str) -> list[Finding]:
    return [Finding("crash", said, case, said)] if "went wrong that should not" in said else []


def _pack(case: Case, folder: Path, desk: Any, job: str) -> list[Finding]:
    """Take the pack of a job; check its release, and that its own check passes."""
    import tomllib

    content = desk.ask("GET", desk.link(job, "everything.zip"), plain=True)
    if content.status != 200:
        return [_wrong(case, content, "everything.zip")]
    place = folder / "pack"
    zipfile.ZipFile(io.BytesIO(content.body)).extractall(place)
    recipe = next(place.rglob("run.toml"), None)
    if recipe is None:
        return [
            Finding("desk", f"no recipe among {sorted(p.name for p in place.rglob('*'))}", case)
        ]
    roles = tomllib.loads(recipe.read_text(encoding="utf-8"))["roles"]
    release = next(p for p in recipe.parent.iterdir() if p.name.startswith("release."))
    names, columns = read_release(release, case.options)
    roles = {**{one: [] for one in ("identifiers", "drop", "sensitive", "other", "by")}, **roles}
    original = original_of(case, roles, plain_values(case))
    columns = [
        typed(cells, original.values.get(n, [])) for n, cells in zip(names, columns, strict=True)
    ]
    written = Released(names, columns, roles, in_order=False)
    return [Finding(f"pack {o}", what, case) for o, what in check_release(case, original, written)]
