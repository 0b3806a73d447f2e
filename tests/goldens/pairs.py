"""Cases drawn from a seed: two to five options together, on a small table of every kind of column.

Nobody thought of them: what is refused is recorded as refused. A case's name ends in its number,
and a new option at the end of a list draws other cases, so lists are only changed together with
the records.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from goldens import cases
from goldens.tables import people

SEED, IN_MEMORY, WITH_ENGINE = 53, 110, 40
COLUMNS = list(people(1))
PAINS = ["none", "mild", "moderate", "severe"]

# by subject, of each of which at most one is drawn
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "method": [{"method": m, "search": {}} for m in (
        "mdav", "fast", "kaim-fast", "top-down", "kaim", "k-member", "gsms-nn2", "cbfs-nc3+",
        "full-domain", "local-suppression", "v-mdav", "hilbert",
    )],
    "model": [
        {"privacy": {"l": 2}}, {"privacy": {"l": 3, "enforce": "slices"}},
        {"privacy": {"l": 2, "l_kind": "entropy"}}, {"columns": {"ill": {"l": 3}}},
        {"privacy": {"l": 2, "l_kind": "recursive", "c": 3}}, {"privacy": {"t": 0.4}},
        {"privacy": {"t": 0.3, "enforce": "merge"}}, {"privacy": {"alpha": 0.6}},
        {"privacy": {"beta": 2.0, "enforce": "swap"}}, {"privacy": {"delta": 2.5}},
        {"privacy": {"l": 2, "missing": "value"}}, {"privacy": {"k_of": [[["age", "sex"], 6]]}},
        {"privacy": {"dominance": 5}}, {"privacy": {"preset": "threshold-5", "k": 6}},
    ],
    "tree": [
        {"columns": {"age": {"hierarchy": "widths:5,20"}}},
        {"columns": {"pay": {"hierarchy": "quantiles:8,4"}}},
        {"columns": {"pain": {"order": PAINS}}}, {"columns": {"age": {"weight": 3.0}}},
        {"columns": {"age": {"hierarchy": "cuts:30,50,65"}}},
    ],
    "release": [
        {"columns": {"age": {"aggregate": "median"}}}, {"release": {"aggregate": "generalize"}},
        {"release": {"numbers": "interval"}}, {"release": {"aggregate": "medoid"}},
        {"release": {"numbers": "interval", "intervals": "columns"}},
        {"release": {"decimals": 1}}, {"columns": {"pay": {"decimals": 0}}},
        {"release": {"intervals": "columns"}},
        {"columns": {"cost": {"round": 50}}, "keep": ["cost"], "drop": ["w"]},
    ],
    "people": [
        {"survey": {"weight": "w"}}, {"survey": {"weight": "w", "released": "rounded:5"}},
        {"survey": {"by": ["town"]}}, {"survey": {"by": ["town"], "small": "merge"}},
        {"people": {"household": "household"}}, {"people": {"person": "id"}},
        {"people": {"count": "records"}},
    ],
    "rest": [
        {"seed": 7}, {"suppress": 0.05}, {"incomplete": "delete"}, {"privacy": {"k": 7}},
        {"keep": ["smokes"]}, {"sensitive": ["ill", "smokes"]}, {"drop": ["pain"]},
        {"method": "auto", "search": {}, "effort": "quick"}, {"quasi": ["age", "sex", "born"]},
    ],
    "steps": [{"steps": [step]} for step in (
        {"kind": "top", "column": "pay", "share": 0.05},
        {"kind": "round", "column": "age", "to": 5},
        {"kind": "rare", "column": "ill", "least": 9}, {"kind": "level", "column": "age",
         "hierarchy": "widths:10", "level": 1}, {"kind": "recode", "column": "sex",
         "values": {"f": "x", "m": "y"}}, {"kind": "prefix", "column": "town", "length": 1},
        {"kind": "coarsen", "column": "born", "to": "year"},
    )],
}  # fmt: skip


# what engines and regions take: the others are refused there, which a fifth of the cases hold
BY_REGIONS: dict[str, list[dict[str, Any]]] = {
    "method": [{"method": m} for m in ("auto", "fast", "kaim-fast")],
    "tree": OPTIONS["tree"],
    "release": [
        one for one in OPTIONS["release"]
        if not {"medoid", "columns"} & set(one.get("release", {}).values())
    ],
    "rest": [one for one in OPTIONS["rest"] if "suppress" not in one and "method" not in one],
    "people": [{"people": {"count": "records"}}],
}  # fmt: skip


def drawn() -> Iterator[cases.Case]:
    """Yield the cases: in memory through Python and the command line, and by an engine."""
    draw = random.Random(SEED)
    for number in range(1, IN_MEMORY + 1):
        doors = ["python"] if number % 4 else ["command"]
        asks = _asked(draw, OPTIONS)
        slow = {"slow": number % 3 != 0}  # a third of them is enough for every day
        yield cases.Case(f"pair-{number:03d}", "pairs", {**asks, **slow, "doors": doors})
    for number in range(1, WITH_ENGINE + 1):
        asks = _asked(draw, BY_REGIONS if number % 5 else OPTIONS, search={}, method="auto")
        engine = {
            "as": "parts-parquet", "run": {"engine": "threads", "threads": 2},
            "slow": number % 3 != 0,
        }  # fmt: skip
        yield cases.Case(
            f"pair-engine-{number:02d}", "pairs", {**asks, **engine, "doors": ["command"]}
        )


def _asked(
    draw: random.Random, options: dict[str, list[dict[str, Any]]], **more: Any
) -> dict[str, Any]:
    """Return two to five options, each of another subject, on what every case asks."""
    asks: dict[str, Any] = {
        "table": "people", "quasi": ["age", "pay", "sex", "pain"], "sensitive": ["ill"],
        "identifiers": ["id"], "privacy": {"k": 3}, "method": "kaim+", "search": {"iterations": 40},
    }  # fmt: skip
    asks |= more
    for subject in draw.sample(sorted(options), draw.randint(2, min(5, len(options)))):
        asks = _merged(asks, draw.choice(options[subject]))
    return _with_the_rest(asks)


def _merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    both = {name: value for name, value in old.items() if name not in new}
    for name, value in new.items():
        was = old.get(name)
        both[name] = _merged(was, value) if isinstance(was, dict) and value else value
    return both


def _with_the_rest(asks: dict[str, Any]) -> dict[str, Any]:
    """Return what is asked, every column with one role, and nobody named who is counted."""
    said = {name for role in ("sensitive", "keep") for name in asks.get(role, [])}
    said |= {step["column"] for step in asks.get("steps", []) if step["column"] not in said}
    alone = {*asks.get("people", {}).values(), asks.get("survey", {}).get("weight")}
    alone |= set(asks.get("survey", {}).get("by", []))
    trees = set(asks.get("columns", {})) - said
    quasi = [*dict.fromkeys([*asks["quasi"], *(n for n in COLUMNS if n in trees | said)])]
    asks["quasi"] = [
        n for n in quasi if n not in {*asks["sensitive"], *asks.get("keep", []), *alone}
    ]
    asks["quasi"] = [n for n in asks["quasi"] if n not in asks.get("drop", [])]
    asks["identifiers"] = [n for n in ("id",) if n not in alone or n == alone]
    if asks.get("people", {}).get("person") == "id":
        asks["identifiers"] = ["id"]
    taken = {
        *asks["quasi"],
        *asks["sensitive"],
        *asks.get("keep", []),
        *asks["identifiers"],
        *alone,
    }
    asks["drop"] = [name for name in COLUMNS if name not in taken]
    return asks
