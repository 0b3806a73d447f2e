"""What compiling takes by kernel: `shoal warmup`, and `shoal run` on the sample.

    SHOAL_OLD=FOLDER python benchmarks/speed/compiling.py [RUNS]

`SHOAL_OLD` names a folder with the repository of an older version: it does the same beside this
one, in turns, and kernels that it does not have are counted apart, as what later work added. A
kernel is known by the name of its function; one that has grown since counts as older. Every run is
a process of its own with an empty cache; of RUNS (3) the one with the least CPU seconds counts.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))  # for `telling`, which others have too

from telling import Bar  # noqa: E402

DECORATORS = {"jit", "part", "hot", "steps", "loop", "by_address", "cfunc", "njit"}
# CPU seconds over those of the older version; 45 of 69 and 10 of 14.3, as they were asked for
BARS = {"warmup": 0.65, "run": 0.70}


def words_of(task, repository, folder):
    """Return the words of a command that compiles."""
    if task == "warmup":
        return ["warmup"]
    sample = Path(repository) / "src/shoal/datasets/patients.toml"
    return ["run", str(sample), "-o", f"{folder}/out/", "--force"]


def timed(place, words):
    """Run a command in this process; write the CPU seconds of every kernel to a file."""
    from numba.core.compiler import CompilerBase

    compile_, found, waiting = CompilerBase.compile_extra, [], []

    def compile_extra(self, function):
        if not function.__module__.startswith("shoal."):  # a part of the kernel that calls it
            return compile_(self, function)
        waiting.append(0.0)
        start = time.process_time()
        try:
            return compile_(self, function)
        finally:
            took, others = time.process_time() - start, waiting.pop()
            if waiting:
                waiting[-1] += took
            found.append((function.__module__, function.__qualname__, took - others))

    def ended(code):
        Path(place).write_text(json.dumps(found), encoding="utf-8")
        leave(code)

    CompilerBase.compile_extra = compile_extra
    leave, os._exit = os._exit, ended  # which is how the command line ends
    from shoal.__main__ import main

    sys.argv = ["shoal", *words]
    try:
        main()
    finally:
        ended(0)


def measured(repository, task):
    """Return the CPU seconds of a command from an empty cache, and those of every kernel."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "kernels.json"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, __file__, "--in", place, *words_of(task, repository, folder)],
            env={**os.environ, "PYTHONPATH": str(Path(repository) / "src"),
                 "NUMBA_CACHE_DIR": f"{folder}/cache"},
            check=True, capture_output=True,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return seconds, json.loads(place.read_text(encoding="utf-8"))


def kernels_of(repository):
    """Return the names of the functions that a repository compiles."""
    names = set()
    for path in (Path(repository) / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                used = [getattr(one, "func", one) for one in node.decorator_list]
                if any(getattr(one, "id", getattr(one, "attr", "")) in DECORATORS for one in used):
                    names.add(node.name)
    return names


def main(runs):
    """Print what both tasks take, beside the older version; return how many bars are missed."""
    old = os.environ.get("SHOAL_OLD")
    if not old:
        sys.exit("SHOAL_OLD must name a folder with the repository of an older version")
    older, missed = kernels_of(old), 0
    for task, most in BARS.items():
        pairs = [(measured(REPOSITORY, task), measured(old, task)) for _ in range(runs)]
        (seconds, kernels), (before, _) = (min(side) for side in zip(*pairs, strict=True))
        later = [one for one in kernels if one[1].split(".")[-1] not in older]
        added = sum(took for *_, took in later)
        print(f"{task}: {seconds:.1f} CPU s, {before:.1f} by the older version; "
              f"{len(kernels)} kernels, {sum(took for *_, took in kernels):.1f} s; "
              f"{len(later)} of them later ones, {added:.1f} s")  # fmt: skip
        by_module = {}
        for module, _, took in later:
            by_module[module] = by_module.get(module, 0.0) + took
        for module, took in sorted(by_module.items(), key=lambda one: -one[1]):
            print(f"      later: {module} {took:.2f}")
        share = (seconds - added) / before
        bar = Bar(f"{task}: without later kernels, over the older version", share, "<=", most)
        missed += not bar.met
        print(bar)
    return missed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in"]:
        timed(sys.argv[2], sys.argv[3:])
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 3) > 0)
