"""A series of releases, judged with its ledger: every person, over all releases that she is in.

The attacker has all releases, and knows in which class of each a person is. He can rule out a value
only if no other assignment of values to people makes the same releases. The judge proves that there
are others (`series_proof.py`), from what the ledger says of people after it has compared this with
the files. Then it counts: the values that all classes of a person have in common, and the records
that kept columns leave for her.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.errors import InputError, RequestError, shown
from shoal.judge.series_ledger import Kept
from shoal.judge.series_people import follow
from shoal.judge.series_proof import of_promise, promised
from shoal.judge.series_seen import Seen, of_entry, see
from shoal.judge.series_verdict import SeriesVerification


def verify_series(files: Sequence[Any], ledger: Any) -> SeriesVerification:
    """Judge releases together, exactly for the people in their ledger.

    Parameters
    ----------
    files : sequence of paths
        The releases, in any order; each must be in the ledger.
    ledger : path
        The ledger; its key lies beside it.

    Returns
    -------
    SeriesVerification
        `ok`, how many values and candidates are left for the person with the fewest, and problems.

    Raises
    ------
    InputError
        The ledger, its key or a release cannot be read, or the ledger was changed.
    RequestError
        No release is given.

    References
    ----------
    X. Xiao and Y. Tao, m-Invariance: towards privacy preserving re-publication of dynamic datasets,
    SIGMOD 2007.
    """
    if not files:
        raise RequestError("name at least one release of the series")
    book = Kept.read(Path(ledger))
    problems: list[str] = []
    seen: dict[int, Seen] = {}
    for file in files:
        path = Path(file)
        entry = book.of_hash(_sha256(path))
        if entry is None:
            problems.append(f"{path.name}: no release of the ledger has this content")
            continue
        if entry["number"] in seen:
            problems.append(f"{path.name}: release {entry['number']} is given twice")
            continue
        own = see(path, None, entry, book.secret)
        problems += of_entry(own, entry)
        seen[entry["number"]] = own
    proof = of_promise(book.releases)
    problems += proof.problems()
    judged = [one for one in book.releases if one["number"] in seen]
    left = follow(judged, seen)
    absent = [one["number"] for one in book.releases if one["number"] not in seen]
    problems += left.problems()
    return SeriesVerification(
        not problems, len(judged), left.people, left.repeated, proof.fewest, left.smallest,
        tuple(problems), tuple(absent), len(book.releases), promised(book.releases),
        sum(len(one["roll"].get("counterfeits", ())) for one in judged),
    )  # fmt: skip


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{shown(path)}: cannot be read: {error.strerror}") from None
