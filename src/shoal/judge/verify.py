"""`verify`: check a released file or dataframe, from it alone.

Everything it uses is in `judge/`, which shares no code with the reader, the methods or the writer:
a mistake there cannot approve itself here.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.errors import RequestError, listed, shown
from shoal.hints import Message, option
from shoal.judge import refuse
from shoal.judge.classes import READINGS, Classes
from shoal.judge.csv_text import Written, formats_of
from shoal.judge.engine import Engine, names, quoted
from shoal.judge.papers import Beside as Paper
from shoal.judge.papers import beside, roles_source
from shoal.judge.reading import READERS, files_of, opened
from shoal.judge.requirement import Requirement, Threshold
from shoal.judge.rulings import Rulings
from shoal.judge.source import Source
from shoal.judge.values import Sensitive, read_tree
from shoal.judge.verdict import Beside, Judged, KOf, Sizes, Verification, tell_apart

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
    refuse((kind is not None and kind not in READERS, f"kind must be one of {', '.join(READERS)}"),
           error=RequestError)  # fmt: skip
    given = [one for one in (data, against, original) if one is not None]
    files = [file for one in given for file in files_of(one, kind if one is data else None)]
    papers = beside(data)
    signs = {"delimiter": delimiter, "encoding": encoding, "quote": quote, "decimal": decimal,
             "thousands": thousands,
             "date_format": None if date_format is None else formats_of(date_format)}  # fmt: skip
    signs = {name: sign for name, sign in signs.items() if sign is not None}
    written = Written(**(signs or (papers.text if papers else {})))
    written.check()
    of_sensitive = bool(l_of) or any(one is not None for one in (l, t, alpha, beta, delta, e))
    asked = _asked(k, quasi_identifiers, sensitive, keep, papers, of_sensitive)
    requirement = Requirement(
        k=asked.k, l=l, l_kind=l_kind, c=c, t=t, alpha=alpha, beta=beta, beta_kind=beta_kind,
        delta=delta, e=e, l_of=_tuples(l_of or {}), k_of=_tuples(k_of or {}),
        missing_sensitive=missing_sensitive,
    )  # fmt: skip
    requirement.check(asked.sensitive, asked.quasi)
    requirement = requirement.shown_by_records() if by_people else requirement
    known = (*asked.quasi, *asked.sensitive)
    refuse(
        (missing_as not in READINGS, f"missing_as must be one of {', '.join(READINGS)}"),
        *((name in asked.quasi, f"{shown(name)} is named as quasi-identifier and as sensitive")
          for name in asked.sensitive),
        *((name not in known,
           f"a hierarchy, an order or words are given for {shown(name)}, which is neither a "
           "sensitive column nor a quasi-identifier")
          for name in (*(hierarchies or {}), *(orders or {}), *words)),
        ((original is not None and against is None) or (key and original is None),
         "original goes with against, another release; key goes with original"),
        error=RequestError,
    )  # fmt: skip
    trees = {n: read_tree(rule, n) for n, rule in (hierarchies or {}).items()
             if n in asked.sensitive}  # fmt: skip
    with Engine(files, scripted=sql) as engine:
        source = opened(engine, data, kind, written)
        source.check(known, asked.keep)
        own = [
            Sensitive(name, source.as_text, trees.get(name), (orders or {}).get(name),
                      name in words, tuple(missing), written)
            for name in asked.sensitive if requirement.of_column(name)
        ]  # fmt: skip
        rulings = Rulings(Classes(engine, source, asked.quasi, own), requirement, missing_as)
        found = _judged(rulings, asked, records, columns)
        if against is not None:
            from shoal.judge.composition import WARNING, CompositionRequest
            from shoal.judge.people import meet

            theirs = beside(against)
            request = CompositionRequest(
                asked.quasi, sensitive if sensitive is None else asked.sensitive, asked.k, papers,
                theirs, (roles_source(papers, quasi_identifiers), roles_source(theirs, None)),
            )  # fmt: skip
            met = meet(engine, source, request, (data, against, original), key)
            problems = (*found.problems, *map(Message, met.problems(asked.k)))
            found = replace(found, ok=not problems, problems=problems, against=met,
                            warnings=(*found.warnings, WARNING))  # fmt: skip
        return replace(found, sql="\n\n".join(engine.script) if sql else "")


@dataclass(frozen=True)
class _Asked:
    """What is asked of which columns; `origins` say what of it papers beside the file told."""

    k: int
    quasi: list[str]
    sensitive: list[str]
    keep: list[str]
    origins: dict[str, Any]


def _asked(
    k: int | None, quasi: Sequence[str] | None, sensitive: Sequence[str] | None,
    keep: Sequence[str] | None, papers: Paper | None, of_sensitive: bool,
) -> _Asked:  # fmt: skip
    """Return what is asked, and what papers beside the release say where nothing is."""
    refuse(
        (quasi is None and papers is None,
         "name the quasi-identifiers to verify: no report beside tells them"),
        (k is None and (papers is None or papers.k is None),
         f"say the k to verify ({option('k', 5)}): no report beside tells it"),
        error=RequestError,
    )  # fmt: skip
    told, where = papers or Paper("", ()), roles_source(papers, None)
    chosen = _names(told.quasi_identifiers if quasi is None else quasi, "quasi-identifier")
    hidden = told.sensitive if quasi is None or of_sensitive else ()
    hidden = tuple(name for name in hidden if name not in chosen)
    secret = _names(hidden if sensitive is None else sensitive, "sensitive column")
    # what the paper calls sensitive is no news either
    kept = _names((*told.kept, *told.sensitive) if keep is None else keep, "kept column")
    try:
        number = operator.index((told.k or 0) if k is None else k)
    except TypeError:
        number = 0
    refuse((number < 1 or isinstance(k, bool), "k must be a whole number of at least 1"),
           error=RequestError)  # fmt: skip
    origins = {
        "required_by": (k, f"k = {number} {where}"),
        "roles": (quasi, f"quasi-identifiers {listed(chosen, NAMED)} {where}"),
        "roles_of_sensitive": (sensitive if secret else (),
                               f"sensitive columns {listed(secret, NAMED)} {where}"),
    }  # fmt: skip
    return _Asked(number, chosen, secret, kept,
                  {what: line for what, (own, line) in origins.items() if own is None})  # fmt: skip


def _judged(
    rulings: Rulings, asked: _Asked, records: int | None, columns: Sequence[str] | None
) -> Verification:
    """Return what was found in the classes; the release is verified if there are no problems."""
    classes, engine, k = rulings.classes, rulings.engine, asked.k
    source = classes.source
    sizes = classes.sizes("classes", classes.kinds, rulings.reading)
    query = f"SELECT candidates, count(*) FROM {sizes} GROUP BY candidates ORDER BY candidates"
    table = engine.ask(query, "How many classes there are of each size")
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
    if small:
        rulings.broken.append(("k", f"SELECT class FROM {sizes} WHERE candidates < {k}"))
    rulings.rule()
    beside = _beside(engine, source, {*asked.quasi, *asked.sensitive, *asked.keep})
    apart = tuple(one.column for one in beside if one.alone > APART)
    every_one: list[Judged | KOf] = [*rulings.judged, *rulings.k_of]
    failed = [one for one in every_one if not one.ok]
    extra = 0 if columns is None else len(set(source.columns) - set(columns))
    few = f"; it cannot be met at all, there are only {every} records" if every < k else ""
    wrongs = [
        (columns is not None and list(source.columns) != list(columns),
         f"the columns are not those of the release ({extra} should not be there)"),
        *((True, wrong) for wrong in _of_manifest(engine, source)),
        (not every, "there are no records"),
        (every and small, f"{small} classes with {inside} records are smaller than {k}{few}"),
        (records not in (None, every), f"there are {every} records, not {records}"),
        *((every, f"{one.classes} classes with {one.records} records break {one.label}"
           + ("" if one.reachable else "; it cannot be met at all, by any grouping"))
          for one in failed),
        (apart, f"{tell_apart(apart)}; say {option('keep', ','.join(apart))} "
         "if it must stay as it is"),
    ]  # fmt: skip
    problems = tuple(Message(wrong) for is_there, wrong in wrongs if is_there)
    offending = rulings.offending() if small or failed else ()  # before other readings match
    respelled = listed(coded.column.name for coded in classes.coded if coded.respelled)
    spelled = (f"values of {respelled} that differ in case, spaces or signs that cannot be seen "
               "alone were counted as one value",) if respelled else ()  # fmt: skip
    if len(table) > ROWS:
        table[ROWS - 1 :] = [("and more", sum(many for _, many in table[ROWS - 1 :]))]
    return Verification(
        ok=not problems, k=least, required=k, records=every, classes=number, problems=problems,
        reading=rulings.reading,
        readings={reading: least if reading == rulings.reading else
                  classes.smallest(reading, own) for reading in READINGS},
        sizes=Sizes(least, int(median) if float(median).is_integer() else median, most,
                    tuple(table), squares),
        models=tuple(rulings.judged), k_of=tuple(rulings.k_of), offending=offending, beside=beside,
        apart=apart, warnings=(*spelled, *source.warnings), reader=source.reader, **asked.origins,
    )  # fmt: skip


def _of_manifest(engine: Engine, source: Source) -> list[str]:
    """Return which numbers of a folder's manifest are wrong, by its own quasi-identifiers."""
    if source.manifest is None:
        return []
    content, parts = source.manifest
    own = content["quasi_identifiers"]
    if not own or not set(own) <= set(source.columns) or len(set(own)) < len(own):
        return ["manifest.json names quasi-identifiers that the release has not, or none"]
    ((smallest, classes, records),) = engine.rows(
        "SELECT coalesce(min(n), 0), count(*), coalesce(sum(n), 0)::BIGINT "
        f"FROM (SELECT count(*) AS n FROM {source.table} GROUP BY {names(own)})"
    )

    def is_count(told: Any, counted: int) -> bool:
        return type(told) is int and told == counted

    wrongs = [
        (type(content["k"]) is not int or not 0 <= content["k"] <= smallest,
         f"a k that the smallest class, of {smallest}, has not"),
        *((not is_count(content[what], counted),
           f"another number of {what} than there are: {counted}")
          for what, counted in (("classes", classes), ("records", records))),
        (content["columns"] != list(source.columns), "other columns than there are"),
        *((not is_count(part["records"], rows) or not is_count(part["bytes"], size),
           f"other records or bytes of {shown(part['file'])}")
          for part, (rows, size) in zip(content["parts"], parts, strict=True)),
    ]  # fmt: skip
    return [f"manifest.json says {what}" for is_wrong, what in wrongs if is_wrong]


def _beside(engine: Engine, source: Source, known: set[str]) -> tuple[Beside, ...]:
    """Return the columns that nobody asked about, those that tell most records apart first."""
    found = [
        Beside(name, engine.ask(
            "SELECT count(*) FILTER (n = 1) / greatest(sum(n), 1) FROM (\n"
            f"  SELECT count(*) AS n FROM {source.table} GROUP BY {quoted(name)}\n)",
            f"Share of the records with a value of {shown(name)} that no other record has",
        )[0][0]) for name in source.columns if name not in known
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: -one.alone))


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
