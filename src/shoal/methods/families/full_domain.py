"""Full-domain recoding: one level of every column for all records."""

from __future__ import annotations

from shoal.methods.fulldomain.recode import recode
from shoal.methods.problem import Family, Problem, Solution
from shoal.progress import Reporter

KEPT = "levels were chosen so that every class keeps what is asked of it"


class FullDomain(Family):
    """Searches all combinations of levels; nothing is drawn at random."""

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the classes at the levels that lose least; they keep the constraints."""
        labels, recoding = recode(problem, report)
        if problem.constraints is None:
            return Solution(labels, recoding=recoding)
        return Solution(labels, enforcement="levels", enforced=KEPT, recoding=recoding)
