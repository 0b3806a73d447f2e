"""Parameters of a search: moves, perturbations, acceptance, stopping."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from shoal.errors import Json, RequestError, nearest_names, shown
from shoal.kernels.arrays import Integers
from shoal.kernels.rules import NONE, Rules


@dataclass(frozen=True)
class Acceptance:
    """Acceptance criterion: whether a local optimum becomes the incumbent.

    `code` and the two numbers are what the kernel reads. A rule that returns to the best goes back
    there from whatever it rejects; the others go back to the last grouping they accepted.
    """

    name: ClassVar[str] = ""
    code: ClassVar[int]
    returns_to_best: ClassVar[bool] = True

    @property
    def numbers(self) -> tuple[float, float]:
        """The rule's first and last number."""
        first, last, *_ = [*(float(getattr(self, one.name)) for one in fields(self)), 0.0, 0.0]
        return first, last

    def check(self) -> None:
        """Refuse numbers that make no sense."""
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise RequestError(f"{self.name}: {one.name} must be a number")
            if not (math.isfinite(value) and value > 0):
                raise RequestError(f"{self.name}: {one.name} must be above 0")


@dataclass(frozen=True)
class Fixed(Acceptance):
    """With a fixed probability (Laszlo and Mukherjee 2015)."""

    probability: float = 0.8
    name: ClassVar[str] = "fixed"
    code: ClassVar[int] = 0

    def check(self) -> None:
        """Refuse what is no probability."""
        number = self.probability
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
            raise RequestError("fixed: probability must lie between 0 and 1")


@dataclass(frozen=True)
class Dynamic(Acceptance):
    """With probability exp((best - new) / (T best)) (2020 thesis, dAccept)."""

    temperature: float = 1e-5
    name: ClassVar[str] = "dynamic"
    code: ClassVar[int] = 1


@dataclass(frozen=True)
class RecordToRecord(Acceptance):
    """If no more than a share above the best (Dueck 1993)."""

    deviation: float = 1e-3
    name: ClassVar[str] = "record"
    code: ClassVar[int] = 2
    returns_to_best: ClassVar[bool] = False


@dataclass(frozen=True)
class Late(Acceptance):
    """If no worse than some iterations ago (Burke and Bykov 2017)."""

    length: int = 50
    name: ClassVar[str] = "late"
    code: ClassVar[int] = 3
    returns_to_best: ClassVar[bool] = False

    def check(self) -> None:
        """Refuse what is no number of iterations."""
        if isinstance(self.length, bool) or not isinstance(self.length, int) or self.length < 1:
            raise RequestError("late: length must be a whole number, at least 1")


@dataclass(frozen=True)
class Annealing(Acceptance):
    """With probability exp((incumbent - new) / (T best)), T falling from first to last.

    T falls geometrically over the `schedule` of the search (Kirkpatrick, Gelatt, Vecchi 1983).
    """

    first: float = 1e-3
    last: float = 1e-5
    name: ClassVar[str] = "annealing"
    code: ClassVar[int] = 4
    returns_to_best: ClassVar[bool] = False


ACCEPTANCE: dict[str, type[Acceptance]] = {
    rule.name: rule for rule in (Fixed, Dynamic, RecordToRecord, Late, Annealing)
}
MOVES = ("shift", "swap", "split")
MANY = 10**15  # beyond that no number of anything makes sense
PERTURBATIONS = ("dissolve", "distill", "regroup", "resplit")


@dataclass(frozen=True)
class Stop:
    """When a search ends: at the first of those that are given.

    `iterations` counts perturbations (restarts, where a search restarts), `patience` those without
    a better grouping, `seconds` run after compilation, `target` is a loss in percent.
    """

    iterations: int | None = None
    seconds: float | None = None
    patience: int | None = None
    target: float | None = None

    def check(self) -> None:
        """Refuse numbers that make no sense."""
        for name in ("iterations", "patience"):
            value = getattr(self, name)
            low = 0 if name == "iterations" else 1
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or value < low
            ):
                raise RequestError(f"{_STOP_NAMES[name]} must be a whole number, at least {low}")
            if value is not None and value > MANY:
                raise RequestError(f"{_STOP_NAMES[name]} must be at most {MANY:,}")
        for name in ("seconds", "target"):
            value = getattr(self, name)
            if value is not None and (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not (math.isfinite(value) and value >= 0)
            ):
                raise RequestError(f"{_STOP_NAMES[name]} must be a number, at least 0")


_STOP_NAMES = {
    "iterations": "max_iterations",
    "patience": "patience",
    "seconds": "time_limit",
    "target": "target",
}


@dataclass(frozen=True)
class Search:
    """The parts of a search and their numbers.

    `moves` are shift, swap and split: at a local optimum a group of 2k or more becomes two (the
    groupings that come in and go out are split in any case). `local` is "changed" (LSC: pairs with
    a changed group), "all" (LS: all pairs in every pass) or "due" (all but those that nothing can
    have changed for: the moves of "all", sooner). `visits` says how: "groups" (group by group, the
    best move of a pair while one gains) or "pairs" (pairs in random order, the first moves that
    gain, groups of any size: the thesis's own). `neighbors` is how many nearest records of each
    record say where to look for partners; None: as many as serve for k, 0: all groups are partners.
    `samples` is the sampling constant s of the biased dissolve. `share` says how many of the
    possible numbers of groups are allowed, from the largest down. `restarts`: a new random start
    after every local optimum instead of perturbations. `runs` searches are made, the best counts
    (on trees: the best of every connected block). `schedule` is the number of iterations that
    annealing is planned for; it begins anew after them. On trees: 1 means that only what gains is
    kept, and None as many iterations as are to be made.

    Searches on trees (kaim+) know the perturbations dissolve, regroup and resplit (the groups
    around a record grow anew, or are split anew from the top down; `neighbors` says up to how many
    besides its own, None: 4, of groups of fewer than 6 up to 8). They end
    with shifts and swaps; `looks` is how many looks of a record at a group they may take, None:
    until nothing gains.
    """

    local: str = "changed"
    visits: str = "groups"
    neighbors: int | None = None
    moves: tuple[str, ...] = ("shift", "swap")
    perturbations: tuple[str, ...] = ("dissolve", "distill")
    samples: int = 1
    share: float = 0.2
    acceptance: Acceptance = field(default_factory=Fixed)
    restarts: bool = False
    runs: int = 1
    schedule: int | None = None
    looks: int | None = None
    stop: Stop = field(default_factory=Stop)

    def check(self) -> Self:
        """Return the search, or say what makes no sense."""
        if self.local not in ("changed", "all", "due"):
            raise RequestError("local must be 'changed', 'all' or 'due'")
        if self.visits not in ("groups", "pairs"):
            raise RequestError("visits must be 'groups' or 'pairs'")
        if self.local == "due" and self.visits == "groups":
            raise RequestError("local = 'due' is for visits = 'pairs'")
        if self.neighbors and self.visits == "pairs":
            raise RequestError("neighbors are for visits = 'groups', which ilsmc-near makes")
        for name, low in (
            ("neighbors", 0), ("samples", 1), ("runs", 1), ("schedule", 1), ("looks", 0),
        ):  # fmt: skip
            value = getattr(self, name)
            if name in ("schedule", "neighbors", "looks") and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise RequestError(f"{name} must be a whole number, at least {low}")
            if value > MANY:
                raise RequestError(f"{name} must be at most {MANY:,}")
        for name, known in (("moves", MOVES), ("perturbations", PERTURBATIONS)):
            given = getattr(self, name)
            if not isinstance(given, tuple) or not given or any(one not in known for one in given):
                raise RequestError(f"{name} must be some of {', '.join(known)}")
        share = self.share
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise RequestError("share must lie between 0 and 1")
        if not isinstance(self.restarts, bool):
            raise RequestError("restarts must be true or false")
        for name, part in (("acceptance", Acceptance), ("stop", Stop)):
            if not isinstance(getattr(self, name), part):
                raise RequestError(f"{name} must be a table of its parts")
        self.acceptance.check()
        self.stop.check()
        return self

    def replace(self, changes: Mapping[str, Any]) -> Search:
        """Return the search with some parts changed, by name, as a TOML table gives them.

        `acceptance` is a table with the `rule`'s name and its numbers, `stop` one with the fields
        of Stop.
        """
        tree = dict(changes)
        if isinstance(tree.get("acceptance"), Mapping | str):
            tree["acceptance"] = _acceptance(tree["acceptance"])
        if isinstance(tree.get("stop"), Mapping):
            tree["stop"] = replace(self.stop, **_known(tree["stop"], Stop, "stop"))
        for name in ("moves", "perturbations"):
            if isinstance(tree.get(name), list):
                tree[name] = tuple(tree[name])
        return replace(self, **_known(tree, Search, "search")).check()

    def to_dict(self) -> dict[str, Json]:
        """Return plain values, as `replace` takes them."""
        tree = {one.name: getattr(self, one.name) for one in fields(self)}
        rule = self.acceptance
        numbers = {one.name: getattr(rule, one.name) for one in fields(rule)}
        tree["acceptance"] = {"rule": rule.name, **numbers}
        tree["stop"] = {one.name: getattr(self.stop, one.name) for one in fields(Stop)}
        return tree


def _known(tree: Mapping[str, Any], part: type[Any], what: str) -> dict[str, Any]:
    known = [one.name for one in fields(part)]
    for name in tree:
        if name not in known:
            raise RequestError(
                f"{shown(name)} is no part of {what}{nearest_names(str(name), known)}"
            )
    return dict(tree)


def _acceptance(given: Mapping[str, Any] | str) -> Acceptance:
    tree = {"rule": given} if isinstance(given, str) else dict(given)
    name = tree.pop("rule", "fixed")
    if not isinstance(name, str) or name not in ACCEPTANCE:
        raise RequestError(f"there is no acceptance rule {shown(name)}; there are "
                           f"{', '.join(ACCEPTANCE)}")  # fmt: skip
    rule = ACCEPTANCE[name]
    return rule(**_known(tree, rule, f"the acceptance rule {name}"))


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """Groups of at least k, from a start, by the options of a search.

    `start` (n) has groups 0, 1, ... of at least k records, None: random. `rules` are what no group
    of the start or of the result breaks; with a `penalty` above 0 they may, and breaking them by 1
    costs every member of a group so much. Of searches by trees, `others` are more starts: each has
    its runs; `warm`: the first start is good already, and searched at a lower temperature.
    """

    k: int
    start: Integers | None = None
    options: Search = field(default_factory=Search)
    seed: int = 0
    threads: int | None = None
    rules: Rules = field(default_factory=lambda: NONE)
    penalty: float = 0.0
    others: tuple[Integers, ...] = ()
    warm: bool = False
