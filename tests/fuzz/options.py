"""Random options: every argument of `anonymize`, mostly sensible, sometimes not.

An option is drawn by the function of its name in `DRAWN`; a test holds that table against the
signatures of the doors, so that a new option cannot be forgotten here.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

from fuzz.cases import Column
from fuzz.tables import DATES, NUMBERS, TEXTS

Draw = Callable[["Asking"], Any]
NONSENSE = (-1, 0, 2.5, "x", None, "", True, [], {}, float("nan"), 10**30, "a=b")
AGGREGATORS = ("mean", "median", "mode", "medoid", "generalize", "range")
SLOW = (
    "exact", "best", "ilsm", "ilsmc", "ilsmc+", "ls", "lsc", "kaim+", "ls-steepest",
    "lsc-steepest", "ilsm-steepest", "ilsmc-near",
)  # fmt: skip


class Asking:
    """What is drawn of one request: the columns by role, and the files of hierarchies."""

    def __init__(self, rng: random.Random, columns: tuple[Column, ...]) -> None:
        self.rng, self.columns = rng, columns
        self.rows = len(columns[0].cells) if columns else 0
        self.files: dict[str, list[list[str]]] = {}
        self.roles: dict[str, list[str]] = {}
        self.options: dict[str, Any] = {}

    def names(self, role: str | None = None, kinds: tuple[str, ...] = ()) -> list[str]:
        """Return the names of columns of a role, or of kinds."""
        names = [c.name for c in self.columns if not kinds or c.kind in kinds]
        return names if role is None else [n for n in names if n in self.roles.get(role, [])]

    def one(self, names: list[str]) -> str:
        """Return one of some names; of none, a name that is not there."""
        return self.rng.choice(names) if names and self.rng.random() < 0.98 else "absent"

    def column(self, name: str) -> Column | None:
        """Return the column of a name, if it is there."""
        return next((c for c in self.columns if c.name == name), None)


def draw_options(
    rng: random.Random, columns: tuple[Column, ...], source: str
) -> tuple[dict[str, Any], dict[str, list[list[str]]]]:
    """Return options for a table from a source, and the files of hierarchies that they name.

    Most requests are made to make sense; the others show how they are refused.
    """
    asking = Asking(rng, columns)
    _draw_roles(asking)
    asking.options |= asking.roles
    asking.options["k"] = _k(asking)
    asking.options["effort"] = "quick" if rng.random() < 0.97 else rng.choice(("normal", "best"))
    for name in rng.sample(sorted(DRAWN), min(len(DRAWN), int(rng.expovariate(1 / 3)))):
        asking.options[name] = DRAWN[name](asking)
        if rng.random() < 0.01:
            asking.options[name] = rng.choice(NONSENSE)
    if rng.random() < 0.9:
        _make_sense(asking, source)
    _only_other(asking.options, asking.options.get("other") or [])
    _keep_short(asking)
    return asking.options, asking.files


def _make_sense(asking: Asking, source: str) -> None:
    """Take back what contradicts something else, and add what is needed."""
    options, rng = asking.options, asking.rng
    if not source.startswith("csv"):
        for name in ("types", "missing", *WRITTEN):
            options.pop(name, None)
    elif {c.name for c in asking.columns if set(c.name) & set(",;\t|")}:
        options.setdefault("delimiter", ",")
    if not options.get("sensitive"):
        for name in ("l", "t", "alpha", "beta", "beta_kind", "delta", "e", "l_of"):
            options.pop(name, None)
    if options.get("l") is None:
        options.pop("l_kind", None)
    if options.get("beta") is None:
        options.pop("beta_kind", None)
    if options.get("l_kind") != "recursive":
        options.pop("c", None)
    else:
        options.setdefault("c", rng.choice((1, 2, 3.5)))
    if "group" in options:
        options.pop("method", None)
        options.pop("start", None)
        _leave(asking, options["group"])
    else:
        options.pop("refine", None)
    for name in ("weight", "household", "person"):
        if name in options:
            _leave(asking, options[name])
    if "person" in options:
        options.setdefault("identifiers", []).append(options["person"])
        options.pop("count", None)
    elif options.get("identifiers"):
        options["count"] = "records"
    if "weight" not in options:
        options.pop("weights_as", None)
    elif options.get("decimals") == "none":
        del options["decimals"]
    if options.get("method", "auto") == "auto":
        options.pop("start", None)
    others = [*(options.get("other") or []), *([options["weight"]] if "weight" in options else [])]
    if not others:
        options.pop("keep_unique", None)
        options.pop("round", None)
    else:
        options["keep_unique"] = others
    if not options.get("quasi_identifiers"):
        _lend(asking)
    if isinstance(options["k"], int) and options["k"] > max(asking.rows, 2):
        options["k"] = 2
    _only_quasi(asking)


def _only_other(options: dict[str, Any], others: list[str]) -> None:
    """Keep the steps of other columns: those are compared with nothing but their own cells."""
    if isinstance(options.get("steps"), list):
        own = [one for one in options["steps"] if one["column"] in others]
        options["steps"] = [one for one in own if one["column"] != options.get("weight")]
        if not options["steps"]:
            del options["steps"]


def _leave(asking: Asking, name: str) -> None:
    """Take a column out of every list of roles."""
    for role in ("quasi_identifiers", "sensitive", "other", "identifiers", "drop", "by"):
        names = asking.options.get(role)
        if isinstance(names, list) and name in names:
            asking.options[role] = [one for one in names if one != name]
            if not asking.options[role]:
                del asking.options[role]


def _lend(asking: Asking) -> None:
    """Make a column without a role a quasi-identifier, where roles are given."""
    options = asking.options
    if any(options.get(role) for role in ("sensitive", "other", "identifiers")):
        taken = {name for role in asking.roles for name in options.get(role, [])}
        taken |= {str(options.get(name)) for name in ("weight", "household", "person", "group")}
        free = [name for name in asking.names() if name not in taken]
        if free:
            options["quasi_identifiers"] = [asking.rng.choice(free)]


def _only_quasi(asking: Asking) -> None:
    """Ask of quasi-identifiers what is asked of them alone."""
    options = asking.options
    quasi = options.get("quasi_identifiers") or asking.names()
    for name in ("orders", "aggregate", "decimals", "column_weights", "hierarchies", "dominance"):
        said = options.get(name)
        if isinstance(said, dict):
            options[name] = {column: value for column, value in said.items() if column in quasi}
            if not options[name]:
                del options[name]


def _draw_roles(asking: Asking) -> None:
    if asking.rng.random() < 0.15:
        return
    roles = ("quasi_identifiers", "sensitive", "other", "identifiers", "drop", "")
    weights = (55, 20, 10, 5, 3, 4)
    for column in asking.columns:
        role = asking.rng.choices(roles, weights)[0]
        if role:
            asking.roles.setdefault(role, []).append(column.name)
    if "quasi_identifiers" not in asking.roles and asking.columns and asking.rng.random() < 0.9:
        taken = asking.rng.choice(asking.columns).name
        for names in asking.roles.values():
            if taken in names:
                names.remove(taken)
        asking.roles = {role: names for role, names in asking.roles.items() if names}
        asking.roles["quasi_identifiers"] = [taken]


def _k(asking: Asking) -> Any:
    if asking.rng.random() < 0.03:
        return asking.rng.choice((0, -1, 1, 2.5, "x", asking.rows, asking.rows + 1, None))
    return asking.rng.choice((2, 2, 3, 3, 4, 5, 7))


def _keep_short(asking: Asking) -> None:
    """Give searches little to do: a case takes a moment."""
    options = asking.options
    if options.get("method", "auto") in SLOW or options.get("effort") != "quick":
        options.setdefault("time_limit", 0.1)
    options.setdefault("threads", 1)


@cache
def methods() -> list[str]:
    """Return the names of all methods."""
    import shoal

    return ["auto", *(method.name for method in shoal.methods())]


def _some(asking: Asking, names: list[str]) -> list[str]:
    return asking.rng.sample(names, asking.rng.randint(1, len(names))) if names else ["absent"]


def _per(asking: Asking, names: list[str], draw: Callable[[], Any]) -> Any:
    """Return a value for all columns, or one each for some."""
    if asking.rng.random() < 0.6:
        return draw()
    return {name: draw() for name in _some(asking, names)}


def _l(asking: Asking) -> Any:
    return _per(
        asking, asking.names("sensitive"), lambda: asking.rng.choice((1, 2, 2, 2, 3, 4, 1.5))
    )


def _share(asking: Asking) -> Any:
    draw = asking.rng.choice
    return _per(asking, asking.names("sensitive"), lambda: draw((0.05, 0.3, 0.5, 0.7, 0.9, 1, 1.0)))


def _k_of(asking: Asking) -> Any:
    names = asking.names("quasi_identifiers") or asking.names()
    return [[_some(asking, names)[:3], asking.rng.choice((2, 4, 6, 8))] for _ in range(1)]


def _hierarchies(asking: Asking) -> Any:
    found = {}
    for name in _some(asking, asking.names("quasi_identifiers") or asking.names()):
        column = asking.column(name)
        found[name] = "flat" if column is None else _rule(asking, column)
    return found


def _rule(asking: Asking, column: Column) -> str:
    rng = asking.rng
    if rng.random() < 0.1:
        return rng.choice(("flat", "balanced", "dates", "widths:0", "cuts:", "prefixes:x", "no"))
    if column.kind in NUMBERS:
        rules = ("widths:5,10", "widths:0.5", "cuts:0,10,100", "quantiles:4,2", "balanced")
        return rng.choice((*rules, "prefixes:1", "prefixes:2,1"))
    if column.kind in DATES:
        return rng.choice(("dates", "dates", "balanced", "flat"))
    return _tree_file(asking, column) if rng.random() < 0.5 else rng.choice(("prefixes:1", "flat"))


def _tree_file(asking: Asking, column: Column) -> str:
    """Return the name of a file that gives every word a path of three."""
    words = sorted({cell for cell in column.cells if cell is not None})
    name = f"tree{len(asking.files)}.csv"
    asking.files[name] = [[word, f"part {len(word) % 3}", "*"] for word in words] or [["x", "*"]]
    if asking.rng.random() < 0.05:
        asking.files[name].pop()
    return f"file:{name}"


def _orders(asking: Asking) -> Any:
    texts = [c for c in asking.columns if c.kind in TEXTS]
    if not texts:
        return {"absent": ["a", "b"]}
    column = asking.rng.choice(texts)
    words = sorted({cell for cell in column.cells if cell})
    asking.rng.shuffle(words)
    return {column.name: words[1:] if asking.rng.random() < 0.05 else words}


def _group(asking: Asking) -> Any:
    return asking.one([c.name for c in asking.columns if len(set(c.cells)) < 7] or asking.names())


def _types(asking: Asking) -> Any:
    words = ("number", "text", "date", "boolean")
    return {name: asking.rng.choice(words) for name in _some(asking, asking.names())[:2]}


def _missing(asking: Asking) -> Any:
    words = sorted({cell for c in asking.columns for cell in c.cells if cell}) or ["?"]
    return ["", asking.rng.choice((*words[:40], "?", "NA"))]


def _search(asking: Asking) -> Any:
    pick = asking.rng.choice
    return pick((
        {"runs": 2}, {"stop": {"iterations": 3}}, {"looks": 100}, {"unknown": 1}, {},
        {"acceptance": {"name": "late"}}, {"acceptance": "dynamic"}, {"stop": 5},
    ))  # fmt: skip


def _steps(asking: Asking) -> Any:
    """Return one or two steps by no chance: doors draw their secrets anew."""
    return [_step(asking) for _ in range(asking.rng.choice((1, 1, 2)))]


def _step(asking: Asking) -> dict[str, Any]:
    rng = asking.rng
    name = asking.one(asking.names("other") or asking.names())
    column = asking.column(name)
    kind = "" if column is None else column.kind
    if kind in NUMBERS:
        found = {"kind": rng.choice(("round", "top", "bottom"))}
    elif kind in DATES:
        found = {"kind": "coarsen", "to": rng.choice(("month", "quarter", "year", "decade"))}
    else:
        found = {"kind": "rare", "least": rng.choice((2, 3))}
    if found["kind"] == "round":
        found["digits"] = rng.choice((-1, 0, 1))
    elif found["kind"] in ("top", "bottom"):
        found |= {"share": rng.choice((0.1, 0.3)), "becomes": rng.choice(("mean", "limit"))}
    return {"column": name, **found}


def _choice(*values: Any) -> Draw:
    return lambda asking: asking.rng.choice(values)


DRAWN: dict[str, Draw] = {
    "l": _l,
    "l_kind": _choice("distinct", "entropy", "recursive"),
    "c": _choice(0.5, 1, 2, 3.5),
    "t": _share,
    "alpha": _share,
    "beta": lambda a: _per(a, a.names("sensitive"), lambda: a.rng.choice((0.5, 1, 3))),
    "beta_kind": _choice("enhanced", "basic"),
    "delta": lambda a: _per(a, a.names("sensitive"), lambda: a.rng.choice((0.5, 1.5, 3))),
    "dominance": lambda a: _per(a, a.names("quasi_identifiers"), lambda: a.rng.choice((1, 10, 50))),
    "k_of": _k_of,
    "l_of": lambda a: [[a.names("sensitive")[:2], a.rng.choice((1, 2, 3))]],
    "e": lambda a: _per(a, a.names("sensitive", NUMBERS), lambda: a.rng.choice((0.5, 1, 10))),
    "preset": _choice("threshold-3", "threshold-5", "ema"),
    "enforce": _choice("auto", "slices", "swap", "merge"),
    "group": _group,
    "weight": lambda a: a.one(a.names("other", NUMBERS) or a.names(None, NUMBERS) or a.names()),
    "by": lambda a: _some(a, a.names("quasi_identifiers"))[:2],
    "household": lambda a: a.one(a.names()),
    "person": lambda a: a.one(a.names("identifiers") or a.names()),
    "count": _choice("people", "records"),
    "missing_sensitive": _choice("ignored", "value"),
    "small_strata": _choice("refuse", "merge"),
    "weights_as": _choice("mean", "rounded:2", "rounded:0.5", "exact", "drop"),
    "round": lambda a: {a.one(a.names("other") or a.names()): a.rng.choice((1, 10, 0.5, 7))},
    "keep_unique": lambda a: _some(a, a.names("other") or a.names()),
    "method": lambda a: a.rng.choice(methods()),
    "start": lambda a: a.rng.choice(methods()),
    "max_iterations": _choice(0, 1, 5, 20),
    "time_limit": _choice(0, 0.01, 0.1),
    "runs": _choice(1, 2),
    "search": _search,
    "refine": _choice(
        "phase2",
        "decompose",
        "iterative",
        "decompose+",
        "iterative+",
        "ls",
        "lsc",
        "ilsmc+",
        "kaim+",
    ),
    "seed": _choice(0, 1, 7, 2**40),
    "column_weights": lambda a: {a.one(a.names("quasi_identifiers")): a.rng.choice((0.5, 2, 10))},
    "threads": _choice(1, 2),
    "hierarchies": _hierarchies,
    "orders": _orders,
    "incomplete": _choice("keep", "delete"),
    "suppress": _choice(0.0, 0.05, 0.4),
    "aggregate": lambda a: _per(
        a, a.names("quasi_identifiers") or a.names(), lambda: a.rng.choice(AGGREGATORS)
    ),
    "numbers": _choice("mean", "interval"),
    "intervals": _choice("text"),
    "decimals": lambda a: _per(
        a, a.names("quasi_identifiers", NUMBERS), lambda: a.rng.choice((0, 1, 3, 9, "none"))
    ),
    "missing": _missing,
    "types": _types,
    "delimiter": _choice(",", ";", "\t", "|"),
    "encoding": _choice(None, "utf-8", "utf-16", "utf-32"),
    "quote": _choice('"', "'"),
    "skip_lines": _choice(0, 1, 3),
    # what follows is not said of files that are written otherwise: they are read as they are
    "decimal": _choice("."),
    "thousands": _choice(""),
    "date_format": _choice(None, "%Y-%m-%d"),
    "comment": _choice(None),
    "widths": _choice(None),
    "sheet": _choice(None),
    "totals": _choice(None),
    "totals_within": _choice(0.0),
    "group_column": _choice(None),  # its numbers are drawn anew behind every door
    "steps": _steps,
    "secret": _choice(None),
    "allow_k1": _choice(True, False),
    "allow_empty": _choice(True, False),
}
WRITTEN = ("delimiter", "encoding", "quote", "skip_lines", "decimal", "thousands", "date_format",
           "comment", "widths", "sheet")  # fmt: skip
APART = {
    "ledger", "withhold", "changing", "stable", "expect_overlap", "over_series", "counterfeits",
}  # of a series  # fmt: skip
ALWAYS = {"k", "effort", "quasi_identifiers", "sensitive", "identifiers", "other", "drop"}
