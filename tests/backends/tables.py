"""Tables of many files, small enough for a test and of several regions all the same."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.executor import Threads
from shoal.pipeline.regions.many_files import from_parts, release_origin
from shoal.pipeline.regions.parts import OutputFolder
from shoal.pipeline.regions.request import FileRequest
from shoal.settings import build
from shoal.table.files.many_files import find_parts

QUASI = ["age", "income", "born", "score"]
SIZES = (150, 1, 650, 0, 280)  # three regions of 400; one file of several row groups
SHARE = 400  # records of a region: a small table has several
MORE = (900, 1, 1300, 0, 800)  # eight regions
RECORDS = sum(SIZES)
ROLES = {"identifiers": ["name"], "quasi_identifiers": QUASI, "sensitive": ["diagnosis"]}


def people(rows, seed):
    """Numbers and dates to group, a name, a word."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "name": [f"person {seed} {i}" for i in range(rows)],
            "age": rng.integers(18, 95, rows),
            "income": rng.lognormal(10, 1, rows).round(2),
            "born": pa.array(rng.integers(0, 20_000, rows).astype("int32")).cast(pa.date32()),
            "score": rng.normal(size=rows),
            "diagnosis": rng.choice(["a,b", 'say "c"', "d", "é"], rows),
        }
    )


def mixed(rows, seed):
    """Words, numbers and missing cells."""
    rng = np.random.default_rng(seed)
    gaps = rng.random(rows) < 0.1
    return pa.table(
        {
            "town": pa.array(rng.choice(list("abcdefgh"), rows), mask=rng.random(rows) < 0.05),
            "age": pa.array(rng.integers(18, 60, rows), mask=gaps),
            "job": rng.choice(["cook", "judge", "nurse"], rows),
            "note": rng.integers(0, 9, rows),
        }
    )


def write_parts(folder: Path, make=people, sizes=SIZES):
    """Write files of several sizes; return the pattern that names them."""
    folder.mkdir(exist_ok=True)
    for number, rows in enumerate(sizes):
        pq.write_table(make(rows, number), folder / f"{number}.parquet", row_group_size=500)
    return f"{folder}/*.parquet"


def order_of(output, force=False, parent=None, threads=None):
    """The order of a release of many files, whose rows are in one order each time."""
    output_folder = OutputFolder.of(str(output), force)
    return FileRequest(
        output_folder.targets, force, False, None, parent, threads, shuffle_seed=1,
        output_folder=output_folder, share=SHARE,
    )  # fmt: skip


def settings_of(**tree):
    """The settings of a run."""
    tree.setdefault("roles", ROLES)
    tree["protect"] = {"k": 10, **tree.get("protect", {})}
    return build(tree)


class Here(Threads):
    """Threads of this process, in a with statement."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def run(pattern, output, engine, callback=None, force=False, parent=None, **tree):
    """Release files by an engine."""
    origin = from_parts(find_parts(str(pattern), chunk=500))
    order = order_of(output, force, parent)
    with engine as ready:
        name = "threads" if isinstance(ready, Here) else type(ready).__name__.lower()
        tree["protect"] = {"engine": name, **tree.get("protect", {})}
        return release_origin(origin, settings_of(**tree), order, ready, callback)


def listed(folder: Path):
    """What the manifest of a release lists."""
    return json.loads((folder / "manifest.json").read_text())["parts"]


def hashes(folder: Path):
    """The hashes of all parts of a release."""
    return [(part["file"], part["sha256"]) for part in listed(folder)]


def together(folder: Path):
    """All rows of a release."""
    return pa.concat_tables([pq.read_table(folder / part["file"]) for part in listed(folder)])


def smallest(table, names):
    """The size of the smallest class."""
    return min(Counter(zip(*(table[name].to_pylist() for name in names), strict=True)).values())


def left(folder: Path):
    """What is in a folder that should not be."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
