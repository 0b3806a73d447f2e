"""Files of a release: data, report and recipe, verified on disk."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Iterator
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
from shoal.measures.compute import classes_by
from shoal.partition import canonical_labels
from shoal.release.claims import claims
from shoal.release.commitments import Commitments
from shoal.release.prepare import Release, prepared
from shoal.release.readback import holds_table
from shoal.release.targets import Targets
from shoal.release.write import release_bytes, row_order, written_as
from shoal.report.guarantees import of_file
from shoal.report.sections import ReleaseSection
from shoal.series.journal import journaled
from shoal.series.ledger import Entry, check_unchanged, locked, to_tree
from shoal.storage import private_folder
from shoal.storage.names import is_piped, is_url
from shoal.storage.staging import Staging
from shoal.table.hierarchy.specify import is_file
from shoal.table.intervals import names_in

if TYPE_CHECKING:
    from shoal.report.report import Report
    from shoal.series.series import Series
    from shoal.settings import Settings
    from shoal.table.table import Table

LOG = logging.getLogger(__name__)
LARGEST_REPORT, MOST_REPORTS = 32 * 2**20, 200  # bytes, and how many of others are looked at


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
    with series_locked(release, keep), targets.staging(force) as staging:
        source = settings.input.path
        trees = [Path(rule) for rule in settings.hierarchies.values() if is_file(rule)]
        targets.check(staging, [*([Path(source)] if source else []), *trees], with_page)
        order = row_order(release.table.rows, keep=keep, seed=order_seed)
        content = release_bytes(release.table, order, targets.kind, threads)
        digest = hashlib.sha256(content).hexdigest()
        papers_of(targets, settings, release.report, digest, keep, with_page).add_to(staging)
        temporary = staging.add(targets.release, content)
        with limited(threads=threads):
            verified_bytes(release, order, temporary, content, targets.kind)
        with naming(release, order, temporary, targets.release.name, targets.kind, staging):
            staging.commit(last=targets.release, release=True)
    targets.leave_no_page(force, with_page)
    LOG.info("written and verified: %s", targets.release)
    return targets.release


@contextlib.contextmanager
def series_locked(release: Release, keep: bool) -> Iterator[None]:
    """Hold the lock of the ledger, if there is one, while a release is written.

    The input's order is refused for rows with counterfeits, which would be the last.
    """
    pending = release.pending
    if pending is None:
        yield
        return
    if pending.counterfeits.count and keep:
        raise RequestError(
            f"in the input's order counterfeits would be the last; leave out {option('keep_order')}"
        )
    with locked(pending.ledger.path):
        yield


@contextlib.contextmanager
def naming(
    release: Release, order: Integers, path: Path, name: str, kind: str, staging: Staging,
    place: Path | None = None,
) -> Iterator[None]:  # fmt: skip
    """Let files get their names while the block runs: all together with the entry of a ledger.

    `path` is that of the written release, `name` its final one; `place` is the folder of a pack.
    The judge reads the file anew: its classes must be those of the entry, and for nobody fewer
    values may be left than before. Raises a PrivacyError where that is not so, a RequestError if
    the ledger was continued meanwhile.
    """
    pending = release.pending
    with contextlib.ExitStack() as held:
        if pending is not None:
            check_unchanged(pending.ledger)
            entry = judged_entry(pending, release, order, path, name, kind)
            pending.ledger.with_entry(entry).add_to(staging)
            held.enter_context(journaled(pending.ledger.path, staging, place or path))
        yield


@dataclass(frozen=True)
class Papers:
    """Files beside a release, published and private, by path; the published report, and its key."""

    public: dict[Path, bytes]
    private: dict[Path, bytes]
    report: Report
    commitments: Commitments

    def add_to(self, staging: Staging) -> None:
        """Write all of them, those that are private for their owner alone."""
        for target, content in self.private.items():
            staging.add(target, content, private=True)
        for target, content in self.public.items():
            staging.add(target, content)


def papers_of(
    targets: Targets, settings: Settings, report: Report, digest: str, keep: bool, with_page: bool,
    recipe: str | None = None,
) -> Papers:  # fmt: skip
    """Return the papers of a release whose file has this sha256; a pack has a `recipe`, too."""
    from shoal.report.html.document import pages

    exact, commitments = finished_report(report, digest, targets, keep), Commitments.new()
    public = published(exact, settings, commitments)
    if recipe is not None:
        public = replace(public, release={**public.release, "recipe": recipe})
    contents = {targets.report: public.to_json().encode("utf-8")}
    own = private_papers(targets, settings, exact, commitments, keep)
    if with_page:
        page, exact_page = pages(public, exact)
        contents[targets.page] = page.encode("utf-8")
        own[targets.private / private_folder.PAGE] = exact_page.encode("utf-8")
    return Papers(contents, own, public, commitments)


def published(report: Report, settings: Settings, commitments: Commitments) -> Report:
    """Return the report as it may be published, with commitments in the place of hashes."""
    digest = report.input["sha256"]
    return report.published(
        commitments.of_file("input", digest) if digest else None,
        {
            name: commitments.of_file("hierarchy", digest, name)
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
    if release.pending is not None:
        raise RequestError(
            "a release of a series is noted in its ledger when it is written to a file, not to "
            f"the screen; say {option('output', OUT)}"
        )
    release = prepared(release, kind)
    order = row_order(release.table.rows, keep=release.settings.release.keep_order)
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


def earlier_releases(private: Path, sha256: str | None) -> list[str]:
    """Return other releases beside that of a private folder which came of the same input.

    An input is known by its hash, which the exact reports in private folders hold. What cannot be
    read as a report of ours is passed over.
    """
    if not sha256:
        return []
    releases = []
    folder = private.parent
    for path in sorted(folder.glob(f"*{private_folder.SUFFIX}/{private_folder.REPORT}"))[
        :MOST_REPORTS
    ]:
        try:
            if path.parent.samefile(private) or path.stat().st_size > LARGEST_REPORT:
                continue
            report = json.loads(path.read_bytes())
            if report["input"]["sha256"] == sha256:
                file = private_folder.published_beside(path.parent, str(report["release"]["file"]))
                releases.append(str(file.relative_to(folder)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return releases
