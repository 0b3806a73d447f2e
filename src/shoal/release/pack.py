"""The files of a release: data, report and recipe, verified on disk before they get their names."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shoal.errors import OutputError, PrivacyError, RequestError, shown
from shoal.release.claims import claims
from shoal.release.promises import of_file
from shoal.release.readback import says_what_was_meant
from shoal.release.spreadsheet import guarded
from shoal.release.staging import Staging
from shoal.release.verify import Verification, verify
from shoal.release.write import release_bytes, row_order
from shoal.storage import is_url
from shoal.table.hierarchy.specify import is_file

if TYPE_CHECKING:
    from shoal.release.report import Report
    from shoal.settings import Settings
    from shoal.table.table import Table

KINDS = ("csv", "csv.gz", "parquet")


@dataclass(frozen=True)
class Targets:
    """Where the four files go. `output` is what the recipe notes: a file or a folder."""

    release: Path
    report: Path
    page: Path
    recipe: Path
    kind: str
    output: str

    @classmethod
    def in_folder(cls, folder: Path, kind: str = "csv") -> Targets:
        """Return release.csv, report.json, report.html and run.toml in a folder."""
        if kind not in KINDS:
            raise RequestError(f"format must be one of {', '.join(KINDS)}")
        release = folder / f"release.{kind}"
        report, page = folder / "report.json", folder / "report.html"
        return cls(release, report, page, folder / "run.toml", kind, "./")

    @classmethod
    def of(cls, output: str) -> Targets:
        """Return the targets of `-o`: F.csv, F.csv.gz, F.parquet, or a folder DIR/."""
        path = Path(output)
        if not output.isprintable():
            raise RequestError(f"{shown(output)}: the output's name is not plain UTF-8")
        if output.endswith(("/", os.sep)) or os.path.isdir(path):  # noqa: PTH112 - never raises
            return cls.in_folder(path)
        for kind in ("csv.gz", "csv", "parquet"):
            if path.name.lower().endswith(f".{kind}"):
                stem = path.name[: -len(kind) - 1]
                report, page, recipe = (
                    path.with_name(f"{stem}.{ending}")
                    for ending in ("report.json", "report.html", "run.toml")
                )
                return cls(path, report, page, recipe, kind, path.name)
        raise RequestError(
            f"{shown(output)}: write to a name that ends in .csv, .csv.gz or .parquet, "
            "to a folder (ending in /), or to - for the screen"
        )

    def check(self, staging: Staging, inputs: list[Path], with_page: bool = True) -> None:
        """Refuse what must not be overwritten, before any work is done."""
        page = [self.page] if with_page else []
        for target in (self.report, *page, self.recipe, self.release):
            staging.check(target, *inputs)

    def leave_no_page(self, force: bool, with_page: bool) -> None:
        """Remove a page about another release: it must not stand beside this one."""
        if force and not with_page:
            self.page.unlink(missing_ok=True)


class Release(Protocol):
    """What there is to write: the released table, its report, the settings that repeat it."""

    @property
    def table(self) -> Table: ...
    @property
    def report(self) -> Report: ...
    @property
    def settings(self) -> Settings: ...


def verify_written(
    path: Path | list[str], settings: Settings, released: Table, records: int, kind: str
) -> Verification:
    """Read a written file back by independent code; raise a PrivacyError if it is not safe.

    A list is of Parquet files that are a release together.
    """
    verification = verify(
        path,
        **claims(settings, released),
        delimiter=released.source.delimiter,
        kind=kind,
        records=records,
        columns=released.names,
    )
    if not verification.ok:
        raise PrivacyError(
            f"the written file is not safe, nothing was kept: {'; '.join(verification.problems)}"
        )
    return verification


def verified_bytes(release: Release, path: Path, content: bytes, kind: str) -> None:
    """Verify a written file, and that it is the one that was meant, to the byte."""
    verify_written(path, release.settings, release.table, release.table.rows, kind)
    wanted = release.settings.roles.quasi_identifiers
    meant = says_what_was_meant(release.table, wanted, path, kind)
    if path.read_bytes() != content or not meant:
        raise OutputError(f"{shown(path)}: what was read back is not what was to be written")


def save(
    release: Release,
    targets: Targets,
    *,
    force: bool,
    with_page: bool = True,
    keep_order: bool | None = None,
    order_seed: int | None = None,
    spreadsheet_safe: bool | None = None,
) -> Path:
    """Write data, report and recipe, verify the data as it lies on disk, then name them all."""
    release = guarded(release, targets.kind, spreadsheet_safe)
    settings = release.settings
    keep = settings.release.keep_order if keep_order is None else keep_order
    with Staging(force=force) as staging:
        source = settings.input.path
        trees = [Path(said) for said in settings.hierarchies.values() if is_file(said)]
        targets.check(staging, [*([Path(source)] if source else []), *trees], with_page)
        order = row_order(release.table.rows, keep=keep, seed=order_seed)
        content = release_bytes(release.table, order, targets.kind)
        digest = hashlib.sha256(content).hexdigest()
        add_papers(staging, targets, settings, release.report, digest, keep, with_page)
        temporary = staging.add(targets.release, content)
        verified_bytes(release, temporary, content, targets.kind)
        staging.commit()
    targets.leave_no_page(force, with_page)
    return targets.release


class Papers(Protocol):
    """Where the papers of a release are written to."""

    def add(self, target: Path, content: bytes) -> Path: ...


def add_papers(
    staging: Papers, targets: Targets, settings: Settings, report: Report, digest: str, keep: bool,
    with_page: bool,
) -> None:  # fmt: skip
    """Write recipe, report and page of a release whose file has this sha256."""
    report = finished_report(report, digest, targets, keep)
    place = targets.recipe.parent
    settings = settings.having(
        input={"path": _relative(settings.input.path, place)},
        hierarchies={
            name: str(_relative(said, place)) if is_file(said) else said
            for name, said in settings.hierarchies.items()
        },
        release={"keep_order": keep, "output": targets.output},
    )
    staging.add(targets.recipe, settings.to_toml().encode("utf-8"))
    staging.add(targets.report, report.to_json().encode("utf-8"))
    if with_page:
        staging.add(targets.page, report.to_html().encode("utf-8"))


def stdout_bytes(release: Release) -> bytes:
    """Return the release as csv, after it was verified in a private temporary file."""
    release = guarded(release, "csv")
    keep = release.settings.release.keep_order
    content = release_bytes(release.table, row_order(release.table.rows, keep=keep), "csv")
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder, Staging(force=False) as staging:
        path = staging.add(Path(folder) / "release.csv", content)
        verified_bytes(release, path, content, "csv")
    return content


def finished_report(report: Report, digest: str, targets: Targets, keep: bool) -> Report:
    """Return the report with what is known only when the file is written."""
    notes = list(report.notes)
    covers = [
        *report.guarantee["covers"],
        "The written file was read back by separate code, which counted its groups anew.",
    ]
    if keep:
        notes.append("the rows are in the input's order, which may link them to it")
    written = {
        **report.release,
        "kind": targets.kind,
        "file": targets.release.name,
        "recipe": targets.recipe.name,
        "sha256": digest,
        "order": "as in the input" if keep else "shuffled",
    }
    guarantee = of_file({**report.guarantee, "covers": covers}, keep)
    return replace(report, release=written, notes=notes, guarantee=guarantee)


def _relative(source: str | None, folder: Path) -> str | None:
    """Return the input's path as seen from the recipe, so that both can move together."""
    if source is None or is_url(source):
        return source
    try:
        return Path(os.path.relpath(Path(source).resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return str(Path(source).resolve())
