"""The ledger with the entry of a written release, after the judge has compared the two."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from shoal.errors import PrivacyError, RequestError
from shoal.hints import OUT, option
from shoal.judge.readers.written import Written
from shoal.judge.series_proof import of_promise
from shoal.judge.series_seen import of_entry, see
from shoal.kernels.arrays import Integers
from shoal.ledger.entries import Entry, to_tree
from shoal.ledger.ledger import Ledger, check_unchanged
from shoal.ledger.pending import Pending
from shoal.measures.tables import classes_by
from shoal.partition import canonical_labels
from shoal.release.dialects import written_as
from shoal.release.intervals import names_in
from shoal.save.release import Release


def noted(
    pending: Pending, release: Release, order: Integers, path: Path, name: str, kind: str
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
    pending: Pending, release: Release, order: Integers, path: Path, name: str, kind: str
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
    seen = see(path, kind, tree, pending.ledger.key.secret, Written(**written_as(table)))
    earlier = [to_tree(one) for one in pending.ledger.releases]
    before, now = of_promise(earlier), of_promise([*earlier, tree])
    problems = of_entry(seen, tree)
    if now.below > before.below or now.changed > before.changed:
        problems += now.problems()
    if problems:
        raise PrivacyError(
            f"the release is not safe with earlier ones, nothing was kept: {'; '.join(problems)}"
        )
    return entry


def check_order(pending: Pending | None, keep: bool) -> None:
    """Refuse the input's order for rows with counterfeits, which would be the last."""
    if pending is not None and pending.counterfeits and keep:
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
