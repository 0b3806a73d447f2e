"""A file in, a release on disk: in memory where it fits, else region by region."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.arguments import settings_from
from shoal.errors import RequestError
from shoal.large.order import Order, Released
from shoal.progress import Callback
from shoal.release.pack import Targets, save
from shoal.settings import Settings
from shoal.table.room import needed, read_memory, shape
from shoal.walk import walk


def anonymize_file(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    k: int,
    memory: str | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    identifiers: Sequence[str] | None = None,
    other: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    method: str = "auto",
    effort: str = "normal",
    seed: int = 0,
    column_weights: Mapping[str, float] | None = None,
    hierarchies: Mapping[str, str] | str | Path | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    incomplete: str = "keep",
    aggregate: str | Mapping[str, str] | None = None,
    decimals: int | Mapping[str, int] | None = None,
    missing: Sequence[str] = ("",),
    types: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    keep_order: bool = False,
    force: bool = False,
    report: bool = True,
    work: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
) -> Released:
    """Make a file safe to release, and write it with its report and recipe, verified, or nothing.

    `source` is a csv, csv.gz or Parquet file of any size, `output` a name that ends so, or a folder
    (ending in /). With `memory` ("4GB"), a file that would take more is grouped region by region,
    in files beside the output (or in the folder `work`) that only their owner can read; they are
    gone in the end. A run that was killed goes on where it was when it is started again. The other
    arguments are those of `shoal.anonymize`.
    """
    settings = settings_from(
        k=k, quasi_identifiers=quasi_identifiers, sensitive=sensitive, identifiers=identifiers,
        other=other, drop=drop, method=method, effort=effort, seed=seed,
        column_weights=column_weights, hierarchies=hierarchies, orders=orders,
        incomplete=incomplete, aggregate=aggregate, decimals=decimals, missing=missing, types=types,
        delimiter=delimiter, keep_order=keep_order, memory=memory,
    )  # fmt: skip
    order = Order(
        Targets.of(os.fspath(output)), force, report, parent=None if work is None else Path(work),
        threads=threads,
    )  # fmt: skip
    return release(Path(source), settings, order, callback)


def release(
    source: Path, settings: Settings, order: Order, callback: Callback | None = None
) -> Released:
    """Release a file as its settings say, in the memory that they allow."""
    limit = settings.protect.memory
    if limit is not None and needed(source) > read_memory(limit):
        from shoal.large.plan import plan_for
        from shoal.large.run import release_file

        plan = plan_for(read_memory(limit), *shape(source))
        return release_file(source, settings, plan, order, callback)
    if limit is None:
        check_room(source)
    result = walk(source, settings, callback, order.threads, order.folder)
    save(result, order.targets, force=order.force, with_page=order.with_page)
    return Released(order.targets.release, result.report, result.settings)


def check_screen(source: Path, settings: Settings) -> None:
    """Refuse a file for the screen that does not fit in the memory given, or in the machine's."""
    limit = settings.protect.memory
    if limit is None:
        check_room(source)
    elif needed(source) > read_memory(limit):
        raise RequestError(
            f"{source.name}: does not fit in the memory given, and what goes to the screen takes "
            "all records at once; write it to a file with -o OUT"
        )


def check_room(source: Path) -> None:
    """Refuse a file that this machine has no memory for, and say what to do."""
    try:
        room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # a system that does not tell
        return
    if needed(source) > room:
        raise RequestError(
            f"{source.name}: takes about {needed(source) / 1e9:.0f} GB of memory, and there are "
            f"{room / 1e9:.0f}; say --memory {max(1, room // (2 * 10**9))}GB to group it region by "
            "region"
        )
