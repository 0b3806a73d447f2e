"""Methods: every way to choose a partition, behind one small Protocol.

A method gets a `Problem` and returns a `Solution`; what it is stands in its `Info`
(`problem.py`). `registry.py` lists them all, `auto.py` decides which one suits a table, `solve.py`
runs one: it is chosen, says whether it supports the problem, runs, constraints are brought about,
and the result is a `Partition`.

`families/` has the adapters, a file for each family. What they run stands beside it:
`heuristics/` (one group after the other, and their refinement), `kmember/` (groups grown over
hierarchies), `fulldomain/` (one level for all records), `ils/` (iterated local search on distances
and on hierarchies), `matheuristic/` (`best` and `exact`), `bounds/` (lower bounds and column
generation), `blocks.py` and `cutting.py` (large tables). `enforce/` brings about what is asked
beyond k.

The package can be called: `shoal.methods()` returns what `registry.methods` does, whichever of the
function and the package was loaded first.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.methods.problem import Methods


class _Callable(ModuleType):
    def __call__(self) -> Methods:
        """Return the methods there are: name, kind, summary, cost and citation of each."""
        from shoal.methods.registry import methods

        return methods()


sys.modules[__name__].__class__ = _Callable
