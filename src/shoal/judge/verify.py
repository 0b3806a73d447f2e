"""`verify`: check a released file or dataframe, from it alone.

Everything it uses is in `judge/`, which shares no code with the reader, the methods or the writer:
a mistake there cannot approve itself here.
"""

from __future__ import annotations

import operator
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.errors import RequestError, listed, shown
from shoal.hints import Message, option
from shoal.judge.classes import READINGS, Classes
from shoal.judge.composition import WARNING, CompositionRequest, compose
from shoal.judge.engine import Engine, names, quoted
from shoal.judge.papers import Beside as Paper
from shoal.judge.papers import beside, roles_source
from shoal.judge.people import place_people
from shoal.judge.reading import READERS, files_of, opened
from shoal.judge.requirement import Requirement, Threshold
from shoal.judge.rulings import Rulings
from shoal.judge.source import Source
from shoal.judge.values import Sensitive, read_tree
from shoal.judge.verdict import Beside, Composition, Judged, KOf, Sizes, Verification
from shoal.judge.written import Written, formats_of

NAMED = 50  # columns whose source of roles is listed
ROWS = 20  # of the table of sizes
APART = 0.5  # the share of records with a value of their own from which a column tells them apart

Trees = Mapping[str, str | os.PathLike[str]]


def verify(
    data: Any,
    k: int | None = None,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
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
    sql: bool = False,
) -> Verification:
    """Check that a released file or dataframe meets its privacy requirements, k-anonymity first.

    Parameters
    ----------
    data : path, URL, dataframe, list or dict
        The release: csv, Parquet, a folder of Parquet parts, Feather, JSON lines, an Excel, SPSS,
        Stata or SAS file, a table of a database ("FILE.duckdb#table"), or a dataframe, also a lazy
        one, a list of rows or of dicts, or a dict of columns. Cells of csv are compared as bytes,
        others as values; codes that all have labels by these.
    k : int, optional
        The least size of an equivalence class. By default that of the report, certificate or recipe
        beside the file.
    quasi_identifiers, sensitive : sequence of str, optional
        Roles of columns. By default those of the report, certificate or recipe beside the file;
        `roles` and `roles_of_sensitive` of the result say from where. `sensitive=[]` means none.
    keep : sequence of str, optional
        Columns that are released as they are. One that is neither this nor a quasi-identifier nor
        sensitive is named, and the release fails if it tells most records apart. By default those
        of the report, certificate or recipe beside the file.
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
        How a csv file is written, where neither it nor a paper beside it that names its hash says
        so; numbers are those of sensitive columns.
    date_format : str or mapping of str to str, optional
        How sensitive columns write dates, for all or by name: "%d.%m.%Y".
    kind : str, optional
        What the file is, in place of the ending of its name: csv, csv.gz, parquet, feather, jsonl,
        xlsx, sav, dta, xpt and others.
    records, columns : int, sequence of str, optional
        What the release should hold, where known.
    sql : bool, default False
        Whether the result has the script of the judgment, which DuckDB's own shell runs.

    Returns
    -------
    Verification
        `ok`, the k found, what was found of every model, and the classes that break something.

    Raises
    ------
    InputError
        The release cannot be read, or not in one way only.
    RequestError
        The requirements make no sense for these columns.

    Notes
    -----
    The judge shares no code with whatever made the release. l and alpha count values that differ
    only in case, spaces or invisible signs as one; t-closeness takes the larger of both distances.
    """
    if kind is not None and kind not in READERS:
        raise RequestError(f"kind must be one of {', '.join(READERS)}")
    files = [file for one in (data, against, original) if one is not None
             for file in files_of(one, kind if one is data else None)]  # fmt: skip
    papers = beside(data)
    signs = {"delimiter": delimiter, "encoding": encoding, "quote": quote, "decimal": decimal,
             "thousands": thousands}  # fmt: skip
    given: dict[str, Any] = {name: sign for name, sign in signs.items() if sign is not None}
    if date_format is not None:
        given["date_format"] = formats_of(date_format)
    written = Written(**{**(papers.text if papers and not given else {}), **given})
    written.check()
    of_sensitive = bool(l_of) or any(one is not None for one in (l, t, alpha, beta, delta, e))
    asked = _Asked.of(k, quasi_identifiers, sensitive, keep, papers, of_sensitive)
    requirement = Requirement(
        k=asked.k, l=l, l_kind=l_kind, c=c, t=t, alpha=alpha, beta=beta, beta_kind=beta_kind,
        delta=delta, e=e, l_of=_tuples(l_of or {}), k_of=_tuples(k_of or {}),
        missing_sensitive=missing_sensitive,
    )  # fmt: skip
    requirement.check(asked.sensitive, asked.quasi)
    requirement = requirement.shown_by_records() if by_people else requirement
    _check(asked, missing_as, [*(hierarchies or {}), *(orders or {}), *words])
    if (original is not None and against is None) or (key and original is None):
        raise RequestError("original goes with against, another release; key goes with original")
    trees = {n: read_tree(rule, n) for n, rule in (hierarchies or {}).items()
             if n in asked.sensitive}  # fmt: skip
    with Engine(files, scripted=sql) as engine:
        source = opened(engine, data, kind, written)
        source.check([*asked.quasi, *asked.sensitive], asked.keep)
        own = [
            Sensitive(name, source.as_text, trees.get(name), (orders or {}).get(name),
                      name in words, tuple(missing), written)
            for name in asked.sensitive
            if requirement.of_column(name)
        ]  # fmt: skip
        classes = Classes(engine, source, asked.quasi, own)
        classes.make()
        rulings = Rulings(classes, requirement, missing_as)
        judgment = _Judgment(rulings, records, columns)
        found = judgment.verification(asked)
        if against is not None:
            request = CompositionRequest(
                asked.quasi, sensitive if sensitive is None else asked.sensitive, asked.k, papers,
                beside(against),
                (roles_source(papers, quasi_identifiers), roles_source(beside(against), None)),
            )  # fmt: skip
            found = _met(found, engine, source, request, against, original, key, data)
        return replace(found, sql="\n\n".join(engine.script) if sql else "")


@dataclass(frozen=True)
class _Asked:
    """What is asked of which columns, and which papers say so."""

    k: int
    quasi: list[str]
    sensitive: list[str]
    keep: list[str]
    papers: Paper | None
    by_papers: tuple[bool, bool, bool]  # k, quasi-identifiers, sensitive columns

    @classmethod
    def of(
        cls, k: int | None, quasi: Sequence[str] | None, sensitive: Sequence[str] | None,
        keep: Sequence[str] | None, papers: Paper | None, of_sensitive: bool,
    ) -> _Asked:  # fmt: skip
        """Return what is asked, and what papers beside the release say where nothing is."""
        if quasi is None and papers is None:
            raise RequestError("name the quasi-identifiers to verify: no report beside tells them")
        if k is None and (papers is None or papers.k is None):
            raise RequestError(f"say the k to verify ({option('k', 5)}): no report beside tells it")
        chosen = _names(papers.quasi_identifiers if quasi is None and papers else quasi or (),
                        "quasi-identifier")  # fmt: skip
        told = (
            papers.sensitive
            if (papers is not None and quasi is None) or (of_sensitive and papers)
            else ()
        )
        hidden = [n for n in told if n not in chosen] if sensitive is None else sensitive
        kept = keep
        if keep is None:  # what the paper calls sensitive is no news either
            kept = () if papers is None else (*papers.kept, *papers.sensitive)
        return cls(
            _whole(k if k is not None or papers is None else papers.k), chosen,
            _names(hidden, "sensitive column"), _names(kept or (), "kept column"), papers,
            (k is None, quasi is None, sensitive is None and bool(hidden)),
        )  # fmt: skip

    def with_origins(self, found: Verification) -> Verification:
        """Return a verification that says where k and the roles are from, if papers say them."""
        where = roles_source(self.papers, None)
        says: dict[str, Any] = {
            "required_by": f"k = {self.k} {where}",
            "roles": f"quasi-identifiers {listed(self.quasi, NAMED)} {where}",
            "roles_of_sensitive": f"sensitive columns {listed(self.sensitive, NAMED)} {where}",
        }
        told = zip(says.items(), self.by_papers, strict=True)
        return replace(found, **{what: text for (what, text), own in told if own})


@dataclass
class _Judgment:
    """The judgment of the classes of a release, with what it should hold."""

    rulings: Rulings
    records: int | None
    columns: Sequence[str] | None

    def verification(self, asked: _Asked) -> Verification:
        """Return what was found; the release is verified if there are no problems."""
        rulings, classes = self.rulings, self.rulings.classes
        engine, source, k = classes.engine, classes.source, asked.k
        sizes = classes.sizes(rulings.reading)
        table = dict(engine.ask(
            f"SELECT candidates, count(*) FROM {sizes} GROUP BY candidates ORDER BY candidates",
            "How many classes there are of each size",
        ))  # fmt: skip
        least, median, most, small, inside = engine.ask(
            "SELECT coalesce(min(candidates), 0), coalesce(median(candidates), 0),\n"
            f"       coalesce(max(candidates), 0), count(*) FILTER (candidates < {k}),\n"
            f"       coalesce(sum(size) FILTER (candidates < {k}), 0)\nFROM {sizes}",
            f"The sizes of classes; those that are smaller than {k}, and their records",
        )[0]
        number, every, own, squares = engine.ask(
            "SELECT count(*), coalesce(sum(size), 0)::BIGINT, coalesce(min(size), 0),\n"
            "       coalesce(sum(size * size), 0)::BIGINT\nFROM classes"
        )[0]
        rulings.small = bool(small)
        if small:
            rulings.broken.append(("k", f"SELECT class FROM {sizes} WHERE candidates < {k}"))
        rulings.rule()
        beside = _beside(engine, source, asked, every)
        apart = tuple(one.column for one in beside if one.alone > APART)
        judged: list[Judged | KOf] = [*rulings.judged, *rulings.k_of]
        problems = [
            *_missing_or_extra(list(source.columns), self.columns), *self._manifest(),
            *_of_sizes(every, small, int(inside), k, self.records),
            *(_of_ruling(one) for one in judged if every and not one.ok),
        ]  # fmt: skip
        if apart:
            problems.append(
                f"{listed(apart)} {'tells' if len(apart) == 1 else 'tell'} the records apart; say "
                f"{option('keep', ','.join(apart))} if it must stay as it is"
            )
        offending = rulings.offending()  # before other readings take the place of what matches
        readings = {
            reading: least if reading == rulings.reading
            else own if reading == "own" else classes.smallest(reading, own)
            for reading in READINGS
        }  # fmt: skip
        found = Verification(
            ok=not problems,
            k=least,
            required=k,
            records=every,
            classes=number,
            problems=tuple(map(Message, problems)),
            reading=rulings.reading,
            readings=readings,
            sizes=Sizes(
                least,
                int(median) if float(median).is_integer() else median,
                most,
                _shortened(table),
                squares,
            ),
            models=tuple(rulings.judged),
            k_of=tuple(rulings.k_of),
            offending=offending,
            beside=beside,
            apart=apart,
            warnings=(*_respelled(classes), *source.warnings),
            reader=source.reader,
        )
        return asked.with_origins(found)

    def _manifest(self) -> list[str]:
        """Return which numbers of a folder's manifest are wrong, by its own quasi-identifiers."""
        source, engine = self.rulings.classes.source, self.rulings.classes.engine
        manifest = source.manifest
        if manifest is None:
            return []
        own = manifest.quasi_identifiers
        if not own or not set(own) <= set(source.columns) or len(set(own)) < len(own):
            return ["manifest.json names quasi-identifiers that the release has not, or none"]
        sizes = Counter(dict(engine.rows(
            f"SELECT size, count(*) FROM (SELECT count(*) AS size FROM {source.table} "
            f"GROUP BY {names(own)}) GROUP BY size"
        )))  # fmt: skip
        return manifest.problems(list(source.columns), sizes)


def _shortened(table: Mapping[int, int]) -> tuple[tuple[int | str, int], ...]:
    """Return how many classes there are of each size; those of the largest in one row."""
    every = list(table.items())
    if len(every) <= ROWS:
        return tuple(every)
    return (*every[: ROWS - 1], ("and more", sum(many for _, many in every[ROWS - 1 :])))


def _beside(engine: Engine, source: Source, asked: _Asked, records: int) -> tuple[Beside, ...]:
    """Return the columns that nobody asked about, those that tell most records apart first."""
    known = {*asked.quasi, *asked.sensitive, *asked.keep}
    found = [
        Beside(name, engine.ask(
            f"SELECT count(*) FILTER (n = 1) FROM (SELECT count(*) AS n FROM {source.table} "
            f"GROUP BY {quoted(name)})",
            f"Records with a value of {shown(name)} that no other record has",
        )[0][0] / max(records, 1))
        for name in source.columns if name not in known
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: -one.alone))


def _met(
    found: Verification, engine: Engine, source: Source, request: CompositionRequest, against: Any,
    original: Any, key: Sequence[str], data: Any,
) -> Verification:  # fmt: skip
    """Return the verification with what this release tells beside another one."""
    theirs = request.theirs
    other = opened(engine, against, None, Written(**(theirs.text if theirs else {})), "other")
    met = compose(engine, source, other, request)
    if original is not None:
        whose = opened(engine, original, None, Written(), "original", published=False)
        in_memory = [not isinstance(one, str | os.PathLike) for one in (data, against, original)]
        in_order = tuple(
            (release and in_memory[2]) or (paper is not None and paper.in_order)
            for release, paper in zip(in_memory, (request.ours, theirs), strict=False)
        )
        shared = place_people(
            engine, source, other, whose, request, key, (in_order[0], in_order[1])
        )
        met = replace(met, shared=shared)
    problems = (*found.problems, *map(Message, _of_meeting(met, request.k)))
    return replace(
        found, ok=not problems, problems=problems, against=met,
        warnings=(*found.warnings, WARNING),
    )  # fmt: skip


def _of_meeting(met: Composition, k: int) -> list[str]:
    """Return what is wrong when this release and the other are known."""
    shared, problems = met.shared, []
    if shared is not None:
        if shared.below:
            problems.append(
                f"{shared.below} of {shared.people} people share their classes in both releases "
                f"with fewer than {k - 1} others"
            )
        if shared.unknown:
            problems.append(
                f"{shared.unknown} of {shared.people} people cannot be placed in both releases; "
                f"name columns that all three files know them by ({option('key')})"
            )
        return problems
    if not met.judged:
        problems.append(
            f"two releases of {listed(met.unjudged)} cannot be judged from the releases alone: "
            "means and other single values do not say whom they stand for; say "
            f"{option('original', 'FILE')}"
        )
    if met.below:
        problems.append(
            f"with the other release, {met.below} pairs of classes leave fewer than {k} "
            f"candidates; {met.records} records of this file are among them"
        )
    return problems


def _of_sizes(every: int, small: int, inside: int, k: int, records: int | None) -> list[str]:
    """Return what is wrong with the number of records, and with the sizes of classes."""
    problems = []
    if not every:
        problems.append("there are no records")
    elif small:
        few = f"; it cannot be met at all, there are only {every} records" if every < k else ""
        problems.append(f"{small} classes with {inside} records are smaller than {k}{few}")
    if records is not None and every != records:
        problems.append(f"there are {every} records, not {records}")
    return problems


def _of_ruling(one: Judged | KOf) -> str:
    """Return how many classes and records break what was asked."""
    never = "" if one.reachable else "; it cannot be met at all, by any grouping"
    return f"{one.classes} classes with {one.records} records break {one.label}{never}"


def _respelled(classes: Classes) -> list[str]:
    """Name the columns of which several spellings were taken for one value."""
    found = [coded.column.name for coded in classes.coded if coded.respelled]
    return [
        f"values of {listed(found)} that differ in case, spaces or signs that cannot be seen alone "
        "were counted as one value"
    ] * bool(found)


def _missing_or_extra(header: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    if columns is None or list(header) == list(columns):
        return []
    extra = len(set(header) - set(columns))
    return [f"the columns are not those of the release ({extra} should not be there)"]


def _names(wanted: Sequence[str], role: str) -> list[str]:
    every = [wanted] if isinstance(wanted, str) else list(wanted)
    if not every and role == "quasi-identifier":
        raise RequestError(f"name at least one {role} to verify")
    if len(set(every)) < len(every):
        raise RequestError(f"a {role} is named twice")
    return every


def _tuples(by_columns: Mapping[Any, int]) -> dict[tuple[str, ...], int]:
    return {
        (columns,) if isinstance(columns, str) else tuple(columns): k
        for columns, k in by_columns.items()
    }


def _check(asked: _Asked, reading: str, named: list[str]) -> None:
    if reading not in READINGS:
        raise RequestError(f"missing_as must be one of {', '.join(READINGS)}")
    for name in asked.sensitive:
        if name in asked.quasi:
            raise RequestError(f"{shown(name)} is named as quasi-identifier and as sensitive")
    for name in named:
        if name not in asked.quasi and name not in asked.sensitive:
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
