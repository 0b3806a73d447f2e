"""Writing of a pack: in a private folder, checked, then renamed in one step."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from shoal.errors import OutputError, PrivacyError, shown
from shoal.executor import Threads
from shoal.judge.verdict import Verification
from shoal.release.pack import certificate as papers
from shoal.release.pack.place import (
    NAME,
    SIGNATURE,
    check_pack_place,
    give_name,
    made_beside,
)
from shoal.release.pack.recheck import checked_pack
from shoal.release.pack.recipe import lacks, public_recipe, readme
from shoal.release.pack.signing import sign as signature
from shoal.release.prepare import Release, prepared
from shoal.release.save import Papers, naming, papers_of, series_locked, verified_bytes
from shoal.release.statistics import held
from shoal.release.write import release_bytes, row_order
from shoal.report.report import Report
from shoal.report.steps import changed_by_steps
from shoal.settings import Settings
from shoal.storage import private_folder, system
from shoal.storage.staging import Staging
from shoal.table.files.formats import CODED
from shoal.table.roles import STAR, Column, Kind, Role
from shoal.table.table import Table

HEADER = (
    "column", "role", "type", "released as", "distinct values", "missing", "suppressed", "holds",
    "label", "value labels", "in the file",
)  # fmt: skip
FEW = 12  # values that are listed one by one
DONE = {
    "mean": "mean of its group",
    "median": "median of its group",
    "majority": "more frequent of the column's two values in its group",
    "mode": "most frequent value of its group",
    "medoid": "value of the record in the middle of its group",
    "generalize": "closest common generalization of its group",
    "range": "least and greatest of its group",
    "stratum": "as it was: groups lie within these strata",
}


def write_pack(
    release: Release,
    folder: Path,
    *,
    kind: str = "csv",
    force: bool = False,
    keep_order: bool | None = None,
    order_seed: int | None = None,
    spreadsheet_safe: bool | None = None,
    sign: str | os.PathLike[str] | None = None,
) -> Path:
    """Write the whole pack, check it on disk, then rename the folder.

    A folder that is there already is replaced only with `force`, and only if it is a pack. What is
    private goes to a folder beside it; `sign` is the key that signs the certificate. Under a ledger
    its entry and the pack appear together.
    """
    targets = check_pack_place(folder, kind, force, release.settings, sign)
    release = prepared(release, kind, spreadsheet_safe)
    settings, table = release.settings, release.table
    keep = settings.release.keep_order if keep_order is None else keep_order
    own = Staging(force=force, folders=[targets.private])
    with series_locked(release, keep), made_beside(folder) as place, own as staging:
        order = row_order(table.rows, keep=keep, seed=order_seed)
        content = release_bytes(table, order, kind)
        path = place / targets.release.name
        _write(path, content)
        verification = verified_bytes(release, order, path, content, kind)
        digest = hashlib.sha256(content).hexdigest()
        made = papers_of(
            targets, settings, release.report, digest, keep, True, private_folder.RECIPE
        )
        recipe = public_recipe(settings, table, keep, made.commitments)
        _write_papers(place, made, recipe, table, verification, sign)
        sensitive = settings.roles.sensitive
        checked = checked_pack(
            place,
            trees={name: rule for name, rule in settings.hierarchies.items() if name in sensitive},
            orders={n: list(table[n].order or ()) for n in sensitive if table[n].is_ordinal},
            known=made.commitments,
        )
        if not checked.ok:
            raise PrivacyError(
                f"the pack does not hold what it says, nothing was kept: {checked.problems[0]}"
            )
        for target, content in made.private.items():
            staging.add(target, content, private=True)
        with naming(release, order, path, f"{folder.name}/{path.name}", kind, staging, place):
            staging.commit(then=partial(give_name, place, folder, force), release=True)
    return folder


def _write_papers(
    place: Path,
    made: Papers,
    recipe: Settings,
    table: Table,
    verification: Verification,
    sign: str | os.PathLike[str] | None,
) -> None:
    """Write what lies beside the released file; the certificate covers all of it."""
    contents = {target.name: content for target, content in made.public.items()} | {
        papers.DICTIONARY: dictionary(table, made.report),
        private_folder.RECIPE: recipe.to_toml(seed=False).encode("utf-8"),
        papers.SCHEMA_NAME: papers.schema_json().encode("utf-8"),
        papers.README: readme(made.report, recipe, lacks(recipe)).encode("utf-8"),
    }
    for name, content in contents.items():
        _write(place / name, content)
    certificate = _certificate(place, made.report, recipe, table, verification)
    content = certificate.to_json().encode("utf-8")
    _write(place / NAME, content)
    if sign is not None:
        _write(place / SIGNATURE, signature(content, Path(sign)))


def _write(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            system.sync(file.fileno())
    except OSError as error:
        raise OutputError(f"{shown(path.name)}: cannot be written: {error.strerror}") from None


def _certificate(
    place: Path, report: Report, recipe: Settings, released: Table, verification: Verification
) -> papers.Certificate:
    """Return the certificate of the files in a folder."""
    files = {
        path.name: papers.File(
            sha256=hashlib.sha256(path.read_bytes()).hexdigest(), bytes=path.stat().st_size
        )
        for path in sorted(place.iterdir())
    }
    types = {column.name: column.kind_name for column in released.columns}
    issued = datetime.now(UTC).isoformat(timespec="seconds")
    return papers.certificate_of(report.to_dict(), recipe, types, verification, files, issued)


def dictionary(released: Table, report: Report) -> bytes:
    """Return the dictionary as csv, a line a column; nothing in it that the release does not say.

    A column of numbers or dates holds its least and greatest released value, one of few values
    these; others are only counted. Labels are those of the input's codebook, value labels those of
    values that the release holds.
    """
    kind = report.release.get("kind", "")
    held_as = report.release.get("held_as", {})
    treatments = {column.name: column.released_as for column in report.columns}
    treatments |= {
        name: f"rounded to multiples of {step:g}" for name, step in report.rounded.items()
    }
    for name in changed_by_steps(report):
        texts = [step["text"] for step in report.steps if name in step["columns"]]
        own = treatments.get(name)
        last = [] if own is None else [DONE.get(own, own)]
        treatments[name] = "; ".join([*texts, *last])
    if "weight" in report.survey:
        weights_as = str(report.survey["weights_as"])
        treatments[report.survey["weight"]] = {"mean": "mean", "exact": "as it was"}.get(
            weights_as, weights_as
        )
    if "group_column" in report.release:
        treatments[report.release["group_column"]] = "number of its group, in random order"
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    lines = Threads().map(partial(_line, treatments), released.columns)
    for column, line in zip(released.columns, lines, strict=True):
        codebook = [*_labels(column, kind), held_as.get(column.name, "")]
        writer.writerow([*line, *codebook])
    return text.getvalue().encode("utf-8")


def _line(treatments: Mapping[str, str], column: Column) -> list[Any]:
    stars = 0
    if column.kind is Kind.TEXT and column.protected:
        stars = int(pc.sum(pc.equal(column.values, STAR)).as_py() or 0)
    treatment = treatments.get(column.name)
    done = "as it was" if treatment is None else DONE.get(treatment, treatment)
    suppressed = stars if column.kind is Kind.TEXT else column.missing if column.protected else 0
    missing = 0 if column.protected else column.missing
    return [
        column.name, str(column.role), column.kind_name, done, column.different, missing,
        suppressed, _holds(column),
    ]  # fmt: skip


def _labels(column: Column, kind: str) -> tuple[str, str]:
    """Return the label of a variable, and the value labels by their codes."""
    if kind in CODED:
        made = held(column, kind)
        labels, label = made.labels, made.label
        there = {value for value in made.values.unique().to_pylist() if value is not None}
    elif column.variable is None:
        return "", ""
    else:
        labels, label = dict(column.variable.labels), column.variable.label
        there = set(column.values.unique().to_pylist())
        if column.variable.coded:
            there = {code for code, text in labels.items() if text in there}
    known = (f"{code} = {text}" for code, text in labels.items() if code in there)
    return label, " | ".join(known)


def _holds(column: Column) -> str:
    """Return the values of a column where they are few, or their span."""
    if column.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER):
        return ""
    if not column.kind.is_grouped:
        return ""
    if column.different <= FEW:
        values = [v for v in column.values.unique().to_pylist() if v is not None and v == v]  # noqa: PLR0124
        return " | ".join(sorted(map(str, values)))
    if column.kind.is_numeric and column.kind is not Kind.BOOLEAN:
        span = pc.min_max(column.values, skip_nulls=True).as_py()
        return f"{span['min']} to {span['max']}"
    return ""
