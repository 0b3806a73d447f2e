"""Iterated local search on hierarchies: perturbations in rounds, then shifts and swaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from shoal.errors import RequestError
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.generalization import cell_losses
from shoal.measures.loss import percent
from shoal.methods.ils.driver import NEVER, Everywhere, Watch, drive
from shoal.methods.ils.hierarchies.layout import (
    BY_DISSOLVE,
    BY_DISSOLVING,
    BY_REGROUP,
    BY_REGROUPING,
    BY_RESPLIT,
    BY_RESPLITTING,
    BY_SHIFTS,
    BY_SWAPS,
    DISSOLVED,
    LIVING,
    LOOK,
    LOOKED,
    LOOKING,
    LOOKS,
    MOST,
    REGROUPED,
    RESPLIT,
    SHIFTS,
    SHIFTS_TRIED,
    SWAPS,
    SWAPS_TRIED,
    WAITING,
)
from shoal.methods.ils.hierarchies.moves import NEIGHBORS, ORDERS
from shoal.methods.ils.hierarchies.regions import (
    HEAT,
    WARM,
    Cooling,
    Map,
    Region,
    Run,
    Totals,
    orders_of,
    round_size,
)
from shoal.methods.ils.parameters import Search, Task
from shoal.methods.ils.recombine import Grouping, recombined
from shoal.methods.ils.state import gains
from shoal.methods.masses import masses_of, unit_of
from shoal.methods.topdown.grouping import cut_up, records_of
from shoal.partition import SearchLog, canonical_labels
from shoal.progress import Progress, Reporter
from shoal.table.encode_nodes import Coded

PAIRS = 2000  # of records, that tell which columns differ most
ITERATIONS = 20_000
TIMES_K = 4  # larger groups are cut up, which never adds to the loss
LOOKS_A_CALL = 2_000_000  # of a record at a group in 8 columns: about a tenth of a second
# a pool has the group of a record and the nearest FEWEST others; of small groups up to twice as
# many, while POOL // k allows
FEWEST, POOL = 4, 24
QUICK, CLOSING = 10**6, 10**9  # looks: so few are made after an interrupt too; no more at all
SHARE = 0.6  # of a time limit: then shifts and swaps must have their turn, if they need so long
PARTS = {
    "shift": (SHIFTS, BY_SHIFTS),
    "swap": (SWAPS, BY_SWAPS),
    "dissolve": (DISSOLVED, BY_DISSOLVE, BY_DISSOLVING),
    "regroup": (REGROUPED, BY_REGROUP, BY_REGROUPING),
    "resplit": (RESPLIT, BY_RESPLIT, BY_RESPLITTING),
}


def search_trees(
    coded: Coded,
    task: Task,
    report: Reporter,
    weights: Mapping[str, float] | None = None,
    survey: Floats | None = None,
) -> tuple[Integers, SearchLog]:
    """Return the grouping of least ILoss found, and how. Never more loss than the start had.

    Requires 2 <= k, 2k records and starts that keep the rules, which no move breaks; with a penalty
    they may be broken, and the loss of the log counts what that costs. `weights`
    say how much columns count, `survey` weights (n) how much records do.
    """
    return drive(_Perturbations(coded, task, report, weights, survey))


def search_runs(
    coded: Coded, task: Task, report: Reporter, weights: Mapping[str, float] | None = None
) -> tuple[list[Grouping], SearchLog]:
    """Return what `search_trees` does first, then the groupings that its runs ended with."""
    search = _Perturbations(coded, task, report, weights, None)
    _, log = drive(search)
    return [search.several.best.grouping, *search.several.ended], log


class _Perturbations:
    """Perturbations, accepted by simulated annealing, then shifts and swaps to a local optimum."""

    def __init__(
        self, coded: Coded, task: Task, report: Reporter, weights: Mapping[str, float] | None,
        survey: Floats | None,
    ) -> None:  # fmt: skip
        assert task.start is not None
        self.options, self.threads, self.k = task.options, task.threads, task.k
        near = self.options.neighbors
        usual = max(FEWEST, min(2 * FEWEST, POOL // self.k))
        self.around = min(usual if near is None else near, coded.rows // self.k)
        masses = masses_of(survey, coded.rows)
        unit = unit_of(masses)
        trees, codes = records_of(by_falling_loss(coded), scaled(coded, weights), unit)
        rows, width = codes.shape
        self.total = int(masses.sum()) / unit * width
        self.wide = max(1, width // 8)
        self.looks = rows * min(rows // self.k, ORDERS * NEIGHBORS // self.k) * self.wide
        self.a_call = max(1, LOOKS_A_CALL // self.wide)
        self.watch = Watch(self.options, report, ITERATIONS)
        self.ruled = bool(task.rules.any())
        most, starts = TIMES_K * self.k, [task.start, *task.others]
        if self.ruled:  # a part of a group that keeps the rules may break them
            most = max(most, *(int(np.bincount(start).max()) for start in starts))
        else:
            starts = [cut_up(trees, codes, start, self.k, most, masses) for start in starts]
        orders = orders_of(trees, codes, self.k, task.seed, task.threads, masses)
        self.map = Map(trees, codes, task, most, self.around, orders, masses)
        self.whole = False  # the local optimum was reached
        self.looked = 0
        self.split, self.by_split = 0, 0.0  # groups that were split off, and what that gained
        self.returned, self.by_return = 0, 0.0  # to the best groups so far, and what that gained
        self.improved = 0  # the iteration after which a run was better than before
        self.hurried = False  # nothing more is looked at
        self.several = Runs(self.map, starts, self.options.runs)
        self.runs = range(len(self.searches) * self.map.regions)
        self.cooling = Cooling(
            self.watch, self.options, rows // self.k, self.seconds, anneals=task.penalty == 0.0
        )

    @property
    def searches(self) -> list[Run]:
        """The runs; one after they were recombined."""
        return self.several.searches

    def begin(self, everywhere: Everywhere) -> None:
        """Note the loss of the start."""
        del everywhere
        self.loss_start = self._percent(self.searches[0].loss)
        self.watch.note(0, np.array([self.loss_start]))

    def round(self, everywhere: Everywhere) -> None:
        """Perturb for some iterations, unless shifts and swaps need the time that is left."""
        stop_rules, watch = self.options.stop, self.watch
        patience = stop_rules.patience or NEVER
        if self.seconds is not None and watch.seconds > self.seconds:
            watch.stopped_by = "time limit"
            return
        looks = 8 * min(NEIGHBORS, self.map.codes.shape[0]) // self.k
        looks += ((self.around + 1) * self.k) ** 2  # an iteration's
        most = min(1000, patience, self.a_call // looks)
        size = round_size(self.map.codes.shape[0] // self.k, most) * self.map.regions
        self.cooling.estimate()
        if self.cooling.begin_anew():
            self._return(lambda search: search.begin_cycle(watch.done))
        before = [search.loss for search in self.searches]
        for search in self.searches:
            stop = search.plan(watch.done, min(watch.limit, watch.done + size))
            search.cool_to(self.cooling.share())
        regions = self.several.regions

        def work(i: int) -> None:
            if i < len(regions):
                regions[i].advance()

        everywhere(work)
        watch.done = stop
        after = [search.loss for search in self.searches]
        for search in self.searches:
            search.keep_best()
        watch.note(watch.done, np.array([self._percent(min(after))]))
        if any(one < other for one, other in zip(after, before, strict=True)):
            self.improved = watch.done
        target = stop_rules.target or 0.0
        if watch.lowest <= target:
            watch.stopped_by = "nothing to lose" if target == 0.0 else "target"
        elif all(region.state.counts[LIVING] <= 1 for region in regions):
            watch.stopped_by = "nothing to change"
        elif watch.done - self.improved >= patience:
            watch.stopped_by = "patience"

    def _return(self, to_best: Callable[[Run], None]) -> None:
        """Let all runs return to the best groups so far, and note what that gains."""
        for search in self.searches:
            before = search.loss
            to_best(search)
            self.returned += search.loss < before
            self.by_return += before - search.loss

    @property
    def seconds(self) -> float | None:
        """The part of a time limit that perturbations have."""
        limit = self.options.stop.seconds
        if limit is None or self.looks <= QUICK:
            return limit
        return float(max(SHARE * limit, limit - self.looks * LOOK))

    def close(self, everywhere: Everywhere) -> None:
        """Shift and swap until nothing gains; recombine the runs, and once more from there."""
        self.hurried = self.watch.stopped_by in ("interrupt", "callback") and self.looks > QUICK
        self._return(lambda search: search.return_to_best(self.watch.done))
        self._descend(everywhere)
        if len(self.searches) > 1:
            self.several.recombine()
            self.whole = False
            self._descend(everywhere)

    def _descend(self, everywhere: Everywhere) -> None:
        """Shift and swap until nothing gains, as far as the clock and the user allow.

        Groups of 2k or more are split before, which adds no loss, and none are made.
        """
        limit, looks = self.options.stop.seconds, self.options.looks
        most = CLOSING * self.a_call // LOOKS_A_CALL if looks is None else looks
        for search in self.searches:
            self._cut_up(search)
        regions = self.several.regions

        def look(i: int) -> bool:
            if i >= len(regions):
                return True
            regions[i].state.counts[LOOKS] = self.looked
            regions[i].advance()
            return bool(regions[i].state.counts[WAITING] == 0)

        report = self.watch.report
        while not (self.whole or self.hurried) and self.looked < most:
            self.looked = min(most, self.looked + self.a_call)  # of all runs, so that it repeats
            self.whole = all(everywhere(look))
            late = limit is not None and self.watch.seconds >= limit
            enough = report.look(self.look(), last=False)
            self.hurried = (late or enough or report.stop.finish) and self.looks > QUICK

    def _cut_up(self, search: Run) -> None:
        """Cut up a run's groups of 2k or more, and have all groups looked at."""
        ended = parts = search.labels
        before = search.loss
        if not self.ruled:
            most = 2 * self.k - 1
            own = self.map
            parts = cut_up(own.trees, own.codes, ended, self.k, most, own.masses)
        for region in search.regions:
            counts = region.state.counts
            counts[LOOKING], counts[LOOKED] = 1, 0
            counts[LOOKS] = 0  # until the groups are measured
            if not self.ruled:
                counts[MOST] = most
            region.load(canonical_labels(parts[region.rows]))
        self.split += int(parts.max() - ended.max())
        self.by_split += before - search.loss

    def _percent(self, loss: float) -> float:
        return percent(float(loss), self.total)

    def look(self) -> Progress:
        """Return what there is to see: loss and groups of the best run, moves of all."""
        best = self.several.best
        loss = self._percent(best.loss)
        lowest = min(loss, self.watch.lowest)
        counts = np.sum([totals.counts for totals in self.several.totals], axis=0)
        return self.watch.look(
            loss,
            lowest,
            groups=sum(int(region.state.counts[LIVING]) for region in best.regions),
            tried=int(counts[SHIFTS_TRIED] + counts[SWAPS_TRIED]),
            applied=int(counts[SHIFTS] + counts[SWAPS]),
        )

    def result(self) -> tuple[Integers, SearchLog]:
        """Return the grouping of the only run, or of all recombined, and how it was found."""
        best, several = self.several.best, self.several
        labels = canonical_labels(best.labels)
        for region in best.regions:  # the sum without what rounding did on the way
            region.state.counts[LOOKS] = 0
            region.load(canonical_labels(labels[region.rows]))
        end = self._percent(best.loss)
        split = {"applied": self.split, "gain": self._percent(self.by_split)}
        totals = several.totals
        back = {"applied": self.returned, "gain": self._percent(self.by_return)}
        by_part = {**gains(totals, self.total, PARTS), "split": split, "return": back}
        if several.ended:
            gain = self._percent(several.by_blocks)
            by_part["recombine"] = {"applied": several.blocks, "gain": gain}
        log = self.watch.log(
            end,
            self.loss_start,
            loss_first_optimum=end,
            runs=self.options.runs,
            schedule=self.cooling.schedule,
            gains=by_part,
            pairs_examined=sum(int(one.counts[SHIFTS_TRIED]) for one in totals),
            pairs_by_pass=[],
            complete=self.whole,
            looks=self.options.looks if self.whole else self.looked,
        )
        return labels, log


def check(options: Search) -> None:
    """Refuse what only searches on numbers have."""
    usual = Search()
    for name in ("local", "share", "acceptance", "restarts"):
        if getattr(options, name) != getattr(usual, name):
            raise RequestError(f"{name} is for searches on numbers; a search on trees has none")
    if options.neighbors == 0:
        raise RequestError("neighbors must be at least 1 in a search on trees")
    if "distill" in options.perturbations or "split" in options.moves:
        raise RequestError("a search on trees has shift and swap, dissolve, regroup and resplit")


class Runs:
    """So many runs of every start; `ended` are their groupings after they became one.

    `blocks` is how many blocks the best took from others then, `by_blocks` what that gained.
    """

    def __init__(self, map_: Map, starts: Sequence[Integers], count: int) -> None:
        self.map = map_
        self.searches = [
            Run(map_, start, run, WARM if place == 0 and map_.task.warm else HEAT)
            for place, start in enumerate(starts)
            for run in range(place * count, (place + 1) * count)
        ]
        self.ended: list[Grouping] = []
        self.blocks, self.by_blocks = 0, 0.0
        self._past: list[Totals] = []

    @property
    def best(self) -> Run:
        """The run that loses least."""
        return min(self.searches, key=lambda search: search.loss)

    @property
    def regions(self) -> list[Region]:
        """The regions of all runs."""
        return [region for search in self.searches for region in search.regions]

    @property
    def totals(self) -> list[Totals]:
        """What was counted and gained in every run so far."""
        return [*self._past, *(search.totals for search in self.searches)]

    def recombine(self) -> None:
        """Make one run of all, with the cheapest blocks."""
        self.ended = [search.grouping for search in self.searches]
        best, self.blocks = recombined(self.ended)
        self.by_blocks = min(one.loss for one in self.ended) - best.loss
        self._past = [search.totals for search in self.searches]
        self.searches = [Run(self.map, canonical_labels(best.labels), 0, WARM)]


def scaled(coded: Coded, weights: Mapping[str, float] | None) -> dict[str, float]:
    """Return every column's weight; they are 1 on average."""
    every = {name: (weights or {}).get(name, 1.0) for name in coded.names}
    average = sum(every.values()) / len(every)
    return {name: weight / average for name, weight in every.items()}


def by_falling_loss(coded: Coded) -> Coded:
    """Return the columns in which records differ most before the others.

    A move that cannot gain is then given up after a column or two.
    """
    some = np.arange(min(coded.rows, PAIRS))
    pairs = np.concatenate((some, some[::-1] * 7919 % coded.rows))
    labels = np.concatenate((some, some))
    taken = coded.take(pairs)
    lost = [-float(cell_losses(column, labels).sum()) for column in taken.columns]
    order = np.argsort(lost, kind="stable")
    return Coded(tuple(coded.columns[j] for j in order), coded.rows)
