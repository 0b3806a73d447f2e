"""Places of files: a folder on this machine, or a URL that fsspec opens (s3://bucket/folder)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import urlsplit
from urllib.request import url2pathname

from shoal.errors import InputError, RequestError, pip_install, shown
from shoal.judge.checks import PIECE


def is_url(place: str) -> bool:
    """Tell whether a text is a URL; what is before :// in one letter is a drive."""
    return len(place.partition("://")[0]) > 1 and "://" in place


def plain(place: str) -> str:
    """Return a path where a URL is nothing else (file://…)."""
    return url2pathname(urlsplit(place).path) if place.startswith("file://") else place


def name_of(place: str | Path) -> str:
    """Return the last part of a path or URL."""
    return Path(str(place).rstrip("/")).name or str(place)


def within(folder: str, name: str) -> str:
    """Return the path or URL of a file in a folder."""
    return f"{folder.rstrip('/')}/{name}" if is_url(folder) else str(Path(folder) / name)


def open_at(place: str | Path) -> IO[bytes]:
    """Return the file at a path or URL, to read."""
    if not is_url(str(place)):
        return Path(place).open("rb")
    system, path = _system(str(place))
    return cast(IO[bytes], system.open(path, "rb"))


def pieces(place: str | Path) -> Iterator[bytes]:
    """Yield the bytes of the file at a path or URL."""
    with open_at(place) as file:
        yield from iter(lambda: file.read(PIECE), b"")


def entries(folder: str) -> dict[str, str]:
    """Return all that lies in a folder or at a URL: by its name a "file", "directory" or "link"."""
    if not is_url(folder):
        with os.scandir(folder) as listing:
            kinds = {True: "file", False: "directory"}
            found = {one.name: "link" if one.is_symlink() else kinds[one.is_file()]
                     for one in listing}  # fmt: skip
        return dict(sorted(found.items()))
    system, path = _system(folder)
    own = path.rstrip("/")  # also an entry, where it is a mark that there is a folder
    every = {str(one["name"]).rstrip("/"): one for one in system.ls(path, detail=True)}
    return {
        name.rpartition("/")[2]: "link" if one.get("islink") else str(one.get("type"))
        for name, one in sorted(every.items())
        if name != own
    }


def _system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and its path there."""
    parts = urlsplit(url)
    if "@" in parts.netloc or parts.query:
        raise RequestError(
            f"{parts.scheme}://…: a URL must not hold a password or a key; give it in the "
            "environment of every machine"
        )
    try:
        import fsspec.core

        return cast(tuple[Any, str], fsspec.core.url_to_fs(url, use_listings_cache=False))
    except ImportError:
        raise RequestError(
            f"{parts.scheme}://…: what opens it is not installed here: {pip_install('dask')}, or "
            "spark (for s3 also s3fs, for gs gcsfs, for abfs adlfs)"
        ) from None
    except Exception as error:  # of any storage, and its words may show a key
        what = f"{shown(url)}: this storage cannot be opened ({type(error).__name__})"
        raise InputError(what) from None
