"""Writing of a pack: in a private folder, checked, then renamed in one step."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from shoal.backends import private_folder
from shoal.backends.staging import Staging, check_above
from shoal.backends.storage import is_inside
from shoal.errors import InputError, OutputError, PrivacyError, exists, shown
from shoal.judge.verify import Verification
from shoal.ledger.journal import journaled
from shoal.ledger.ledger import locked
from shoal.release.write import release_bytes, row_order
from shoal.report.html.document import pages
from shoal.report.report import Report
from shoal.save.commitments import Commitments
from shoal.save.files import (
    Targets,
    finished_report,
    private_papers,
    published,
    verified_bytes,
)
from shoal.save.noted import check_order, noted
from shoal.save.pack import certificate as papers
from shoal.save.pack.aside import aside, give_name, restore
from shoal.save.pack.dictionary import dictionary
from shoal.save.pack.readme import readme
from shoal.save.pack.recheck import checked_pack
from shoal.save.pack.recipe import lacks, public_recipe
from shoal.save.pack.signing import check_key
from shoal.save.pack.signing import sign as signature
from shoal.save.prepare import prepared
from shoal.save.release import Release
from shoal.settings import Settings
from shoal.system.current import current
from shoal.table.table import Table

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
