"""Whether a change of the code has changed any result: labels, losses and every figure of reports.

    python benchmarks/unchanged/unchanged.py write FILE      before the change
    python benchmarks/unchanged/unchanged.py compare FILE    after it

Every method on census, tarragona, eia (which SHOAL_DATA names) and the sample; tables and options
drawn at random by the fuzzer, in memory; some of them again as files in little memory. Labels and
messages must be equal, numbers to 1e-9 of their size. Times are not compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.csv as pc  # noqa: E402

import shoal  # noqa: E402
from fuzz import doors  # noqa: E402
from fuzz.drawing import draw  # noqa: E402
from fuzz.sources import to_source, write_files  # noqa: E402
from shoal.datasets import load, load_patients  # noqa: E402

REFERENCE = "census", "tarragona", "eia"
SLOW = {
    "ls": 2,
    "lsc": 2,
    "ilsm": 2,
    "ls-steepest": 2,
    "lsc-steepest": 2,
    "ilsm-steepest": 2,
    "best": 1,
}  # iterations of searches that take long
SEARCHES = {"ilsmc", "ilsmc-near", "ilsmc+", "kaim+", *SLOW}
ITERATIONS = 300
RANDOM = 400  # cases of the fuzzer
RELATIVE = 1e-9
CLOCK = {"seconds", "megabytes", "created", "issued", "time", "date", "shoal", "path", "sha256"}
TOO_LARGE = {("exact", name) for name in REFERENCE}


def tell(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def labels_of(labels: Any) -> str:
    """Return a hash of labels."""
    return hashlib.sha256(bytes(str(list(map(int, labels))), "ascii")).hexdigest()[:16]


def reference_runs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every method on the reference tables, as `microaggregate` finds groups."""
    for name in REFERENCE:
        data = load(name)
        for method in shoal.methods():
            if (method.name, name) in TOO_LARGE:
                continue
            more: dict[str, Any] = {}
            if method.name in SEARCHES:
                more["max_iterations"] = SLOW.get(method.name, ITERATIONS)
            yield f"{name} {method.name}", _groups(data, method.name, more)
        yield f"{name} auto", _groups(data, "auto", {"effort": "quick"})


def _groups(data: Any, method: str, more: dict[str, Any]) -> dict[str, Any]:
    try:
        found = shoal.microaggregate(data, k=5, method=method, seed=1, **more)
    except shoal.ShoalError as error:
        return {"error": str(error)}
    return {
        "labels": labels_of(found.labels), "loss": found.information_loss, "method": found.method,
        "reason": found.reason,
    }  # fmt: skip


def sample_runs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every method on the sample, with the whole report."""
    table = load_patients()
    some = table.take(np.arange(300))
    roles = {
        "identifiers": ["name", "number"], "sensitive": ["diagnosis"], "drop": ["cost"],
        "quasi_identifiers": ["age", "sex", "postcode", "length_of_stay", "income"],
    }  # fmt: skip
    for method in shoal.methods():
        options: dict[str, Any] = {"k": 4, "method": method.name, **roles}
        if method.name in SEARCHES:
            options["max_iterations"] = SLOW.get(method.name, ITERATIONS)
        yield f"sample {method.name}", _whole(doors.by_python(some, options))
        if method.name not in SLOW and method.name != "exact":
            found = doors.by_python(some, {**options, "l": 2, "t": 0.5})
            yield f"sample {method.name} l t", _whole(found)


def random_runs(count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield tables and options as the fuzzer draws them."""
    for seed in range(900_000, 900_000 + count):
        case = draw(seed)
        if case.options.get("time_limit") is not None or "seconds" in str(case.options):
            continue  # how far a search gets then is the clock's
        with tempfile.TemporaryDirectory(prefix="unchanged-") as place:
            try:
                data = to_source(case, Path(place))
            except Exception:  # noqa: S112 - a table that cannot be is no case
                continue
            options = write_files(case, Path(place))
            yield f"random {seed}", _whole(doors.by_python(data, options))


def file_runs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield files in little memory, region by region."""
    rng = np.random.default_rng(5)
    rows = 200_000  # more than 500MB, as csv
    table = pa.table({
        "age": rng.integers(18, 95, rows), "income": np.round(rng.lognormal(10, 1, rows), 2),
        "height": np.round(rng.normal(170, 10, rows), 1), "flag": rng.integers(0, 2, rows),
        "region": rng.choice(["north", "south", "east", "west"], rows),
        "illness": rng.choice(["a", "b", "c", "d", "e"], rows),
    })  # fmt: skip
    numbers = ["age", "income", "height", "flag"]
    asked = {
        "numbers": {"quasi_identifiers": numbers, "sensitive": ["illness"]},
        "trees": {"quasi_identifiers": ["age", "region", "flag"], "sensitive": ["illness"]},
        "generalized": {"quasi_identifiers": numbers, "aggregate": "generalize"},
        "medians": {"quasi_identifiers": numbers, "aggregate": "median", "other": ["region"]},
    }
    with tempfile.TemporaryDirectory(prefix="unchanged-") as place:
        path = Path(place) / "t.csv"
        pc.write_csv(table, path)
        for name, roles in asked.items():
            for memory in (None, "500MB"):
                out = Path(place) / f"{name}-{memory}"
                found = _file(path, out, roles, memory)
                yield f"file {name} memory {memory}", found


def _file(path: Path, out: Path, roles: dict[str, Any], memory: str | None) -> dict[str, Any]:
    try:
        found = shoal.anonymize_file(
            path, f"{out}/", k=5, memory=memory, effort="quick", seed=3, keep_order=True, **roles
        )
    except shoal.ShoalError as error:
        return {"error": str(error)}
    private = Path(f"{out}.private") / "report.json"
    exact = json.loads(private.read_text()) if private.is_file() else {}
    return {"public": _plain(found.report.to_dict()), "private": _plain(exact)}


def _whole(result: Any) -> dict[str, Any]:
    """Return everything that a run says of itself."""
    if isinstance(result, doors.Refused):
        return {"error": result.said}
    if isinstance(result, doors.Crashed):
        return {"crash": result.kind}
    return {
        "labels": labels_of(result.partition.labels), "loss": result.partition.information_loss,
        "report": _plain(result.report.to_dict()), "recipe": _plain(result.settings.model_dump()),
        "data": hashlib.sha256(str(result.table.columns and [
            column.values.to_pylist() for column in result.table.columns
        ]).encode()).hexdigest()[:16],
    }  # fmt: skip


def _plain(tree: Any) -> Any:
    """Return a tree as JSON has it, without times and paths."""
    if isinstance(tree, dict):
        return {str(key): _plain(value) for key, value in tree.items() if key not in CLOCK}
    if isinstance(tree, list | tuple):
        return [_plain(value) for value in tree]
    if isinstance(tree, float) and not math.isfinite(tree):
        return str(tree)
    if isinstance(tree, str):
        return re.sub(r"\b[0-9.]+ s\b", "… s", tree)
    return tree if isinstance(tree, int | float | bool | None) else str(tree)


def differences(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """Yield the places in which two trees differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            missing = [side for side, tree in (("before", before), ("after", after))
                       if key not in tree]  # fmt: skip
            if missing:
                yield f"{where}.{key}: not there {missing[0]}"
            else:
                yield from differences(before[key], after[key], f"{where}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from differences(*pair, f"{where}[{index}]")
    elif isinstance(before, float) or isinstance(after, float):
        numbers = all(isinstance(x, int | float) and not isinstance(x, bool)
                      for x in (before, after))  # fmt: skip
        if not numbers or not math.isclose(before, after, rel_tol=RELATIVE, abs_tol=1e-12):
            yield f"{where}: {before} -> {after}"
    elif before != after:
        yield f"{where}: {str(before)[:150]} -> {str(after)[:150]}"


def main() -> int:
    """Write what runs find, or compare it with what was written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--random", type=int, default=RANDOM)
    parser.add_argument("--only", default="", help="cases whose names begin so")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    families = {
        "random": lambda: random_runs(asked.random), "sample": sample_runs, "file": file_runs,
        "reference": reference_runs,
    }  # fmt: skip
    before = _plain(json.loads(asked.file.read_text())) if asked.verb == "compare" else {}
    found: dict[str, Any] = {}
    changed = 0
    for family, runs in families.items():
        if not family.startswith(asked.only):
            continue
        for name, told in runs():
            found[name] = json.loads(json.dumps(told))
            if asked.verb == "compare":
                places = list(differences(before.get(name, {}), found[name]))
                changed += bool(places)
                for place in places[:5]:
                    tell(f"{name}{place}")
        tell(f"{family}: {len(found)} cases so far")
    if asked.verb == "write":
        asked.file.parent.mkdir(parents=True, exist_ok=True)
        asked.file.write_text(json.dumps(found, indent=1))
    tell(f"{len(found)} cases, {changed} changed")
    return int(changed > 0)


if __name__ == "__main__":
    sys.exit(main())
