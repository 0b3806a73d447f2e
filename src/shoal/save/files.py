"""Files of a release: data, report and recipe, verified on disk."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import OutputError, PrivacyError, RequestError, shown
from shoal.hints import OUT, option
from shoal.judge.csv_text import Written
from shoal.judge.engine import limited
from shoal.judge.reading import READERS
from shoal.judge.series import check_entry
from shoal.judge.series_proof import of_promise
from shoal.judge.verdict import Verification
from shoal.judge.verify import verify
from shoal.kernels.arrays import Integers
from shoal.ledger.journal import journaled
from shoal.ledger.ledger import Entry, Ledger, check_unchanged, locked, to_tree
from shoal.measures.compute import classes_by
from shoal.partition import canonical_labels
from shoal.release.claims import claims
from shoal.release.dialects import written_as
from shoal.release.intervals import names_in
from shoal.release.write import release_bytes, row_order
from shoal.report.guarantees import of_file
from shoal.report.sections import ReleaseSection
from shoal.save.commitments import Commitments
from shoal.save.prepare import prepared
from shoal.save.readback import holds_table
from shoal.save.release import Release
from shoal.storage import private_folder
from shoal.storage.piped import is_piped
from shoal.storage.staging import Staging
from shoal.system.names import is_url
from shoal.table.files.formats import check_kind
from shoal.table.hierarchy.specify import is_file

if TYPE_CHECKING:
    from shoal.report.report import Report
    from shoal.series.series import Series
    from shoal.settings import Settings
    from shoal.table.table import Table

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Targets:
    """Paths of the files of a release, and of its private folder.

    `output` is what the recipe notes, as seen from the private folder: a file or a folder.
    """

    release: Path
    report: Path
    page: Path
    private: Path
    kind: str
    output: str

    @classmethod
    def in_folder(cls, folder: Path, kind: str = "csv") -> Targets:
        """Return release.csv, report.json, report.html in a folder; what is private beside it."""
        check_kind(kind)
        release = folder / f"release.{kind}"
        report, page = folder / private_folder.REPORT, folder / private_folder.PAGE
        own = private_folder.private_folder(folder)
        return cls(
            release, report, page, own, kind, f"../{own.name.removesuffix(private_folder.SUFFIX)}/"
        )

    @classmethod
    def of_file(cls, path: Path, kind: str) -> Targets:
        """Return a file of a kind, F.report.json and F.report.html; what is private beside it."""
        check_kind(kind)
        report, page, own = (
            path.with_name(f"{private_folder.stem_of(path.name)}{ending}")
            for ending in (".report.json", ".report.html", private_folder.SUFFIX)
        )
        return cls(path, report, page, own, kind, f"../{path.name}")

    @classmethod
    def to(cls, path: Path, kind: str | None) -> Targets:
        """Return the targets of a file, if the path ends in a format, else of a folder."""
        named = None if path.is_dir() else private_folder.kind_of(path.name)
        if named is None:
            return cls.in_folder(path, kind or "csv")
        if kind is not None and kind != named:
            raise RequestError(f"{shown(path)}: the name ends in .{named}, the format is {kind}")
        return cls.of_file(path, named)

    @classmethod
    def of(cls, output: str) -> Targets:
        """Return the targets of `-o`: F.csv, F.parquet, F.sav and so on, or a folder DIR/."""
        path = Path(output)
        if not output.isprintable():
            raise RequestError(f"{shown(output)}: the output's name is not plain UTF-8")
        if output.endswith(("/", os.sep)) or os.path.isdir(path):  # noqa: PTH112 - never raises
            return cls.in_folder(path)
        if (kind := private_folder.kind_of(path.name)) is not None:
            return cls.of_file(path, kind)
        raise RequestError(
            f"{shown(output)}: write to a name that ends in .{', .'.join(private_folder.ENDINGS)}, "
            "to a folder (ending in /), or to - for the screen"
        )

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that may be made: the private one, and that of the release if it is one."""
        return (self.private, *([self.release.parent] if self.output.endswith("/") else []))

    @property
    def recipe(self) -> Path:
        """The recipe that repeats the run, which is private."""
        return self.private / private_folder.RECIPE

    def check(self, staging: Staging, inputs: list[Path], with_page: bool = True) -> None:
        """Refuse what must not be overwritten, before any work is done."""
        own = [
            self.private / name
            for name in private_folder.FILES
            if with_page or name != private_folder.PAGE
        ]
        page = [self.page] if with_page else []
        for target in (*own, self.report, *page, self.release):
            staging.check(target, *inputs)

    def leave_no_page(self, force: bool, with_page: bool) -> None:
        """Remove a page about another release: it must not stand beside this one."""
        if force and not with_page:
            for page in (self.page, self.private / private_folder.PAGE):
                page.unlink(missing_ok=True)


def verify_written(
    path: Path | list[str], settings: Settings, released: Table, records: int, kind: str
) -> Verification:
    """Read a written file back by independent code; raise a PrivacyError if it is not safe.

    A list is of Parquet files that are a release together.
    """
    verification = verify(
        path,
        **claims(settings, released),
        **written_as(released),
        kind=kind,
        records=records,
        columns=released.names,
    )
    if not verification.ok:
        raise PrivacyError(
            f"the written file is not safe, nothing was kept: {'; '.join(verification.problems)}"
        )
    return verification


def verified_bytes(
    release: Release, order: Integers, path: Path, content: bytes, kind: str
) -> Verification:
    """Verify a written file, and compare it with the released table in the order of its rows."""
    verification = verify_written(path, release.settings, release.table, release.table.rows, kind)
    wanted = names_in(release.table.names, release.settings.class_columns)
    meant = holds_table(release.table, order, wanted, path, kind)
    if path.read_bytes() != content or not meant:
        raise OutputError(f"{shown(path)}: what was read back is not what was to be written")
    return verification


def save(
    release: Release,
    targets: Targets,
    *,
    force: bool,
    with_page: bool = True,
    keep_order: bool | None = None,
    order_seed: int | None = None,
    spreadsheet_safe: bool | None = None,
    threads: int | None = None,
) -> Path:
    """Write data, report and recipe, verify the data on disk, then rename all files."""
    release = prepared(release, targets.kind, spreadsheet_safe)
    settings = release.settings
    keep = settings.release.keep_order if keep_order is None else keep_order
    pending = release.pending
    check_order(pending, keep)
    held = contextlib.nullcontext() if pending is None else locked(pending.ledger.path)
    with held, Staging(force=force, folders=targets.folders) as staging:
        source = settings.input.path
        trees = [Path(rule) for rule in settings.hierarchies.values() if is_file(rule)]
        targets.check(staging, [*([Path(source)] if source else []), *trees], with_page)
        order = row_order(release.table.rows, keep=keep, seed=order_seed)
        content = release_bytes(release.table, order, targets.kind, threads)
        digest = hashlib.sha256(content).hexdigest()
        papers = papers_of(targets, settings, release.report, digest, keep, with_page)
        papers.add_to(staging)
        temporary = staging.add(targets.release, content)
        with limited(threads=threads):
            verified_bytes(release, order, temporary, content, targets.kind)
        journal: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if pending is not None:
            name, kind = targets.release.name, targets.kind
            noted(pending, release, order, temporary, name, kind).add_to(staging)
            journal = journaled(pending.ledger.path, staging, temporary)
        with journal:
            staging.commit(last=targets.release)
    targets.leave_no_page(force, with_page)
    LOG.info("written and verified: %s", targets.release)
    return targets.release


@dataclass(frozen=True)
class Papers:
    """Files beside a release, published and private, by path."""

    public: dict[Path, bytes]
    private: dict[Path, bytes]

    def add_to(self, staging: Staging) -> None:
        """Write all of them, those that are private for their owner alone."""
        for target, content in self.private.items():
            staging.add(target, content, private=True)
        for target, content in self.public.items():
            staging.add(target, content)


def papers_of(
    targets: Targets, settings: Settings, report: Report, digest: str, keep: bool, with_page: bool
) -> Papers:
    """Return the papers of a release whose file has this sha256."""
    from shoal.report.html.document import pages

    exact = finished_report(report, digest, targets, keep)
    commitments = Commitments.new()
    public = published(exact, settings, commitments)
    contents = {targets.report: public.to_json().encode("utf-8")}
    own = private_papers(targets, settings, exact, commitments, keep)
    if with_page:
        page, exact_page = pages(public, exact)
        contents[targets.page] = page.encode("utf-8")
        own[targets.private / private_folder.PAGE] = exact_page.encode("utf-8")
    return Papers(contents, own)


def published(report: Report, settings: Settings, commitments: Commitments) -> Report:
    """Return the report as it may be published, with commitments in the place of hashes."""
    digest = report.input["sha256"]
    return report.published(
        commitments.of_input(digest) if digest else None,
        {
            name: commitments.of_hierarchy(name, digest)
            for name, digest in settings.input.hierarchies_sha256.items()
        },
    )


def private_papers(
    targets: Targets, settings: Settings, report: Report, commitments: Commitments, keep: bool
) -> dict[Path, bytes]:
    """Return the private files of a release: key, recipe, exact report; its page is not yet."""
    place = targets.private
    recipe = settings.replace(
        input={"path": seen_from(settings.input.path, place)},
        hierarchies={
            name: str(seen_from(rule, place)) if is_file(rule) else rule
            for name, rule in settings.hierarchies.items()
        },
        release={"keep_order": keep, "output": targets.output},
        series={"ledger": seen_from(settings.series.ledger, place)},
    )
    texts = {
        private_folder.KEY: commitments.to_text(),
        private_folder.RECIPE: recipe.to_toml(),
        private_folder.REPORT: report.to_json(),
    }
    return {place / name: text.encode("utf-8") for name, text in texts.items()}


def stdout_bytes(release: Release, kind: str = "csv") -> bytes:
    """Return the bytes of a released file, after it was verified in a private temporary one."""
    check_no_ledger(release, "the screen")
    release = prepared(release, kind)
    keep = release.settings.release.keep_order
    order = row_order(release.table.rows, keep=keep)
    content = release_bytes(release.table, order, kind)
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder, Staging(force=False) as staging:
        path = staging.add(Path(folder) / f"release.{kind}", content)
        verified_bytes(release, order, path, content, kind)
    return content


def finished_report(report: Report, digest: str, targets: Targets, keep: bool) -> Report:
    """Return the report with what is known only when the file is written."""
    notes = list(report.notes)
    if keep:
        notes.append("the rows are in the input's order, which may link them to it")
    written: ReleaseSection = {
        **report.release,
        "kind": targets.kind,
        "file": targets.release.name,
        "sha256": digest,
        "order": "as in the input" if keep else "shuffled",
        "read_back_by": READERS[targets.kind],
    }
    guarantee = of_file(report.guarantee, keep)
    return replace(report, release=written, notes=notes, guarantee=guarantee)


def seen_from(source: str | None, folder: Path) -> str | None:
    """Return the input's path as seen from the recipe, so that both can move together."""
    if source is None or is_url(source):
        return source
    if is_piped(source):
        return None
    try:
        return Path(os.path.relpath(Path(source).resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return str(Path(source).resolve())


def noted(
    pending: Series, release: Release, order: Integers, path: Path, name: str, kind: str
) -> Ledger:
    """Return the ledger with the entry of a release that is written under a temporary name.

    `name` is its final one, and `kind` what it is. The judge reads the file anew: its classes must
    be those of the entry, and for nobody fewer values may be left than before. Raises a
    PrivacyError where that is not so, a RequestError if the ledger was continued meanwhile.
    """
    check_unchanged(pending.ledger)
    entry = judged_entry(pending, release, order, path, name, kind)
    return pending.ledger.with_entry(entry)


def judged_entry(
    pending: Series, release: Release, order: Integers, path: Path, name: str, kind: str
) -> Entry:
    """Return the entry of a written release, which the judge has compared with its file.

    Nobody may be left with fewer values than before by the releases that the ledger holds.
    """
    table = release.table
    quasi = names_in(table.names, release.settings.class_columns)
    classes = np.empty(table.rows, dtype=np.int64)
    classes[order] = canonical_labels(classes_by(table, quasi)[order])
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    entry = pending.entry(name, digest, quasi, classes.tolist())
    tree = to_tree(entry)
    earlier = [to_tree(one) for one in pending.ledger.releases]
    before, now = of_promise(earlier), of_promise([*earlier, tree])
    secret, written = pending.ledger.key.secret, Written(**written_as(table))
    problems = check_entry(path, kind, tree, secret, written)
    if now.below > before.below or now.changed > before.changed:
        problems += now.problems()
    if problems:
        raise PrivacyError(
            f"the release is not safe with earlier ones, nothing was kept: {'; '.join(problems)}"
        )
    return entry


def check_order(pending: Series | None, keep: bool) -> None:
    """Refuse the input's order for rows with counterfeits, which would be the last."""
    if pending is not None and pending.counterfeits.count and keep:
        raise RequestError(
            f"in the input's order counterfeits would be the last; leave out {option('keep_order')}"
        )


def check_no_ledger(release: Release, where: str) -> None:
    """Refuse to write a release of a series to where the ledger cannot be continued with it."""
    if release.pending is not None:
        raise RequestError(
            f"a release of a series is noted in its ledger when it is written to a file, not to "
            f"{where}; say {option('output', OUT)}"
        )
