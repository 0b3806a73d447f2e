"""What attackers have: everything that a release publishes, in each of its forms."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from large_files import LITTLE, PADDING, padded

TOWNS = "Ulm,south,*\nBonn,west,*\nKiel,north,*\nNeverseen,north,*\n"
LAYOUTS = ("pack", "parquet pack", "folder", "file", "file without a page", "regions", "engine")


@dataclass(frozen=True)
class Handed:
    """A release, what it was made of, and where its private folder should be."""

    SEED = 918273645

    layout: str
    path: Path
    tree: Path
    files: list[Path]
    private: Path


def in_process(*arguments):
    """Run the command line in this process."""
    from shoal.cli import app

    found = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert found.exit_code == 0, found.stderr


def write_table(path, rows=60, seed=3, large=False):
    """A csv file of people, and a hierarchy of their towns beside it; return both.

    Only a large one is released region by region.
    """
    rng = np.random.default_rng(seed)
    lines = ["age,town,illness,name"]
    for i in range(rows):
        town = ("Ulm", "Bonn", "Kiel")[rng.integers(3)]
        lines.append(f"{rng.integers(20, 80)},{town},{('flu', 'gout')[rng.integers(2)]},person {i}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if large:
        padded(path)
    tree = path.with_name("towns.csv")
    tree.write_text(TOWNS, encoding="utf-8")
    return path, tree


def release(shoal, layout, place, path, tree, *more):
    """Release a table in one of the forms into a new folder; return all published files."""
    place.mkdir()
    asked = ["anonymize", path, "-k", "3", "--quasi", "age,town", "--sensitive", "illness",
             "--identifier", "name", "--hierarchy", f"town={tree}"]  # fmt: skip
    if layout not in ("regions", "engine"):
        asked += ["--method", "kaim"]
    if layout == "pack":
        asked += ["--pack", place / "out"]
    elif layout == "parquet pack":
        asked += ["--pack", place / "out", "--format", "parquet"]
    elif layout == "folder":
        asked += ["-o", f"{place}/out/"]
    elif layout == "file":
        asked += ["-o", place / "out.csv"]
    elif layout == "file without a page":
        asked += ["-o", place / "out.csv.gz", "--no-report"]
    elif layout == "regions":
        asked += ["-o", place / "out.csv", "--memory", LITTLE, "--drop", PADDING]
    else:
        asked += ["-o", f"{place}/out/", "--engine", "threads"]
    shoal(*asked, *more)
    return published(place)


def published(place):
    """All files of a folder but those in private folders."""
    files = [path for path in sorted(place.rglob("*")) if path.is_file()]
    return [path for path in files if not any(p.endswith(".private") for p in path.parts)]


def said(files):
    """The bytes of all files together, those of gzip files unpacked too."""
    every = [path.read_bytes() for path in files]
    every += [gzip.decompress(raw) for raw in every if raw[:2] == b"\x1f\x8b"]
    return b"\n".join(every)


def identities(files):
    """Every text of hexadecimal digits in the files that is as long as a hash or a commitment."""
    return {one.decode() for one in re.findall(rb"\b[0-9a-f]{32,128}\b", said(files).lower())}
