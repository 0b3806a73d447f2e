"""The steps beside grouping, by their public names: `shoal.steps.Round("income", digits=-3)`."""

from shoal.table.steps.dates import Coarsen, Derive
from shoal.table.steps.extremes import Bottom, Top
from shoal.table.steps.noise import Noise
from shoal.table.steps.pram import Pram
from shoal.table.steps.rare import Drop, Rare
from shoal.table.steps.recode import Level, Prefix, Recode
from shoal.table.steps.round import Round
from shoal.table.steps.step import Step
from shoal.table.steps.swaps import RankSwap, RecordSwap

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
