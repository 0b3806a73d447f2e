"""Source: an opened release, as a table that queries can name; and what all its readers share.

They read files on this machine and at URLs that fsspec opens (s3://bucket/folder), and refuse names
of columns that look the same, and files that unpack to much.
"""

from __future__ import annotations

import difflib
import os
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import urlsplit

from shoal.errors import InputError, RequestError, pip_install, shown
from shoal.judge import refuse

# Cyrillic, Greek and other letters that look like Latin ones, small and capital apart.
LIKE = "авеёкмнорстухѕіїјһԁԛԝАВЕЁКМНОРСТУХЅІЇЈҺԌԚԜαιοκρτυχγνωϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡℓոսօ"
LATIN = "abeekmhopctyxsiijhdqwABEEKMHOPCTYXSIIJHGQWaiokptuxyvwcABEZHIKMNOPTYXiaglnuo"
CONFUSABLE = str.maketrans(LIKE, LATIN)
UNSEEN = ("Z", "C")  # categories of Unicode: spaces, and signs that nobody sees
NESTED = re.compile(r".*\]|(?:STRUCT|MAP|UNION)\(.*", re.S)
INTERVALS = re.compile(r'STRUCT\("?low"? ([\w ]+(?:\([\d,]+\))?), "?high"? \1\)')
LINE = 2**24  # bytes of a line of text: a longer one is none
MANIFEST = "manifest.json"
PIECE = 2**20  # bytes that are read at once
RATIO, FREE = 200, 64 * 2**20  # what unpacks to more than both is no table


@dataclass(frozen=True)
class Source:
    """An opened release: `table` is its name in the engine, `columns` the DuckDB type of each.

    `as_text` tells that every cell is the text of a csv file, and empty ones are NULL; of all other
    files cells are values. `reader` is what reads the file, and `warnings` are about it. `manifest`
    is what a folder says of itself, and the records and bytes of its parts as found.
    """

    name: str
    table: str
    columns: dict[str, str]
    as_text: bool = False
    reader: str = ""
    warnings: tuple[str, ...] = ()
    manifest: tuple[Mapping[str, Any], list[tuple[int, int]]] | None = None

    def check(self, wanted: Sequence[str], kept: Collection[str]) -> None:
        """Refuse columns that are not there, and lists and structs in any that is not kept."""
        for name, kind in self.columns.items():
            refuse((
                name not in kept and NESTED.fullmatch(kind) and not INTERVALS.fullmatch(kind),
                f"{self.name}: column {shown(name)} holds lists, not values; write a column of "
                "plain values for each, or structs of low and high for intervals",
            ))  # fmt: skip
        for name in (one for one in wanted if one not in self.columns):
            close = difflib.get_close_matches(name, self.columns, n=3, cutoff=0.5)
            hint = f"; did you mean {', '.join(map(repr, close))}?" if close else ""
            raise InputError(f"{self.name}: there is no column {name[:60]!r}{hint}")


def check_names(names: Sequence[str], file: str) -> None:
    """Refuse a column without a name, and two whose names are equal or look the same."""
    seen: dict[str, str] = {}
    for place, name in enumerate(names, 1):
        plain = unicodedata.normalize("NFKC", name).translate(CONFUSABLE).casefold()
        plain = unicodedata.normalize("NFKC", plain).translate(CONFUSABLE)
        look = "".join(sign for sign in plain if unicodedata.category(sign)[0] not in UNSEEN)
        twin = seen.get(look)
        refuse(
            ("\0" in name or not look,
             f"{file}: column {place} has no name that can be seen, and readers call it "
             "differently (pandas Unnamed: 0, R X); give it one, or take it out"),
            (twin == name, f"{file}: two columns are named {shown(name)}"),
            (twin is not None,
             f"{file}: the columns {shown(twin)} and {shown(name)} look the same (case, spaces, "
             "letters of other alphabets); rename one"),
        )  # fmt: skip
        seen[look] = name


def check_unpacked(size: int, packed: int, name: str) -> None:
    """Refuse a file that unpacks to far more than a table of its size would."""
    refuse((size > FREE and size > RATIO * packed,
            f"{name}: unpacks to more than {RATIO} times its size; not a table"))  # fmt: skip


def more(name: str, what: str, instead: str = "write csv or Parquet") -> str:
    """Return what is wrong with a file that holds more than its records and their columns."""
    return (
        f"{name}: it holds {what} beside its records, and whoever opens it can read that; {instead}"
    )


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; one that names a key twice is none, as readers differ."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def is_url(place: str) -> bool:
    """Tell whether a text is a URL; what is before :// in one letter is a drive."""
    return len(place.partition("://")[0]) > 1 and "://" in place


def plain(place: str) -> str:
    """Return a path where a URL is nothing else (file://…)."""
    if not place.startswith("file://"):
        return place
    from urllib.request import url2pathname  # with all of HTTP

    return url2pathname(urlsplit(place).path)


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
            return {one.name: "link" if one.is_symlink() else "file" if one.is_file() else
                    "directory" for one in sorted(listing, key=lambda one: one.name)}  # fmt: skip
    system, path = _system(folder)
    every = {str(one["name"]).rstrip("/"): one for one in system.ls(path, detail=True)}
    return {
        name.rpartition("/")[2]: "link" if one.get("islink") else str(one.get("type"))
        for name, one in sorted(every.items())
        if name != path.rstrip("/")  # also an entry, where it is a mark that there is a folder
    }


def _system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and its path there."""
    parts = urlsplit(url)
    refuse(("@" in parts.netloc or parts.query,
            f"{parts.scheme}://…: a URL must not hold a password or a key; give it in the "
            "environment of every machine"), error=RequestError)  # fmt: skip
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
