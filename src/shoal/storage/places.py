"""Storage: a folder on this machine, or a URL that fsspec opens (s3://bucket/folder).

Files appear whole or not at all. What lies at a URL is guarded by the storage there; the keys to it
are in the environment of each machine, never in a URL, which reports and recipes show.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import cached_property
from glob import has_magic
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

from shoal.errors import RequestError, pip_install, shown
from shoal.storage import system
from shoal.storage.names import is_same, is_url, path_of_url

HALF = ".half"
PATIENCE = 5.0  # seconds in which a folder is to be gone, while others may still write to it


def cache_folder() -> Path:
    """Return the folder of Shoal in the user's cache."""
    import platformdirs

    return platformdirs.user_cache_path("shoal", appauthor=False, opinion=False)


def remove_unheld(folder: Path) -> bool:
    """Remove a folder that no process has locked; tell whether it was removed."""
    with contextlib.suppress(OSError), system.lock_folder(folder):
        shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


def is_inside(path: Path, folder: Path) -> bool:
    """Tell whether a path is that of a folder or of something in it, however both are spelled."""
    place, whole = path.resolve(), folder.resolve()
    return place.is_relative_to(whole) or any(
        is_same(above, whole) for above in (place, *place.parents)
    )


def check_url(url: str) -> None:
    """Refuse a URL that holds a password or a signature: it would stand in the report."""
    parts = urlsplit(url)
    if "@" in parts.netloc or parts.query:
        raise RequestError(
            f"{parts.scheme}://…: a URL must not hold a password or a key; give it in the "
            "environment of every machine"
        )


def plain(location: str) -> str:
    """Return a path where a URL is nothing else."""
    return path_of_url(location) if location.startswith("file://") else location


class Folder:
    """A folder on this machine, or one that several machines have mounted."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).absolute()

    @property
    def location(self) -> str:
        """Its path."""
        return str(self.path)

    def full(self, name: str) -> str:
        """Return the path of a file."""
        return str(self.path / name)

    def make(self) -> None:
        """Make the folder, for its owner alone."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)

    def open(self, name: str) -> BinaryIO:
        """Return a file to read."""
        return (self.path / name).open("rb")

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """Yield a file to write, which gets its name when it is whole and on disk."""
        half = self.path / f"{name}.{secrets.token_hex(4)}{HALF}"
        number = system.create(half)
        try:
            with os.fdopen(number, "wb") as file:
                yield file
                file.flush()
                system.sync(file.fileno())
            system.replace(half, self.path / name)
        except BaseException:
            half.unlink(missing_ok=True)
            raise

    def stamp(self, name: str) -> str:
        """Return what tells a file from one that was changed."""
        status = (self.path / name).stat()
        return f"{status.st_size} {status.st_mtime_ns}"

    def names(self) -> list[str]:
        """Return the names of all whole files."""
        return sorted(entry.name for entry in self.path.iterdir() if entry.suffix != HALF)

    def entries(self) -> dict[str, str]:
        """Return everything that lies in the folder, hidden, half or whole; no link is followed."""
        entries = {}
        with os.scandir(self.path) as listing:
            for entry in listing:
                plain = "file" if entry.is_file(follow_symlinks=False) else "folder"
                entries[entry.name] = "link" if entry.is_symlink() else plain
        return dict(sorted(entries.items()))

    def remove(self, *names: str) -> None:
        """Remove files."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove the folder and all in it, also files written meanwhile."""
        end = time.monotonic() + PATIENCE
        while True:
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.path.exists() or time.monotonic() > end:
                return
            time.sleep(0.05)


class Remote:
    """A folder at a URL."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __reduce__(self) -> Any:
        return Remote, (self.url,)

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        try:
            import fsspec.core

            return fsspec.core.url_to_fs(self.url, use_listings_cache=False)  # type: ignore[no-any-return]
        except ImportError as error:
            scheme = urlsplit(self.url).scheme
            what = f"fsspec is not installed here: {pip_install('dask')}, or spark"
            if error.name != "fsspec":
                what = "what fsspec needs for it is not installed here"
            raise RequestError(
                f"{scheme}://…: {what} (for s3 it is s3fs, for gs gcsfs, for abfs adlfs)"
            ) from None
        except ValueError:
            raise RequestError(f"{shown(self.url)}: no kind of storage that is known") from None
        except Exception as error:
            raise RequestError(
                f"{shown(self.url)}: this storage cannot be opened ({type(error).__name__})"
            ) from None

    @property
    def location(self) -> str:
        """Its URL."""
        return self.url

    def full(self, name: str) -> str:
        """Return the URL of a file."""
        return f"{self.url}/{name}"

    def make(self) -> None:
        """Make the folder, where the storage has such."""
        files, path = self._opened
        files.makedirs(path, exist_ok=True)

    def open(self, name: str) -> BinaryIO:
        """Return a file to read; only what is asked for is fetched."""
        files, path = self._opened
        return files.open(f"{path}/{name}", "rb", cache_type="none")  # type: ignore[no-any-return]

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """Yield a file to write, which is sent when it is whole."""
        files, path = self._opened
        with tempfile.TemporaryFile() as file:
            yield cast(BinaryIO, file)
            file.seek(0)
            with files.open(f"{path}/{name}", "wb") as sink:
                shutil.copyfileobj(file, sink, 2**24)

    def take(self, other: Storage, name: str) -> None:
        """Copy a file of another folder here: the storage does it alone, if both are its own."""
        files, path = self._opened
        if isinstance(other, Remote) and other._opened[0] == files:
            files.cp_file(f"{other._opened[1]}/{name}", f"{path}/{name}")
            return
        with other.open(name) as source, self.writing(name) as sink:
            shutil.copyfileobj(source, sink, 2**24)

    def stamp(self, name: str) -> str:
        """Return what tells a file from one that was changed."""
        files, path = self._opened
        info = files.info(f"{path}/{name}")
        stamps = [info.get(key) for key in ("ETag", "etag", "LastModified", "mtime")]
        return f"{info['size']} {next((one for one in stamps if one is not None), '')}"

    def glob(self) -> list[str]:
        """Return the URLs of the files that a pattern names; of a folder, all in it."""
        files, path = self._opened
        paths = files.glob(path) if has_magic(path) else files.ls(path, detail=False)
        return sorted(files.unstrip_protocol(one) for one in paths)

    def names(self) -> list[str]:
        """Return the names of all files."""
        files, path = self._opened
        try:
            paths = files.ls(path, detail=False)
        except FileNotFoundError:
            return []
        return sorted(str(one).rstrip("/").rpartition("/")[2] for one in paths)

    def entries(self) -> dict[str, str]:
        """Return everything that lies at the URL, folders too; nothing where there is none."""
        files, path = self._opened
        entries: dict[str, str] = {}
        try:
            every = files.ls(path, detail=True)
        except FileNotFoundError:
            return entries
        for one in every:
            place = str(one["name"]).rstrip("/")
            if place == str(path).rstrip("/"):  # a mark that there is a folder
                continue
            name = place.rpartition("/")[2]
            plain = "file" if one.get("type") == "file" else "folder"
            entries[name] = "link" if one.get("islink") else plain
        return dict(sorted(entries.items()))

    def remove(self, *names: str) -> None:
        """Remove files."""
        files, path = self._opened
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                files.rm_file(f"{path}/{name}")

    def clear(self) -> None:
        """Remove all in the folder."""
        files, path = self._opened
        with contextlib.suppress(FileNotFoundError):
            files.rm(path, recursive=True)


Storage = Folder | Remote  # a folder of files


def storage(location: str) -> Storage:
    """Return the folder at a path or URL."""
    location = plain(location)
    if is_url(location):
        check_url(location)
        return Remote(location.rstrip("/"))
    return Folder(Path(location))


def open_at(location: str) -> BinaryIO:
    """Return the file at a path or URL, to read."""
    folder, name = _parted(location)
    return folder.open(name)


def stamp_of(location: str) -> str:
    """Return what tells the file at a path or URL from one that was changed."""
    folder, name = _parted(location)
    return folder.stamp(name)


def _parted(location: str) -> tuple[Storage, str]:
    folder, name = os.path.split(location)
    return (Remote(folder) if is_url(location) else Folder(folder)), name
