"""What the parts share: tables, recipes, bars, and long searches that are made once."""

from __future__ import annotations

import csv
import sys
from decimal import Decimal
from functools import cache
from pathlib import Path

import shoal
from shoal.methods.ils.parameters import Dynamic, Search, Task
from shoal.methods.ils.search import search
from shoal.methods.registry import METHODS
from shoal.progress import Reporter
from shoal.table.encode import encode

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))  # for `telling`, which others have too
DOCS = REPOSITORY / "docs/search"
PRINTED = REPOSITORY / "tests/published/ilsmc_2020.csv"
TABLES = {"tarragona": "tarragona", "census": "census", "eia10": "eia"}  # ours: the thesis's name
SIZES = 3, 4, 5, 6, 10
ITERATIONS = 5_000

RECIPES = {
    **{name: METHODS[name].info.search for name in ("ls", "lsc", "ilsm", "ilsmc")},
    "ilsm, due": Search(local="due", visits="pairs"),  # what ilsm finds, sooner
    "ilsm, bDissolve": Search(local="due", visits="pairs", samples=5),
    "ilsmc-near": Search(),
    "bDissolve": Search(samples=5),
    "dAccept": Search(acceptance=Dynamic(1e-5)),
    "both": Search(samples=5, acceptance=Dynamic(1e-5)),
    "ilsmc+": METHODS["ilsmc+"].info.search,
}


@cache
def matrix(name):
    """A reference table, standardized."""
    return encode(shoal.datasets.load(name), standardize=True).matrix


def run(points, k, recipe, iterations, *, start=None, seed=0, runs=1, callback=None):
    """Return the labels and the log of one search, on one core."""
    options = RECIPES[recipe].replace({"stop": {"iterations": iterations}, "runs": runs})
    return search(points, Task(k, start, options, seed, threads=1), Reporter(callback))


@cache
def full(name, k, recipe, seed):
    """The log of a search of full length from a random start."""
    return run(matrix(name), k, recipe, ITERATIONS, seed=seed)[1]


@cache
def printed(table, name, row, k):
    """One printed figure of the thesis: a loss, or seconds."""
    return Decimal(_printed()[table, TABLES[name], row, k].rstrip("%").partition(" ")[0])


@cache
def _printed():
    with PRINTED.open() as file:
        return {
            (line["table"], line["dataset"], line["row"], int(line["k"])): line["value"]
            for line in csv.DictReader(file)
        }


def half_digit(number):
    """Half of the last digit of a printed figure."""
    return 0.5 * 10.0 ** int(number.as_tuple().exponent)
