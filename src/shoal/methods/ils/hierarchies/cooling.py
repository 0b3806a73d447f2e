"""Temperature schedule of a search on hierarchies: simulated annealing in cycles."""

from __future__ import annotations

from shoal.methods.ils.parameters import Search
from shoal.methods.ils.stopping import Watch

HEAT = 0.3  # the first temperature, in mean losses of a group: 0.2 to 0.4 lost least on adult
WARM = 0.1  # from a start that is good already, which a higher one would undo
HOT, COOLED = 0.1, 0.8  # shares of a cycle: until then the first temperature, from then on 0
CYCLE = 400  # iterations for each possible group: more of them gain little
FEW = 3  # iterations for each possible group: fewer of them are not annealed
MEASURED = 0.05  # the share of a time limit after which the number of iterations is estimated
LEAST = 50  # iterations at a temperature


def round_size(groups: int, most: int) -> int:
    """Return how many iterations are made at a temperature, given the number of possible groups.

    It does not depend on the length of a cycle, so that what was limited by the clock can be
    repeated.
    """
    return max(1, min(most, max(LEAST, groups // 2)))


class Cooling:
    """How far a search is in a cycle of annealing.

    A cycle has as many iterations as the search is limited to, or is estimated to make within its
    time, but at most CYCLE for each possible group; or as the option `schedule` says. Later cycles
    begin with the best grouping so far. What comes out depends on the length of a cycle and on the
    number of iterations, never on the clock. A search that may end at any time (`patience`), one
    with a penalty, and one that is limited to less than FEW iterations for each possible group keep
    only what gains: their cycles are of length 1.
    """

    def __init__(
        self, watch: Watch, options: Search, groups: int, seconds: float | None, anneals: bool
    ) -> None:
        self.watch, self.seconds = watch, seconds
        self.longest = CYCLE * max(1, groups)
        self.length: int | None = None  # not known yet
        self._first = 0  # iteration of this cycle
        if not anneals or (options.schedule is None and options.stop.patience is not None):
            self.length = 1
        elif options.schedule is not None:
            self.length = options.schedule
        elif seconds is None:
            self.length = max(1, min(watch.limit, self.longest))
            if self.length < FEW * groups:
                self.length = 1

    @property
    def schedule(self) -> int:
        """The length of a cycle; where it is not known yet, one that is as hot until now."""
        return self.length or round(self.watch.done / HOT) + 2

    def estimate(self) -> None:
        """Estimate how many iterations are made within the time, once some were made."""
        done, spent = self.watch.done, self.watch.seconds
        if self.length is not None or self.seconds is None or spent < MEASURED * self.seconds:
            return
        if done > 0:
            planned = min(done * self.seconds / spent, self.watch.limit, self.longest)
            self.length = max(2, round(planned), round(done / HOT))

    def begin_anew(self) -> bool:
        """Begin another cycle if one has come to its end; tell whether it has."""
        if self.length in (None, 1) or self.watch.done - self._first < self.schedule:
            return False
        self._first = self.watch.done
        return True

    def share(self) -> float:
        """Return the share of the first temperature that is left: it falls linearly to 0."""
        if self.length is None:
            return 1.0
        if self.length == 1:
            return 0.0
        passed = (self.watch.done - self._first) / self.length
        return min(1.0, max(0.0, (COOLED - passed) / (COOLED - HOT)))
