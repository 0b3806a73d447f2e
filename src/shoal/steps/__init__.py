"""Steps: what a steward does beside grouping, as a short ordered list.

A step is a frozen value of its options: `Round("income", digits=-3)`. A recipe has them as
`[[steps]]`, the command line as `--step 'round income -3'`, Python as `steps=[…]`; removing one
undoes it. Steps *before grouping* change what is grouped and what is kept (`round.py`,
`extremes.py`, `recode.py`, `dates.py`, `rare.py`); steps *after grouping* change kept columns by
chance (`noise.py`, `swaps.py`, `pram.py`), by numbers that follow from a secret (`draws.py`) which
the private recipe alone holds: repeating a release repeats its noise.

`sequence.py` carries a list out in its order, `cost.py` says what each step changed, `registry.py`
finds a step by its kind and `words.py` reads and writes the compact form. Nothing here verifies
anything: the judge looks at what is released, as ever.
"""

from shoal.steps.dates import Coarsen, Derive
from shoal.steps.extremes import Bottom, Top
from shoal.steps.noise import Noise
from shoal.steps.pram import Pram
from shoal.steps.rare import Drop, Rare
from shoal.steps.recode import Level, Prefix, Recode
from shoal.steps.round import Round
from shoal.steps.step import Step
from shoal.steps.swaps import RankSwap, RecordSwap

__all__ = [
    "Bottom",
    "Coarsen",
    "Derive",
    "Drop",
    "Level",
    "Noise",
    "Pram",
    "Prefix",
    "RankSwap",
    "Rare",
    "Recode",
    "RecordSwap",
    "Round",
    "Step",
    "Top",
]
