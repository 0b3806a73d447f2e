"""The decorator: caches where it can, works where it cannot, notices changed sources."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shoal
from shoal.kernels.jit import kernel_sources
from shoal.kernels.nearest import slack

CODE = """
import numpy as np
from shoal.kernels import totals
totals.add_points(np.zeros((2, 1)), np.ones((3, 1)))
print(totals.add_points.stats.cache_hits.total() if hasattr(totals.add_points, "stats") else 0)
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that a test may spoil."""
    shutil.copytree(Path(shoal.__file__).parent, tmp_path / "shoal",
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    return tmp_path


def run(folder, code=CODE, *, before=None, **environment):
    variables = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    variables.update(environment)
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=before,
    )
    assert ran.returncode == 0, ran.stderr
    hits = [int(number) for number in ran.stdout.split()]
    return hits[0] if len(hits) == 1 else hits


@pytest.mark.slow
def test_cache_is_used_and_thrown_away_with_any_source(copy):
    """A second process reads the cache; a change in any kernel file throws all of it away."""
    assert run(copy) == 0
    assert run(copy) >= 1
    path = copy / "shoal" / "methods/heuristics/refine/steps.py"
    path.write_text(path.read_text() + "\n# changed\n")
    assert run(copy) == 0


@pytest.mark.slow
def test_no_writable_folder(copy):
    """Without any folder for the cache, kernels are compiled and run all the same."""
    cache = copy / "shoal/kernels/__pycache__"
    cache.write_text("a file where the folder should be")
    assert run(copy, HOME="/dev/null", XDG_CACHE_HOME="/dev/null", IPYTHONDIR="/dev/null") == 0


def test_full_disk(copy):
    """A cache that cannot be written does not stop the run."""

    def small_files():
        import resource
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    assert run(copy, before=small_files) == 0


EACH = (  # every kernel is in one of them
    "mdav", "diameter-phase2", "cbfs-nc3", "gsms-nn3+", "v-mdav", "mdav-mhm", "mst", "hilbert",
    "tfrp", "optimal-1d", "ls", "ls-steepest", "ilsmc+", "best", "fast", "kaim+", "k-member",
)  # fmt: skip


@pytest.mark.slow
def test_a_newer_numba_compiles_in_its_own_way(copy):
    """What this was not tried with is left alone: its compiler, its way to pass arrays."""
    code = """
import numba
numba.version_info = numba.version_info._replace(major=9)
import numpy as np
from shoal.kernels import jit, totals
assert jit.TWICE == jit.TOGETHER == jit.ALONE == {}
sums = np.zeros((2, 1))
totals.add_points(sums, np.ones((3, 1)))
print(int(sums.sum()))
"""
    assert run(copy, code) == 3


@pytest.mark.slow
def test_interpreted():
    """With the compiler off the kernels are plain Python, and give the same bits."""
    code = (
        "import numpy as np, shoal\n"
        "X = np.random.default_rng(0).normal(size=(40, 2))\n"
        f"for m in [m for m in shoal.methods() if m.name in {EACH}]:\n"
        "    table = X[:, : m.columns]\n"
        "    table = table[:16] if m.name == 'best' else table\n"
        "    few = {} if m.search is None else {'max_iterations': 1 if m.name == 'best' else 30}\n"
        "    print(shoal.microaggregate(table, 4, method=m.name, **few).labels.tolist())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    }
    assert len(outputs) == 1


PARTS = """
from shoal.kernels.jit import jit, part

@part
def twice(x):
    return 2 * x

@jit
def twice_and_more(x):
    return twice(x) + twice(1) + 1
"""

LINKED = """
from numba.core import inline_closurecall, ir, ssa
from numba.core.cpu import CPUContext
from numba.core.types import BaseFunction, Dispatcher
places = [(inline_closurecall, "copy"), (ssa, "_logger"), (CPUContext, "get_executable"),
          (BaseFunction, "get_call_type"), (Dispatcher, "get_call_type"),
          (inline_closurecall.InlineWorker, "run_untyped_passes"), (ir.Loc, "__deepcopy__")]
before = [vars(owner).get(name) for owner, name in places]
from shoal.kernels import parts
assert parts.twice_and_more(20) == 43
assert [vars(owner).get(name) for owner, name in places] == before
print(len(parts.twice.signatures), parts.twice.stats.cache_hits.total())
"""


@pytest.mark.slow
def test_parts_are_compiled_once_and_linked_from_disk(copy):
    """A part is compiled once for all numbers, also written out; a new kernel takes it from disk.

    What the compiler leaves out for kernels it leaves out for them alone.
    """
    (copy / "shoal/kernels/parts.py").write_text(PARTS)
    assert run(copy, LINKED) == [1, 0]
    for path in (copy / "shoal/kernels/__pycache__").glob("parts.twice_and_more*"):
        path.unlink()
    assert run(copy, LINKED) == [1, 1]


@pytest.mark.slow
def test_damaged_cache(copy):
    """A cache file that was cut short is compiled anew."""
    run(copy)
    for path in (copy / "shoal/kernels/__pycache__").glob("*.nb?"):
        path.write_bytes(path.read_bytes()[:10])
    assert run(copy) == 0


def test_what_is_cached_is_loaded_without_compiling():
    """A process that forks loads kernels before: what is on disk, and nothing else."""
    slack(1.0, 0.0)  # compiled and stored, if it was not
    code = (
        "from shoal.kernels.jit import load_cached; from shoal.kernels.nearest import slack;"
        "print(load_cached(slack), len(slack.overloads), len(slack.stats.cache_misses),"
        " load_cached(len))"
    )
    assert run(Path(shoal.__file__).parents[1], code) == [1, 1, 0, 0]


def test_kernels_are_found_by_their_decorators_wherever_they_lie(tmp_path):
    """A kernel in any room, and a module whose constant it holds, belong to the stamp; no other."""
    files = {
        "kernels/jit.py": "import numba\n",
        "attic/under/loop.py": "from shoal.kernels.jit import jit\n"
        "from shoal.attic.sizes import (\n    MOST,\n)\nfrom shoal.attic.words import said\n",
        "attic/sizes.py": "from shoal.errors import LEAST\nMOST = LEAST\n",
        "attic/words.py": "def said(): ...\n",
        "errors.py": "LEAST = 1\n",
        "other.py": "from shoal.errors import LEAST\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = [path.relative_to(tmp_path).as_posix() for path in kernel_sources(tmp_path)]
    assert found == ["attic/sizes.py", "attic/under/loop.py", "errors.py", "kernels/jit.py"]


def test_every_module_that_holds_a_compiled_function_is_in_the_stamp():
    """No module of ours has a dispatcher of Numba that the stamp does not cover."""
    root = Path(shoal.__file__).parent
    known = {path.relative_to(root).with_suffix("").as_posix() for path in kernel_sources(root)}
    holds = set()
    for one in pkgutil.walk_packages([str(root)], "shoal."):
        if ".web" in one.name or ".engines" in one.name or one.name == "shoal.__main__":
            continue
        module = importlib.import_module(one.name)
        for value in vars(module).values():
            if type(value).__name__ == "CPUDispatcher" and value.py_func.__module__ == one.name:
                holds.add(one.name.removeprefix("shoal.").replace(".", "/"))
    assert len(holds) > 20
    assert holds <= known
