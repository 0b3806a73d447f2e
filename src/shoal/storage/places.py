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


class Place:
    """A folder, at a path or a URL."""

    location: str

    def full(self, name: str) -> str:
        """Return the path or URL of a file."""
        return f"{self.location.rstrip('/')}/{name}"

    def entries(self) -> dict[str, str]:
        """Return everything that lies there, hidden, half or whole, by name: file, folder, link."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """Return the names of all that is whole."""
        return [name for name in self.entries() if not name.endswith(HALF)]


class Folder(Place):
    """A folder on this machine, or one that several machines have mounted."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).absolute()
        self.location = str(self.path)

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

    def entries(self) -> dict[str, str]:
        """Return everything that lies in the folder; no link is followed."""
        entries = {}
        for path in sorted(self.path.iterdir()):
            is_link, is_file = path.is_symlink(), path.is_file()
            entries[path.name] = "link" if is_link else "file" if is_file else "folder"
        return entries

    def remove(self, *names: str) -> None:
        """Remove files; missing ones are ignored."""
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


class Remote(Place):
    """A folder at a URL, as fsspec opens it."""

    def __init__(self, url: str) -> None:
        self.location = url

    def __reduce__(self) -> Any:
        return Remote, (self.location,)

    @cached_property
    def _files(self) -> Any:
        """The folder as a file system of its own."""
        try:
            from fsspec.core import url_to_fs
            from fsspec.implementations.dirfs import DirFileSystem

            files, path = url_to_fs(self.location, use_listings_cache=False)
            return DirFileSystem(path, files)
        except ImportError as error:
            scheme = urlsplit(self.location).scheme
            what = f"fsspec is not installed here: {pip_install('dask')}, or spark"
            if error.name != "fsspec":
                what = "what fsspec needs for it is not installed here"
            raise RequestError(
                f"{scheme}://…: {what} (for s3 it is s3fs, for gs gcsfs, for abfs adlfs)"
            ) from None
        except ValueError:
            raise RequestError(
                f"{shown(self.location)}: no kind of storage that is known"
            ) from None
        except Exception as error:
            raise RequestError(
                f"{shown(self.location)}: this storage cannot be opened ({type(error).__name__})"
            ) from None

    def make(self) -> None:
        """Make the folder, where the storage has such."""
        self._files.fs.makedirs(self._files.path, exist_ok=True)

    def open(self, name: str) -> BinaryIO:
        """Return a file to read; only what is asked for is fetched."""
        return self._files.open(name, "rb", cache_type="none")  # type: ignore[no-any-return]

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """Yield a file to write, which is sent when it is whole."""
        with tempfile.TemporaryFile() as file:
            yield cast(BinaryIO, file)
            file.seek(0)
            with self._files.open(name, "wb") as sink:
                shutil.copyfileobj(file, sink, 2**24)

    def take(self, other: Storage, name: str) -> None:
        """Copy a file of another folder here: the storage does it alone, if both are its own."""
        files = self._files
        if isinstance(other, Remote) and other._files.fs == files.fs:
            files.fs.cp_file(f"{other._files.path}/{name}", f"{files.path}/{name}")
            return
        with other.open(name) as source, self.writing(name) as sink:
            shutil.copyfileobj(source, sink, 2**24)

    def stamp(self, name: str) -> str:
        """Return what tells a file from one that was changed."""
        info = self._files.info(name)
        stamps = [info.get(key) for key in ("ETag", "etag", "LastModified", "mtime")]
        return f"{info['size']} {next((one for one in stamps if one is not None), '')}"

    def glob(self) -> list[str]:
        """Return the URLs of the files that a pattern names; of a folder, all in it."""
        files, path = self._files.fs, self._files.path
        paths = files.glob(path) if has_magic(path) else files.ls(path, detail=False)
        return sorted(files.unstrip_protocol(one) for one in paths)

    def entries(self) -> dict[str, str]:
        """Return everything that lies at the URL; nothing where there is none."""
        entries: dict[str, str] = {}
        with contextlib.suppress(FileNotFoundError):
            for one in self._files.ls("", detail=True):
                name = str(one["name"]).rstrip("/").rpartition("/")[2]
                plain = "file" if one.get("type") == "file" else "folder"
                if one["name"].strip("/"):  # else a mark that there is a folder
                    entries[name] = "link" if one.get("islink") else plain
        return dict(sorted(entries.items()))

    def remove(self, *names: str) -> None:
        """Remove files; missing ones are ignored."""
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                self._files.rm_file(name)

    def clear(self) -> None:
        """Remove all in the folder."""
        with contextlib.suppress(FileNotFoundError):
            self._files.fs.rm(self._files.path, recursive=True)


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
