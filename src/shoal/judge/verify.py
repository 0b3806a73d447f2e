"""`verify`: check a released file or dataframe, from it alone.

Everything it uses is in `judge/`, which shares no code with the reader, the methods or the writer:
a mistake there cannot approve itself here.
"""

from __future__ import annotations

import operator
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from typing import Any

from shoal.errors import InputError, RequestError, listed, shown
from shoal.judge.classes import Subset
from shoal.judge.composition import CompositionRequest, compose, count, place_people
from shoal.judge.declared import Beside, beside, roles_source
from shoal.judge.disk import Spill
from shoal.judge.hierarchies import read_tree
from shoal.judge.models.matching import READINGS
from shoal.judge.models.requirement import Requirement, Threshold
from shoal.judge.readers.reading import opened
from shoal.judge.readers.source import Key, Source
from shoal.judge.readers.written import Written, formats_of
from shoal.judge.rulings import Ruling, verification_of
from shoal.judge.sensitive import Combination, Sensitive
from shoal.judge.verification import Verification

__all__ = ["Verification", "class_counts", "verify"]

NAMED = 50  # columns whose source of roles is listed

Trees = Mapping[str, str | os.PathLike[str]]


def verify(
    data: Any,
    k: int,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    l: Threshold = None,  # noqa: E741 - its name in the literature
    l_kind: str = "distinct",
    c: float | None = None,
    t: Threshold = None,
    alpha: Threshold = None,
    beta: Threshold = None,
    beta_kind: str = "enhanced",
    delta: Threshold = None,
    e: Threshold = None,
    l_of: Mapping[tuple[str, ...], int] | None = None,
    k_of: Mapping[tuple[str, ...], int] | None = None,
    hierarchies: Trees | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    words: Sequence[str] = (),
    missing: Sequence[str] = ("",),
    missing_as: str = "own",
    missing_sensitive: str = "ignored",
    by_people: bool = False,
    against: Any = None,
    original: Any = None,
    key: Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    quote: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    date_format: str | Mapping[str, str] | None = None,
    kind: str | None = None,
    records: int | None = None,
    columns: Sequence[str] | None = None,
) -> Verification:
    """Check that a released file or dataframe meets its privacy requirements, k-anonymity first.

    Parameters
    ----------
    data : path, URL, dataframe, list or dict
        The release: csv, Parquet, a folder of Parquet parts, Feather, JSON lines, an Excel, SPSS,
        Stata or SAS file, a table of a database ("FILE.duckdb#table"), or a dataframe, also a lazy
        one, a list of rows or of dicts, or a dict of columns. Cells of csv are compared as bytes,
        others as values; codes that all have labels by these.
    k : int
        The least size of an equivalence class.
    quasi_identifiers, sensitive : sequence of str, optional
        Roles of columns. By default those of the report, certificate or recipe beside the file;
        `roles` and `roles_of_sensitive` of the result say from where. `sensitive=[]` means none.
    l, t, alpha : float or mapping of str to float, optional
        l-diversity, t-closeness and (α,k)-anonymity of the sensitive columns, for all or by name.
    l_kind : {"distinct", "entropy", "recursive"}, default "distinct"
        The kind of l-diversity; `recursive` needs `c`.
    c : float, optional
        The c of recursive (c,l)-diversity.
    beta, delta, e : float or mapping of str to float, optional
        β-likeness and δ-disclosure privacy of the sensitive columns, and the e of (k,e)-anonymity
        of sensitive numbers, for all or by name.
    beta_kind : {"enhanced", "basic"}, default "enhanced"
        The kind of β-likeness.
    l_of : mapping of tuple to int, optional
        An l of combinations of sensitive columns, of the same kind.
    k_of : mapping of tuple to int, optional
        A k of its own for some of the quasi-identifiers.
    hierarchies : mapping, optional
        Trees by which t-closeness compares values: a FILE.csv or "prefixes:3,2".
    orders : mapping of str to sequence, optional
        Orders by which t-closeness compares values. Numbers and dates have theirs; other values are
        equally far apart.
    words : sequence of str
        Sensitive columns whose numbers are codes, equally far apart.
    missing : sequence of str, default ("",)
        Cells of sensitive columns that are missing, beside empty ones and `*`.
    missing_as : {"own", "root", "wildcard"}, default "own"
        What a missing cell or `*` of a quasi-identifier matches: itself, any value that it may
        cover, or anything. The last two are weaker.
    missing_sensitive : {"ignored", "value"}, default "ignored"
        Whether a missing sensitive cell counts as a value for l, alpha, beta and delta.
    by_people : bool, default False
        Whether t, alpha, beta, delta, entropy and recursive l were promised of people, who are not
        in the file: then only what the file shows is judged.
    against : path or dataframe, optional
        Another release of the same people: what remains of every class when both are known counts
        too.
    original : path or dataframe, optional
        The table that both releases were made of. Needed where a release of means and the like
        cannot be compared by itself: every person is placed in both, and whoever cannot be placed
        is not safe.
    key : sequence of str
        Columns of all three tables that identify a person.
    delimiter, encoding, quote, decimal, thousands : str, optional
        How a csv file is written, where neither it nor a report beside it says so; numbers are
        those of sensitive columns.
    date_format : str or mapping of str to str, optional
        How sensitive columns write dates, for all or by name: "%d.%m.%Y".
    kind : str, optional
        What the file is, in place of the ending of its name: csv, csv.gz, parquet, feather, jsonl,
        xlsx, sav, dta, xpt and others.
    records, columns : int, sequence of str, optional
        What the release should hold, where known.

    Returns
    -------
    Verification
        `ok`, the k found, what was found of every model, and the classes that break something.

    Raises
    ------
    InputError
        The release cannot be read.
    RequestError
        The requirements make no sense for these columns.

    Notes
    -----
    The judge shares no code with whatever made the release. l and alpha count values that differ
    only in case, spaces or invisible signs as one; t-closeness takes the larger of both distances.
    """
    of_sensitive = bool(l_of) or any(one is not None for one in (l, t, alpha, beta, delta, e))
    open_roles = quasi_identifiers is None or (sensitive is None and of_sensitive)
    signs = {"delimiter": delimiter, "encoding": encoding, "quote": quote, "decimal": decimal,
             "thousands": thousands}  # fmt: skip
    given: dict[str, Any] = {name: sign for name, sign in signs.items() if sign is not None}
    if date_format is not None:
        given["date_format"] = formats_of(date_format)
    papers = beside(data) if open_roles or against is not None or not given else None
    if quasi_identifiers is None and papers is None:
        raise RequestError("name the quasi-identifiers to verify: no report beside tells them")
    chosen = papers.quasi_identifiers if quasi_identifiers is None and papers else quasi_identifiers
    quasi = _names(chosen or (), "quasi-identifier")
    own = () if papers is None or not of_sensitive else papers.sensitive
    declared = [name for name in own if name not in quasi] if sensitive is None else []
    hidden = _names(declared or sensitive or (), "sensitive column")
    knows = _names(key, "key column")
    if (original is not None and against is None) or (knows and original is None):
        raise RequestError("original goes with against, another release; key goes with original")
    requirement = Requirement(
        k=_whole(k), l=l, l_kind=l_kind, c=c, t=t, alpha=alpha, beta=beta, beta_kind=beta_kind,
        delta=delta, e=e, l_of=_tuples(l_of or {}), k_of=_tuples(k_of or {}),
        missing_sensitive=missing_sensitive,
    )  # fmt: skip
    requirement.check(hidden, quasi)
    if by_people:
        requirement = requirement.shown_by_records()
    named = [*(hierarchies or {}), *(orders or {}), *words]
    written = Written(**{**({} if papers is None else papers.text), **given})
    written.check()
    _check(quasi, hidden, missing_as, named)
    trees = {n: read_tree(rule, n) for n, rule in (hierarchies or {}).items() if n in hidden}
    subsets = [
        Subset(names, tuple(quasi.index(name) for name in names), own)
        for names, own in requirement.k_of.items()
    ]
    with ExitStack() as after:
        with opened(data, kind, written) as source:
            ours = [
                Sensitive(
                    name,
                    source.as_bytes,
                    trees.get(name),
                    (orders or {}).get(name),
                    is_words=name in words,
                    missing=missing,
                    written=written,
                )
                for name in hidden
            ]
            combined = [Combination(names, ours) for names in requirement.l_of]
            counted = count(
                source, quasi, ours, subsets, missing_as, lambda: after.enter_context(Spill()),
                combined,
            )  # fmt: skip
        ruling = Ruling(requirement, ours, subsets, combined)
        ruling.see(counted)
        manifest_problems = _of_manifest(
            source, quasi, ruling, lambda: after.enter_context(Spill())
        )
        met = None
        if against is not None:
            theirs = beside(against)
            request = CompositionRequest(
                quasi, sensitive if sensitive is None else hidden, requirement.k, papers, theirs,
                (roles_source(papers, quasi_identifiers), roles_source(theirs, None)),
            )  # fmt: skip
            other = Written() if theirs is None else Written(**theirs.text)
            both = _again(data, kind, written, source), _again(against, None, other)
            met = compose(both[0](), both[1](), request)
            if original is not None:
                in_order = (_in_order(data, papers, original), _in_order(against, theirs, original))
                whose = opened(original, None, Written())
                placed = place_people(both[0](), both[1](), whose, request, knows, in_order)
                met = replace(met, shared=placed)
        verification = verification_of(
            source, ruling, counted, missing_as, records, columns, met, manifest_problems
        )
        where = roles_source(papers, None)
        return replace(
            verification,
            roles=f"quasi-identifiers {listed(quasi, NAMED)} {where}"
            if quasi_identifiers is None
            else "",
            roles_of_sensitive=f"sensitive columns {listed(declared, NAMED)} {where}"
            if declared
            else "",
        )


def _is_file(data: Any) -> bool:
    return isinstance(data, str | os.PathLike)


def _again(
    data: Any, kind: str | None, written: Written, source: Source | None = None
) -> Callable[[], AbstractContextManager[Source]]:
    """Return what opens a release once more: a file anew, anything else as it was opened."""
    if _is_file(data):
        return lambda: opened(data, kind, written)
    if source is None:
        with opened(data, kind, written) as opened_source:
            return lambda: nullcontext(opened_source)
    return lambda: nullcontext(source)


def _in_order(data: Any, papers: Beside | None, original: Any) -> bool:
    """Tell whether rows are declared to be in the original order; in memory they are."""
    in_memory = not _is_file(data) and not _is_file(original)
    return in_memory or (papers is not None and papers.in_order)


def _of_manifest(
    source: Source, quasi: Sequence[str], ruling: Ruling, spill: Callable[[], Spill]
) -> list[str]:
    """Return which numbers of a folder's manifest are wrong, by its own quasi-identifiers."""
    manifest = source.manifest
    if manifest is None:
        return []
    own = manifest.quasi_identifiers
    if not own or not set(own) <= set(source.header) or len(set(own)) < len(own):
        return ["manifest.json names quasi-identifiers that the release has not, or none"]
    if set(own) == set(quasi):
        return manifest.problems(source.header, ruling.sizes)
    again = Ruling(Requirement(k=1), [], [])
    again.see(count(source, own, [], [], "own", spill))
    return manifest.problems(source.header, again.sizes)


def class_counts(
    data: Any, wanted: Sequence[str], *, kind: str | None = None, **written: Any
) -> tuple[list[str], Counter[Key]]:
    """Return the header, and how many records share each combination of the wanted columns."""
    with opened(data, kind, Written(**written)) as source:
        try:
            return source.header, Counter(source.keys(wanted))
        except TypeError:
            raise InputError(f"{source.name}: a column holds lists, not values") from None


def _names(names: Sequence[str], role: str) -> list[str]:
    wanted = [names] if isinstance(names, str) else list(names)
    if not wanted and role == "quasi-identifier":
        raise RequestError(f"name at least one {role} to verify")
    if len(set(wanted)) < len(wanted):
        raise RequestError(f"a {role} is named twice")
    return wanted


def _tuples(by_columns: Mapping[Any, int]) -> dict[tuple[str, ...], int]:
    return {
        (names,) if isinstance(names, str) else tuple(names): k for names, k in by_columns.items()
    }


def _check(quasi: list[str], sensitive: list[str], reading: str, named: list[str]) -> None:
    if reading not in READINGS:
        raise RequestError(f"missing_as must be one of {', '.join(READINGS)}")
    for name in sensitive:
        if name in quasi:
            raise RequestError(f"{shown(name)} is named as quasi-identifier and as sensitive")
    for name in named:
        if name not in quasi and name not in sensitive:
            raise RequestError(
                f"a hierarchy, an order or words are given for {shown(name)}, which is neither a "
                "sensitive column nor a quasi-identifier"
            )


def _whole(k: Any) -> int:
    try:
        number = 0 if isinstance(k, bool) else operator.index(k)
    except TypeError:
        number = 0
    if number < 1:
        raise RequestError("k must be a whole number of at least 1")
    return number
