"""Writing of a pack: in a private folder, checked, then renamed in one step."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from shoal.errors import InputError, OutputError, PrivacyError, exists, shown
from shoal.executor import Threads
from shoal.judge.verdict import Verification
from shoal.ledger.journal import journaled
from shoal.ledger.ledger import locked
from shoal.release.held import held
from shoal.release.write import release_bytes, row_order
from shoal.report.html.document import pages
from shoal.report.report import Report
from shoal.report.steps import changed_by_steps
from shoal.save.commitments import Commitments
from shoal.save.files import (
    Targets,
    check_order,
    finished_report,
    noted,
    private_papers,
    published,
    verified_bytes,
)
from shoal.save.pack import certificate as papers
from shoal.save.pack.readme import readme
from shoal.save.pack.recheck import checked_pack
from shoal.save.pack.recipe import lacks, public_recipe
from shoal.save.pack.signing import check_key
from shoal.save.pack.signing import sign as signature
from shoal.save.prepare import prepared
from shoal.save.release import Release
from shoal.settings import Settings
from shoal.storage import private_folder
from shoal.storage.places import is_inside, remove_unheld
from shoal.storage.staging import MARK, Staging, check_above, uninterrupted
from shoal.system.interface import Lock, current
from shoal.table.files.formats import CODED
from shoal.table.roles import STAR, Column, Kind, Role
from shoal.table.table import Table

HEADER = (
    "column",
    "role",
    "type",
    "released as",
    "distinct values",
    "missing",
    "suppressed",
    "holds",
    "label",
    "value labels",
    "in the file",
)
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
OLD = ".shoal-old"  # a pack that is being replaced
DICTIONARY, README = papers.DICTIONARY, papers.README


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
    check_folder(folder, force, release.settings)
    if sign is not None:
        check_key(sign)
    release = prepared(release, kind, spreadsheet_safe)
    keep = release.settings.release.keep_order if keep_order is None else keep_order
    targets = Targets.in_folder(folder, kind)
    pending = release.pending
    check_order(pending, keep)
    held = contextlib.nullcontext() if pending is None else locked(pending.ledger.path)
    with (
        held, aside(folder) as place, Staging(force=force, folders=[targets.private]) as staging
    ):  # fmt: skip
        check_private(targets, staging)
        order = row_order(release.table.rows, keep=keep, seed=order_seed)
        content = release_bytes(release.table, order, kind)
        path = place / targets.release.name
        _write(path, content)
        verification = verified_bytes(release, order, path, content, kind)
        digest = hashlib.sha256(content).hexdigest()
        commitments = Commitments.new()
        recipe = public_recipe(release.settings, release.table, keep, commitments)
        exact = finished_report(release.report, digest, targets, keep)
        report = published(exact, release.settings, commitments)
        report = replace(report, release={**report.release, "recipe": private_folder.RECIPE})
        page, exact_page = pages(report, exact)
        own = private_papers(targets, release.settings, exact, commitments, keep)
        own[targets.private / private_folder.PAGE] = exact_page.encode("utf-8")
        texts = {
            targets.report.name: report.to_json(),
            targets.page.name: page,
            private_folder.RECIPE: recipe.to_toml(seed=False),
            papers.SCHEMA_NAME: papers.schema_json(),
            README: readme(report, recipe, lacks(recipe)),
        }
        _write(place / DICTIONARY, dictionary(release.table, report))
        for name, text in texts.items():
            _write(place / name, text.encode("utf-8"))
        made = _certificate(place, report, recipe, release.table, verification)
        content = made.to_json().encode("utf-8")
        _write(place / papers.NAME, content)
        if sign is not None:
            _write(place / papers.SIGNATURE, signature(content, Path(sign)))
        checked = checked_pack(
            place, trees=_trees(release.settings), orders=_orders(release), known=commitments
        )
        if not checked.ok:
            raise PrivacyError(
                f"the pack does not hold what it says, nothing was kept: {checked.problems[0]}"
            )
        for target, paper in own.items():
            staging.add(target, paper, private=True)
        journal: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if pending is not None:
            name = f"{folder.name}/{path.name}"
            noted(pending, release, order, path, name, kind).add_to(staging)
            journal = journaled(pending.ledger.path, staging, place)
        with journal:
            staging.commit(then=partial(give_name, place, folder, force))
    return folder


def check_private(targets: Targets, staging: Staging) -> None:
    """Refuse a private folder whose files must not be overwritten, before any work is done."""
    for name in private_folder.FILES:
        staging.check(targets.private / name)


def check_folder(folder: Path, force: bool, settings: Settings | None = None) -> None:
    """Refuse a place where a pack cannot be written, before any work is done."""
    check_above(folder)
    restore(folder)
    try:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise OutputError(f"{shown(folder)}: this is no folder")
        inside = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a valid path"
        raise OutputError(f"{shown(folder)}: cannot be written: {reason}") from None
    here = Path.cwd()
    if folder.resolve() in (here, *here.parents):
        raise OutputError(f"{shown(folder)}: this folder is in use; take one of its own")
    source = None if settings is None else settings.input.path
    ledger = None if settings is None else settings.series.ledger
    for what, path in (("input", source), ("ledger", ledger)):
        if path is not None and is_inside(Path(path), folder):
            raise OutputError(f"{shown(folder)}: the {what} lies in it; take a folder of its own")
    if not inside:
        return
    if not force:
        raise exists(folder)
    try:
        others = set(inside) - {papers.NAME, papers.SIGNATURE, *papers.certified(folder)}
    except InputError:
        others = set(inside)
    if others:
        raise OutputError(
            f"{shown(folder)} holds files that are no part of a pack; it is not replaced"
        )


def _write(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            current().sync(file.fileno())
    except OSError as error:
        raise OutputError(f"{shown(path.name)}: cannot be written: {error.strerror}") from None


def _trees(settings: Settings) -> dict[str, str]:
    own = settings.roles.sensitive
    return {name: rule for name, rule in settings.hierarchies.items() if name in own}


def _orders(release: Release) -> dict[str, list[str]]:
    own = release.settings.roles.sensitive
    table = release.table
    return {name: list(table[name].order or ()) for name in own if table[name].is_ordinal}


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


@contextlib.contextmanager
def aside(folder: Path) -> Iterator[Path]:
    """Yield a folder beside the final one that only its owner can read; it is gone in the end."""
    place = folder.parent / f".{folder.name}{MARK}-{secrets.token_hex(6)}"
    try:
        _sweep(folder)
        place.mkdir(mode=0o700)
    except OSError as error:
        raise OutputError(f"{shown(folder)}: cannot be written: {error.strerror}") from None
    held: Lock | None = None
    with contextlib.suppress(OSError):
        held = current().lock_folder(place)
    done = False
    try:
        yield place
        done = True
    finally:
        if held is not None:
            held.release()
        if not done:
            shutil.rmtree(place, ignore_errors=True)


def restore(folder: Path) -> None:
    """Give a pack its name again that a killed run had set aside and put nothing in its place."""
    with contextlib.suppress(OSError):
        if not folder.exists():
            for old in folder.parent.glob(f".{escape(folder.name)}{OLD}-*"):
                old.rename(folder)
                return


def _sweep(folder: Path) -> None:
    """Remove unlocked private folders that killed runs left."""
    name = escape(folder.name)
    aside = folder.parent.glob(f".{name}{OLD}-*") if folder.exists() else ()
    for left in [*folder.parent.glob(f".{name}{MARK}-*"), *aside]:
        remove_unheld(left)


def give_name(place: Path, folder: Path, force: bool) -> None:
    """Give a finished folder its name; interrupts wait."""
    mask = os.umask(0o077)
    os.umask(mask)
    old = folder.parent / f".{folder.name}{OLD}-{secrets.token_hex(6)}"
    moved = False
    try:
        with uninterrupted():
            for path in place.iterdir():
                path.chmod(0o666 & ~mask)
            if force and folder.exists():
                folder.rename(old)
                moved = True
            current().move_folder(place, folder)
            folder.chmod(0o777 & ~mask)
    except OSError as error:
        if moved and not folder.exists():
            old.rename(folder)
        raise OutputError(f"{shown(folder)}: cannot be named: {error.strerror}") from None
    if moved:
        shutil.rmtree(old, ignore_errors=True)


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
    lines = Threads(current().processors()).map(partial(_line, treatments), released.columns)
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
