"""The private folder of a release: `NAME.private/`, beside it, for the steward alone.

It holds the exact report with its page, the recipe that repeats the run (with seed, path and
hash of the input) and the key of the commitments. None of it may be published.
"""

from __future__ import annotations

import os
from pathlib import Path

from shoal.errors import RequestError, shown

SUFFIX = ".private"
REPORT, PAGE, RECIPE, KEY = "report.json", "report.html", "run.toml", "commitment.key"
FILES = (REPORT, PAGE, RECIPE, KEY)
ENDINGS = (
    "csv", "csv.gz", "parquet", "feather", "arrow", "jsonl", "xlsx", "sav", "zsav", "dta", "xpt",
)  # fmt: skip


def private_folder(folder: Path) -> Path:
    """Return the private folder of a release that is a folder: beside it, never in it."""
    if folder.name in ("", ".."):
        folder = Path(os.path.abspath(folder))  # noqa: PTH100 - without following links
    if not folder.name:
        raise RequestError(f"{shown(folder)}: a private folder must lie beside it; name another")
    return folder.with_name(folder.name + SUFFIX)


def kind_of(name: str) -> str | None:
    """Return the format that the name of a released file ends in, if any."""
    return next((one for one in ENDINGS if name.lower().endswith(f".{one}")), None)


def stem_of(name: str) -> str:
    """Return the name of a released file without its ending."""
    ending = kind_of(name)
    return name if ending is None else name[: -len(ending) - 1]


def private_folders(release: Path) -> list[Path]:
    """Return where the private folder of a release may be, a file or a folder, the likeliest first.

    Only those that are there.
    """
    if release.is_dir():
        places = [private_folder(release)]
    else:
        places = [release.with_name(stem_of(release.name) + SUFFIX)]
        if release.name.startswith("release.") or release.name == "manifest.json":
            places.append(private_folder(release.parent))
    return [place for place in places if place.is_dir()]


def published_beside(private: Path, file: str) -> Path:
    """Return the released file that a private folder belongs to, by its name in the report."""
    folder = private.with_name(private.name.removesuffix(SUFFIX))
    return folder / file if folder.is_dir() else private.parent / file
