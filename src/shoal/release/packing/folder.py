"""Writes a pack: all of it in a private folder, checked there, then named in one step."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from glob import escape
from pathlib import Path

from shoal.errors import InputError, OutputError, PrivacyError, shown
from shoal.release.claims import claims
from shoal.release.pack import Release, Targets, finished_report, verified_bytes, verify_written
from shoal.release.packing import certificate as papers
from shoal.release.packing.dictionary import dictionary
from shoal.release.packing.readme import readme
from shoal.release.packing.recheck import check_pack
from shoal.release.report import Report
from shoal.release.spreadsheet import guarded
from shoal.release.staging import MARK, uninterrupted
from shoal.release.verify import Verification
from shoal.release.write import release_bytes, row_order
from shoal.settings import HASHED, Settings, joined_key
from shoal.storage import remove_unheld
from shoal.table.hierarchy.specify import is_file
from shoal.table.table import Table

DICTIONARY, README = "dictionary.csv", "README.md"
OLD = ".shoal-old"  # a pack that is being replaced


def write_pack(
    release: Release,
    folder: Path,
    *,
    kind: str = "csv",
    force: bool = False,
    keep_order: bool | None = None,
    order_seed: int | None = None,
    spreadsheet_safe: bool | None = None,
) -> Path:
    """Write the whole pack, check it as it lies on disk, then give the folder its name.

    A folder that is there already is replaced only with `force`, and only if it is a pack.
    """
    check_folder(folder, force, release.settings)
    release = guarded(release, kind, spreadsheet_safe)
    keep = release.settings.release.keep_order if keep_order is None else keep_order
    targets = Targets.in_folder(folder, kind)
    with _private(folder) as place:
        order = row_order(release.table.rows, keep=keep, seed=order_seed)
        content = release_bytes(release.table, order, kind)
        path = place / targets.release.name
        _write(path, content)
        verified_bytes(release, path, content, kind)
        found = verify_written(path, release.settings, release.table, release.table.rows, kind)
        digest = hashlib.sha256(content).hexdigest()
        settings, lacks = _hashed(release.settings, release.table, keep)
        report = _quiet(finished_report(release.report, digest, targets, keep), release.settings)
        _write(place / DICTIONARY, dictionary(release.table, report))
        _write(place / targets.report.name, report.to_json().encode("utf-8"))
        _write(place / targets.page.name, report.to_html().encode("utf-8"))
        _write(place / targets.recipe.name, settings.to_toml().encode("utf-8"))
        _write(place / papers.SCHEMA_NAME, papers.schema_json().encode("utf-8"))
        _write(place / README, readme(report, settings, lacks).encode("utf-8"))
        made = _certificate(place, release, report, found, targets, keep, lacks)
        _write(place / papers.NAME, made.to_json().encode("utf-8"))
        checked = check_pack(place, trees=_trees(release.settings), orders=_orders(release))
        if not checked.ok:
            raise PrivacyError(
                f"the pack does not hold what it says, nothing was kept: {checked.problems[0]}"
            )
        _name(place, folder, force)
    return folder


def check_folder(folder: Path, force: bool, settings: Settings | None = None) -> None:
    """Refuse a place where a pack cannot be written, before any work is done."""
    _restore(folder)
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
    if source is not None and folder.resolve() in Path(source).resolve().parents:
        raise OutputError(f"{shown(folder)}: the input lies in it; take a folder of its own")
    if not inside:
        return
    if not force:
        raise OutputError(f"{shown(folder)} exists; say --force to replace it")
    try:
        others = set(inside) - {papers.NAME, *papers.load_certificate(folder).files}
    except InputError:
        others = set(inside)
    if others:
        raise OutputError(
            f"{shown(folder)} holds files that are no part of a pack; it is not replaced"
        )


@contextlib.contextmanager
def _private(folder: Path) -> Iterator[Path]:
    """Yield a folder beside the final one that only its owner can read; it is gone in the end."""
    made: list[Path] = []
    place = folder.parent / f".{folder.name}{MARK}-{secrets.token_hex(6)}"
    try:
        for above in reversed((folder.absolute()).parents):
            if not above.exists():
                above.mkdir(exist_ok=True)
                made.append(above)
        _sweep(folder)
        place.mkdir(mode=0o700)
        held = os.open(place, os.O_RDONLY)
    except OSError as error:
        raise OutputError(f"{shown(folder)}: cannot be written: {error.strerror}") from None
    done = False
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield place
        done = True
    finally:
        os.close(held)
        if not done:
            shutil.rmtree(place, ignore_errors=True)
            for above in reversed(made):
                with contextlib.suppress(OSError):
                    above.rmdir()


def _restore(folder: Path) -> None:
    """Give a pack its name again that a killed run had set aside and put nothing in its place."""
    with contextlib.suppress(OSError):
        if not folder.exists():
            for old in folder.parent.glob(f".{escape(folder.name)}{OLD}-*"):
                old.rename(folder)
                return


def _sweep(folder: Path) -> None:
    """Remove what killed runs left: private folders that nobody holds."""
    name = escape(folder.name)
    aside = folder.parent.glob(f".{name}{OLD}-*") if folder.exists() else ()
    for left in [*folder.parent.glob(f".{name}{MARK}-*"), *aside]:
        remove_unheld(left)


def _write(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise OutputError(f"{shown(path.name)}: cannot be written: {error.strerror}") from None


def _name(place: Path, folder: Path, force: bool) -> None:
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
            place.rename(folder)
            folder.chmod(0o777 & ~mask)
    except OSError as error:
        if moved and not folder.exists():
            old.rename(folder)
        raise OutputError(f"{shown(folder)}: cannot be named: {error.strerror}") from None
    if moved:
        shutil.rmtree(old, ignore_errors=True)


def _hashed(settings: Settings, released: Table, keep: bool) -> tuple[Settings, list[str]]:
    """Return a recipe that names files by their hash, and what it lacks to repeat the run.

    An order that lists values which the release does not show is left out.
    """
    trees, lacks = {}, ["the input, which is named by its sha256"]
    for name, said in settings.hierarchies.items():
        trees[name] = said
        if is_file(said):
            trees[name] = HASHED + settings.input.hierarchies_sha256[name]
            lacks.append(f"the hierarchy of {name}, which is named by its sha256")
    orders = {}
    for name, order in settings.orders.items():
        if name in released.names and set(order) <= _shown_values(released, name):
            orders[name] = order
        else:
            orders[name] = (HASHED + papers.order_digest(order),)
            lacks.append(f"the order of {name}, which is named by its sha256")
    told, missing = {"", *_cells(released, released.names)}, []
    for token in settings.input.missing:
        missing.append(token if token in told else HASHED + papers.order_digest([token]))
    if any(token.startswith(HASHED) for token in missing):
        lacks.append("what stands for missing cells, which is named by its sha256")
    quiet = settings.having(
        input={"path": None, "missing": missing}, release={"keep_order": keep, "output": None}
    ).model_copy(update={"orders": orders, "hierarchies": trees})
    return quiet, lacks


def _cells(released: Table, names: Iterable[str]) -> set[str]:
    """Return the texts that cells of columns which are released as they are hold, of csv files."""
    kept = [released[name].cells for name in names if not released[name].protected]
    return {str(cell) for cells in kept if cells is not None for cell in cells.unique().to_pylist()}


def _shown_values(released: Table, name: str) -> set[str]:
    return {str(value) for value in released[name].values.unique().to_pylist()}


def _quiet(report: Report, settings: Settings) -> Report:
    """Return a report that names no file but those of the pack."""
    files = {
        name: f"a file, {HASHED}{digest}"
        for name, digest in settings.input.hierarchies_sha256.items()
    }
    columns = [
        replace(column, hierarchy=files.get(column.name, column.hierarchy))
        for column in report.columns
    ]
    return replace(report, columns=columns)


def _trees(settings: Settings) -> dict[str, str]:
    own = settings.roles.sensitive
    return {name: said for name, said in settings.hierarchies.items() if name in own}


def _orders(release: Release) -> dict[str, list[str]]:
    own = release.settings.roles.sensitive
    table = release.table
    return {name: list(table[name].order or ()) for name in own if table[name].is_ordinal}


def _certificate(
    place: Path,
    release: Release,
    report: Report,
    found: Verification,
    targets: Targets,
    keep: bool,
    lacks: list[str],
) -> papers.Certificate:
    """Return what was verified, of the files that lie in a folder."""
    files = {
        path.name: papers.File(
            sha256=hashlib.sha256(path.read_bytes()).hexdigest(), bytes=path.stat().st_size
        )
        for path in sorted(place.iterdir())
    }
    told, roles = found.to_dict(), release.settings.roles
    csv_like = targets.kind != "parquet"
    return papers.Certificate(
        schema=papers.SCHEMA,
        issued=datetime.now(UTC).isoformat(timespec="seconds"),
        versions=report.versions,
        input=papers.Input.model_validate(report.input),
        release=papers.Release(
            file=targets.release.name,
            kind=targets.kind,  # type: ignore[arg-type]
            delimiter=(release.table.source.delimiter or ",") if csv_like else None,
            records=release.table.rows,
            columns=release.table.names,
            order="as in the input" if keep else "shuffled",
        ),
        claims=_claims(release),
        verified=papers.Verified(
            records=found.records, classes=found.classes, smallest_class=found.k,
            models=told["models"], k_of=told["k_of"],
        ),
        checks=report.guarantee["covers"],
        not_covered=report.guarantee["does_not_cover"],
        households=roles.household is not None,
        strata=list(roles.by),
        weight=roles.weight,
        verdict=report.verdict,  # type: ignore[arg-type]
        recipe=targets.recipe.name,
        recipe_lacks=lacks,
        files=files,
    )  # fmt: skip


def _claims(release: Release) -> papers.Claims:
    """Return what `verify` was asked, with trees and orders by their hash."""
    asked = claims(release.settings, release.table)
    needs: dict[str, dict[str, str]] = {}
    t = release.settings.requirement
    trees, orders = asked.pop("hierarchies", {}), asked.pop("orders", {})
    for name, said in trees.items():
        if t.asked("t", name) is None:
            continue
        digest = hashlib.sha256(Path(said).read_bytes()).hexdigest() if is_file(said) else said
        needs.setdefault("hierarchies", {})[name] = digest
    for name, order in orders.items():
        if t.asked("t", name) is None:
            continue
        needs.setdefault("orders", {})[name] = papers.order_digest(order)
    if "missing" in asked:  # those that a sensitive cell of the release is written as
        hidden = _cells(release.table, asked["sensitive"])
        asked["missing"] = [token for token in asked["missing"] if token in ("", *hidden)]
    own = {joined_key(columns): k for columns, k in asked.pop("k_of", {}).items()}
    plain = {
        key: list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, dict)
        else value
        for key, value in asked.items()
    }  # fmt: skip
    return papers.Claims.model_validate({**plain, "k_of": own, "needs": needs})
