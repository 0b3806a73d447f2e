"""Every oracle on one release: what was asked, what came out. Imports nothing of ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from fuzz import counting
from fuzz.cases import Case, Column
from fuzz.covering import covers, number
from fuzz.tables import WHOLE
from fuzz.values import CLOSE, fits, is_number
from naive import spelling

EXACT = {"float16": Fraction(1, 500), "float32": Fraction(1, 10**6)}
Broken = Iterator[tuple[str, str]]


@dataclass(frozen=True)
class Released:
    """What came out, as plain values: columns by name, labels, and who played which role."""

    names: list[str]
    columns: list[list[Any]]
    roles: dict[str, Any]
    labels: list[int] | None = None  # None where the order of the rows is not known
    in_order: bool = True
    aggregators: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many records were released."""
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column."""
        return self.columns[self.names.index(name)]


@dataclass(frozen=True)
class Original:
    """The records that should be in the release: values and texts of every column."""

    values: dict[str, list[Any]]
    texts: dict[str, list[str | None]]
    kinds: dict[str, str]
    rows: list[int]


def _missing_words(case: Case) -> set[str]:
    """Return the cells that stand for missing ones: in csv files alone."""
    return set(case.options.get("missing") or [""]) if case.source.startswith("csv") else set()


def _held(text: str | None, value: Any) -> str | None:
    """Return the text of a cell; of a whole number that became a float, that of the float."""
    became = isinstance(value, float) and text is not None and text.lstrip("-").isdigit()
    return repr(value) if became and abs(value) > 2**53 else text


def original_of(case: Case, roles: dict[str, Any], values: dict[str, list[Any]]) -> Original:
    """Return the records that were to be released; incomplete ones may be left out."""
    gone = _missing_words(case)
    texts = {
        c.name: [
            None if is_none(value) or text in gone else _held(text, value)
            for value, text in zip(values[c.name], c.cells, strict=True)
        ]
        for c in case.columns
    }
    rows = list(range(case.rows))
    if case.options.get("incomplete") == "delete":
        asked = roles["quasi_identifiers"]  # strata are some of them
        rows = [row for row in rows if all(texts[name][row] is not None for name in asked)]
    taken = {name: [texts[name][row] for row in rows] for name in texts}
    plain = {
        name: [None if t is None else values[name][row] for t, row in zip(cells, rows, strict=True)]
        for name, cells in taken.items()
    }
    return Original(plain, taken, {c.name: c.kind for c in case.columns}, rows)


def is_none(value: Any) -> bool:
    """Whether a value is missing or not a number."""
    return value is None or (isinstance(value, float) and value != value)


def _own(case: Case, option: str) -> list[str]:
    said = case.options.get(option) or []
    return [said] if isinstance(said, str) else list(said)


def check_release(case: Case, original: Original, released: Released) -> Broken:
    """Tell of everything that is wrong with a release."""
    wrong = list(_shape(case, original, released))
    yield from wrong
    if wrong or not released.columns:
        return
    yield from _identifiers(original, released)
    yield from _classes(case, original, released)
    yield from _sensitive(case, original, released)
    if released.rows < len(original.rows):  # nobody says whose records are left out
        return
    if released.in_order:
        yield from _kept(case, original, released)
        yield from _covered(case, original, released)
    else:
        yield from _kept_at_all(case, original, released)
    if released.labels is not None:
        yield from _groups(case, released)
        yield from _values(case, original, released)


def _shape(case: Case, original: Original, released: Released) -> Broken:
    roles = released.roles
    gone = {*roles["identifiers"], *roles["drop"], roles.get("group")}
    if str(case.options.get("weights_as")) == "drop":
        gone.add(roles.get("weight"))
    wanted = [c.name for c in case.columns if c.name not in gone]
    if released.names != wanted:
        yield "columns", f"released {released.names}, wanted {wanted}"
    spare = int(float(case.options.get("suppress") or 0.0) * len(original.rows) + 1e-9)
    if not len(original.rows) - spare <= released.rows <= len(original.rows):
        yield "records", f"released {released.rows}, wanted {len(original.rows)}"


def _identifiers(original: Original, released: Released) -> Broken:
    """No text of an identifier that no other column has stands anywhere in the release."""
    here = {str(cell) for column in released.columns for cell in column}
    for name in released.roles["identifiers"]:
        others = {t for other, cells in original.texts.items() if other != name for t in cells}
        for text in {t for t in original.texts[name] if t is not None and len(t) > 6} - others:
            if text in here:
                yield "identifier", f"a cell of identifier {name!r} is in the release"
                return


def _owners(original: Original, released: Released) -> list[Any] | None:
    """Return whose record each is, where k counts people or households."""
    who = released.roles.get("person") or released.roles.get("household")
    if who is None or not released.in_order:
        return None
    return [f"alone {i}" if t is None else t for i, t in enumerate(original.texts[who])]


def _asked_k(case: Case) -> int:
    return int(case.options["k"])


def _classes(case: Case, original: Original, released: Released) -> Broken:
    quasi = [released.column(name) for name in released.roles["quasi_identifiers"]]
    owners = _owners(original, released)
    for members in counting.classes(quasi, released.rows):
        if counting.units(members, owners) < _asked_k(case):
            yield "k", f"a class of {counting.units(members, owners)} where k is {_asked_k(case)}"
            break
    for names, k in case.options.get("k_of") or []:
        some = [released.column(name) for name in names]
        if min(map(len, counting.classes(some, released.rows))) < k:
            yield "k_of", f"a class of {names} smaller than {k}"


def _asked(case: Case, option: str, name: str) -> Any:
    said = case.options.get(option)
    return said.get(name) if isinstance(said, dict) else said


def _sensitive(case: Case, original: Original, released: Released) -> Broken:
    """Count l, alpha, beta, delta and t of every sensitive column anew."""
    quasi = [released.column(name) for name in released.roles["quasi_identifiers"]]
    counts = case.options.get("missing_sensitive") == "value"
    kind = case.options.get("l_kind") or "distinct"
    owners = _owners(original, released) if released.roles.get("person") else None
    trees = case.options.get("hierarchies") or {}
    for name in released.roles["sensitive"]:
        cells = [None if is_none(cell) else cell for cell in released.column(name)]
        for members in counting.classes(quasi, released.rows):
            values = [cells[row] for row in members]
            if owners is not None:
                seen = {(owners[row], spelling.form(cells[row])): cells[row] for row in members}
                values = list(seen.values())
            forms = counting.sensitive(values, counts)
            wanted = _asked(case, "l", name)
            if wanted is not None and counting.breaks_l(forms, wanted, kind, case.options.get("c")):
                yield "l", f"{kind} l of {name!r} is not {wanted}"
            alpha = _asked(case, "alpha", name)
            if alpha is not None and counting.breaks_alpha(forms, alpha):
                yield "alpha", f"a value of {name!r} is more than {alpha} of a class"
            beta, delta = (_asked(case, what, name) for what in ("beta", "delta"))
            whole = counting.sensitive(cells, counts)
            if beta is not None and owners is None and counting.breaks_beta(forms, whole, beta):
                yield "beta", f"a value of {name!r} gains more than {beta}"
            if delta is not None and owners is None and counting.breaks_delta(forms, whole, delta):
                yield "delta", f"a share of {name!r} changes by {delta} or more"
            t = _asked(case, "t", name)
            ordered = (
                name in (case.options.get("orders") or {}) or case_kind(case, name) == "ordered"
            )
            if t is None or owners is not None or name in trees or ordered:
                continue
            if counting.distance(values, cells) > Fraction(t) + counting.ROOM:
                yield "t", f"a class is further than {t} from all in {name!r}"


def case_kind(case: Case, name: str) -> str:
    """Return the kind of a column."""
    return next((c.kind for c in case.columns if c.name == name), "")


def _kept_names(case: Case, released: Released) -> list[str]:
    changed = {*released.roles["quasi_identifiers"], released.roles.get("weight")}
    changed |= set(case.options.get("round") or {})
    steps = case.options.get("steps")
    changed |= {step["column"] for step in steps} if isinstance(steps, list) else set()
    return [name for name in released.names if name not in changed]


def _kept(case: Case, original: Original, released: Released) -> Broken:
    """Kept columns are what they were, row by row."""
    gone = _missing_words(case)
    for name in _kept_names(case, released):
        cells = [None if str(cell) in gone else cell for cell in released.column(name)]
        pairs = zip(cells, original.values[name], original.texts[name], strict=True)
        is_same = within if _is_cut(case, original, name) else same
        if not all(is_same(*pair) for pair in pairs):
            yield "kept", f"kept column {name!r} ({original.kinds[name]}) has changed"


def _is_cut(case: Case, original: Original, name: str) -> bool:
    """Tell whether pandas has cut a column: its words are not those that it was drawn from."""
    return original.kinds[name] == "interval" and case.source.startswith("pandas")


def within(released: Any, _value: Any, text: str | None) -> bool:
    """Whether an interval of pandas.cut, which rounds its ends to three digits, has a number."""
    if is_none(released) or released == "":
        return text is None or text == ""
    is_pair = isinstance(released, dict)  # as Arrow reads intervals
    ends = released.values() if is_pair else str(released).strip("([])").split(",")
    low, high = map(float, ends)
    near = 0.01 * max(abs(low), abs(high), high - low)
    return text is not None and low - near <= float(text) <= high + near


def same(released: Any, value: Any, text: str | None) -> bool:
    """Whether a released cell is the original one, as a value or as it was written."""
    if is_none(released) or released == "":
        return text is None or text == ""
    if text is None:
        return False
    if released in (value, text):
        return True
    if isinstance(released, bool):
        return text.lower() == str(released).lower()
    ours = {number(released), number(repr(released))} - {None}  # a float is what it is written as
    return bool(ours & {number(value), number(text)})


def _kept_at_all(case: Case, original: Original, released: Released) -> Broken:
    """Kept columns hold the same cells, in whatever order."""
    for name in _kept_names(case, released):
        if _is_cut(case, original, name):
            continue
        gone = _missing_words(case)
        ours = sorted(_canonical(None if str(c) in gone else c) for c in released.column(name))
        theirs = sorted(_canonical(text) for text in original.texts[name])
        exact = sorted(_canonical(value) for value in original.values[name])  # of short floats
        if ours not in (theirs, exact):
            yield "kept", f"the cells of kept column {name!r} ({original.kinds[name]}) have changed"


def _canonical(cell: Any) -> str:
    if is_none(cell) or cell == "":
        return ""
    if isinstance(cell, float):
        cell = repr(cell)
    found = number(cell) if not isinstance(cell, bool) else None
    return str(cell).removeprefix("'").lower() if found is None else str(found)


def _covered(case: Case, original: Original, released: Released) -> Broken:
    """Every cell of a generalized column covers the original."""
    orders = case.options.get("orders") or {}
    trees = case.options.get("hierarchies") or {}
    asked = case.options.get("aggregate")
    for name in released.roles["quasi_identifiers"]:
        cells, way = released.column(name), asked.get(name) if isinstance(asked, dict) else asked
        before = [v for v in original.values[name] if v is not None]
        averaged = before and all(is_number(v) or isinstance(v, bool) for v in before) and not any(
            isinstance(cell, str) and cell != "*" for cell in cells
        )  # fmt: skip
        cut = _is_cut(case, original, name)
        if averaged or cut or way in ("mean", "median", "mode", "medoid"):
            continue
        ranks = _ranks(case, name, orders)
        lines = {
            line[0]: line for line in case.files.get(str(trees.get(name)).removeprefix("file:"), [])
        }
        if (
            ranks is not None
            and way is None
            and not any(
                isinstance(cell, str) and cell[:1] == "[" and cell not in ranks for cell in cells
            )
        ):
            continue  # medians
        for cell, value, text in zip(
            cells, original.values[name], original.texts[name], strict=True
        ):
            line = lines.get(text or "", ())
            if isinstance(cell, str) and name in _own(case, "by"):  # strata that were joined
                line = [text or "missing"] if (text or "missing") in cell.split(" + ") else ()
                cell, text = (text or "missing") if line else cell, text or "missing"  # noqa: PLW2901
            if not covers(cell, value, text, line, ranks):
                yield (
                    "covers",
                    f"a cell of {name!r} ({original.kinds[name]}) does not cover its original",
                )
                break


def _ranks(case: Case, name: str, orders: dict[str, Sequence[str]]) -> dict[str, int] | None:
    if name in orders:
        return {word: rank for rank, word in enumerate(orders[name])}
    if case_kind(case, name) == "ordered" and case.source in (
        "arrow",
        "pandas",
        "pandas_arrow",
        "polars",
    ):
        column = next(c for c in case.columns if c.name == name)
        return {
            word: rank
            for rank, word in enumerate(dict.fromkeys(c for c in column.cells if c is not None))
        }
    return None


def _groups(case: Case, released: Released) -> Broken:
    """Groups are large enough, and their records agree in every quasi-identifier."""
    labels = released.labels or []
    groups: dict[int, list[int]] = {}
    for row, label in enumerate(labels):
        groups.setdefault(label, []).append(row)
    if len(labels) != released.rows or min(map(len, groups.values())) < _asked_k(case):
        yield "labels", "a group is too small, or a record has none"
    for name in released.roles["quasi_identifiers"]:
        cells = released.column(name)
        if any(len({counting.cells(cells[row]) for row in rows}) > 1 for rows in groups.values()):
            yield "labels", f"a group has several values of {name!r}"


def _values(case: Case, original: Original, released: Released) -> Broken:
    """Means, medians, modes and medoids are those of the groups' records."""
    apart = {name for names, _ in case.options.get("k_of") or [] for name in names}
    weight = released.roles.get("weight")
    if weight is not None and any(not is_number(v) for v in original.values[weight]):
        weight = None
    groups: dict[int, list[int]] = {}
    for row, label in enumerate(released.labels or []):
        groups.setdefault(label, []).append(row)
    asked = case.options.get("aggregate")
    for column in case.columns:
        name = column.name
        if name not in released.roles["quasi_identifiers"] or name in {*apart, *_own(case, "by")}:
            continue
        way = asked.get(name) if isinstance(asked, dict) else asked
        cells, values = released.column(name), original.values[name]
        numeric = all(is_number(v) for v in values if v is not None)
        truths = all(isinstance(v, bool) for v in values if v is not None)
        usual, way = way, "mode" if truths else way  # booleans have a majority, or agree
        texts = any(isinstance(cell, str | dict) for cell in cells)  # or intervals
        if (
            way in ("generalize", "range")
            or (texts and (numeric or truths))
            or (not numeric and way not in ("mode", "medoid"))
            or name in (case.options.get("orders") or {})
            or column.kind == "ordered"
        ):
            continue  # generalized, or of ranks
        step = _step(case, column, name)
        for rows in groups.values():
            members = [values[row] for row in rows]
            weights = None if weight is None else [original.values[weight][row] for row in rows]
            cell = cells[rows[0]]
            there = [row for row in rows if values[row] is not None]
            if len(there) < len(rows):
                few = usual not in (None, "mean", "median") or len(_units(case, original, there))
                if few is True or few < _asked_k(case):
                    if cell is not None and cell != "*" and not is_none(cell):
                        yield "values", f"a group that misses cells releases a value of {name!r}"
                        break
                    continue
                members = [values[row] for row in there]
                weights = None if weight is None else [original.values[weight][r] for r in there]
            if not fits(way, cell, members, weights, step, EXACT.get(column.kind, CLOSE)):
                yield (
                    "values",
                    f"{way or 'usual'} value of {name!r} ({column.kind}) is not its group's",
                )
                break


def _units(case: Case, original: Original, rows: Sequence[int]) -> set[Any]:
    """Return the households, people or records that rows are of."""
    for role in ("household", "person"):
        name = case.options.get(role)
        if name is not None:
            return {original.values[name][row] for row in rows}
    return set(rows)


def _step(case: Case, column: Column, name: str) -> Fraction | None:
    """Return to what the means of a column may be rounded; None where they have all digits."""
    said = case.options.get("decimals")
    said = said.get(name) if isinstance(said, dict) else said
    asked = (
        Fraction(1, 10 ** int(said))
        if isinstance(said, int) and not isinstance(said, bool)
        else None
    )
    own: Fraction | None = Fraction(1) if column.kind in WHOLE else None
    if _is_rounded(case) and column.kind not in WHOLE:
        digits = [len(c.partition(".")[2]) for c in column.cells if c is not None and "e" not in c]
        own = Fraction(1, 10 ** max(digits, default=0))
        if case.source.startswith("csv") and all(
            c is None or c.endswith(".0") for c in column.cells
        ):
            own = Fraction(1)  # whole numbers, as other programs write them
        if case.options.get("weight") is not None:
            own = max(own, _coarse([number(c) for c in column.cells if c is not None], own))
    return max((s for s in (own, asked) if s is not None), default=None)


LONG = 10**9  # steps from the least to the greatest value: of more, weighted means are coarse


def _coarse(values: list[Fraction | None], step: Fraction) -> Fraction:
    """Return the step of weighted means of long numbers: no more of them than there are values."""
    known = {value for value in values if value is not None}
    span = max(known, default=Fraction(0)) - min(known, default=Fraction(0))
    if span < LONG * step:
        return step
    steps = (Fraction(times) * Fraction(10) ** power for power in range(-20, 400)
             for times in (1, 2, 5))  # fmt: skip
    return next(one for one in steps if span <= max(len(known) - 1, 1) * one)


def _is_rounded(case: Case) -> bool:
    return case.source.startswith("csv") or case.options.get("weight") is not None
